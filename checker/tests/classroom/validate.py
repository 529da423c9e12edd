"""Compares what the templates leave with what the platforms read: validate.py PLATFORM FILE...

Sources of the rules: Gradescope, "Autograder Specifications"; Classroom 50, `schemas/result-v1.schema.json` and
`runner.py`; GitHub, "Workflow commands"; GitLab, "Unit test reports" and "Code Quality". The submission is the one that run.sh
makes: `double_it` solved, `guard` wrong, `blocks` untouched.
"""

import json
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path


def need(holds, what):
    """Ends with `what` unless it holds."""
    if not holds:
        sys.exit(f"{sys.argv[1]}: {what}")


def gradescope(path):
    """results.json: known keys, a number of points, tests of which at least one passes and one fails."""
    results = json.loads(Path(path).read_text())
    top = {"score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility",
           "stdout_visibility", "extra_data", "tests", "leaderboard"}
    need(set(results) <= top, f"unknown keys {set(results) - top}")
    need(isinstance(results["score"], (int, float)), "no score")
    need(results["stdout_visibility"] == "hidden", "students see what the autograder prints")
    keys = {"score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags", "visibility",
            "extra_data"}
    visible = {"visible", "hidden", "after_due_date", "after_published"}
    need(results["tests"], "no tests")
    for test in results["tests"]:
        need(set(test) <= keys, f"unknown keys {set(test) - keys}")
        need(test["status"] in ("passed", "failed"), f"status {test['status']}")
        need(test["visibility"] in visible, f"visibility {test['visibility']}")
    total = sum(test["score"] for test in results["tests"])
    need(abs(total - results["score"]) < 0.02, f"tests add up to {total}, and the score is {results['score']}")
    states = {test["status"] for test in results["tests"]}
    need(states == {"passed", "failed"}, f"states {states}")
    need(results["score"] > 0, "nothing for a solved exercise")


def refused(path):
    """results.json: no points, and one line that the student can act on, without a path of the machine."""
    results = json.loads(Path(path).read_text())
    need(results["score"] == 0, f"{results['score']} points for nothing")
    need("it contains no exercise" in results["output"], f"no reason: {results['output']}")
    need("/tmp" not in results["output"], f"a path of the machine: {results['output']}")


def classroom50(path):
    """result.json: all that the schema and the runner ask for."""
    result = json.loads(Path(path).read_text())
    required = {"schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit", "release", "review",
                "datetime", "score", "max-score", "tests"}
    need(required <= set(result) <= required | {"graded_at", "submitted_by"}, f"keys {sorted(result)}")
    need(result["schema"] == "classroom50/result/v1", "another schema")
    need((result["classroom"], result["assignment"], result["owner"]) == ("cs149", "week1", "ada"), "another student's")
    need(result["assignment_type"] == "individual", "another mode")
    need(result["submission"].startswith("submit/"), "no tag")
    need(result["datetime"] == "2026-10-03T03:00:00Z", f"submitted at {result['datetime']}")
    for one in [result, *result["tests"]]:
        for key in ("score", "max-score"):
            need(type(one[key]) is int and one[key] >= 0, f"{key} is {one[key]!r}")
        need(one["score"] <= one["max-score"], "more than there is")
    for test in result["tests"]:
        need(test["test-name"] and isinstance(test["passed"], bool), f"test {test}")
    need(result["score"] == sum(test["score"] for test in result["tests"]), "the tests do not add up")
    need(0 < result["score"] < result["max-score"], f"{result['score']} of {result['max-score']}")


def github(log, annotations, summary):
    """Commands only where they are meant, one about the wrong line, and a table."""
    lines = Path(log).read_text().splitlines()
    begun = [at for at, line in enumerate(lines) if line.startswith("::stop-commands::")]
    need(len(begun) == 1, "commands are not stopped while students' code runs")
    token = lines[begun[0]].removeprefix("::stop-commands::")
    need(len(token) == 32 and f"::{token}::" in lines[begun[0]:], "commands are stopped for ever")
    commands = Path(annotations).read_text().splitlines()
    need(0 < len(commands) <= 10, f"{len(commands)} annotations")
    for command in commands:
        need(re.match(r"::(error|warning|notice) [^:]*::.", command), f"no command: {command}")
    guard = [c for c in commands if "file=exercises/ch01_threads/guard.cu" in c]
    need(guard and re.search(r"line=\d+", guard[0]), "no remark beside the wrong line of guard.cu")
    need("|---" in Path(summary).read_text(), "no table in the summary")


def gitlab(junit, quality):
    """A report with a failure and a pass, and remarks with fingerprints of their own."""
    suites = xml.parse(junit).getroot()
    need(suites.tag == "testsuites", f"<{suites.tag}>")
    cases = list(suites.iter("testcase"))
    wrong = [case for case in cases if case.find("failure") is not None]
    need(wrong and len(wrong) < len(cases), f"{len(wrong)} of {len(cases)} fail")
    need(all(case.get("name") and case.get("classname") and case.get("file") for case in cases), "a test without a place")
    entries = json.loads(Path(quality).read_text())
    need(entries, "no remarks")
    need(len({entry["fingerprint"] for entry in entries}) == len(entries), "fingerprints are not unique")
    for entry in entries:
        need(entry["severity"] in ("info", "minor", "major", "critical", "blocker"), entry["severity"])
        need(entry["description"] and entry["location"]["path"], f"entry {entry}")
        need(entry["location"]["lines"]["begin"] >= 1, "a line before the first")


{check.__name__: check for check in (gradescope, refused, classroom50, github, gitlab)}[sys.argv[1]](*sys.argv[2:])
