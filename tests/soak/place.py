"""A folder with inputs in in/ and outputs in out/, the program in it, and what it leaves there."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from commands import make_inputs

# Longer than any command takes on a busy machine: what is not done by then hangs.
PATIENCE_SECONDS = 900
# Of a document in JSON, what differs from run to run, or tells of an interrupted one.
VOLATILE = {"seconds", "peak_rss_bytes", "output_bytes", "notes", "threads", "memory_limit", "load_seconds"}


@dataclass
class Run:
    """What became of one run of the program. A negative status is the signal that ended it."""

    status: int
    out: bytes
    err: str
    happened: bool  # the run got as far as its fault
    counted: int  # calls that could have gone wrong

    def document(self):
        """What --json printed, without what differs from run to run; None if it is not whole."""
        try:
            return _without_volatile(json.loads(self.out))
        except ValueError:
            return None


def _without_volatile(value):
    if isinstance(value, dict):
        return {key: _without_volatile(one) for key, one in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [_without_volatile(one) for one in value]
    return value


@dataclass
class Disturbance:
    """What is done to a run: the injector's environment, words before the program, a signal."""

    environment: dict = field(default_factory=dict)
    prefix: tuple = ()
    signal: int = 0
    seconds: float = 0  # until the signal
    stdout: str = "file"  # or "full", or "closed"


@contextlib.contextmanager
def _standard_output(kind, file):
    """Where the program prints to: a file, a full device, or a pipe that nobody reads."""
    if kind == "file":
        yield file
    elif kind == "full":
        with open("/dev/full", "wb") as full:
            yield full
    else:
        reader, writer = os.pipe()
        os.close(reader)
        yield writer
        os.close(writer)


class Place:
    """One worker's own folder, in memory if that is possible."""

    def __init__(self, program, injector):
        self.program = str(Path(program).resolve())
        self.injector = str(Path(injector).resolve())
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = Path(tempfile.mkdtemp(prefix="sfg-soak-", dir=memory))
        for name in ("in", "other", "out", "tmp"):
            (self.folder / name).mkdir()
        for seed, name in ((1, "in"), (2, "other")):
            make_inputs(self.folder / name, seed, lambda *words: self._make(words))
        self.inputs = {path: path.read_bytes() for path in (self.folder / "in").iterdir()}

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def _make(self, words):
        subprocess.run([self.program, *map(str, words)], check=True, stdout=subprocess.DEVNULL)

    def run(self, words, disturbance=None):
        disturbance = disturbance or Disturbance()
        mark, count, out = self.folder / "mark", self.folder / "count", self.folder / "stdout"
        for path in (mark, count):
            path.unlink(missing_ok=True)
        environment = dict(os.environ, SOURCE_DATE_EPOCH="0", TMPDIR=str(self.folder / "tmp"), LC_ALL="C")
        if disturbance.environment:
            environment |= {"LD_PRELOAD": self.injector, "SFG_FAULT_MARK": str(mark), "SFG_FAULT_COUNT": str(count)}
            environment |= disturbance.environment
        with open(out, "wb") as to, open(self.folder / "stderr", "wb") as err:
            with _standard_output(disturbance.stdout, to) as stdout:
                process = subprocess.Popen([*disturbance.prefix, self.program, *words], cwd=self.folder,
                                           env=environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=err)
            happened = self._disturb(process, disturbance)
            try:
                status = process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise AssertionError(f"does not end within {PATIENCE_SECONDS} s") from None
        counted = int(count.read_text()) if count.exists() else 0
        return Run(status, out.read_bytes(), (self.folder / "stderr").read_text(errors="replace"),
                   happened or mark.exists(), counted)

    @staticmethod
    def _disturb(process, disturbance):
        """Sends the signal in its time; False if the run was over by then."""
        if not disturbance.signal:
            return disturbance.stdout != "file" or bool(disturbance.prefix)
        time.sleep(disturbance.seconds)
        if process.poll() is not None:
            return False
        process.send_signal(disturbance.signal)
        return True

    def restore_inputs(self):
        """What a fault cut off is there again."""
        for path, contents in self.inputs.items():
            if path.stat().st_size != len(contents):
                path.write_bytes(contents)

    def clear(self):
        for name in ("out", "tmp"):
            shutil.rmtree(self.folder / name)
            (self.folder / name).mkdir()

    def temporaries(self):
        """Names that a run gives up before it ends."""
        return [path.name for path in (self.folder / "out").iterdir() if ".tmp-" in path.name] + [
            path.name for path in (self.folder / "tmp").iterdir()]

    def journals(self):
        return [path.name for path in (self.folder / "out").iterdir() if path.name.endswith(".journal")]

    def outputs(self):
        """Name to contents; of logs and pages, which hold the time, only whether they are whole."""
        found = {}
        for path in (self.folder / "out").iterdir():
            if ".tmp-" in path.name or path.name.endswith(".journal"):
                continue
            contents = path.read_bytes()
            for ending, last_bytes in ((".log", b"\n"), (".html", b"</html>\n")):
                if path.name.endswith(ending) and contents.endswith(last_bytes):
                    contents = b"whole" + last_bytes
            found[path.name] = contents
        return found

    def put(self, outputs):
        """Outputs of an earlier run."""
        for name, contents in outputs.items():
            (self.folder / "out" / name).write_bytes(contents)
