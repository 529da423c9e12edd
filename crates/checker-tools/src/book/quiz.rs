//! Checkpoints: the questions in `book/quizzes/NAME.toml` as a form on the page. Without
//! JavaScript, the answers are folded under each question.

use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

use super::html::{escape, inline};
use super::{Problem, read};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Quiz {
    question: Vec<Question>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    /// Never changes, because the reader's browser stores answers under it.
    id: String,
    prompt: String,
    /// Shown under the prompt, as code.
    code: Option<String>,
    answer: Vec<Answer>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    text: String,
    #[serde(default)]
    right: bool,
    why: String,
}

/// The quiz of `book/quizzes/{name}.toml`.
///
/// # Errors
/// When the file is missing or has errors.
pub fn show(name: &str, root: &Path) -> Result<String, Problem> {
    let quiz = load(name, root)?;
    let mut out = String::from("<wb-quiz>\n");
    for (number, question) in quiz.question.iter().enumerate() {
        form(&mut out, number + 1, question);
    }
    out.push_str("</wb-quiz>\n");
    Ok(out)
}

/// The same quiz as Markdown for a notebook, with the answers folded under each question.
///
/// # Errors
/// When the file is missing or has errors.
pub fn for_notebook(name: &str, root: &Path) -> Result<String, Problem> {
    let mut out = String::new();
    for (number, question) in load(name, root)?.question.iter().enumerate() {
        let _ = writeln!(out, "## Question {}\n\n{}\n", number + 1, question.prompt);
        if let Some(code) = &question.code {
            let _ = writeln!(out, "```cpp\n{}\n```\n", code.trim_end());
        }
        for answer in &question.answer {
            let _ = writeln!(out, "* {}", answer.text);
        }
        out.push_str("\n<details>\n<summary>Answer, and why</summary>\n");
        out.push_str(&reasons(question));
        out.push_str("</details>\n\n");
    }
    Ok(out)
}

fn load(name: &str, root: &Path) -> Result<Quiz, Problem> {
    let path = root.join("quizzes").join(format!("{name}.toml"));
    parse(&read(path.clone())?).map_err(|message| Problem::Invalid { path, message })
}

fn parse(text: &str) -> Result<Quiz, String> {
    let quiz: Quiz = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut ids: Vec<&str> = quiz.question.iter().map(|q| q.id.as_str()).collect();
    ids.sort_unstable();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("two questions have the id `{}`", twice[0]));
    }
    for question in &quiz.question {
        let right = question.answer.iter().filter(|a| a.right).count();
        if right != 1 || question.answer.len() < 2 {
            return Err(format!(
                "question `{}` needs at least two answers, one of them right; it has {} and {right}",
                question.id,
                question.answer.len()
            ));
        }
    }
    Ok(quiz)
}

/// One question. The HTML has no empty line, because Markdown would end it there.
fn form(out: &mut String, number: usize, question: &Question) {
    let id = escape(&question.id);
    let _ = writeln!(out, "<form class=\"wb-question\" id=\"q-{id}\">\n<fieldset>");
    let _ = writeln!(out, "<legend><span>{number}.</span> {}</legend>", inline(&question.prompt));
    if let Some(code) = &question.code {
        let code = escape(code.trim_end()).replace('\n', "&#10;");
        let _ = writeln!(out, "<pre><code class=\"language-cpp\">{code}</code></pre>");
    }
    for (i, answer) in question.answer.iter().enumerate() {
        let _ = writeln!(
            out,
            "<label data-right=\"{}\" data-why=\"{}\"><input type=\"radio\" name=\"{id}\" value=\"{i}\"> <span>{}</span></label>",
            answer.right,
            escape(&inline(&answer.why)),
            inline(&answer.text)
        );
    }
    out.push_str("<p class=\"wb-why\" role=\"status\" hidden></p>\n");
    out.push_str("<details class=\"wb-answers\">\n<summary>Answer, and why</summary>\n");
    out.push_str(&reasons(question));
    out.push_str("</details>\n</fieldset>\n</form>\n");
}

/// The answers with their reasons, the right one first.
fn reasons(question: &Question) -> String {
    let mut out = String::from("<ul>\n");
    for answer in question
        .answer
        .iter()
        .filter(|a| a.right)
        .chain(question.answer.iter().filter(|a| !a.right))
    {
        let mark = if answer.right { "right" } else { "not right" };
        let _ = writeln!(
            out,
            "<li><strong>{}</strong> ({mark}): {}</li>",
            inline(&answer.text),
            inline(&answer.why)
        );
    }
    out.push_str("</ul>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: &str = "[[question]]\nid = \"a\"\nprompt = \"How many?\"\n\
        [[question.answer]]\ntext = \"`4`\"\nright = true\nwhy = \"4 < 5\"\n\
        [[question.answer]]\ntext = \"5\"\nwhy = \"no\"\n";

    #[test]
    fn every_answer_says_why_with_and_without_scripts() {
        let quiz = parse(QUESTION).expect("a quiz");
        let mut out = String::new();
        form(&mut out, 1, &quiz.question[0]);
        assert!(out.contains("data-why=\"4 &amp;lt; 5\""), "{out}");
        assert!(out.contains("<strong><code>4</code></strong> (right): 4 &lt; 5"), "{out}");
        assert!(!out.contains("\n\n"), "an empty line would end the HTML block");
    }

    /// The numbers of sectors in the answers of chapter 3 are those that the simulator counts, and
    /// the size of the struct is the compiler's.
    #[test]
    fn counts_in_the_checkpoint_of_chapter_3_are_right() -> Result<(), ptxsim::Error> {
        use crate::book::figure::simulated::sectors;
        #[repr(C)]
        struct Padded {
            kind: u8,
            mass: f64,
            charge: u8,
        }
        let quiz = parse(include_str!("../../../../book/quizzes/ch03.toml")).expect("a quiz");
        let right = |end: &str| {
            let question = quiz.question.iter().find(|q| q.id.ends_with(end)).expect("asked");
            question.answer.iter().find(|a| a.right).expect("an answer").text.clone()
        };
        assert_eq!(right("01"), sectors(2, 1, 1)?.to_string());
        assert_eq!(right("02"), sectors(33, 0, 1)?.to_string());
        assert_eq!(right("03"), sectors(4, 0, 4)?.to_string());
        assert_eq!(right("04"), sectors(4, 3, 1)?.to_string());
        assert_eq!(right("05"), size_of::<Padded>().to_string());
        Ok(())
    }

    #[test]
    fn broken_quizzes_are_rejected() {
        let none_right = QUESTION.replace("right = true\n", "");
        assert!(parse(&none_right).expect_err("none right").contains("one of them right"));
        let twice = format!("{QUESTION}{QUESTION}");
        assert!(parse(&twice).expect_err("twice").contains("two questions have the id"));
        assert!(parse("question = 3").is_err());
    }
}
