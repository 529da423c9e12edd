use super::*;

fn roster(text: &str) -> Roster {
    Roster::parse(text.as_bytes(), None, None).unwrap()
}

fn ids(roster: &Roster) -> Vec<&str> {
    roster.students.iter().map(|entry| entry.student.id.as_str()).collect()
}

fn lines(roster: &Roster) -> String {
    roster.problems.iter().map(|problem| format!("{problem}\n")).collect()
}

/// A table by hand, with everything that spreadsheets add.
#[test]
fn a_table() {
    let text = "\u{feff}id;name;submitted_at;group\r\nada;\"Lovelace; Ada\";2026-10-05T23:59:00Z;A\r\n;;;\r\n\r\nalan;\"Turing \"\"Alan\"\"\nMathison\";;B\r\n";
    let roster = roster(text);
    assert_eq!(ids(&roster), ["ada", "alan"]);
    assert_eq!(lines(&roster), "");
    let ada = roster.entry("ada").unwrap();
    assert_eq!(ada.student.name.as_deref(), Some("Lovelace; Ada"));
    assert_eq!(ada.submitted_at, Some("2026-10-05T23:59:00Z".parse().unwrap()));
    assert_eq!(ada.student.columns["group"], "A");
    assert_eq!(ada.student.columns["id"], "ada");
    let alan = roster.entry("alan").unwrap();
    assert_eq!((alan.student.name.as_deref(), alan.line), (Some("Turing \"Alan\"\nMathison"), 5));
}

/// A gradebook as Canvas exports it: its `ID` is no name of a submission, and its second line no
/// student.
#[test]
fn canvas() {
    let text = "Student,ID,SIS User ID,SIS Login ID,Section,CUDA workbook (48213)\n    Points Possible,,,,,100\n\"Lovelace, Ada\",1042,u1042,ada,CS 149,\n";
    let roster = roster(text);
    assert_eq!(
        (roster.id_column.as_str(), ids(&roster), lines(&roster)),
        ("SIS Login ID", vec!["ada"], String::new())
    );
    assert_eq!(roster.students[0].student.name.as_deref(), Some("Lovelace, Ada"));
    assert_eq!(roster.students[0].student.columns["SIS User ID"], "u1042");
    let by_number = Roster::parse(text.as_bytes(), Some("SIS User ID"), None).unwrap();
    assert_eq!(ids(&by_number), ["u1042"]);
}

#[test]
fn names_of_the_id_column() {
    for name in ["id", "ID", "Student ID", "email", "Email Address", "username", "NetID"] {
        assert_eq!(ids(&roster(&format!("x,{name}\n1,ada"))), ["ada"], "{name}");
        assert_eq!(ids(&roster(&format!("x\t{name}\n1\tada"))), ["ada"], "{name}");
    }
    assert_eq!(ids(&roster("ID,id\n1,ada")), ["ada"]);
    assert_eq!(ids(&roster("id\nada\nalan")), ["ada", "alan"]);
}

/// A line for each row that is wrong, and the others are there.
#[test]
fn wrong_rows() {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let text = b"id,name,submitted_at\nada,A,2026-10-05 23:59\nada,B,\nalan,C\ngrace,D,,\n,E,\nedsger,F,yesterday\ncaf\xe9,G,\na\x1b[31m,H,\ntony,\"open,\n";
    let roster = Roster::parse(text, None, Some(&zone)).unwrap();
    assert_eq!(ids(&roster), ["ada", "edsger", "café", "a\\u{1b}[31m"]);
    assert_eq!(roster.students[0].submitted_at, Some("2026-10-05T21:59:00Z".parse().unwrap()));
    insta::assert_snapshot!(lines(&roster), @r"
    line 8: it is not UTF-8, and was read as Windows-1252 (Latin-1): look at the names, or save the file as `CSV UTF-8`
    line 3: `ada` is already in line 2: this row is left out
    line 4: there are 2 columns, and the header has 3: a quote may be open, or a separator be missing
    line 5: there are 4 columns, and the header has 3: a quote may be open, or a separator be missing
    line 6: the column `id` of `E` is empty
    line 7: the time `yesterday`: it has no time of day: write 2026-10-05T23:59:00+02:00
    line 10: there are 2 columns, and the header has 3: a quote may be open, or a separator be missing
    ");
}

#[test]
fn no_roster_at_all() {
    let of = |bytes: &[u8]| Roster::parse(bytes, None, None).unwrap_err().to_string();
    let all = [
        of(b""),
        of(b"\xef\xbb\xbf \n"),
        of(b"\xff\xfei\0d"),
        of(b"name,group\nA,B\n"),
        of(b"PK\x03\x04\x00\x00"),
        Roster::parse(b"id\nada", Some("login"), None).unwrap_err().to_string(),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    line 1: the roster is empty: it needs a header with a column `id`
    line 1: the roster is empty: it needs a header with a column `id`
    line 1: this is no text
    line 1: no column is called `id`; there are `name`, `group`
    line 1: no column is called `id`; there are `PK\u{3}\u{4}\u{0}\u{0}`
    line 1: no column is called `login`; there are `id`
    ");
}

/// Missing students, unknown ids, and the students that those ids probably mean.
#[test]
fn side_by_side() {
    let roster = roster("id\nada\nAlan\ngrace\nedsger\n");
    let both = roster.match_up(["ada", "alan", "grade", "edsger", "zoe"]);
    let of = |entries: &[&Entry]| {
        entries.iter().map(|entry| entry.student.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(of(&both.graded), ["ada", "edsger"]);
    assert_eq!(of(&both.missing), ["Alan", "grace"]);
    let unknown: Vec<String> = both.unknown.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(unknown.join("\n"), @r"
    `alan` is not on the roster; `Alan` is, and submitted nothing; rename one of them if they are the same
    `grade` is not on the roster; `grace` is, and submitted nothing; rename one of them if they are the same
    `zoe` is not on the roster
    ");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Whatever a file has in it: rows or lines, no panic, and no id twice.
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300), text in "(id|name|,|;|\t|\"|\n|\r|a|b){0,60}") {
        for bytes in [bytes.as_slice(), text.as_bytes(), &[b"id,x\n", text.as_bytes()].concat()] {
            if let Ok(roster) = Roster::parse(bytes, None, None) {
                let mut ids = ids(&roster);
                ids.sort_unstable();
                let all = ids.len();
                ids.dedup();
                proptest::prop_assert_eq!(ids.len(), all);
                proptest::prop_assert!(ids.iter().all(|id| !id.is_empty() && !id.contains(char::is_control)));
            }
        }
    }
}

/// Times as Gradescope and Moodle write them in their exports.
#[test]
fn times_of_platforms() {
    let roster = roster(
        "SID,Submission Time\n1,2026-10-02 23:00:00 -0700\n2,2026-10-02 23:00:00.337 UTC\n3,-\n\
         4,yesterday at 11:00\n",
    );
    let at = |id: &str| roster.entry(id).and_then(|entry| entry.submitted_at);
    assert_eq!(at("1"), Some("2026-10-03T06:00:00Z".parse().unwrap()));
    assert_eq!(at("2"), Some("2026-10-02T23:00:00.337Z".parse().unwrap()));
    assert_eq!((at("3"), at("4")), (None, None));
    let problems: Vec<u64> = roster.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(problems, [5]);
}

/// Times in words and with points, and one that can be read in two ways.
#[test]
fn times_in_other_forms() {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let text = "id,submitted_at\n1,\"Monday, November 2, 2026, 10:15 PM\"\n2,\"Nov 2, 2026 10:15 PM\"\n\
        3,2.11.2026 22:15\n4,\"Mon, 02 Nov 2026 22:15:00 +0100\"\n5,11/02/2026 10:15 PM\n\
        6,\"Montag, 2. November 2026, 22:15\"\n";
    let roster = Roster::parse(text.as_bytes(), None, Some(&zone)).unwrap();
    for entry in &roster.students {
        let at = (entry.student.id != "5").then(|| "2026-11-02T21:15:00Z".parse().unwrap());
        assert_eq!(entry.submitted_at, at, "{}", entry.student.id);
    }
    insta::assert_snapshot!(lines(&roster), @"line 6: the time `11/02/2026 10:15 PM`: write it as 2026-10-05 23:59");
}

/// Names in two columns, an empty column of ids, the encodings of old exports, and the rows that
/// Canvas adds.
#[test]
fn what_exports_contain() {
    let two = roster("First Name,Last Name,Student ID,Email\nAda,Lovelace,,ada@x\nBob,,,bob@x\n");
    assert_eq!((two.id_column.as_str(), ids(&two)), ("Email", vec!["ada@x", "bob@x"]));
    let names: Vec<Option<&str>> = two.students.iter().map(|e| e.student.name.as_deref()).collect();
    assert_eq!(names, [Some("Lovelace, Ada"), Some("Bob")]);

    let utf_16: Vec<u8> = std::iter::once(0xfeff)
        .chain("Username\tName\nzoe\tZoë\n".encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let blackboard = Roster::parse(&utf_16, None, None).unwrap();
    assert_eq!(blackboard.students[0].student.name.as_deref(), Some("Zoë"));
    assert_eq!(lines(&blackboard), "");

    let canvas = roster(
        "Student,ID,SIS Login ID\n,,\n    Points Possible,,\n\"Lovelace, Ada\",1,ada\n\"Student, Test\",9,abc\n",
    );
    assert_eq!((ids(&canvas), lines(&canvas)), (vec!["ada"], String::new()));
    let manual =
        roster("Student,ID,SIS Login ID,HW\n,,,Manual Posting\n\"Lovelace, Ada\",1,ada,\n");
    assert_eq!((ids(&manual), lines(&manual)), (vec!["ada"], String::new()));
}

/// Neither a shared domain nor a number makes two ids alike.
#[test]
fn ids_that_are_not_meant() {
    let roster = roster("Email\ncstone@uni.example\nParticipant 1234504\nzoe@uni.example\n");
    let meant = |id: &str| {
        let both = roster.match_up([id]);
        both.unknown[0].meant.map(str::to_owned)
    };
    assert_eq!(meant("eve@uni.example"), None);
    assert_eq!(meant("Participant_1234514"), None);
    assert_eq!(meant("cston@uni.example").as_deref(), Some("cstone@uni.example"));
    assert_eq!(meant("Zoe@uni.example").as_deref(), Some("zoe@uni.example"));
}

/// A download has names as people type them, and a roster as the university writes them. A name
/// that may be of two students is of neither.
#[test]
fn names_that_may_be_the_same() {
    let roster = roster(
        "Username,Last Name,First Name\nso,O'Brien,Seán\nmg,García López,María\n\
         zm,Müller-Lüdenscheidt,Zoë\njd,Doe,Jane\nb,Åkesson,Björn\nw1,Zhang,Wei\nw2,Zhang,Wei\n",
    );
    let meant = |id: &str| {
        let both = roster.match_up([id]);
        both.unknown[0].meant.map(str::to_owned)
    };
    for (id, wanted) in [
        ("3-2 - Sean O'Brien", Some("so")),
        ("4-2 - María García", Some("mg")),
        ("5-2 - Zoe Mueller-Ludenscheidt", Some("zm")),
        ("Doe Janey_1234567", Some("jd")),
        ("Bjorn Åkesson_7", Some("b")),
        ("9-1 - Wei Zhang", None),
        ("9-1 - Ada Lovelace", None),
        ("Zhang", None),
    ] {
        assert_eq!(meant(id).as_deref(), wanted, "{id}");
    }
}

/// A name from a Mac means the same row.
#[test]
fn ids_in_another_form_of_unicode() {
    let roster = roster("id\nZoë\n");
    assert_eq!(roster.own_form("Zoe\u{308}"), Some("Zoë"));
    assert_eq!(roster.own_form("zoë"), None);
}
