"""Executes notebooks of the course twice: as they are, and with solutions in the cells of the exercises.

    python execute.py NOTEBOOKS SOLUTIONS PREFIX...
"""

import os
import re
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

#: Seconds after which a cell counts as stuck.
CELL_SECONDS = 300


def main(notebooks, solutions, *prefixes):
    paths = sorted(path for path in Path(notebooks).glob("*.ipynb") if path.name.startswith(prefixes))
    if not paths:
        sys.exit(f"no notebook in {notebooks} begins with {' or '.join(prefixes)}")
    files = {path.stem: path.read_text() for path in Path(solutions).glob("*/*.cu")}
    for path in paths:
        problems = []
        for solve in (False, True):
            # Both runs begin with a new workbook.
            with tempfile.TemporaryDirectory() as folder:
                problems += execute(path, files if solve else None, folder)
        print(f"{path.name}: {'; '.join(problems) or 'ok'}", flush=True)
        if problems:
            sys.exit(1)


def execute(path, solutions, folder):
    """Runs one notebook in a folder. Returns what is wrong."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    exercises = []
    for cell in notebook.cells:
        name = re.match(r"%%exercise (\w+)\n", cell.source)
        if name:
            exercises.append((name[1], cell))
            if solutions is not None:
                cell.source = f"%%exercise {name[1]}\n{solutions[name[1]]}"
    os.environ["CUDA_WORKBOOK"] = str(Path(folder) / "workbook")
    # An exception in a cell ends this with an error that names the cell.
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": folder}},
        extra_arguments=["--log-level=ERROR"],
    )
    client.execute()
    problems = []
    for name, cell in exercises:
        html = "".join(output.data.get("text/html", "") for output in cell.outputs if "data" in output)
        passed = 'class="wb-report wb-passed"' in html
        if 'class="wb-report' not in html:
            problems.append(f"{name} has no verdict: {cell.outputs}")
        elif passed != (solutions is not None):
            problems.append(f"the {'skeleton' if solutions is None else 'solution'} of {name}: passed is {passed}")
    for cell in notebook.cells:
        shown = "".join(output.data.get("text/html", "") for output in cell.get("outputs", []) if "data" in output)
        if 'role="alert"' in shown:
            problems.append(f"the cell {cell.id} shows a problem: {shown}")
    return problems


if __name__ == "__main__":
    main(*sys.argv[1:])
