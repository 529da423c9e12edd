//! A trace as an article: a table with a row for each step.

use std::fmt::Write as _;

use super::super::trace::{self as terminal, Item, Step, Trace};
use super::{begin_article, escape, footer, inline, list};

/// A trace with about `limit` steps at most.
pub fn render(trace: &Trace, limit: usize) -> String {
    let title = format!("trace of {}, {}", trace.exercise, trace.thread_name);
    let mut out = begin_article("wb-trace", &title, &trace.case, trace.wrong.as_deref());
    let notes: Vec<&str> =
        trace.notes.iter().chain(&trace.other_launches).map(String::as_str).collect();
    list(&mut out, &notes);
    out.push_str(
        "<div class=\"wb-scroll\" tabindex=\"0\">\n<table>\n<thead><tr><th scope=\"col\">line</th><th scope=\"col\" \
         class=\"wb-left\">code</th><th scope=\"col\" class=\"wb-left\">what happens</th></tr></thead>\n<tbody>\n",
    );
    let mut before: Option<&Step> = None;
    for item in terminal::shown_items(trace, limit) {
        match item {
            Item::Step(i) => {
                let Some(step) = trace.steps.get(i) else { continue };
                if terminal::enters_function(step, before) {
                    remark(&mut out, &format!("in {}:", step.function));
                }
                row(&mut out, step);
                before = Some(step);
            }
            Item::Remark(text) => remark(&mut out, &text),
        }
    }
    let _ = writeln!(out, "</tbody>\n</table>\n</div>\n<p>{}</p>", inline(&trace.ending));
    footer(&mut out, &trace.device, trace.millis);
    out.push_str("</article>\n");
    out
}

fn row(out: &mut String, step: &Step) {
    let facts: Vec<String> = step
        .facts
        .iter()
        .map(|fact| match fact.wrong {
            true => format!("<strong class=\"wb-bad\">{}</strong>", escape(&fact.text)),
            false => escape(&fact.text),
        })
        .collect();
    let _ = writeln!(
        out,
        "<tr><td>{}</td><td class=\"wb-code\">{}</td><td class=\"wb-wrap\">{}</td></tr>",
        step.line,
        escape(&step.text.replace('\t', "    ")),
        facts.join("<br>")
    );
}

fn remark(out: &mut String, text: &str) {
    let _ = writeln!(
        out,
        "<tr class=\"wb-remark\"><td></td><td colspan=\"2\" class=\"wb-wrap\">{}</td></tr>",
        escape(text)
    );
}
