#!/usr/bin/env python3
"""Checks what the example `platform_samples` wrote against the rules of those who read it.

    cargo run --release -p grading --example platform_samples -- FOLDER
    pip install jsonschema pandas
    python3 platforms.py FOLDER [--classroom50 CHECKOUT] [--prairielearn CHECKOUT]

The schemas below are written from the documents that each names; none of these platforms but Classroom 50 has a schema of its
own. With a checkout of foundation50/classroom50, its own schema and its own `validate_result` are asked, too; with one of
PrairieLearn/PrairieLearn, its own element renders every result (pip install chevron ansi2html lxml). Exits with 1 and names
the file when something does not hold.
"""

import argparse
import importlib.util
import json
import math
import pathlib
import sys
import types

import jsonschema
import pandas

NUMBER = {"type": "number"}
TEXT = {"type": "string"}
WHEN = {"enum": ["visible", "hidden", "after_due_date", "after_published"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}

# https://gradescope-autograders.readthedocs.io/en/latest/specs/, "Output format". Keys that are not named there are refused,
# so that a slip of the pen is found.
GRADESCOPE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["score", "tests"],
    "properties": {
        "score": NUMBER,
        "execution_time": {"type": "number", "minimum": 0},
        "output": TEXT,
        "output_format": FORMAT,
        "test_output_format": FORMAT,
        "test_name_format": FORMAT,
        "visibility": WHEN,
        "stdout_visibility": WHEN,
        "extra_data": {"type": "object"},
        "leaderboard": {"type": "array"},
        "tests": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["score", "max_score", "name"],
                "properties": {
                    "score": NUMBER,
                    "max_score": NUMBER,
                    "status": {"enum": ["passed", "failed"]},
                    "name": {"type": "string", "minLength": 1},
                    "name_format": FORMAT,
                    "number": {"type": "string", "pattern": r"^[0-9]+(\.[0-9]+)*$"},
                    "output": TEXT,
                    "output_format": FORMAT,
                    "tags": {"type": "array", "items": TEXT},
                    "visibility": WHEN,
                    "extra_data": {"type": "object"},
                },
            },
        },
    },
}

COUNT = {"type": "integer", "minimum": 0}
WORD = {"type": "string", "minLength": 1}
MOMENT = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$"}

# The rules of schemas/result-v1.schema.json of foundation50/classroom50; at least one test, as none is a pass.
CLASSROOM50 = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit", "release", "review",
        "datetime", "score", "max-score", "tests",
    ],
    "properties": {
        "schema": {"const": "classroom50/result/v1"},
        "classroom": WORD,
        "assignment": WORD,
        "assignment_type": {"enum": ["individual", "group", "team"]},
        "owner": WORD,
        "submission": {"type": "string", "pattern": "^submit/"},
        "commit": WORD,
        "release": WORD,
        "review": WORD,
        "datetime": MOMENT,
        "graded_at": MOMENT,
        "score": COUNT,
        "max-score": COUNT,
        "tests": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["test-name", "passed", "score", "max-score"],
                "properties": {
                    "test-name": WORD,
                    "passed": {"type": "boolean"},
                    "score": COUNT,
                    "max-score": COUNT,
                    "output": TEXT,
                },
            },
        },
    },
}

# docs/externalGrading.md of PrairieLearn/PrairieLearn, "Grading results": a score in [0, 1], or a reason why there is none.
PRAIRIELEARN = {
    "oneOf": [
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["gradable", "format_errors"],
            "properties": {
                "gradable": {"const": False},
                "format_errors": {"type": "array", "minItems": 1, "items": WORD},
            },
        },
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["gradable", "score", "tests"],
            "properties": {
                "gradable": {"const": True},
                "score": {"type": "number", "minimum": 0, "maximum": 1},
                "message": TEXT,
                "output": TEXT,
                "tests": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["name", "points", "max_points"],
                        "properties": {
                            "name": WORD,
                            "description": TEXT,
                            "points": NUMBER,
                            "max_points": NUMBER,
                            "message": TEXT,
                            "output": TEXT,
                        },
                    },
                },
            },
        },
    ]
}

STATUS = {"enum": ["pass", "fail", "error"]}

# building/tooling/test-runners/interface.md of exercism/docs, version 3.
EXERCISM = {
    "type": "object",
    "additionalProperties": False,
    "required": ["version", "status", "tests"],
    "properties": {
        "version": {"const": 3},
        "status": STATUS,
        "message": {"type": ["string", "null"]},
        "tests": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name", "status"],
                "properties": {
                    "name": WORD,
                    "status": STATUS,
                    "message": {"type": ["string", "null"]},
                    "output": {"type": ["string", "null"], "maxLength": 500},
                    "test_code": TEXT,
                    "task_id": {"type": "integer", "minimum": 1},
                },
            },
        },
    },
    "if": {"properties": {"status": {"const": "error"}}},
    "then": {"required": ["message"], "properties": {"message": WORD}},
}

SCHEMAS = {
    "gradescope.json": GRADESCOPE,
    "classroom50.json": CLASSROOM50,
    "prairielearn.json": PRAIRIELEARN,
    "exercism.json": EXERCISM,
}


def close(one, other):
    return math.isclose(one, other, abs_tol=1e-6)


def gradescope(result, record):
    score = record["score"]
    assert close(result["score"], score["points"])
    assert close(sum(test["score"] for test in result["tests"]), score["points"])
    assert close(sum(test["max_score"] for test in result["tests"]), score["possible"])
    assert result["stdout_visibility"] == "hidden"


def classroom50(result, record):
    assert result["score"] <= result["max-score"]
    assert all(test["score"] <= test["max-score"] for test in result["tests"])
    assert result["max-score"] == sum(test["max-score"] for test in result["tests"])
    if not record["score"]["extra"]:
        assert result["score"] == sum(test["score"] for test in result["tests"])


def prairielearn(result, record):
    if result["gradable"]:
        score = record["score"]
        assert close(result["score"], min(1, max(0, score["points"] / score["possible"])))
        assert close(sum(test["points"] for test in result["tests"]), score["points"])


def exercism(result, record):
    passed = all(exercise["status"] == "passed" for exercise in record["exercises"])
    assert (result["status"] == "pass") == passed
    if result["status"] == "pass":
        assert all(test["status"] == "pass" for test in result["tests"])


RULES = {
    "gradescope.json": gradescope,
    "classroom50.json": classroom50,
    "prairielearn.json": prairielearn,
    "exercism.json": exercism,
}


def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def real_classroom50(checkout):
    """Classroom 50's own schema and validator."""
    schema = json.loads((checkout / "schemas/result-v1.schema.json").read_text())
    runner = load("runner", checkout / "cli/gh-teacher/skeleton/dotgithub/scripts/runner.py")

    def check(result, _record):
        jsonschema.Draft202012Validator(schema).validate(result)
        why = runner.validate_result(result, classroom="cs149", assignment="cuda-1", owner="ada")
        assert why is None, why

    return check


def real_prairielearn(checkout):
    """PrairieLearn's own element, with stand-ins for the server around it."""
    element = checkout / "apps/prairielearn/elements/pl-external-grader-results"
    server = types.ModuleType("prairielearn")
    server.QuestionData = dict
    server.get_uuid = lambda: "uuid"
    sys.modules["prairielearn"] = server
    colors = types.ModuleType("colors")
    colors.PLColor = str
    sys.modules["colors"] = colors
    module = load("element", element / "pl-external-grader-results.py")

    def check(result, _record):
        import contextlib

        errors = result.get("format_errors", [])
        data = {
            "panel": "submission",
            "feedback": {"succeeded": True, "results": result},
            "format_errors": {"_external_grader": errors},
        }
        with contextlib.chdir(element):
            page = module.render("", data)
        assert "were missing" not in page
        assert ("not gradable" in page) == (not result["gradable"])
        for test in result.get("tests", []):
            assert f"[{module.round_value(test['points'])}/" in page

    return check


def files(folder, extra):
    count = 0
    for record_file in sorted(folder.glob("platforms/*/record.json")):
        record = json.loads(record_file.read_text())
        for name, schema in SCHEMAS.items():
            path = record_file.with_name(name)
            text = path.read_text(encoding="utf-8")
            assert len(text.encode()) <= 1_000_000, path
            result = json.loads(text)
            try:
                jsonschema.Draft202012Validator(schema).validate(result)
                RULES[name](result, record)
                for check in extra.get(name, []):
                    check(result, record)
            except (AssertionError, jsonschema.ValidationError) as error:
                raise SystemExit(f"{path}: {type(error).__name__} {error}") from error
            count += 1
    assert count, f"{folder} has no platforms/*/record.json"
    return count


def table(folder):
    """The plain table as pandas reads it."""
    frame = pandas.read_csv(folder / "class.csv", dtype={"student": str}, keep_default_na=True)
    assert frame.student.is_unique and not any(name.endswith(".1") for name in frame.columns)
    complete = frame[frame.complete == "yes"]
    assert complete.total.notna().all() and frame[frame.complete == "no"].total.isna().all()
    first, last = frame.columns.get_loc("name") + 1, frame.columns.get_loc("total")
    exercises = frame.columns[first:last]
    assert all(pandas.api.types.is_numeric_dtype(frame[name]) for name in exercises)
    sums = complete[exercises].sum(axis=1) - complete.penalty
    assert ((sums - complete.total).abs() < 0.02).all()
    pandas.to_datetime(frame.submitted)
    return len(frame)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--classroom50", type=pathlib.Path)
    parser.add_argument("--prairielearn", type=pathlib.Path)
    arguments = parser.parse_args()
    extra = {}
    if arguments.classroom50:
        extra["classroom50.json"] = [real_classroom50(arguments.classroom50)]
    if arguments.prairielearn:
        extra["prairielearn.json"] = [real_prairielearn(arguments.prairielearn)]
    count = files(arguments.folder, extra)
    rows = table(arguments.folder)
    asked = ", ".join(extra) or "none"
    print(f"{count} files and a table of {rows} students hold; real consumers asked: {asked}")


if __name__ == "__main__":
    main()
