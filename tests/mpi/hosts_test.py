"""sfg-mpi on several hosts, made of namespaces (hosts.py): TCP between them, shared memory within one at most.

    python3 tests/mpi/hosts_test.py SFG SFG_MPI MPIRUN [--all] [name of a test ...]

Without --all a small part, for every day. Exits with 77 and a reason where there can be no namespaces.
"""

import contextlib
import glob
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import hosts

SFG, SFG_MPI, MPIRUN = (os.path.abspath(shutil.which(word) or word) for word in sys.argv[1:4])
SLURM_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/graph.sbatch")
ALL = "--all" in sys.argv
DISTRIBUTIONS = ("shared", "ring")
PATIENCE = 120  # seconds until a job counts as hanging
# Hosts share the processor here: who waits gives it away. What one cannot see from inside.
SHARING = ("--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,tcp",
           "--mca", "btl_base_warn_component_unused", "0", "--mca", "plm_rsh_agent", hosts.AGENT)
# A link is given up after 1 s of silence and three questions that nobody answered, one each second. What the
# documentation recommends is longer; docs/SCALING.md.
PROMPT = ("--mca", "oob_tcp_keepalive_time", "1", "--mca", "oob_tcp_keepalive_intvl", "1",
          "--mca", "oob_tcp_keepalive_probes", "3")
GIVEN_UP_AFTER = 20  # seconds at most, on a machine that does other things too
JOURNAL_WITH_BLOCKS = 4000  # bytes: more than its head


class OnHosts(unittest.TestCase):
    n_hosts = 2
    features = 900

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.place = folder.name
        os.chdir(cls.place)
        cls.hosts = hosts.Hosts(cls.n_hosts, cls.place)
        cls.addClassCleanup(cls.hosts.close)
        sfg("synth", "--samples", "40", "--features", str(cls.features), "--seed", "3", "-o", "data.npy")
        sfg("graph", "data.npy", "-o", "alone.npz")
        cls.expected = content("alone.npz")

    def setUp(self):
        self.hosts.wire.delay, self.hosts.wire.loss = 0.0, 0.0
        self.hosts.wire.cut.clear()
        for file in glob.glob("g.npz*"):
            os.remove(file)

    def start(self, n_ranks, *words, on=None, settings=(), data="data.npy"):
        """A job on these hosts (all of them), as many ranks on each as it takes; mpirun is on the first."""
        names = on or self.hosts.names
        share = -(-n_ranks // len(names))
        places = ",".join(f"{name}:{share}" for name in names)
        command = [MPIRUN, *SHARING, "--host", places, "--map-by", "node", *settings, "-n", str(n_ranks), SFG_MPI, "graph", data, "-o", "g.npz", "--threads", "1", *words]
        return self.command(names[0], self.environment(), *command)

    def environment(self, **more):
        return dict(os.environ, SFG_HOSTS=self.place, TMPDIR=self.place, OMPI_ALLOW_RUN_AS_ROOT="1",
                    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)

    def command(self, host, environment, *words):
        return subprocess.Popen([*self.hosts.entering(host), "exec " + " ".join(words)], env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, job):
        try:
            out, err = job.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            for process in running("mpirun", "orted", "sfg-mpi"):
                os.kill(process, signal.SIGKILL)
            self.fail("it hangs: " + "".join(job.communicate()))
        return job.returncode, out, err

    def run_job(self, n_ranks, *words, **how):
        status, out, err = self.finish(self.start(n_ranks, "--force", "--json", *words, **how))
        self.assertEqual(status, 0, err)
        self.assertEqual(content("g.npz"), self.expected, "another file than that of one process")
        return json.loads(out), err


class TwoHosts(OnHosts):
    def test_every_host_gets_the_data_by_the_network(self):
        document, _ = self.run_job(4, "--distribute", "shared")
        self.assertEqual(document["read"], "in parts")
        half = 8 * 40 * self.features / 2
        received = [rank["received_bytes"] >= half for rank in document["ranks"]]
        # By node: ranks 0 and 2 on the first host, 1 and 3 on the other. The first of each gets what the other host
        # has read.
        self.assertEqual(received, [True, True, False, False])

    def test_another_table_on_another_host_is_refused(self):
        sfg("synth", "--samples", "40", "--features", str(self.features), "--seed", "4", "-o", "other.npy")
        with self.instead_on("h2", "--bind other.npy data.npy", "data.npy"):
            status, _, err = self.finish(self.start(2))
        self.assertEqual(status, 5, err)
        self.assertIn("rank 1 on h2 finds another table there than the first rank on h1", err)
        self.assertFalse(os.path.exists("g.npz"))

    def test_a_host_without_the_file_gets_its_data_from_the_first_rank(self):
        os.makedirs("here", exist_ok=True)
        shutil.copy("data.npy", "here")
        with self.instead_on("h2", "-t tmpfs none here", "here"):
            document, _ = self.run_job(2, data="here/data.npy")
        self.assertEqual(document["read"], "by the first rank: rank 1 on h2 cannot read it")

    def test_the_script_for_slurm_starts_what_it_says(self):
        os.makedirs("bin", exist_ok=True)
        # --bind-to none is said by the script.
        where = " ".join(word for word in SHARING if word not in ("--bind-to", "none"))
        script("bin/mpirun", f'exec {MPIRUN} {where} --host h1:2,h2:2 "$@"')
        # What srun is told about itself goes no further.
        script("bin/srun", f'shift 2; exec bin/mpirun -n 4 --map-by node "$@"')
        os.path.lexists("bin/sfg-mpi") or os.symlink(SFG_MPI, "bin/sfg-mpi")
        for launcher in ("mpirun", "srun"):
            with self.subTest(launcher=launcher):
                environment = self.environment(SFG_LAUNCHER=launcher, SLURM_NTASKS="4", SLURM_NTASKS_PER_NODE="2",
                                               SLURM_CPUS_PER_TASK="1", PATH=f"{self.place}/bin:{os.environ['PATH']}")
                job = self.command("h1", environment, SLURM_SCRIPT, "data.npy", "g.npz", "--force", "--json")
                status, out, err = self.finish(job)
                self.assertEqual(status, 0, err)
                self.assertEqual(content("g.npz"), self.expected)
                self.assertEqual(len(json.loads(out)["ranks"]), 4)

    @contextlib.contextmanager
    def instead_on(self, name, mounted, place):
        """Something else is there on one host, as where every machine has a disk of its own."""
        self.hosts.on(name, "mount " + mounted)
        try:
            yield
        finally:
            self.hosts.on(name, "umount " + place)

    def test_latency_and_loss_do_not_change_a_byte(self):
        self.hosts.wire.delay, self.hosts.wire.loss = 0.002, 0.01
        lost_before = self.hosts.wire.n_lost
        for how in DISTRIBUTIONS:
            self.run_job(2, "--distribute", how)
        self.assertGreater(self.hosts.wire.n_lost, lost_before)

    def test_ranks_and_hosts_as_you_like(self):
        for n_ranks, how in itertools.product((1, 2, 4, 8) if ALL else (2,), DISTRIBUTIONS):
            with self.subTest(ranks=n_ranks, distribution=how):
                self.run_job(n_ranks, "--distribute", how)


class FourHosts(OnHosts):
    n_hosts = 4

    def test_ranks_and_hosts_as_you_like(self):
        for n_ranks, how in itertools.product((1, 2, 4, 8) if ALL else (8,), DISTRIBUTIONS):
            with self.subTest(ranks=n_ranks, distribution=how):
                self.run_job(n_ranks, "--distribute", how)

    def in_the_middle_of(self, *words, **how):
        """A job on four hosts that has put something into its journal."""
        self.setUp()
        self.hosts.wire.delay = 0.01  # so that there is a middle
        job = self.start(4, *words, "--journal-after", "0", **how)
        wait_until(lambda: job.poll() is not None or size_of("g.npz.journal") > JOURNAL_WITH_BLOCKS)
        self.assertIsNone(job.poll(), "it ended before anything was done to it")
        return job

    def ends_soon(self, job):
        began = time.monotonic()
        status, _, err = self.finish(job)
        self.assertNotEqual(status, 0)
        self.assertLess(time.monotonic() - began, GIVEN_UP_AFTER)
        return status, err

    def expect_cut_link_is_survived(self, cut, how):
        """The cable of a host is pulled in the middle of the work."""
        words = ("--distribute", how)
        job = self.in_the_middle_of(*words, settings=PROMPT)
        self.hosts.wire.cut.add(cut)
        _, err = self.ends_soon(job)
        self.assertIn("lost communication with a remote daemon", err)
        # From a host that is cut off all others look alike: it names one of them.
        named = self.hosts.names[cut] if cut > 0 else "h"
        self.assertRegex(err, rf"Remote daemon: .* on node {named}")
        self.assertFalse(os.path.exists("g.npz"))
        wait_until(lambda: not running("sfg-mpi", "orted"))  # also on the other side of the cut
        self.hosts.wire.cut.clear()
        self.hosts.wire.delay = 0.0
        _, err = self.run_job(3, *words, "--resume", on=self.hosts.names[1:])
        self.assertIn("not computed again", err)
        self.assertFalse(os.path.exists("g.npz.journal"))

    def test_two_hosts_that_do_not_reach_each_other_end_the_job(self):
        """Both reach the first one, so that mpirun finds nothing wrong."""
        job = self.in_the_middle_of("--distribute", "ring", "--lost-after", "3")
        self.hosts.wire.cut.add((1, 2))
        status, err = self.ends_soon(job)
        self.assertEqual(status, 3, err)
        self.assertRegex(err, r"rank [12] of 4: h[23] \(10\.77\.0\.[23]\) has not answered for 3 s")

    @unittest.skipUnless(ALL, "takes a quarter of a minute")
    def test_a_rank_that_is_only_slow_is_waited_for(self):
        """The kernel answers for a process that reads nothing, though less and less often."""
        job = self.in_the_middle_of("--distribute", "ring", "--lost-after", "3", "--force")
        slow = running("sfg-mpi")[-1]
        os.kill(slow, signal.SIGSTOP)
        time.sleep(15)
        self.assertIsNone(job.poll())
        os.kill(slow, signal.SIGCONT)
        self.assertEqual(self.finish(job)[0], 0)
        self.assertEqual(content("g.npz"), self.expected)

    def test_a_cut_link_ends_the_job_and_its_journal_goes_on_elsewhere(self):
        cases = itertools.product((1, 0), DISTRIBUTIONS) if ALL else ((2, "ring"),)
        for cut, how in cases:
            with self.subTest(cut=self.hosts.names[cut], distribution=how):
                self.expect_cut_link_is_survived(cut, how)


def sfg(*words):
    subprocess.run([SFG, *words], check=True, capture_output=True)


def script(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n{text}\n")
    os.chmod(path, 0o755)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def size_of(path):
    with contextlib.suppress(FileNotFoundError):
        return os.path.getsize(path)
    return 0


def wait_until(is_so):
    end = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError("it never comes to that")
        time.sleep(0.005)


def running(*names):
    """Processes of these names on any host; those that ended and were not asked for count no more."""
    found = []
    for folder in glob.glob("/proc/[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            with open(f"{folder}/stat", encoding="utf-8") as file:
                name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
            if name in names and rest.split()[0] != "Z":
                found.append(int(os.path.basename(folder)))
    return sorted(found)


if __name__ == "__main__":
    hosts.go_inside()
    unittest.main(argv=[sys.argv[0], *(word for word in sys.argv[4:] if word != "--all")], verbosity=2)
