//! Verdicts as HTML, as a notebook shows them.

use checker::diagnostic::Slug;
use checker::report::{Report, Span, html};
use proptest::prelude::*;
use scraper::{Html, Node};

const SOURCE: &str = "// add one\n\
    extern \"C\" __global__ void add_one(const float *in, float *out, int n)\n\
    {\n\
    \tint i = threadIdx.x;\n\
    \tout[i] = in[i] + 1;\n\
    }\n";

fn span(line: u32, column: u32, length: u32, label: &str, primary: bool) -> Span {
    Span { line, column, length, label: label.into(), primary }
}

fn failed() -> Report {
    Report {
        exercise: "add_one".into(),
        slug: Slug::OutOfBoundsWrite,
        passed: false,
        title: "thread 5 writes `out[5]`, but `out` has 5 elements".into(),
        file: "exercises/ch01_threads/add_one.cu".into(),
        case: Some("case `five` (n = 5, grid 1, block 32)".into()),
        spans: vec![
            span(5, 2, 6, "i = 5 here; 27 threads do this", true),
            span(5, 11, 5, "the same index", false),
            span(1, 4, 3, "", false),
            span(99, 1, 1, "outside of the file", false),
        ],
        table: vec![
            vec!["i".into(), "expected".into(), "out".into()],
            vec!["0".into(), "1".into(), "-".into()],
        ],
        notes: vec!["`in` has 5 elements, too".into()],
        think: Some("Which threads have an element?".into()),
        learn: Some("chapter 1, \"Guards\" · checker explain out-of-bounds-write".into()),
        trace: Some("checker trace add_one --thread 5".into()),
        again: Some("checker check add_one --case 'five'".into()),
        program: false,
        printed: Some("hello\n".into()),
        device: "simulator".into(),
        millis: 12,
    }
}

fn passed() -> Report {
    Report {
        slug: Slug::Passed,
        passed: true,
        title: "5 cases passed".into(),
        notes: vec!["4.0 sectors per request".into()],
        learn: Some("pitfalls: book/src/ch01_threads/add_one.md".into()),
        ..Report {
            spans: vec![],
            table: vec![],
            printed: None,
            think: None,
            trace: None,
            ..failed()
        }
    }
}

/// A report with `text` in every field that can contain a learner's text.
fn saying(text: &str) -> Report {
    let text = || text.to_owned();
    Report {
        exercise: text(),
        title: text(),
        file: text(),
        case: Some(text()),
        spans: vec![span(1, 1, 3, &text(), true), span(2, 2, 4, &text(), false)],
        table: vec![vec![text()], vec![text()]],
        notes: vec![text()],
        think: Some(text()),
        learn: Some(text()),
        trace: Some(text()),
        again: Some(text()),
        printed: Some(text()),
        device: text(),
        ..failed()
    }
}

const HOSTILE: &str = "<script>alert('1')</script> & \"quoted\" `<b>` \u{1b}[31m\u{202e}</article>";

#[test]
fn a_failure() {
    insta::assert_snapshot!(html::render(&failed(), SOURCE, None));
}

#[test]
fn a_pass() {
    let after = Some("3 of 45 done. Next: guard (15 min)");
    insta::assert_snapshot!(html::render(&passed(), SOURCE, after));
}

#[test]
fn hostile_text() {
    let source = format!("{HOSTILE}\n{HOSTILE}\n");
    insta::assert_snapshot!(html::render(&saying(HOSTILE), &source, Some(HOSTILE)));
}

fn page() -> html::Page {
    html::Page {
        section: Some(html::Section {
            name: "chapter 1, \"Guards\"".into(),
            address: "../ch01_threads/lesson.html#guards".into(),
        }),
        explained: Some("../diagnostics/out-of-bounds-write.html".into()),
        hints: true,
        threads: true,
    }
}

/// A page has buttons and links where a terminal has commands, and none to what it doesn't have.
#[test]
fn on_a_page_places_and_commands_are_buttons_and_links() {
    let shown = html::on_page(&failed(), SOURCE, &page());
    let buttons: Vec<&str> =
        shown.split("data-line=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(buttons, ["1", "5", "5"], "a place outside of the file has no button");
    assert!(shown.contains("</button> i = 5 here; 27 threads do this</li>"), "{shown}");
    assert!(shown.contains("href=\"../ch01_threads/lesson.html#guards\""), "{shown}");
    assert!(shown.contains("data-trace=\"checker trace add_one --thread 5\""), "{shown}");
    for command in ["checker explain", "checker check", "<code>checker"] {
        assert!(!shown.contains(command), "{command}: {shown}");
    }
    let bare = html::on_page(&failed(), SOURCE, &html::Page::default());
    assert!(!bare.contains("href") && !bare.contains("data-trace"), "{bare}");
    let not_started = Report { slug: Slug::NotStarted, ..failed() };
    assert!(html::on_page(&not_started, SOURCE, &page()).contains("data-action=\"hint\""));
    assert!(!html::on_page(&not_started, SOURCE, &html::Page::default()).contains("hint"));
    let passed = html::on_page(&passed(), SOURCE, &page());
    assert!(!passed.contains("<button") && !passed.contains("<a "), "{passed}");
    // No device has run what does not compile.
    let rejected = Report { slug: Slug::CompileError, ..failed() };
    assert!(!html::on_page(&rejected, SOURCE, &page()).contains("<footer"));
}

/// A learner's text is never markup on a page either.
#[test]
fn hostile_text_on_a_page() {
    let source = format!("{HOSTILE}\n{HOSTILE}\n");
    let (names, _) = parsed(&html::on_page(&saying(HOSTILE), &source, &page()));
    let harmless = HOSTILE.replace(|c: char| !c.is_ascii_alphanumeric() && c != '`', "x");
    let source = format!("{harmless}\n{harmless}\n");
    let (expected, _) = parsed(&html::on_page(&saying(&harmless), &source, &page()));
    assert_eq!(names, expected);
}

/// A file that has not been edited, and CUDA that the simulator lacks, are no mistakes.
#[test]
fn verdicts_that_are_no_errors_have_their_own_names() {
    let title = |slug| html::render(&Report { slug, ..failed() }, SOURCE, None);
    let not_started = title(Slug::NotStarted);
    assert!(not_started.contains(">not yet</strong>") && !not_started.contains("error["));
    let unsupported = title(Slug::Unsupported);
    assert!(unsupported.contains(">not your bug[unsupported]</strong>"));
    assert!(title(Slug::SharedRace).contains(">error[shared-race]</strong>"));
}

/// The page of several exercises has an article for each and one style sheet, and it needs nothing
/// else.
#[test]
fn a_page_is_self_contained() {
    let article = |report| html::render(report, SOURCE, None);
    let page = html::page(&[article(&failed()), article(&passed())]);
    assert_eq!((page.matches("<article").count(), page.matches("<style>").count()), (2, 1));
    for forbidden in ["<script", "http:", "https:", "url(", "@import", " id=", " style="] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

/// The elements and attributes of a fragment, and its text.
fn parsed(fragment: &str) -> (Vec<String>, String) {
    let document = Html::parse_fragment(fragment);
    let (mut names, mut text) = (vec![], String::new());
    for node in document.tree.nodes() {
        match node.value() {
            Node::Element(element) => {
                names.push(element.name().to_owned());
                names.extend(element.attrs().map(|(name, _)| format!("@{name}")));
            }
            Node::Text(part) => text.push_str(part),
            Node::Comment(_) => names.push("a comment".into()),
            _ => {}
        }
    }
    (names, text)
}

/// Text that markup is made of, and any other.
fn any_text() -> impl Strategy<Value = String> {
    let pieces = vec![
        "<",
        ">",
        "&",
        "\"",
        "'",
        "`",
        "</",
        "<!--",
        "-->",
        "<script>",
        "</article>",
        "<![CDATA[",
        "&lt;",
        "\n",
        "\t",
        "\u{0}",
        "\u{1b}[0m",
        " onload=",
        "</pre>",
        "</style>",
    ];
    let piece = prop_oneof![
        proptest::sample::select(pieces).prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
        "[a-z ]{0,6}",
    ];
    proptest::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// Whatever a learner writes or prints, a browser sees the elements and attributes of a
    /// harmless report, and the text itself as text.
    #[test]
    fn text_is_never_markup(text in any_text()) {
        // Backquotes make code elements, and cells with a number at the start are aligned to the
        // right.
        let text = format!("a{}", text.replace('`', "'"));
        let source = "int a;\nint bcd;\n";
        let (names, shown) = parsed(&html::render(&saying(&text), source, Some(&text)));
        let (expected, _) = parsed(&html::render(&saying("harmless"), source, Some("harmless")));
        prop_assert_eq!(names, expected);
        let visible = checker::text::sanitise(&text);
        prop_assert!(shown.contains(&visible), "{:?} lacks {:?}", shown, visible);
    }

    /// The same holds for the source, whose marks may be anywhere.
    #[test]
    fn source_is_never_markup(source in any_text(), line in 0_u32..5, column in 0_u32..20, length in 0_u32..20) {
        let spans = vec![span(line, column, length, "here", true), span(1, 1, 2, "there", false)];
        let report = Report { spans, ..failed() };
        let (names, _) = parsed(&html::render(&report, &source, None));
        let known = [
            "html", "body", "article", "p", "strong", "code", "div", "pre", "span", "mark", "ul", "li", "table", "thead", "tbody",
            "tr", "th", "td", "dl", "dt", "dd", "footer", "@class", "@data-slug", "@data-exercise", "@aria-label",
            "@aria-hidden", "@role", "@tabindex", "@scope",
        ];
        for name in names {
            prop_assert!(known.contains(&name.as_str()), "{}", name);
        }
    }
}
