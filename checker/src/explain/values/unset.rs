//! Variables that a kernel adds to before they have a value. The compiler may give them any, so the
//! simulator sees no read of unset memory.

use super::super::scan::{Source, is_word, words};

/// Types of a variable that a sum, a product or a count is kept in.
const NUMBERS: [&str; 8] =
    ["float", "double", "int", "unsigned", "long", "short", "size_t", "unsigned int"];

/// A variable that is declared without a value and whose first use changes its old value: its name,
/// and the line and column of the declaration.
pub(in crate::explain) fn unset_variable(source: &Source<'_>) -> Option<(String, u32, u32)> {
    let lines: Vec<(u32, Vec<char>)> =
        source.texts().map(|(line, code)| (line, code.chars().collect())).collect();
    let mut names = lines
        .iter()
        .flat_map(|(line, code)| words(code).map(|(at, word)| (word, *line, at as u32 + 1)));
    names.find(|(name, line, column)| {
        declares_without_value(source, name, *line, *column)
            && is_local(&lines, (*line, *column))
            && first_use_updates(source, name, (*line, *column))
    })
}

/// A variable that has a value only where a condition holds.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::explain) struct Conditional {
    pub name: String,
    /// The lines of the declaration, of the `if` and of the first use behind it.
    pub declared: u32,
    pub condition: u32,
    pub used: u32,
}

/// A local variable that is declared without a value, gets its first one in an `if` without an
/// `else`, and is used behind it in any case. Compilers that optimise give such a variable any
/// value, and nvcc doesn't warn.
pub(in crate::explain) fn conditional_value(source: &Source<'_>) -> Option<Conditional> {
    let lines: Vec<(u32, Vec<char>)> =
        source.texts().map(|(line, code)| (line, code.chars().collect())).collect();
    let mut names = lines
        .iter()
        .flat_map(|(line, code)| words(code).map(|(at, word)| (word, *line, at as u32 + 1)));
    names.find_map(|(name, declared, column)| {
        if !declares_without_value(source, &name, declared, column)
            || !is_local(&lines, (declared, column))
        {
            return None;
        }
        let mut uses = source.occurrences(&name).into_iter();
        let mut uses = uses.by_ref().filter(|at| *at > (declared, column));
        let (first, place) = uses.next()?;
        let after = source.after(first, place + name.chars().count() as u32);
        let after = after.trim_start();
        let assigned = after.starts_with('=') && !after.starts_with("==");
        let around = source.enclosing(first, place, &["if", "else", "for", "while", "do"])?;
        let (condition, ..) = around;
        let header = source.texts().find(|(line, _)| *line == condition)?.1;
        let (_, end) = source.body(condition, "if")?;
        let closed = source.texts().filter(|(line, _)| (end + 1..=end + 2).contains(line));
        let has_else = closed.flat_map(|(_, code)| code.chars().chain([' ']).collect::<Vec<_>>());
        let has_else: String = has_else.collect();
        let (used, _) = uses.find(|(line, _)| *line > end)?;
        let text = source.texts().find(|(line, _)| *line == used)?.1;
        let rest = text.split_once(name.as_str())?.1.trim_start().to_owned();
        let reads = !rest.starts_with('=') || rest.starts_with("==");
        let same_depth = |line: u32| {
            let inside = source.enclosing(line, 1, &["if", "else", "while", "do"]);
            inside.is_none_or(|(outer, ..)| outer < declared)
        };
        let depends = ["?", "&&", "||"].iter().any(|sign| text.contains(sign));
        (assigned
            && condition > declared
            && header.trim_start().starts_with("if")
            && !words(&has_else.chars().collect::<Vec<_>>()).any(|(_, word)| word == "else")
            && reads
            && !depends
            && !words(&text.chars().collect::<Vec<_>>()).any(|(_, word)| word == "if")
            && same_depth(used))
        .then_some(Conditional { name, declared, condition, used })
    })
}

/// `float name;` or `int a, name;`, of a local variable of one number.
fn declares_without_value(source: &Source<'_>, name: &str, line: u32, column: u32) -> bool {
    let after = source.after(line, column + name.chars().count() as u32);
    if !after.trim_start().starts_with([';', ',']) {
        return false;
    }
    let before = source.before(line, column);
    let plain = |c: char| is_word(c) || c == ',' || c.is_whitespace();
    let ty = before.split_whitespace().next().unwrap_or_default();
    let words = before.split(|c| !is_word(c)).filter(|word| !word.is_empty()).count();
    let alone = words == 1 || words == 2 && before.trim_end().ends_with(" int");
    NUMBERS.contains(&ty) && before.chars().all(plain) && (alone || before.contains(','))
}

/// Whether a place is in the body of a function, and not among the members of a type or in a file's
/// own scope.
pub(super) fn is_local(lines: &[(u32, Vec<char>)], place: (u32, u32)) -> bool {
    let mut scopes = vec![];
    let mut statement = String::new();
    let places = lines.iter().flat_map(|(line, code)| {
        code.iter().chain(&[' ']).enumerate().map(|(at, c)| ((*line, at as u32 + 1), *c))
    });
    for (_, c) in places.take_while(|(at, _)| *at < place) {
        match c {
            '{' => {
                let has = |word: &str| statement.split(|c| !is_word(c)).any(|part| part == word);
                let outer = ["struct", "class", "union", "enum", "namespace", "extern"];
                let is_type =
                    outer.iter().any(|word| has(word)) && !statement.trim_end().ends_with(')');
                scopes.push(!is_type);
            }
            '}' => {
                scopes.pop();
            }
            _ => {}
        }
        match c {
            '{' | '}' | ';' => statement.clear(),
            c => statement.push(c),
        }
    }
    scopes.last().copied().unwrap_or(false)
}

/// Whether the first use of a name after this place is `name += ...`, `++name`, or `name = ...`
/// with its own old value.
fn first_use_updates(source: &Source<'_>, name: &str, place: (u32, u32)) -> bool {
    let is_member = |(line, column): &(u32, u32)| {
        let before = source.before(*line, *column);
        before.trim_end().ends_with(['.', ':']) || before.trim_end().ends_with("->")
    };
    let mut uses = source.occurrences(name).into_iter().filter(|at| *at > place);
    let Some((line, column)) = uses.find(|at| !is_member(at)) else {
        return false;
    };
    let before = source.before(line, column);
    let after = source.after(line, column + name.chars().count() as u32);
    let after = after.trim_start();
    let compound = ["+=", "-=", "*=", "++", "--"].iter().any(|sign| after.starts_with(sign));
    let value = after.strip_prefix('=').filter(|value| !value.starts_with('=')).unwrap_or_default();
    let value: Vec<char> = value.split(';').next().unwrap_or_default().chars().collect();
    let own = words(&value).any(|(_, word)| word == name);
    compound || own || before.trim_end().ends_with("++") || before.trim_end().ends_with("--")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_without_a_first_value_is_found() {
        let name = |text: &str| {
            let text = format!("void k() {{\n{text}\n}}\n");
            unset_variable(&Source::new(&text)).map(|(name, ..)| name)
        };
        let kernel = "float acc;\nfor (int k = 0; k < n; ++k) {\n    acc += a[k];\n}\n";
        assert_eq!(name(kernel).as_deref(), Some("acc"));
        assert_eq!(name("int i = 0, hits;\nif (x) ++hits;").as_deref(), None, "`i` has a value");
        assert_eq!(name("unsigned int hits;\nhits++;").as_deref(), Some("hits"));
        assert_eq!(name("float acc;\nacc = fmaf(a[k], b[k], acc);").as_deref(), Some("acc"));
        assert_eq!(name("float acc;\nacc = accs[k];"), None);
        assert_eq!(name("float acc = 0;\nacc += a[k];"), None);
        assert_eq!(name("float acc;\nacc = 0;\nacc += 1;"), None);
        assert_eq!(name("float acc;\nread(&acc);\nacc += 1;"), None);
        assert_eq!(name("__shared__ float acc;\nacc += 1;"), None);
        assert_eq!(name("void f(float acc, int n) {\nacc += 1;"), None);
    }

    #[test]
    fn a_variable_with_a_value_under_a_condition_is_found() {
        let kernel = "void k() {\n    unsigned int key;\n    if (idx < n) {\n        key = f(idx);\n    }\n\
                      \n    for (int o = 16; o > 0; o /= 2) {\n        other = shuffle(key, o);\n    }\n}\n";
        let found = |text: &str| conditional_value(&Source::new(text));
        let expected = Conditional { name: "key".into(), declared: 2, condition: 3, used: 8 };
        assert_eq!(found(kernel), Some(expected));
        assert_eq!(found(&kernel.replace("key;\n    if", "key = 0;\n    if")), None);
        assert_eq!(
            found(&kernel.replace("    }\n\n", "    } else {\n        key = 0;\n    }\n")),
            None
        );
        assert_eq!(
            found(&kernel.replace("    }\n\n", "    }\n    else\n        key = 0;\n")),
            None
        );
        assert_eq!(found(&kernel.replace("shuffle(key, o)", "idx < n ? key : 0")), None);
        assert_eq!(found(&kernel.replace("for (int o = 16; o > 0; o /= 2)", "if (idx < n)")), None);
        assert_eq!(found(&kernel.replace("if (idx", "while (idx")), None);
        assert_eq!(found(&kernel.replace("other = shuffle(key, o)", "key = 1")), None);
    }

    /// Members of a type, and variables of the whole file, which are zero at first.
    #[test]
    fn only_local_variables_are_without_a_value() {
        let name = |text: &str| unset_variable(&Source::new(text)).map(|(name, ..)| name);
        let members = "struct alignas(16) Point {\n    float x, y, z;\n};\nvoid k(Point* p) {\n    p[0].z += 1;\n}\n";
        assert_eq!(name(&members.replace("alignas(16) ", "")), None);
        assert_eq!(name(members), None);
        assert_eq!(
            name("class Sum {\n    float x;\n    void add(float v) { x += v; }\n};\n"),
            None
        );
        assert_eq!(name("int hits;\nvoid k() { hits++; }\n"), None);
        let own = "void k(Point p) {\n    float z;\n    p.z = 1;\n    z += p.z;\n}\n";
        assert_eq!(name(own).as_deref(), Some("z"));
    }
}
