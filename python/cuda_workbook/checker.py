"""Finds the program ``checker`` and runs it, so that an interrupted kernel leaves no process behind."""

import codecs
import ctypes
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

#: Characters of output that one cell shows, so that a loop that prints doesn't fill the browser's memory.
MAX_SHOWN_CHARS = 1 << 18
#: Seconds between the signals SIGINT, SIGTERM and SIGKILL.
GRACE_SECONDS = 2.0


#: The option of Linux's ``prctl`` that names a signal for the end of the parent.
PR_SET_PDEATHSIG = 1
_C = ctypes.CDLL(None)


class Problem(Exception):
    """What the learner can do something about, in one message."""


def find():
    """The path of ``checker``: beside this Python, or else on the PATH."""
    beside = Path(sys.executable).with_name("checker")
    if beside.is_file() and os.access(beside, os.X_OK):
        return str(beside)
    found = shutil.which("checker")
    if found is None:
        raise Problem(
            "The program `checker` isn't beside this Python or on the PATH. Run `%pip install cuda-workbook` in a cell, and "
            "then restart the kernel. The package supports Linux and, on Windows, WSL."
        )
    return found


def environment():
    """The variables of the checker: no colours, and commands in reports are those of a notebook."""
    env = dict(os.environ)
    env.update(NO_COLOR="1", COLUMNS="86", CUDA_WORKBOOK_NOTEBOOK="1")
    env.pop("CLICOLOR_FORCE", None)
    # The checker starts no cargo, even if a build started this kernel.
    env.pop("CARGO", None)
    return env


class Output:
    """What a process has written to one of its streams: kept, or shown at once as far as there is room."""

    def __init__(self, show=None):
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._show = show
        self._room = MAX_SHOWN_CHARS
        self._kept = []

    def add(self, data, final=False):
        text = self._decoder.decode(data, final)
        if self._show is None:
            self._kept.append(text)
        elif self._room > 0:
            self._show(text[: self._room])
            self._room -= len(text)
            if self._room <= 0:
                self._show(f"\n... only the first {MAX_SHOWN_CHARS} characters are shown\n")

    def text(self):
        return "".join(self._kept)


def run(arguments, folder, show_output=None, show_errors=None):
    """Runs ``checker`` with these arguments in a folder.

    Each of the functions ``show_output`` and ``show_errors`` gets the text of one stream as it arrives. Without a function,
    the text is kept. Returns the exit code and the kept text of both streams.
    """
    program = find()
    try:
        process = subprocess.Popen(
            [program, *arguments],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # The kernel's interrupt reaches this process only, which then ends the others in order.
            start_new_session=True,
            preexec_fn=_end_with_parent,
        )
    except OSError as error:
        raise Problem(f"`{program}` can't be started: {error.strerror}. Run `%pip install --force-reinstall cuda-workbook`.")
    out, err = Output(show_output), Output(show_errors)
    try:
        _read(process, out, err)
        return process.wait(), out.text(), err.text()
    finally:
        end(process)
        process.stdout.close()
        process.stderr.close()


def _end_with_parent():
    """Lets the kernel's restart end the checker, and so the processes of the checker."""
    if sys.platform == "linux":
        _C.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _read(process, out, err):
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, out)
        selector.register(process.stderr, selectors.EVENT_READ, err)
        while selector.get_map():
            for key, _ in selector.select():
                data = os.read(key.fd, 1 << 16)
                key.data.add(data, final=not data)
                if not data:
                    selector.unregister(key.fileobj)


def end(process):
    """Ends a process and all its descendants, if it still runs."""
    if process.poll() is not None:
        return
    # Workers have process groups of their own, and outlive their parent for a moment.
    descendants = _descendants(process.pid)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        _send(process.pid, number)
        deadline = time.monotonic() + GRACE_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        if process.poll() is not None:
            break
    for pid, started in descendants:
        if _started(pid) == started:
            _send(pid, signal.SIGKILL)


def _send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def _fields(pid):
    """The fields of ``/proc/PID/stat`` after the program's name, or None."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def _started(pid):
    """When a process started. Another process with the same number has another time."""
    fields = _fields(pid)
    return fields and fields[19]


def _descendants(root):
    """Every process below ``root``, with the time at which it started."""
    processes = {}
    for entry in Path("/proc").glob("[0-9]*"):
        fields = _fields(entry.name)
        if fields:
            processes[int(entry.name)] = (int(fields[1]), fields[19])
    found, parents = [], {root}
    while parents:
        children = {pid for pid, (parent, _) in processes.items() if parent in parents}
        found += [(pid, processes[pid][1]) for pid in children]
        parents = children
    return found
