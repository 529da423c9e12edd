"""The workbook on disk, into which the cells of a notebook are written."""

import hashlib
import json
import os
from pathlib import Path

from . import checker
from .checker import Problem

#: The file in which a workbook remembers what notebooks have written: the hash of each exercise's file.
WRITTEN = Path(".workbook") / "notebook.json"


class Workbook:
    """A folder with the course's exercises."""

    def __init__(self, root):
        self.root = root

    @classmethod
    def open(cls, say):
        """The workbook of this notebook, which is made if there is none yet.

        It's the folder in the variable CUDA_WORKBOOK, or else a workbook around the notebook, or else the folder
        ``workbook`` beside the notebook.
        """
        chosen = os.environ.get("CUDA_WORKBOOK")
        here = Path.cwd()
        if chosen:
            root = Path(chosen).expanduser().absolute()
        else:
            root = next((place for place in (here, *here.parents) if is_workbook(place)), here / "workbook")
        book = cls(root)
        if not is_workbook(root):
            book._init()
            book._remember({path.stem: digest(path.read_bytes()) for path in root.glob("exercises/*/*.cu")})
            say(f"The exercises are in the new folder {root}.\n")
        return book

    def _init(self):
        code, out, err = checker.run(["init", str(self.root)], Path.cwd())
        if code != 0:
            detail = (err or out).strip().removeprefix("error: ")
            raise Problem(
                f"No workbook could be written to {self.root}: {detail}. Set the environment variable CUDA_WORKBOOK to another "
                "folder, for example with `%env CUDA_WORKBOOK=/tmp/workbook`."
            )

    def file(self, name):
        """The file of an exercise, or None if there's no exercise of this name."""
        if not name.replace("_", "").isalnum():
            return None
        found = sorted(self.root.glob(f"exercises/*/{name}.cu"))
        if not found:
            # The learner may have deleted the file. `init` adds files that are missing, and changes no other one.
            self._init()
            found = sorted(self.root.glob(f"exercises/*/{name}.cu"))
        return found[0] if found else None

    def write(self, path, text):
        """Writes an exercise's file. Returns the path of a backup, if another program had changed the file."""
        new = text.encode()
        written = self._written()
        backup = None
        try:
            old = path.read_bytes() if path.exists() else new
            if old != new and digest(old) != written.get(path.stem):
                backup = self._backup(path.stem, old)
            if old != new or not path.exists():
                partial = path.with_suffix(".cu.partial")
                partial.write_bytes(new)
                os.replace(partial, path)
            written[path.stem] = digest(new)
            self._remember(written)
        except OSError as error:
            raise Problem(f"{error.filename or path} can't be written: {error.strerror}.")
        return backup

    def note(self, path):
        """Notes that the file's present text is this notebook's, for example because a magic has reset it."""
        written = self._written()
        written[path.stem] = digest(path.read_bytes())
        self._remember(written)

    def _backup(self, name, contents):
        folder = self.root / ".workbook" / "backup"
        folder.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            path = folder / f"{name}.{number}.cu"
            try:
                with open(path, "xb") as file:
                    file.write(contents)
                return path
            except FileExistsError:
                number += 1

    def _written(self):
        try:
            found = json.loads((self.root / WRITTEN).read_text())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def _remember(self, hashes):
        path = self.root / WRITTEN
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(hashes, indent=1, sort_keys=True) + "\n")


def digest(contents):
    return hashlib.sha256(contents).hexdigest()


def is_workbook(folder):
    """Whether a folder is a workbook, by the rule of the checker's ``Workbook::find``."""
    return (folder / "exercises").is_dir() and (
        (folder / ".workbook").exists()
        or (folder / "book" / "book.toml").is_file()
        or (folder / "checker" / "Cargo.toml").is_file()
    )
