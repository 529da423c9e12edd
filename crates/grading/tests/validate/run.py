#!/usr/bin/env python3
"""Gives reports to the schemas and programs that they are made for.

    run.py                      the snapshots of the crate's tests, which are what the renderers write
    run.py --format tap FILE... any reports of one format

A format's name is that of `checker report --format`. What is needed, beside Python's own library:

    apt-get install libxml2-utils perl          xmllint, TAP::Parser
    pip install jsonschema PyYAML tap.py
    npm install --prefix DIR tap-parser         for TAP 14; its folder in TAP_PARSER, see README.md

A tool that is missing is an error: nothing is skipped.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
SNAPSHOTS = HERE.parent.parent / "src" / "formats" / "properties" / "snapshots"


class Invalid(Exception):
    """What a reader says of a report."""


def need(condition, message):
    if not condition:
        raise Invalid(message)


def run(command, **how):
    """A program's result; only its absence is fatal here."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, **how)
    except FileNotFoundError:
        sys.exit(f"{command[0]} is not installed: see the head of {__file__}")


def schema(name, document):
    import jsonschema

    rules = json.loads((HERE / "schemas" / name).read_text())
    kind = jsonschema.validators.validator_for(rules, default=jsonschema.Draft7Validator)
    kind.check_schema(rules)
    found = list(kind(rules, format_checker=kind.FORMAT_CHECKER).iter_errors(document))
    need(not found, "; ".join(f"{error.json_path}: {error.message}" for error in found[:3]))


def cases(root):
    """Test cases as lib/gitlab/ci/parsers/test/junit.rb walks them: status, key, text that is shown."""
    for suite in root.iter("testsuite"):
        for case in suite.findall("testcase"):
            # The order in which GitLab looks; without any of them a case has passed.
            status = next((e for e in map(case.find, ("failure", "error", "skipped")) if e is not None), None)
            key = f"{suite.get('name')}_{case.get('classname')}_{case.get('name')}"
            yield status, key, case


def junit(path):
    root = xml.etree.ElementTree.parse(path).getroot()
    need(root.tag == "testsuites", f"the root is {root.tag}")
    need(path.stat().st_size < 30 << 20, "GitLab reads 30 MB of a file")
    keys = [key for _, key, _ in cases(root)]
    need(keys, "there are no test cases")
    need(len(keys) == len(set(keys)), "GitLab drops test cases of one key")
    for status, key, case in cases(root):
        need(status is None or (status.text or "").strip(), f"GitLab would show nothing of {key}")
        need(case.get("file") is not None, f"no file at {key}")
        float(case.get("time"))
        output = case.findtext("system-out") or ""
        need("[[ATTACHMENT|" not in output, f"{key} attaches a file")
    return f"{len(keys)} test cases"


def junit_jenkins(path):
    xsd = HERE / "schemas" / "junit-10.xsd"
    done = run(["xmllint", "--noout", "--nonet", "--schema", str(xsd), str(path)])
    need(done.returncode == 0, done.stderr)
    root = xml.etree.ElementTree.parse(path).getroot()
    return f"{sum(1 for _ in cases(root))} test cases"


def gitlab_code_quality(path):
    need(not path.read_bytes().startswith(b"\xef\xbb\xbf"), "GitLab refuses a byte order mark")
    entries = json.loads(path.read_text())
    need(isinstance(entries, list), "no list")
    for entry in entries:
        schema("gitlab-codeclimate.json", entry)
        # What the documentation asks for beyond the schema.
        need(entry["severity"] in ("info", "minor", "major", "critical", "blocker"), entry["severity"])
        need(entry["location"]["lines"]["begin"] >= 1 and entry["check_name"], "no line, or no name")
        need(not entry["location"]["path"].startswith(("/", "./")), "GitLab links relative paths alone")
    fingerprints = {entry["fingerprint"] for entry in entries}
    need(len(fingerprints) == len(entries), "GitLab drops findings of one fingerprint")
    return f"{len(entries)} findings"


def sarif(path):
    log = json.loads(path.read_text())
    schema("sarif-schema-2.1.0.json", log)
    need(len(log["runs"]) == 1, "GitHub reads 20 runs at most")
    run_ = log["runs"][0]
    rules = [rule["id"] for rule in run_["tool"]["driver"]["rules"]]
    prints = []
    for result in run_["results"]:
        need(rules[result["ruleIndex"]] == result["ruleId"], "the rule's index names another rule")
        place = result["locations"][0]["physicalLocation"]
        need(not re.match(r"/|[a-zA-Z][\w+.-]*:", place["artifactLocation"]["uri"]), "the path is not relative")
        prints.append(result["partialFingerprints"]["primaryLocationLineHash"])
    need(len(set(prints)) == len(prints), "two results have one fingerprint")
    return f"{len(prints)} results"


PERL = """
use strict; use warnings; use TAP::Parser; use JSON::PP;
my $parser = TAP::Parser->new({ tap => do { local $/; <STDIN> } });
my (@tests, @unknown);
while (my $result = $parser->next) {
    if ($result->is_test) {
        push @tests, { ok => $result->is_actual_ok ? 1 : 0, skip => $result->has_skip ? 1 : 0, yaml => undef };
    } elsif ($result->is_yaml) { $tests[-1]{yaml} = $result->data }
    elsif ($result->is_unknown || $result->is_comment || $result->is_bailout) { push @unknown, $result->as_string }
}
print JSON::PP->new->encode({ tests => \\@tests, unknown => \\@unknown, errors => [$parser->parse_errors] });
"""


def tap_readers(text):
    """Yields (reader, list of (ok, skipped)) for every reader."""
    import yaml
    from tap.parser import Parser

    # TAP::Parser before Test::Harness 3.48 knows no version above 13; the rest of the report is the same.
    done = run(["perl", "-e", PERL], input=text.replace("TAP version 14", "TAP version 13", 1))
    need(done.returncode == 0, done.stderr)
    seen = json.loads(done.stdout)
    need(not seen["errors"] and not seen["unknown"], f"TAP::Parser: {seen['errors']} {seen['unknown']}")
    for test in seen["tests"]:
        need(test["ok"] or test["yaml"]["message"], "TAP::Parser sees no message")
    yield "TAP::Parser", [(bool(test["ok"]), bool(test["skip"])) for test in seen["tests"]]

    lines = list(Parser().parse_text(text))
    need(all(line.category in ("version", "plan", "test") for line in lines if line.category != "unknown"), "tap.py")
    yield "tap.py", [(line.ok, bool(line.skip)) for line in lines if line.category == "test"]

    folder = os.environ.get("TAP_PARSER") or sys.exit("TAP_PARSER does not name the folder of tap-parser: see README.md")
    done = run(["node", str(HERE / "tap14.mjs"), folder], input=text)
    need(done.returncode == 0, done.stdout + done.stderr)
    yield "tap-parser", [tuple(point) for point in json.loads(done.stdout)]

    for block in re.findall(r"^  ---\n(.*?)^  \.\.\.$", text, re.S | re.M):
        need(set(yaml.safe_load(block)) >= {"message", "severity", "diagnosis"}, "YAML without a message")


def tap(path):
    text = path.read_text()
    readings = dict(tap_readers(text))
    first = readings["TAP::Parser"]
    need(readings["tap-parser"] == first, f"tap-parser reads {readings['tap-parser']}, and TAP::Parser {first}")
    # tap.py knows no `\\#`: a description with one hides a directive from it. It must not find one that is not there.
    for (ok, skip), point in zip(readings["tap.py"], first, strict=True):
        need(ok == point[0] and (not skip or point[1]), f"tap.py reads {readings['tap.py']}, and TAP::Parser {first}")
    failed = sum(1 for ok, _ in first if not ok)
    return f"{len(first)} test points, {failed} not ok"


def github_annotations(path):
    lines = path.read_text().splitlines()
    need(len(lines) <= 10, "GitHub shows ten")
    for line in lines:
        # actions/runner: TryParseV2, and TryParse, which looks anywhere in a line.
        need(re.fullmatch(r"::(error|warning|notice) [^:]+(?:::).*", line), line)
        need("##[" not in line, line)
    return f"{len(lines)} annotations"


def github_summary(path):
    need(path.stat().st_size <= 1 << 20, "GitHub takes 1 MiB")
    return f"{path.stat().st_size} bytes"


FORMATS = {
    "junit": junit,
    "junit-jenkins": junit_jenkins,
    "gitlab-code-quality": gitlab_code_quality,
    "sarif": sarif,
    "tap": tap,
    "github-annotations": github_annotations,
    "github-summary": github_summary,
}


def snapshots(folder):
    """Writes every snapshot without its head to a file, and yields its format and that file."""
    for snapshot in sorted(SNAPSHOTS.glob("*.snap")):
        name = snapshot.stem.rsplit("__", 1)[1]
        text = snapshot.read_text().split("\n---\n", 1)[1]
        file = pathlib.Path(folder) / name
        file.write_text(text)
        yield name.split(".")[0], file


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--format", choices=FORMATS)
    options.add_argument("file", nargs="*", type=pathlib.Path)
    asked = options.parse_args()
    if bool(asked.format) != bool(asked.file):
        options.error("--format and files go together")
    with tempfile.TemporaryDirectory() as folder:
        reports = [(asked.format, file) for file in asked.file] or list(snapshots(folder))
        missing = set(FORMATS) - {name for name, _ in reports}
        if not asked.file and missing:
            sys.exit(f"no snapshots of {', '.join(sorted(missing))} in {SNAPSHOTS}")
        bad = 0
        for name, file in reports:
            try:
                print(f"valid    {name:20} {file.name}: {FORMATS[name](file)}")
            except Exception as error:  # A reader that dies on a report is a verdict on the report, too.
                bad += 1
                print(f"INVALID  {name:20} {file.name}: {type(error).__name__}: {error}")
        sys.exit(1 if bad else 0)


main()
