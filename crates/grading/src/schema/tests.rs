use std::collections::BTreeSet;

use toml::Value as Toml;

use super::*;
use crate::by_hand::Decisions;
use crate::policy::{Policy, file};

fn course() -> Course {
    Course::example(&[
        ("ch01_threads", "blocks"),
        ("ch01_threads", "guard"),
        ("ch04_shared", "tile_transpose"),
    ])
}

/// A TOML document as an editor's validator sees it: times are text.
fn json_of(toml: &Toml) -> Value {
    match toml {
        Toml::String(text) => json!(text),
        Toml::Integer(number) => json!(number),
        Toml::Float(number) => json!(number),
        Toml::Boolean(flag) => json!(flag),
        Toml::Datetime(time) => json!(time.to_string()),
        Toml::Array(all) => all.iter().map(json_of).collect(),
        Toml::Table(all) => all
            .iter()
            .map(|(key, value)| (key.clone(), json_of(value)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

/// Whether a schema accepts a value. It knows the words that the schemas here have, and refuses all
/// others, so none can be misspelt.
fn accepts(schema: &Value, value: &Value) -> bool {
    schema.as_object().unwrap().iter().all(|(word, rule)| match word.as_str() {
        "$schema" | "title" | "description" => rule.is_string(),
        "type" => match rule.as_str().unwrap() {
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.is_u64() || value.is_i64(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("{other}"),
        },
        "enum" => rule.as_array().unwrap().contains(value),
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
        "pattern" => value.as_str().is_none_or(|text| text.contains(rule.as_str().unwrap())),
        "minItems" => value.as_array().is_none_or(|all| all.len() as u64 >= rule.as_u64().unwrap()),
        "items" => value.as_array().is_none_or(|all| all.iter().all(|one| accepts(rule, one))),
        "anyOf" => rule.as_array().unwrap().iter().any(|rule| accepts(rule, value)),
        "properties" => rule
            .as_object()
            .unwrap()
            .iter()
            .all(|(key, rule)| value.get(key).is_none_or(|value| accepts(rule, value))),
        "additionalProperties" => value.as_object().is_none_or(|all| {
            let others = all.iter().filter(|(key, _)| schema["properties"].get(key).is_none());
            let mut others = others.map(|(_, value)| value);
            others.all(|value| rule != &json!(false) && accepts(rule, value))
        }),
        other => panic!("a word that is not known: {other}"),
    })
}

/// Whether the schema and the program agree about a file; what both say.
fn both(schema: &Value, text: &str, program: bool) -> bool {
    let document = json_of(&Toml::Table(text.parse().unwrap()));
    let by_schema = accepts(schema, &document);
    assert_eq!(by_schema, program, "{text}");
    by_schema
}

/// The schema accepts what the program accepts, and marks each wrong key and type.
#[test]
fn the_schema_of_policies_agrees_with_the_program() {
    let (course, schema) = (course(), policy(&course()));
    let check = |text: &str| both(&schema, text, Policy::parse(text, &course).is_ok());
    assert!(check(include_str!("../policy/example.toml")));
    assert!(check(""));
    assert!(check("due = \"2026-10-30 12:00+01:00\"\n[students.ada]\nexcused = true"));
    for wrong in [
        "titel = \"a\"",
        "exercises = []",
        "exercises = [\"tile_transpse\"]",
        "points = -1",
        "points = \"3\"",
        "due = \"2026-10-09\"",
        "[credit]\npartial = \"yes\"",
        "[credit]\nweights = 3",
        "[late]\npenalty = 10",
        "[late]\nof = \"all\"",
        "[late]\nfree_days = 1.5",
        "[late]\ncutoff_days = 9999",
        "[late]\nearlier = \"a\"",
        "[late]\nearlier = [1]",
        "[hidden]\nshow = \"some\"",
        "[hidden]\nseeds = 101",
        "[attempts]\ncap = 0",
        "[attempts]\ncounts = \"first\"",
        "[exercise.block]\npoints = 3",
        "[chapter.blocks]\npoints = 3",
        "[exercise.blocks]\nduedate = 3",
        "[students.ada]\nextension = 3",
        "[students.ada]\nexcused = \"blocks\"",
        "[students]\nada = 3",
    ] {
        assert!(!check(wrong), "{wrong}");
    }
}

#[test]
fn the_schema_of_decisions_agrees_with_the_program() {
    let (course, schema) = (course(), by_hand(&course()));
    let check = |text: &str| both(&schema, text, Decisions::parse(text, &course).is_ok());
    assert!(check(
        "[ada]\ncomment = \"a\"\n[ada.guard]\npoints = 8.5\nlate_days = 0\ncomment = \"b\""
    ));
    for wrong in [
        "ada = 3",
        "[ada]\ncomment = 3",
        "[ada.gaurd]\npoints = 1",
        "[ada.guard]\npoints = -1",
        "[ada.guard]\nlate_days = 1.5",
        "[ada.guard]\npoint = 1",
    ] {
        assert!(!check(wrong), "{wrong}");
    }
}

/// Each key of the program is in the schema with words about it, and no other key.
#[test]
fn the_schema_has_all_keys() {
    let schema = policy(&course());
    let keys = |path: &str| -> BTreeSet<String> {
        let table = schema.pointer(path).unwrap_or_else(|| panic!("{path}"));
        for (key, value) in table.as_object().unwrap() {
            assert!(value["description"].as_str().is_some_and(|text| text.len() > 10), "{key}");
        }
        table.as_object().unwrap().keys().cloned().collect()
    };
    let places = [
        "/properties",
        "/properties/credit/properties",
        "/properties/late/properties",
        "/properties/hidden/properties",
        "/properties/attempts/properties",
        "/properties/exercise/properties/guard/properties",
        "/properties/students/additionalProperties/properties",
    ];
    for (place, known) in places.iter().zip(file::ALL_KEYS) {
        let known: BTreeSet<String> = known.iter().map(|key| (*key).to_owned()).collect();
        assert_eq!(keys(place), known, "{place}");
    }
    assert_eq!(keys("/properties/chapter/properties/ch01_threads/properties").len(), 13);
}

/// The columns that the schemas describe are the ones that are read.
#[test]
fn tables_have_the_columns_that_are_read() {
    let columns = |schema: &Value| -> Vec<String> {
        let fields = schema["fields"].as_array().unwrap();
        fields.iter().map(|field| field["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(columns(&roster()), [IDS[0], NAMES[0], TIMES[0], crate::groups::COLUMN]);
    assert_eq!(columns(&groups()), [crate::groups::COLUMN, IDS[0]]);
}
