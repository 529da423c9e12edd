//! Links the PTX of several source files into one module, as nvlink does for code that is compiled
//! with `-rdc=true`.
//!
//! Names with `.visible` mean the same in all modules, and one module defines them. Of `.weak`
//! definitions, which come from templates and inline functions, the first is kept. Every other name
//! belongs to its module and gets a suffix, as string literals (`$str`) occur in all of them. The
//! numbers of source files are made unique for the same reason.

use std::collections::BTreeSet;

/// Functions that the driver provides.
const PROVIDED: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];
/// The number of source files that one module may name.
const FILES_PER_MODULE: usize = 100_000;

/// One part of a module at its outermost level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Item<'a> {
    text: &'a str,
    kind: Kind<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind<'a> {
    /// `.version`, `.target`, `.address_size`, which all modules share.
    Header,
    /// `.file`.
    File,
    /// A variable.
    Variable(Symbol<'a>),
    /// A function or kernel.
    Function(Symbol<'a>),
    /// A debugging section.
    Section,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Symbol<'a> {
    name: &'a str,
    linkage: Linkage,
    /// A definition, as opposed to a declaration.
    defined: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Linkage {
    Local,
    Visible,
    Weak,
    Extern,
}

/// The modules as one.
pub fn link(modules: &[String]) -> String {
    if let [only] = modules {
        return only.clone();
    }
    let parsed: Vec<Vec<Item<'_>>> = modules.iter().map(|module| items(module)).collect();
    let defined: BTreeSet<&str> = parsed.iter().flatten().filter_map(definition).collect();
    let (mut head, mut variables, mut functions) = (String::new(), String::new(), String::new());
    let mut emitted = BTreeSet::new();
    for (index, module) in parsed.iter().enumerate() {
        let own = locals(module);
        for item in module {
            let (symbol, out) = match &item.kind {
                Kind::Header if index > 0 => continue,
                Kind::Header | Kind::File => (None, &mut head),
                Kind::Variable(symbol) => (Some(symbol), &mut variables),
                Kind::Function(symbol) => (Some(symbol), &mut functions),
                Kind::Section => (None, &mut functions),
            };
            if let Some(symbol) = symbol.filter(|symbol| symbol.linkage != Linkage::Local) {
                let elsewhere = !symbol.defined && defined.contains(symbol.name);
                if elsewhere || !emitted.insert(symbol.name) {
                    continue;
                }
            }
            *out += &renamed(item.text, &own, index);
            out.push('\n');
        }
    }
    head + &variables + &functions
}

/// The names that these modules use together, and that none of them and no driver defines.
pub fn undefined(modules: &[String]) -> Vec<String> {
    let parsed: Vec<Vec<Item<'_>>> = modules.iter().map(|module| items(module)).collect();
    let defined: BTreeSet<&str> = parsed.iter().flatten().filter_map(definition).collect();
    let wanted = parsed.iter().flatten().filter_map(|item| match item.kind {
        Kind::Variable(symbol) | Kind::Function(symbol) => {
            // The launch provides `extern __shared__` arrays.
            let outside = symbol.linkage == Linkage::Extern && !item.text.contains(".shared");
            outside.then_some(symbol.name)
        }
        _ => None,
    });
    let missing = wanted.filter(|name| !defined.contains(name) && !PROVIDED.contains(name));
    let all: BTreeSet<String> = missing.map(str::to_owned).collect();
    all.into_iter().collect()
}

fn definition<'a>(item: &Item<'a>) -> Option<&'a str> {
    match item.kind {
        Kind::Variable(symbol) | Kind::Function(symbol) => {
            (symbol.defined && symbol.linkage != Linkage::Local).then_some(symbol.name)
        }
        _ => None,
    }
}

/// The names that belong to a module, with the labels of its debugging sections.
fn locals<'a>(module: &[Item<'a>]) -> BTreeSet<&'a str> {
    let names = module.iter().flat_map(|item| match item.kind {
        Kind::Variable(symbol) | Kind::Function(symbol) if symbol.linkage == Linkage::Local => {
            vec![symbol.name]
        }
        Kind::Section => {
            item.text.lines().filter_map(|line| line.trim().strip_suffix(':')).collect()
        }
        _ => vec![],
    });
    names.collect()
}

/// Splits a module at its outermost level.
fn items(module: &str) -> Vec<Item<'_>> {
    let mut all = vec![];
    let bytes = module.as_bytes();
    let (mut start, mut depth, mut body) = (0, 0_usize, false);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let line_end = || rest.iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n);
        // In bytes, because `at` may be inside a character of a comment or of broken text.
        let fresh = bytes[start..at].trim_ascii().is_empty();
        if rest.starts_with(b"//") {
            // A comment between items belongs to none.
            let end = line_end();
            if fresh {
                start = end;
            }
            at = end;
            continue;
        }
        match byte {
            b'"' => {
                // Behind the closing quote.
                let length = rest.iter().skip(1).position(|b| *b == b'"');
                at += length.map_or(rest.len(), |length| length + 2);
                continue;
            }
            b'.' if fresh && depth == 0 => {
                let line = [".version", ".target", ".address_size", ".file"];
                if let Some(word) = line.iter().find(|word| rest.starts_with(word.as_bytes())) {
                    let end = line_end();
                    let kind = if *word == ".file" { Kind::File } else { Kind::Header };
                    all.push(Item { text: module[at..end].trim(), kind });
                    (start, at) = (end, end);
                    continue;
                }
            }
            b'{' => {
                depth += 1;
                let head = module[start..at].trim();
                body |= depth == 1 && !head.contains('=');
            }
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && body {
                    all.extend(item(&module[start..=at], true));
                    start = at + 1;
                    body = false;
                }
            }
            b';' if depth == 0 => {
                all.extend(item(&module[start..=at], false));
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    all
}

fn item(text: &str, body: bool) -> Option<Item<'_>> {
    let text = text.trim();
    if text.starts_with(".section") {
        return Some(Item { text, kind: Kind::Section });
    }
    let head = text.split(['{', '=']).next().unwrap_or(text);
    let has = |word: &str| head.split(|c: char| c.is_whitespace()).any(|one| one == word);
    let linkage = if has(".extern") {
        Linkage::Extern
    } else if has(".weak") || has(".common") {
        Linkage::Weak
    } else if has(".visible") {
        Linkage::Visible
    } else {
        Linkage::Local
    };
    let function = [".func", ".entry"].into_iter().find(|word| has(word));
    let name = match function {
        Some(word) => {
            let (_, rest) = head.split_once(word)?;
            let rest = rest.trim_start();
            // `.func (.param .b32 result) name (...)`
            let rest = match rest.strip_prefix('(') {
                Some(inner) => inner.split_once(')')?.1.trim_start(),
                None => rest,
            };
            rest.split(|c| !is_name(c)).next()?
        }
        None => {
            let end = head.find(['[', ';']).unwrap_or(head.len());
            head.get(..end)?.trim_end().rsplit(|c| !is_name(c)).next()?
        }
    };
    let kind = match function {
        Some(_) => Kind::Function(Symbol { name, linkage, defined: body }),
        None => Kind::Variable(Symbol { name, linkage, defined: linkage != Linkage::Extern }),
    };
    (!name.is_empty()).then_some(Item { text, kind })
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The text with the module's own names and numbers of files made unique.
fn renamed(text: &str, own: &BTreeSet<&str>, index: usize) -> String {
    if index == 0 {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with(".file") || trimmed.starts_with(".loc") {
            out += &renumbered(line, own, index);
        } else {
            rename_line(line, own, index, &mut out);
        }
    }
    out
}

fn rename_line(line: &str, own: &BTreeSet<&str>, index: usize, out: &mut String) {
    let mut rest = line;
    while !rest.is_empty() {
        let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        out.push_str(word);
        if own.contains(word) && !out[..out.len() - word.len()].ends_with(['%', '.']) {
            out.push_str(&format!("$unit{index}"));
        }
        let sign = after.chars().next().map_or(0, char::len_utf8);
        out.push_str(&after[..sign]);
        rest = &after[sign..];
    }
}

/// `.file N "path"`, and `.loc N line column, function_name label, inlined_at N line column`.
fn renumbered(line: &str, own: &BTreeSet<&str>, index: usize) -> String {
    let mut out = String::new();
    let mut number_follows = false;
    for word in line.split_inclusive([' ', '\t']) {
        let number: String = word.chars().take_while(char::is_ascii_digit).collect();
        match number.parse::<usize>() {
            Ok(file) if number_follows => {
                out += &format!("{}{}", file + index * FILES_PER_MODULE, &word[number.len()..]);
            }
            _ if word.starts_with('"') || own.is_empty() => out += word,
            _ => rename_line(word, own, index, &mut out),
        }
        let directive = word.trim();
        if !directive.is_empty() {
            number_follows = [".file", ".loc", "inlined_at"].contains(&directive);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FIRST: &str = "// made by a compiler\n.version 9.0\n.target sm_90\n.address_size 64\n\
        .extern .func (.param .b32 func_retval0) twice\n(\n.param .b32 twice_param_0\n)\n;\n\
        .extern .global .align 4 .f32 scale;\n.global .align 1 .b8 $str[3] = {104, 105};\n\
        .extern .shared .align 16 .b8 tile[];\n\
        .weak .func common()\n{\n ret;\n}\n\
        .visible .entry first(\n.param .u64 first_param_0\n)\n{\n.loc\t1 5 3\nmov.u64 %rd5, $str;\n{ call.uni twice, (p); }\nret;\n}\n\
        .file\t1 \"/a.cu\"\n";
    const SECOND: &str = ".version 9.0\n.target sm_90\n.address_size 64\n\
        .visible .global .align 4 .f32 scale = 0f40000000;\n.global .align 1 .b8 $str[2] = {33};\n\
        .visible .func (.param .b32 func_retval0) twice(\n.param .b32 twice_param_0\n)\n{\n\
        .loc 1 7 0, function_name $L__info_string0, inlined_at 1 9 2\nmov.u64 %rd1, $str;\nret;\n}\n\
        .weak .func common()\n{\n trap;\n}\n.file 1 \"/b.cu\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 1\n}\n";

    /// A string in a body, as `#pragma unroll 1` leaves it, ends where it ends.
    #[test]
    fn a_string_hides_no_brace() {
        let module = ".func one()\n{\n.pragma \"nounroll\";\nret;\n}\n.func two()\n{\nret;\n}\n";
        let found = items(module);
        assert_eq!(found.iter().filter(|item| matches!(item.kind, Kind::Function(_))).count(), 2);
    }

    #[test]
    fn modules_become_one() {
        let modules = [FIRST.to_owned(), SECOND.to_owned()];
        let linked = link(&modules);
        assert_eq!(undefined(&modules), Vec::<String>::new());
        assert_eq!(undefined(&modules[..1]), ["scale", "twice"]);
        let count = |text: &str| linked.matches(text).count();
        assert_eq!((count(".version"), count(".extern"), count("common")), (1, 1, 1), "{linked}");
        assert!(!linked.contains("trap") && !linked.contains("made by"), "{linked}");
        for part in [
            ".global .align 1 .b8 $str[3]",
            ".global .align 1 .b8 $str$unit1[2]",
            "mov.u64 %rd5, $str;",
            "mov.u64 %rd1, $str$unit1;",
            ".file 100001 \"/b.cu\"",
            ".loc 100001 7 0, function_name $L__info_string0$unit1, inlined_at 100001 9 2",
            "$L__info_string0$unit1:",
            ".loc\t1 5 3",
        ] {
            assert!(linked.contains(part), "{part}: {linked}");
        }
        assert_eq!(link(&modules[..1]), FIRST);
    }

    proptest! {
        #[test]
        fn any_text_is_linked(a in "[.a-c$ {}();=\"/\n\t0-9\u{e9}]{0,80}", b in "[.a-c$ {}();=\"/\n\t0-9\u{e9}]{0,80}") {
            let modules = [a, b];
            link(&modules);
            undefined(&modules);
        }
    }
}
