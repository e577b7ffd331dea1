"""Hosts made of namespaces: each has a network, a host name and shared memory of its own, as machines have.

They hang on a wire that this process is: every frame goes through it, takes as long as it is told, gets lost as
often as it is told, or does not come out because a cable was pulled. The kernel's own means for that (netem) are a
module that many kernels lack.

Nothing has a name outside, and all of it ends with the process that made it, however that ends.
"""

import contextlib
import heapq
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

AGENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "enter-host")
NETWORK = "10.77.0"
SKIPPED = 77  # what ctest is told

# linux/if_packet.h, asm-generic/socket.h: Python does not name them
SOL_PACKET, PACKET_VNET_HDR, PACKET_OUTGOING = 263, 15, 4
SO_RCVBUFFORCE = 33
ALL_PROTOCOLS = 3
VNET_HEADER = 10  # bytes before a frame: what the network card would still have to do for it
BUFFER = 1 << 25
LARGEST_FRAME = 1 << 17


def go_inside():
    """Starts this program again in namespaces of its own, or leaves with the reason why that cannot be."""
    if os.environ.get("SFG_INSIDE") == "1":
        return
    for program in ("ip", "unshare", "nsenter", "mount"):
        if shutil.which(program) is None:
            skip(f"there is no program '{program}'")
    spaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if os.geteuid() != 0:
        spaces.insert(0, "--map-root-user")
    tried = subprocess.run(["unshare", *spaces, "sh", "-c", TRIAL], capture_output=True, text=True)
    if tried.returncode != 0:
        skip("no namespaces here: " + tried.stderr.strip().replace("\n", "; "))
    inside = subprocess.Popen(["unshare", *spaces, sys.executable, *sys.argv], env=dict(os.environ, SFG_INSIDE="1"))
    # unshare takes no notice of this one; with it goes all that is inside.
    signal.signal(signal.SIGTERM, lambda *_: inside.kill())
    sys.exit(inside.wait())


TRIAL = "ip link add trial type veth peer name other && mount -t tmpfs none /dev/shm && unshare --uts hostname trial"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


class Hosts:
    """h1, h2 and so on, with the addresses 10.77.0.1, 10.77.0.2 and so on."""

    def __init__(self, n_hosts, folder):
        self.names = [f"h{number}" for number in range(1, n_hosts + 1)]
        self.folder = folder
        self.holders = []
        with open(os.path.join(folder, "etc-hosts"), "w", encoding="ascii") as file:
            file.write("127.0.0.1 localhost\n")
            file.writelines(f"{NETWORK}.{k} {name}\n" for k, name in enumerate(self.names, 1))
        run("mount", "--bind", file.name, "/etc/hosts")
        for number, name in enumerate(self.names, 1):
            self.add(number, name)
        self.wire = Wire([f"wire{number}" for number in range(1, n_hosts + 1)])
        self.wire.start()

    def add(self, number, name):
        hold = f"hostname {name} && mount -t tmpfs none /dev/shm && ip link set lo up && echo && exec sleep infinity"
        holder = subprocess.Popen(["unshare", "--net", "--uts", "--ipc", "--mount", "sh", "-c", hold],
                                  stdout=subprocess.PIPE)
        self.holders.append(holder)
        holder.stdout.readline()
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            file.write(str(holder.pid))
        run("ip", "link", "add", f"wire{number}", "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        run("ip", "link", "set", f"wire{number}", "addrgenmode", "none", "up")
        self.on(name, f"ip addr add {NETWORK}.{number}/24 dev eth0 && ip link set eth0 addrgenmode none up")

    def on(self, name, *command):
        return run(*self.entering(name), *command)

    def entering(self, name):
        return ["env", f"SFG_HOSTS={self.folder}", AGENT, name]

    def close(self):
        self.wire.ended = True
        self.wire.join()
        for number, holder in enumerate(self.holders, 1):
            run("ip", "link", "del", f"wire{number}")
            holder.kill()
            holder.wait()
            holder.stdout.close()
        run("umount", "/etc/hosts")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Wire(threading.Thread):
    """A switch. Each port is one end of a pair of network cards; the other end is in a host."""

    def __init__(self, ports):
        super().__init__(daemon=True)
        self.delay = 0.0  # seconds
        self.loss = 0.0  # share of frames
        self.cut = set()  # ports whose cable was pulled, from 0; pairs of ports that do not reach each other
        self.n_frames = self.n_lost = 0
        self.ended = False
        self.chance = random.Random(1)
        self.places = {}  # address of a card -> port
        self.on_the_way = []  # (due, number, from, to, frame)
        self.sockets = [self.open(port) for port in ports]

    @staticmethod
    def open(port):
        opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
        opened.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        with contextlib.suppress(PermissionError):  # then it drops more, and TCP sends again
            opened.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
        opened.bind((port, ALL_PROTOCOLS))
        opened.setblocking(False)
        return opened

    def run(self):
        poll = select.epoll()
        for port, opened in enumerate(self.sockets):
            poll.register(opened.fileno(), select.EPOLLIN)
        ports = {opened.fileno(): port for port, opened in enumerate(self.sockets)}
        while not self.ended:
            wait = 0.05 if not self.on_the_way else min(0.05, max(0.0, self.on_the_way[0][0] - time.monotonic()))
            for number, _ in poll.poll(wait):
                self.take(ports[number])
            self.deliver()
        for opened in self.sockets:
            opened.close()

    def take(self, port):
        """Everything that waits at a port."""
        while True:
            try:
                frame, address = self.sockets[port].recvfrom(LARGEST_FRAME)
            except BlockingIOError:
                return
            if address[2] == PACKET_OUTGOING:
                continue
            to, sender = frame[VNET_HEADER:VNET_HEADER + 6], frame[VNET_HEADER + 6:VNET_HEADER + 12]
            self.places[sender] = port
            known = self.places.get(to)
            for goal in range(len(self.sockets)) if known is None else (known,):
                if goal != port:
                    self.n_frames += 1
                    self.send(port, goal, frame)

    def is_cut(self, port, goal):
        return not self.cut.isdisjoint((port, goal, (min(port, goal), max(port, goal))))

    def send(self, port, goal, frame):
        if self.is_cut(port, goal) or self.chance.random() < self.loss:
            self.n_lost += 1
        else:
            due = time.monotonic() + self.delay
            heapq.heappush(self.on_the_way, (due, self.n_frames, port, goal, frame))

    def deliver(self):
        while self.on_the_way and self.on_the_way[0][0] <= time.monotonic():
            _, _, port, goal, frame = heapq.heappop(self.on_the_way)
            if self.is_cut(port, goal):
                continue
            try:
                self.sockets[goal].send(frame)
            except OSError:  # no room behind that port
                self.n_lost += 1
