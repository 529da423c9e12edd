"""The magics of ``%load_ext cuda_workbook``.

======================  ================================================================
``%%exercise NAME``     checks the cell as the file of an exercise
``%%cuda [OPTIONS]``    compiles and runs the cell as a whole program (``checker run``)
``%hint [NAME]``        shows one more hint
``%profile [NAME]``     shows the cost of each line of an exercise
``%trace [NAME]``       shows the steps of one thread of an exercise
``%solution NAME``      shows the solution of an exercise that you have passed
``%progress``           lists the exercises, and marks those that are done
``%checker COMMAND``    runs any other command of the checker
======================  ================================================================
"""

import html
import os
import shlex
import sys
import tempfile
from pathlib import Path

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import HTML, Markdown, display

from . import checker
from .checker import Problem
from .workbook import Workbook

#: Commands of the checker whose verdicts can be HTML.
WITH_HTML = ("check", "profile", "trace")
#: Commands that wait for keys or for a browser.
INTERACTIVE = {
    "watch": "Run the cell of the exercise again instead, which checks it again.",
    "book": "Open the notebooks of the course, which have the pages of the book.",
}


def reported(magic):
    """Shows a problem as one message instead of a traceback."""

    def wrapped(self, line, cell=None):
        try:
            return magic(self, line) if cell is None else magic(self, line, cell)
        except Problem as problem:
            show_problem(str(problem))
        except KeyboardInterrupt:
            show_problem("Interrupted. The checker's processes have ended.")

    wrapped.__name__, wrapped.__doc__ = magic.__name__, magic.__doc__
    return wrapped


def show_problem(text):
    """Shows one message, in the form of the checker's reports."""
    words = html.escape(text).split("`")
    marked = "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(words))
    display(HTML(f'<p role="alert" style="margin: 0.3em 0"><strong>error:</strong> {marked}</p>'))


def show_text(text):
    """Shows text of the checker as it is."""
    # JupyterLab breaks words of other text at its own width.
    style = "white-space: pre; word-break: normal; overflow-x: auto"
    display(HTML(f'<pre style="{style}">{html.escape(text.rstrip())}</pre>'))


def arguments_of(line):
    try:
        return shlex.split(line)
    except ValueError:
        raise Problem("A quote in the first line has no end: add the second one.")


@magics_class
class WorkbookMagics(Magics):
    """The magics, which remember the exercise that was checked last."""

    def __init__(self, shell):
        super().__init__(shell)
        self._last = None

    @cell_magic
    @reported
    def exercise(self, line, cell):
        """%%exercise NAME [OPTIONS]: checks the cell as the file of the exercise NAME."""
        arguments = arguments_of(line)
        if not arguments or arguments[0].startswith("-"):
            raise Problem("Name the exercise, for example `%%exercise add_one`. `%progress` lists all exercises.")
        if not cell.strip():
            raise Problem(f"The cell is empty. `%checker reset {arguments[0]}` shows the original below, in a new cell.")
        name, options = arguments[0], arguments[1:]
        workbook = self._workbook()
        file = workbook.file(name)
        if file is None:
            # The checker knows similar names. If it knows this one, the verdict is still about the cell.
            with tempfile.TemporaryDirectory(prefix="cuda-workbook-") as folder:
                copy = Path(folder) / "cell.cu"
                copy.write_text(cell)
                self._run(workbook, ["check", name, "--file", str(copy), *options])
            return
        backup = workbook.write(file, cell)
        self._last = name
        if backup is not None:
            print(f"{file.name} was changed outside of this notebook. The changed file is now {backup}.")
        self._run(workbook, ["check", name, *options])

    @cell_magic
    @reported
    def cuda(self, line, cell):
        """%%cuda [OPTIONS]: compiles and runs the cell as a whole program, as `checker run` does."""
        if not cell.strip():
            raise Problem("The cell is empty. Write a program with a `main` after the first line.")
        options, program = arguments_of(line), []
        if "--" in options:
            at = options.index("--")
            options, program = options[:at], options[at:]
        with tempfile.TemporaryDirectory(prefix="cuda-workbook-") as folder:
            file = Path(folder) / "cell.cu"
            file.write_text(cell)
            # Jupyter colours standard error as a failure, and a profile is none.
            out = Unprefixed(f"{folder}{os.sep}", sys.stdout)
            err = Unprefixed(f"{folder}{os.sep}", sys.stdout)
            # The program finds the files beside the notebook.
            checker.run(["run", *options, str(file), *program], Path.cwd(), out.write, err.write)
            out.end()
            err.end()

    @line_magic
    @reported
    def hint(self, line):
        """%hint [NAME]: shows one more hint for an exercise, at first for the one that was checked last."""
        name = arguments_of(line)[:1] or ([self._last] if self._last else [])
        self._run(self._workbook(), ["hint", *name])

    @line_magic
    @reported
    def profile(self, line):
        """%profile [NAME] [OPTIONS]: shows the cost of each line of an exercise."""
        self._run(self._workbook(), ["profile", *self._with_name(line, "%profile")])

    @line_magic
    @reported
    def trace(self, line):
        """%trace [NAME] [OPTIONS]: shows the steps of one thread of an exercise, line by line."""
        self._run(self._workbook(), ["trace", *self._with_name(line, "%trace")])

    @line_magic
    @reported
    def progress(self, line):
        """%progress: lists the exercises, and marks those that are done."""
        self._run(self._workbook(), ["list"])

    @line_magic
    @reported
    def solution(self, line):
        """%solution NAME: shows the solution of an exercise that you have passed."""
        self._run(self._workbook(), ["solution", *self._with_name(line, "%solution")])

    @line_magic
    @reported
    def checker(self, line):
        """%checker COMMAND: runs a command of the checker, for example `%checker explain shared-race`."""
        arguments = arguments_of(line)
        if arguments and arguments[0] in INTERACTIVE:
            raise Problem(f"`{arguments[0]}` needs a terminal. {INTERACTIVE[arguments[0]]}")
        workbook = self._workbook()
        self._run(workbook, arguments)
        # The text of a cell isn't changed by the command, and running the cell would write it to the file again.
        if arguments[:1] == ["reset"] and len(arguments) == 2:
            file = workbook.file(arguments[1])
            if file is not None and file.is_file():
                workbook.note(file)
                self.shell.set_next_input(f"%%exercise {arguments[1]}\n{file.read_text()}")

    def _workbook(self):
        return Workbook.open(sys.stdout.write)

    def _with_name(self, line, magic):
        """The arguments, with the exercise that was checked last if they don't begin with a name."""
        arguments = arguments_of(line)
        if arguments and not arguments[0].startswith("-"):
            return arguments
        if self._last is None:
            raise Problem(f"Name the exercise, for example `{magic} add_one`. `%progress` lists all exercises.")
        return [self._last, *arguments]

    def _run(self, workbook, arguments):
        """Runs a command of the checker, and shows its output as HTML or as text."""
        if arguments[:1] == ["run"]:
            checker.run(arguments, workbook.root, sys.stdout.write, sys.stdout.write)
            return
        as_html = bool(arguments) and arguments[0] in WITH_HTML
        if as_html and not any(word == "--json" or word.startswith(("--format", "--profile", "--help")) for word in arguments):
            arguments = [*arguments, "--format", "html"]
        _, out, _ = checker.run(arguments, workbook.root, show_errors=sys.stderr.write)
        if out.startswith("<style>"):
            display(HTML(out))
        elif arguments[:1] == ["explain"] and out.startswith("# "):
            display(Markdown(out))
        elif out.strip():
            show_text(out)


class Unprefixed:
    """A stream that leaves out the path of the temporary folder, even if the path arrives in two parts."""

    def __init__(self, prefix, stream):
        self._prefix, self._stream, self._rest = prefix, stream, ""

    def write(self, text):
        text = (self._rest + text).replace(self._prefix, "")
        # What may be the beginning of the prefix waits for the next text.
        kept = next((n for n in range(min(len(self._prefix) - 1, len(text)), 0, -1) if self._prefix.startswith(text[-n:])), 0)
        self._rest = text[len(text) - kept :]
        self._stream.write(text[: len(text) - kept])

    def end(self):
        self._stream.write(self._rest)
        self._rest = ""
