//! JSON schemas of the files that instructors write, with which editors complete and check them.
//!
//! Policies and decisions are TOML, and their schemas are JSON Schema (draft 7), which taplo reads
//! from a line `#:schema FILE`. Rosters and groups are tables, and theirs are Table Schemas, which
//! describe the columns.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::course::Course;
use crate::policy::file::{MAX_DAYS, MAX_POINTS, MAX_SHARE};
use crate::roster::{IDS, NAMES, TIMES};

/// A time as TOML has it, or as text.
fn time(what: &str) -> Value {
    let how = "A day and a time of day: 2026-10-09T23:59:00, or in quotes with an offset or a zone";
    json!({ "type": "string", "pattern": ":", "description": format!("{what}. {how}.") })
}

fn number(what: &str, most: f64) -> Value {
    json!({ "type": "number", "minimum": 0, "maximum": most, "description": what })
}

fn whole(what: &str, least: u64, most: u64) -> Value {
    json!({ "type": "integer", "minimum": least, "maximum": most, "description": what })
}

fn flag(what: &str) -> Value {
    json!({ "type": "boolean", "description": what })
}

fn text(what: &str) -> Value {
    json!({ "type": "string", "description": what })
}

fn one_of(what: &str, names: &[&str]) -> Value {
    json!({ "type": "string", "enum": names, "description": what })
}

/// A table with these keys and no others.
fn table(what: &str, keys: Value) -> Value {
    json!({ "type": "object", "description": what, "additionalProperties": false, "properties": keys })
}

/// A table whose names are free.
fn tables(what: &str, of: &Value) -> Value {
    json!({ "type": "object", "description": what, "additionalProperties": of })
}

/// A table that has a table for each of these names.
fn tables_of<'a>(what: &str, names: impl IntoIterator<Item = &'a str>, of: &Value) -> Value {
    let keys: Map<String, Value> =
        names.into_iter().map(|name| (name.to_owned(), of.clone())).collect();
    table(what, Value::Object(keys))
}

/// A schema as a whole.
fn document(title: &str, mut schema: Value) -> Value {
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!(title);
    schema
}

fn points() -> Value {
    number("Points of an exercise; 10 when left out", MAX_POINTS)
}

/// The keys of `[credit]`, which chapters and exercises have, too.
fn credit() -> Value {
    json!({
        "partial": flag("false: all of an exercise's points or none; true when left out"),
        "visible": number("Weight of a case that learners have; 1 when left out", MAX_POINTS),
        "hidden": number("Weight of each run of a case with secret inputs; 1 when left out", MAX_POINTS),
        "gate": number(
            "Weight of a gate; when left out, the gates of an exercise together weigh as much as its cases together",
            MAX_POINTS
        ),
        "gate_bonus": number(
            "If above 0, gates have no weight, and all gates of an exercise together give this many extra points",
            MAX_POINTS
        ),
        "speed_bonus": number(
            "Extra points for the speed of the kernels, where the exercise is about it; 0 when left out",
            MAX_POINTS
        ),
        "speed_of": one_of(
            "What the speed is a share of; \"solution\" when left out",
            &["solution", "copy"]
        ),
        "speed_none": number("A share up to this one gives no points; 0.5 when left out", 1.0),
        "speed_full": number("This share gives all points; 0.9 when left out", MAX_SHARE),
    })
}

/// The policy, `grading.toml`.
pub fn policy(course: &Course) -> Value {
    let ids = || course.exercises.iter().map(|exercise| exercise.id.as_str());
    let names: Vec<&str> = course.chapters().into_iter().chain(ids()).collect();
    let list =
        |what: &str| json!({ "type": "array", "description": what, "items": { "enum": names } });
    let mut own = credit();
    for (key, value) in [
        ("points", points()),
        ("due", time("When it is due")),
        ("release", time("The exercise is not graded before this time")),
        ("bonus", flag("Its points are extra")),
    ] {
        own[key] = value;
    }
    let own = table("Settings that override those of the class", own);
    let late = json!({
        "free_days": whole("Free late days of each student for all due dates together; 0 when left out", 0, MAX_DAYS),
        "grace_minutes": whole("A delay of at most this many minutes is not late; 0 when left out", 0, 24 * 60),
        "penalty": number("Fraction of the points that a begun day costs: 0.1 for 10 %; 0 when left out", 1.0),
        "of": one_of("The points that the penalty is a fraction of; \"possible\" when left out", &["possible", "earned"]),
        "most": number("The maximum for all days together, as a fraction; 1 when left out", 1.0),
        "cutoff_days": whole("If an exercise is more than this many days late, it gives no points", 0, MAX_DAYS),
        "earlier": {
            "type": "array", "items": { "type": "string" },
            "description": "Output folders of earlier assignments, relative to this file: the free days are for all of them together",
        },
    });
    let hidden = json!({
        "seeds": whole("Runs of each case with secret inputs; 1 when left out", 0, 100),
        "show": one_of(
            "What students see of them before `until`; \"verdict\" when left out",
            &["nothing", "verdict", "everything"]
        ),
        "until": time("From this time on, students see everything"),
    });
    let attempts = json!({
        "cap": whole("Different submissions of a student that are graded; any number when left out", 1, u64::from(u32::MAX)),
        "counts": one_of(
            "Which of several files for an exercise counts; \"last\" when left out",
            &["last", "last-on-time", "best"]
        ),
    });
    let mut excused = list("Exercises that do not count for this student; true for all");
    excused =
        json!({ "anyOf": [excused, { "type": "boolean" }], "description": excused["description"] });
    let student = table(
        "Exceptions for one student",
        json!({
            "due": time("None of the student's exercises is due before this date"),
            "extension_days": whole("Added to each due date", 0, MAX_DAYS),
            "free_days": whole("The student's free days, which replace those of the class", 0, MAX_DAYS),
            "excused": excused,
        }),
    );
    let mut exercises =
        list("Chapters and exercises that are graded; all of the course when left out");
    exercises["minItems"] = json!(1);
    let keys = json!({
        "title": text("Title of the assignment: \"CS 149, week 1\""),
        "zone": text("Time zone of times without one: \"America/Los_Angeles\""),
        "exercises": exercises,
        "points": points(),
        "due": time("When everything is due; never when left out"),
        "release": time("No exercise is graded before this time"),
        "credit": table("Weights of cases and gates", credit()),
        "late": table("The cost of late submissions", late),
        "hidden": table("Runs with secret inputs", hidden),
        "attempts": table("Several submissions of one student", attempts),
        "leaderboard": flag("true: speed.csv orders the students by their speed; false when left out"),
        "chapter": tables_of("Settings of chapters", course.chapters(), &own),
        "exercise": tables_of("Settings of exercises", ids(), &own),
        "students": tables("Exceptions for single students, by their ids", &student),
    });
    document("Policy of checker grade", table("How a class is graded", keys))
}

/// The decisions by hand.
pub fn by_hand(course: &Course) -> Value {
    let exercise = table(
        "Decisions about one exercise",
        json!({
            "points": number("Replaces the points from the runs, before any penalty", MAX_POINTS),
            "late_days": whole("Replaces the number of days that the checker computes", 0, MAX_DAYS),
            "comment": text("What the student reads about it"),
        }),
    );
    let ids = course.exercises.iter().map(|exercise| exercise.id.as_str());
    let mut student = tables_of("Decisions about one student", ids, &exercise);
    student["properties"]["comment"] = text("What the student reads about the whole grade");
    document("Decisions of checker grade --by-hand", tables("By the student's id", &student))
}

/// The roster, as a Table Schema.
pub fn roster() -> Value {
    let first = |names: &[&str]| {
        let others: Vec<String> = names.iter().skip(1).map(|name| format!("`{name}`")).collect();
        format!("the first of these columns that exists: {}", others.join(", "))
    };
    json!({
        "$schema": "https://specs.frictionlessdata.io/schemas/table-schema.json",
        "fields": [
            {
                "name": "id", "type": "string", "constraints": { "required": true, "unique": true },
                "description": format!("The name of the student's submission. Without it, {}", first(&IDS)),
            },
            {
                "name": "name", "type": "string",
                "description": format!("The student's name. Without it, {}", first(&NAMES)),
            },
            {
                "name": "submitted_at", "type": "string",
                "description": format!(
                    "When it was submitted: 2026-10-02T23:00:00-07:00, or as a platform writes it. Without it, {}",
                    first(&TIMES)
                ),
            },
            {
                "name": "group", "type": "string",
                "description": "The group that the student submits with; read with --group-column group. All other columns are kept for the report formats that need them.",
            },
        ],
        "primaryKey": "id",
    })
}

/// The groups, as a Table Schema.
pub fn groups() -> Value {
    json!({
        "$schema": "https://specs.frictionlessdata.io/schemas/table-schema.json",
        "fields": [
            {
                "name": "group", "type": "string",
                "description": "The group's name; a submission may have it, or the id of a member. A student whose cell is empty submits alone.",
            },
            {
                "name": "id", "type": "string", "constraints": { "required": true, "unique": true },
                "description": "The id of a member, as on the roster",
            },
        ],
        "primaryKey": "id",
    })
}
