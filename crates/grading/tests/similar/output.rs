//! Terminal and page.

use grading::similar::{Options, Similar, compare, html, pair, text};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

use crate::class::{course, versions};
use crate::{disguise, hands, student, with_hands};

/// A class with three students who copied.
fn example() -> Similar {
    let versions = versions();
    let one = with_hands(&versions).into_iter().find(|one| one.exercise.id == "tile_transpose");
    let one = one.unwrap();
    let mut class: Vec<_> = hands(one)
        .iter()
        .zip(["ada", "bob", "carol", "dave", "eve", "frank", "grace"])
        .map(|(text, name)| student(name, "tile_transpose", text))
        .collect();
    let copy = disguise::dead(&disguise::rename(&one.hands[1]), 3);
    class.push(student("mallory", "tile_transpose", &copy));
    class.push(student("Zoë 数据", "tile_transpose", &disguise::macros(&one.hands[1])));
    compare(&course(&versions), &class, &Options::default())
}

/// What a terminal shows.
#[test]
fn terminal() {
    let similar = example();
    insta::assert_snapshot!("list", text(&similar, 90, false));
    let one = similar.pair("mallory", "bob").unwrap();
    insta::assert_snapshot!("pair", pair(&similar, one, 110, false));
    insta::assert_snapshot!("pair_narrow", pair(&similar, one, 44, false));
    assert!(pair(&similar, one, 110, true).contains("\u{1b}[36m"));
}

/// JSON holds everything, and comes back as it was.
#[test]
fn data() {
    let similar = example();
    let json = serde_json::to_string(&similar).unwrap();
    assert_eq!(serde_json::from_str::<Similar>(&json).unwrap(), similar);
    assert_eq!(html(&serde_json::from_str(&json).unwrap()), html(&similar));
}

/// The page needs nothing from elsewhere and runs nothing; every link leads somewhere.
#[test]
fn page() {
    let page = html(&example());
    for word in ["<script", "http:", "https:", "@import", "url(", "onclick", "<img", "<link"] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("light dark") && page.contains("max-width: 720px"));
    let targets: Vec<&str> =
        page.split("href=\"#").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(targets.len() > 6);
    for target in targets {
        assert_eq!(page.matches(&format!("id=\"{target}\"")).count(), 1, "{target}");
    }
}

/// Text that would act on a terminal, on a page or on a log.
const HOSTILE: &str = "</pre></script><script>alert(1)</script>\u{1b}]0;title\u{7}\u{1b}[2J\u{202e}\u{9b}\r\u{8}'\"&<!--";

/// Names and code of submissions do nothing.
#[test]
fn nothing_of_a_submission_acts() {
    let versions = versions();
    let one = with_hands(&versions)[0];
    let lines = one.hands[1].lines().map(|line| format!("{line} // {HOSTILE}\n"));
    let code: String = lines.collect();
    let class = [
        student(&format!("::error::a{HOSTILE}\n::error::x"), &one.exercise.id, &code),
        student(&format!("b{HOSTILE}"), &one.exercise.id, &code),
        student(&format!("c{HOSTILE}"), HOSTILE, &code),
    ];
    let similar = compare(&course(&versions), &class, &Options::default());
    assert_eq!(similar.pairs.len(), 1);
    for width in [40, 100] {
        let shown = text(&similar, width, false) + &pair(&similar, &similar.pairs[0], width, false);
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        assert!(!shown.contains('\u{202e}'));
        assert!(!shown.lines().any(|line| line.trim_start().starts_with("::")), "{shown}");
    }
    let page = html(&similar);
    assert!(!page.contains("<script") && !page.contains("<!--"));
    assert!(!page.chars().any(|c| c.is_control() && c != '\n'));
    assert!(!page.contains('\u{202e}'));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is handed in, under whatever name: no panic, no line wider than asked, nothing that
    /// acts, scores in range.
    #[test]
    fn anything(
        names in proptest::collection::vec(any::<String>(), 2..5),
        noise in proptest::collection::vec(any::<u8>(), 0..200),
        width in 0_usize..260,
        fragment in 0_usize..40,
    ) {
        let versions = versions();
        let one = with_hands(&versions)[0];
        let noise = String::from_utf8_lossy(&noise).into_owned();
        let text_of = |i: usize| {
            let code = &one.hands[1];
            let at = code.char_indices().nth(i * 40).map_or(0, |(at, _)| at);
            format!("{}{noise}{}", &code[..at], &code[at..])
        };
        let class: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(i, name)| student(name, &one.exercise.id, &text_of(i)))
            .collect();
        let options = Options { threshold: 0.0, fragment, ..Options::default() };
        let similar = compare(&course(&versions), &class, &options);
        prop_assert!(similar.pairs.iter().all(|pair| (0.0..1.0).contains(&pair.score)));
        let mut shown = text(&similar, width, false);
        for one in &similar.pairs {
            shown += &pair(&similar, one, width, false);
        }
        for line in shown.lines() {
            prop_assert!(line.width() <= width.clamp(40, 240), "{line:?}");
            prop_assert!(!line.chars().any(char::is_control), "{line:?}");
        }
        prop_assert!(!html(&similar).chars().any(|c| c.is_control() && c != '\n'));
    }
}
