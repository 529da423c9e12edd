"""The extension of notebooks with the real checker, which must be beside this Python or on the PATH.

    python -m unittest discover python/tests
"""

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from IPython.core.interactiveshell import InteractiveShell

from cuda_workbook import checker, magics

REPOSITORY = Path(__file__).resolve().parents[2]
ENDLESS = '#include <unistd.h>\nint main() { for (;;) { usleep(1000); } }\n'


def file_of(folder, name):
    return (REPOSITORY / folder / "ch01_threads" / f"{name}.cu").read_text()


class Notebook(unittest.TestCase):
    """Each test has a folder of its own, and a shell with the extension."""

    @classmethod
    def setUpClass(cls):
        cls.shell = InteractiveShell.instance()
        cls.shell.run_line_magic("load_ext", "cuda_workbook")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.folder = Path(folder.name).resolve()
        patch = mock.patch.dict(os.environ)
        patch.start()
        self.addCleanup(patch.stop)
        os.environ.pop("CUDA_WORKBOOK", None)

    def run_magic(self, line, cell=None):
        """The text that a magic shows: its HTML, and what it prints."""
        name, _, rest = line.lstrip("%").partition(" ")
        shown, printed = [], io.StringIO()
        with mock.patch.object(magics, "display", lambda html: shown.append(html.data)):
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                if cell is None:
                    self.shell.run_line_magic(name, rest)
                else:
                    self.shell.run_cell_magic(name, rest, cell)
        return "".join(shown) + printed.getvalue()

    def test_an_exercise_fails_and_then_passes(self):
        shown = self.run_magic("%%exercise guard", file_of("exercises", "guard"))
        self.assertIn('data-slug="out-of-bounds-write"', shown)
        self.assertIn("%checker trace guard", shown)
        self.assertIn(str(self.folder / "workbook"), shown)
        self.assertIn("guard hint 1", self.run_magic("%hint"))
        self.assertIn("stays hidden", self.run_magic("%solution guard"))
        solution = file_of("solutions", "guard")
        self.assertIn("passed: guard", self.run_magic("%%exercise guard", solution))
        self.assertEqual((self.folder / "workbook/exercises/ch01_threads/guard.cu").read_text(), solution)
        self.assertIn("wb-profile", self.run_magic("%profile"))
        self.assertIn("wb-trace", self.run_magic("%trace guard --thread 3"))
        self.assertIn("1 of ", self.run_magic("%progress"))

    def test_the_original_says_what_to_do_in_a_notebook(self):
        shown = self.run_magic("%%exercise add_one", file_of("exercises", "add_one"))
        self.assertIn('data-slug="not-started"', shown)
        self.assertIn("run the cell again", shown)

    def test_mistakes_of_the_learner_get_one_message(self):
        skeleton = file_of("exercises", "guard")
        for line, cell, message in [
            ("%%exercise", skeleton, "Name the exercise"),
            ("%%exercise guard", "\n \n", "The cell is empty"),
            ("%%exercise gard", skeleton, "did you mean `guard`"),
            ("%%exercise ../../etc/passwd", skeleton, "no exercise is called"),
            ("%%exercise guard --case 'x", skeleton, "A quote in the first line has no end"),
            ("%%cuda", "\n", "The cell is empty"),
            ("%%cuda", "int x;", "there is no main()"),
            ("%checker watch", None, "needs a terminal"),
        ]:
            shown = self.run_magic(line, cell)
            self.assertIn(message, shown, line)
            self.assertNotIn("Traceback", shown, line)

    def test_a_cell_that_is_not_written_is_not_confused_with_the_file(self):
        """The checker also takes `GUARD`; then the verdict must be about the cell."""
        self.run_magic("%%exercise guard", file_of("solutions", "guard"))
        shown = self.run_magic("%%exercise GUARD", file_of("exercises", "guard"))
        self.assertNotIn("passed: guard", shown)

    def test_a_missing_checker_is_explained(self):
        with mock.patch.object(checker.sys, "executable", "/nowhere/python"), mock.patch.dict(os.environ, PATH="/nowhere"):
            shown = self.run_magic("%progress")
        self.assertIn("%pip install cuda-workbook", shown)

    def test_a_folder_that_is_no_workbook_is_explained(self):
        (self.folder / "file").write_text("")
        os.environ["CUDA_WORKBOOK"] = str(self.folder / "file")
        shown = self.run_magic("%progress")
        self.assertIn("CUDA_WORKBOOK", shown)
        self.assertEqual((self.folder / "file").read_text(), "")

    def test_a_file_that_changed_elsewhere_is_kept(self):
        os.environ["CUDA_WORKBOOK"] = str(self.folder / "mine")
        self.run_magic("%%exercise guard", "// one\n")
        file = self.folder / "mine/exercises/ch01_threads/guard.cu"
        backups = self.folder / "mine/.workbook/backup"
        self.run_magic("%%exercise guard", "// two\n")
        self.assertFalse(backups.exists(), "what the notebook itself has written needs no copy")
        file.write_text("// from an editor\n")
        shown = self.run_magic("%%exercise guard", "// three\n")
        self.assertIn("was changed outside of this notebook", shown)
        self.assertEqual((backups / "guard.1.cu").read_text(), "// from an editor\n")
        self.assertEqual(file.read_text(), "// three\n")

    def test_a_reset_file_is_the_notebooks_own(self):
        self.run_magic("%%exercise guard", "// one\n")
        self.run_magic("%checker reset guard")
        shown = self.run_magic("%%exercise guard", "// two\n")
        self.assertNotIn("changed outside", shown)

    def test_programs_show_their_output_and_the_place_of_mistakes(self):
        source = '#include <cstdio>\nint main() { float *p; cudaMalloc(&p, 4); printf("hello\\n"); }\n'
        shown = self.run_magic("%%cuda", source)
        self.assertIn("hello\n", shown)
        self.assertIn(" cell.cu:2", shown)
        self.assertNotIn("cuda-workbook-", shown)

    def test_programs_find_the_files_beside_the_notebook(self):
        (self.folder / "data.txt").write_text("from a file\n")
        source = '#include <cstdio>\nint main(int, char** v) { char s[99]; FILE* f = fopen(v[1], "r"); puts(fgets(s, 99, f)); }\n'
        self.assertIn("from a file", self.run_magic("%%cuda -- data.txt", source))

    def test_much_output_is_cut(self):
        source = '#include <cstdio>\nint main() { for (int i = 0; i < 2000000; i++) puts("again"); }\n'
        shown = self.run_magic("%%cuda", source)
        self.assertIn("characters are shown", shown)
        self.assertLess(len(shown), checker.MAX_SHOWN_CHARS + 10_000)

    def test_an_interrupt_ends_all_processes(self):
        """A learner interrupts the kernel while a program runs; its worker must not go on."""
        started = []

        def interrupt():
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline:
                # The checker, and the process that runs the program.
                found = checker._descendants(os.getpid())
                if any(command_of(pid).startswith("program") for pid, _ in found):
                    started.extend(found)
                    break
                time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        shown = self.run_magic("%%cuda", ENDLESS)
        thread.join()
        self.assertIn("Interrupted", shown)
        self.assertGreaterEqual(len(started), 2, started)
        deadline = time.monotonic() + 30
        while any(is_running(*process) for process in started) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual([command_of(pid) for pid, at in started if is_running(pid, at)], [])


    def test_the_end_of_the_kernel_ends_all_processes(self):
        """A learner restarts the kernel while a program runs, and Jupyter kills the kernel."""
        (self.folder / "endless.cu").write_text(ENDLESS)
        script = "from cuda_workbook import checker; checker.run(['run', 'endless.cu'], '.', print, print)"
        kernel = subprocess.Popen([sys.executable, "-c", script])
        self.addCleanup(kernel.kill)
        deadline, started = time.monotonic() + 120, []
        while time.monotonic() < deadline and not any(command_of(pid).startswith("program") for pid, _ in started):
            time.sleep(0.05)
            started = checker._descendants(kernel.pid)
        self.assertGreaterEqual(len(started), 2, started)
        kernel.kill()
        kernel.wait()
        while any(is_running(*process) for process in started) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual([command_of(pid) for pid, at in started if is_running(pid, at)], [])


def command_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def is_running(pid, started):
    fields = checker._fields(pid)
    return fields is not None and fields[0] != "Z" and fields[19] == started


if __name__ == "__main__":
    unittest.main()
