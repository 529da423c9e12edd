//! Slips in the signs and the order of a statement.

use super::super::scan::{is_word, words};
use super::{Help, Slip};

pub fn recognise(slip: &Slip<'_>) -> Option<Help> {
    if slip.says("expected a \";\"") {
        Some(in_macro(slip).unwrap_or_else(|| missing(slip, ";")))
    } else if slip.says("expected a \")\"") {
        Some(parameter_array(slip).or_else(|| in_macro(slip)).unwrap_or_else(|| missing(slip, ")")))
    } else if slip.says("expected a \"]\"") {
        Some(in_macro(slip).unwrap_or_else(|| missing(slip, "]")))
    } else if let Some(help) = slip.says("expected a \"}\"").then(|| in_macro(slip)).flatten() {
        Some(help)
    } else if slip.says("expected a \"}\"") {
        let label = if slip.says("to match this") {
            "this { is never closed"
        } else {
            "a } is missing somewhere above"
        };
        Some(
            Help::new(label)
                .note("every { needs its }: count them, from the innermost block outwards"),
        )
    } else if slip.says("expected a \"(\"") {
        Some(parentheses(slip))
    } else if slip.says("expected a declaration") {
        Some(after_function(slip))
    } else if slip.says("expected a statement") {
        Some(Help::new("no statement can start with this"))
    } else if slip.says("expected an expression") {
        Some(in_macro(slip).unwrap_or_else(|| Help::new("expected a value here")))
    } else if slip.says("unrecognized token") || slip.says("extended character") {
        Some(if slip.word == "@" {
            Help::new("a decorator of Python")
                .titled("CUDA C++ has no decorators")
                .note("a kernel starts with: extern \"C\" __global__ void")
        } else {
            Help::new("this character is not part of CUDA C++").note(
                "copied text often contains curly quotes or special spaces: type this line again",
            )
        })
    } else if slip.says("may only be used within a loop") {
        Some(
            Help::new("there is no loop around this line")
                .note("`return;` ends the thread, `break;` only a loop or a switch"),
        )
    } else if slip.says("'::main' must return 'int'") {
        Some(Help::new("write int main()").titled("main returns an int"))
    } else if slip.says("\"main\" cannot be used as a global variable name") {
        Some(Help::new("write main()").titled("a function needs parentheses after its name"))
    } else {
        None
    }
}

/// A loop or a condition of another language.
pub fn other_language(slip: &Slip<'_>) -> Option<Help> {
    let code = slip.code();
    let chars: Vec<char> = code.chars().collect();
    let all: Vec<String> = words(&chars).map(|(_, word)| word).collect();
    let has = |word: &str| all.iter().any(|one| one == word);
    let syntax = slip.says("expected a") || slip.says("is not a type name");
    if syntax && has("for") && has("in") && (has("range") || has("xrange")) {
        return Some(
            Help::new("a loop of Python")
                .titled("a loop in C++ is written in another way")
                .at(slip.source.whole_line(slip.message.line))
                .note("write for (int i = 0; i < n; i++) { ... }"),
        );
    }
    if slip.says("expected a \";\"") && code.contains(":=") {
        return Some(
            Help::new("write =").titled("C++ has no :=").note("a value is assigned with ="),
        );
    }
    let comma = code.split_once("for").and_then(|(_, rest)| rest.split_once('('));
    let header = comma.map(|(_, rest)| parenthesised(rest));
    let separators = slip.says("already been declared") || slip.says("expected");
    if separators && header.is_some_and(has_commas_for_semicolons) {
        return Some(
            Help::new("commas instead of semicolons")
                .titled("the three parts of a for loop are separated by semicolons")
                .at(slip.place_of("for"))
                .note("write for (int i = 0; i < n; i++)"),
        );
    }
    None
}

/// Whether the header of a loop has its three parts, of which the second compares something, but
/// fewer than two semicolons.
fn has_commas_for_semicolons(header: &str) -> bool {
    let mut depth = 0_i32;
    let parts: Vec<&str> = header
        .split(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0 && (c == ',' || c == ';')
        })
        .collect();
    let compares = parts.get(1).is_some_and(|part| part.contains(['<', '>', '!']));
    parts.len() == 3 && header.matches(';').count() < 2 && compares
}

/// The text up to the parenthesis that closes what is open before it.
fn parenthesised(text: &str) -> &str {
    let mut depth = 0_i32;
    let end = text.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// `if idx < n {`.
fn parentheses(slip: &Slip<'_>) -> Help {
    let code = slip.code();
    let chars: Vec<char> = code.chars().collect();
    let control = words(&chars).map(|(_, word)| word);
    let mut control =
        control.filter(|word| ["if", "while", "for", "switch"].contains(&word.as_str()));
    match control.next() {
        Some(word) => Help::new("( ) is missing around this")
            .titled(format!("the condition of `{word}` needs parentheses"))
            .note(format!("write {word} (...)")),
        None => Help::new("expected a ( here"),
    }
}

/// `float[] out` in a parameter list.
fn parameter_array(slip: &Slip<'_>) -> Option<Help> {
    let rest = slip.source.after(slip.message.line, slip.message.column);
    let before = slip.source.before(slip.message.line, slip.message.column);
    let brackets = before.trim_end().ends_with("[]") || rest.starts_with("[]");
    let name = rest.chars().skip_while(|c| "[] ".contains(*c));
    let name: String = name.take_while(|c| is_word(*c)).collect();
    (brackets && !name.is_empty()).then(|| {
        Help::new("brackets after the type")
            .titled("an array parameter is a pointer in C++")
            .note(format!("write float* {name}"))
    })
}

/// Code after the end of a function.
fn after_function(slip: &Slip<'_>) -> Help {
    let before = slip.source.code_before(slip.message.line, slip.message.column);
    if slip.word == "{" && before.trim_end().ends_with(");") {
        let place = slip.source.end_before(slip.message.line, slip.message.column);
        return Help::new("this ; ends the declaration")
            .titled("the body of a function follows its parameters at once")
            .at(place.map(|(line, column)| (line, column, 1)))
            .note("remove the ; between the ) and the {");
    }
    Help::new("the function already ends above this line")
        .note("there is one } too many above, or one { too few")
}

/// The compiler notices a missing sign at the next word, often a line too late, so the mark goes
/// after the code before that word, unless it is there already.
fn missing(slip: &Slip<'_>, sign: &str) -> Help {
    let source = slip.source;
    let (line, column) = (slip.message.line, slip.message.column);
    let behind = match source.word(line, column).as_deref() {
        // the end of a structure, unless a statement before it lacks the sign
        Some("}") => source.code_before(line, column).trim_end().ends_with([';', '{', '}']),
        _ => source.ends_at(line, column),
    };
    let end = if behind { Some((line, column)) } else { source.end_before(line, column) };
    let place = end.map(|(line, column)| (line, column, 1));
    Help::new(format!("a {sign} is missing after this"))
        .titled(format!("expected a {sign}"))
        .at(place)
}

/// A macro on the line, or just before it, whose text is the cause: a `;` at the end of a value, or
/// statements that lack one.
fn in_macro(slip: &Slip<'_>) -> Option<Help> {
    let line = slip.message.line;
    let end = slip.source.end_before(line, slip.message.column).map_or(line, |(line, _)| line);
    [line, end].into_iter().find_map(|at| {
        let code = slip.source.after(at, 1);
        if code.trim_start().starts_with('#') {
            return None;
        }
        let chars: Vec<char> = code.chars().collect();
        let used = words(&chars).find_map(|(start, word)| {
            let (defined, text) = slip.source.macro_named(&word)?;
            Some((start, word, defined, text))
        });
        let (start, word, defined, text) = used?;
        let length = word.chars().count() as u32;
        let use_here = (at, start as u32 + 1, length);
        let definition = slip.source.occurrences(&word).into_iter().find(|(line, _)| *line == defined);
        let definition = definition.map(|(line, column)| (line, column, length));
        if text.ends_with(';') && !text.starts_with('(') {
            return Some(
                Help::new("its text ends with a ;")
                    .titled(format!("the macro {word} puts a ; into this line"))
                    .at(definition)
                    .also(Some(use_here), "used here")
                    .note("a #define has no ; at its end, because its text replaces the name as it is"),
            );
        }
        let statements = text.starts_with('(') && text.contains('\\') || text == "\\";
        statements.then(|| {
            let sign = slip.sentence.split('"').nth(1).unwrap_or(";");
            Help::new(format!("a {sign} is missing in its text"))
                .titled(format!("expected a {sign} in the text of the macro {word}"))
                .at(definition)
                .also(Some(use_here), "used here")
                .note("the compiler sees the lines of a macro as one: each statement needs its own ;")
        })
    })
}
