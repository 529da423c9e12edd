//! The outline of the learner's source: its functions, declarations and macros. It is read from the
//! text, because a file that doesn't compile has nothing else. What cannot be read for certain is
//! `None`.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::scan::{Source, is_word, words};

/// How a name is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// One-based line and column of the name.
    pub line: u32,
    pub column: u32,
    /// `float* name`, `float name[4]`: it can be indexed.
    pub indexable: bool,
    /// `const int name`, where the const protects the name itself.
    pub constant: bool,
    /// It is a parameter of a function.
    pub parameter: bool,
}

/// A function of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Everything before its `{`, with single spaces.
    pub header: String,
    /// The line of its name.
    pub line: u32,
    /// The line of its closing brace, or the last line.
    pub end: u32,
}

impl Function {
    /// Whether threads of the GPU execute it.
    pub fn is_device(&self) -> bool {
        self.is_kernel() || self.header.contains("__device__")
    }

    /// Whether it is a kernel.
    pub fn is_kernel(&self) -> bool {
        self.header.contains("__global__")
    }

    /// Its parameters as they are written.
    pub fn parameters(&self) -> Vec<String> {
        let inner = self.header.split_once(&format!("{}(", self.name)).map(|(_, rest)| rest);
        let inner = inner.and_then(|rest| rest.rsplit_once(')')).map_or("", |(inner, _)| inner);
        split_list(inner)
    }

    /// The names of its template's parameters.
    pub fn template_parameters(&self) -> Vec<String> {
        let list = self.header.split_once("template").map_or("", |(_, rest)| rest.trim_start());
        let mut depth = 0_i32;
        let end = list.find(|c| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            depth == 0
        });
        let inner = list.get(1..end.unwrap_or(0)).unwrap_or("");
        let name = |one: &String| {
            let named = one.split('=').next().unwrap_or("").trim_end();
            named.rsplit(|c| !is_word(c)).next().unwrap_or("").to_owned()
        };
        split_list(inner).iter().map(name).collect()
    }
}

/// The parts of a list between commas that are outside of all brackets.
pub fn split_list(list: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let parts = list.split(|c| {
        depth += i32::from(matches!(c, '(' | '[' | '{' | '<'));
        depth -= i32::from(matches!(c, ')' | ']' | '}' | '>'));
        c == ',' && depth == 0
    });
    parts.map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

impl Source<'_> {
    /// Whether a function's parameter, numbered from 0, is a pointer or a reference as far as the
    /// source shows it, as opposed to a structure that contains one.
    pub fn takes_pointer(&self, function: &str, number: usize) -> bool {
        let all = self.functions();
        let parameters = all.iter().find(|f| f.name == function).map(Function::parameters);
        let text = parameters.as_ref().and_then(|all| all.get(number));
        text.is_none_or(|text| text.contains(['*', '[', '&']))
    }

    /// Whether a function's parameter, numbered from 0, is a pointer to what it only reads.
    pub fn takes_const_pointer(&self, function: &str, number: usize) -> bool {
        let all = self.functions();
        let parameters = all.iter().find(|f| f.name == function).map(Function::parameters);
        let text = parameters.and_then(|all| all.get(number).cloned()).unwrap_or_default();
        let pointee = text.split_once('*').map(|(pointee, _)| pointee).unwrap_or_default();
        pointee.split(|c| !is_word(c)).any(|word| word == "const")
    }

    /// Whether a function has a parameter of its own for the argument with this number, and it is a
    /// pointer. A pack of parameters has one name for several arguments.
    pub fn has_pointer_parameter(&self, function: &str, number: usize) -> bool {
        let all = self.functions();
        let parameters = all.iter().find(|f| f.name == function).map(Function::parameters);
        let Some(parameters) = parameters else { return true };
        parameters.get(number).is_some_and(|text| !text.contains("..."))
            && self.takes_pointer(function, number)
    }

    /// Whether a function's parameter, numbered from 0, is a reference.
    pub fn takes_reference(&self, function: &str, number: usize) -> bool {
        let all = self.functions();
        let parameters = all.iter().find(|f| f.name == function).map(Function::parameters);
        let parameter = parameters.and_then(|all| all.get(number).cloned());
        parameter.is_some_and(|text| text.contains('&'))
    }
}

/// Words before a name that make no declaration of it.
const NO_TYPES: [&str; 12] = [
    "return",
    "else",
    "goto",
    "new",
    "delete",
    "case",
    "throw",
    "sizeof",
    "typename",
    "namespace",
    "using",
    "define",
];

impl Source<'_> {
    /// Every function with a body, in the order of the source.
    pub fn functions(&self) -> Vec<Function> {
        let mut found: Vec<Function> = vec![];
        let mut open: Vec<Option<usize>> = vec![];
        let mut header = String::new();
        let mut lines: Vec<u32> = vec![];
        let directives = self.directive_lines();
        let code = self.code_chars().filter(|((line, _), _)| !directives.contains(line));
        for ((line, _), c) in code {
            match c {
                '{' => {
                    let outside = open.iter().all(Option::is_none);
                    let function = outside.then(|| function(&header, &lines)).flatten();
                    open.push(function.map(|function| {
                        found.push(function);
                        found.len() - 1
                    }));
                }
                '}' => {
                    if let Some(Some(index)) = open.pop()
                        && let Some(function) = found.get_mut(index)
                    {
                        function.end = line;
                    }
                }
                _ => {}
            }
            if matches!(c, '{' | '}' | ';') {
                header.clear();
                lines.clear();
            } else {
                header.push(c);
                lines.push(line);
            }
        }
        for index in open.into_iter().flatten() {
            if let Some(function) = found.get_mut(index) {
                function.end = self.len();
            }
        }
        found
    }

    /// The lines of the preprocessor, with those that continue them.
    pub fn directive_lines(&self) -> BTreeSet<u32> {
        let mut continued = false;
        let directive = |(line, text): (u32, String)| {
            let directive = continued || text.trim_start().starts_with('#');
            continued = directive && text.trim_end().ends_with('\\');
            directive.then_some(line)
        };
        self.texts().filter_map(directive).collect()
    }

    /// The function whose body or header contains `line`.
    pub fn function_around(&self, line: u32) -> Option<Function> {
        self.functions().into_iter().find(|function| (function.line..=function.end).contains(&line))
    }

    /// The first declaration of a variable or parameter with this name.
    pub fn declaration(&self, name: &str) -> Option<Declaration> {
        self.declarations(name).next()
    }

    /// The last declaration of a name up to `line`, or the first one.
    pub fn declaration_before(&self, name: &str, line: u32) -> Option<Declaration> {
        let up_to = self.declarations(name).take_while(|found| found.line <= line).last();
        up_to.or_else(|| self.declaration(name))
    }

    /// All declarations of variables and parameters with this name.
    pub fn declarations(&self, name: &str) -> impl Iterator<Item = Declaration> {
        self.occurrences(name).into_iter().filter_map(move |(line, column)| {
            let before = self.before(line, column);
            let after = self.after(line, column + name.chars().count() as u32);
            declaration(&before, after.trim_start()).map(|(indexable, constant)| Declaration {
                line,
                column,
                indexable,
                constant,
                parameter: before.matches('(').count() > before.matches(')').count(),
            })
        })
    }

    /// What a declaration assigns to the name at this place: `i + 1` in `int a = i + 1, b;`.
    pub fn initial_value(&self, line: u32, column: u32) -> Option<String> {
        let from = self.code_chars_from(line).skip_while(|(place, _)| *place < (line, column));
        let text = from.map(|(_, c)| c).skip_while(|c| is_word(*c)).skip_while(|c| *c == ' ');
        let mut depth = 0_i32;
        let text: String = text
            .take_while(|c| {
                depth += i32::from(*c == '(') - i32::from(*c == ')');
                depth >= 0 && !matches!(c, ';' | '{' | '}') && (depth > 0 || *c != ',')
            })
            .collect();
        Some(text.strip_prefix('=')?.trim().to_owned())
    }

    /// Whether a variable may get another value on these lines than that of its declaration: by an
    /// assignment, `++`, `--`, or through its address.
    pub fn changes_in(&self, lines: RangeInclusive<u32>, name: &str) -> bool {
        let places = self.occurrences(name).into_iter().filter(|(line, _)| lines.contains(line));
        let declared: Vec<Declaration> = self.declarations(name).collect();
        places.into_iter().any(|(line, column)| {
            let before = self.before(line, column);
            let before = before.trim_end();
            let after = self.after(line, column + name.chars().count() as u32);
            let after = after.trim_start();
            let compound = after.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^']);
            let shifted = after.starts_with("<<=") || after.starts_with(">>=");
            let is_declared = declared.iter().any(|d| (d.line, d.column) == (line, column));
            let assigned = compound.starts_with('=') && !compound.starts_with("==") || shifted;
            assigned && !is_declared
                || ["++", "--"].iter().any(|s| before.ends_with(s) || after.starts_with(s))
                || before.ends_with('&')
                    && !before.ends_with("&&")
                    && !is_declared
                    && !after.starts_with('[')
        })
    }

    /// Whether the first declaration of this name is one of a pointer.
    pub fn declares_pointer(&self, name: &str) -> bool {
        self.declaration(name).is_some_and(|found| {
            let after = self.after(found.line, found.column + name.chars().count() as u32);
            found.indexable && !after.trim_start().starts_with('[')
        })
    }

    /// The line of `#define name`, and its replacement.
    pub fn macro_named(&self, name: &str) -> Option<(u32, String)> {
        self.texts().find_map(|(line, text)| {
            let rest = text.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
            let rest = rest.trim_start().strip_prefix(name)?;
            (!rest.starts_with(is_word)).then(|| (line, rest.trim().to_owned()))
        })
    }

    /// The statement's code before a place, on the lines of the statement.
    pub fn before(&self, line: u32, column: u32) -> String {
        let mut text = String::new();
        let first = line.saturating_sub(8).max(1);
        for ((at, place), c) in self.code_chars_from(first) {
            if (at, place) >= (line, column) {
                break;
            }
            // A preprocessor line ends with its line.
            let directive = c == '\n' && text.trim_start().starts_with('#');
            if matches!(c, ';' | '{' | '}') || directive {
                text.clear();
            } else {
                text.push(if c == '\n' { ' ' } else { c });
            }
        }
        text
    }

    /// The last code before a place, over a few lines.
    pub fn code_before(&self, line: u32, column: u32) -> String {
        let first = line.saturating_sub(4).max(1);
        let code = self.code_chars_from(first).take_while(|(place, _)| *place < (line, column));
        code.map(|(_, c)| c).collect()
    }

    /// The code from a place to the end of its line.
    pub fn after(&self, line: u32, column: u32) -> String {
        let code = self.code_chars_from(line).take_while(|((at, _), _)| *at == line);
        code.filter(|((_, place), c)| *place >= column && *c != '\n').map(|(_, c)| c).collect()
    }
}

/// Whether the text before a name and after it make a declaration: (indexable, constant).
fn declaration(before: &str, after: &str) -> Option<(bool, bool)> {
    let ends = after.starts_with(['=', ';', ',', ')', '[', '(', '{', ':']) || after.is_empty();
    if !ends || after.starts_with("==") || after.starts_with("::") {
        return None;
    }
    let before = before.trim_end();
    let stars = before.trim_end_matches(['*', '&', ' ']);
    let pointer = before.len() > stars.len() && before[stars.len()..].contains('*');
    let chars: Vec<char> = stars.chars().collect();
    let last = words(&chars).last().map(|(_, word)| word);
    let is_type = stars.ends_with(is_word)
        && last.as_deref().is_some_and(|word| !NO_TYPES.contains(&word))
        || stars.ends_with("__restrict__")
        || stars.ends_with('>');
    // `float *a, b`: a list whose first word is a type.
    let part = stars.rsplit(['(', ';', '{']).next().unwrap_or_default();
    let list = stars.ends_with(',') && {
        let chars: Vec<char> = part.chars().collect();
        let first: Vec<String> = words(&chars).map(|(_, word)| word).take(2).collect();
        let head = part.split(',').next().unwrap_or_default().trim();
        first.len() == 2
            && !NO_TYPES.contains(&first[0].as_str())
            && !head.contains(['=', '+', '/', '.', '"'])
            && !stars.contains('(')
    };
    // `x * y`: an operator, unless what stands before is only a type.
    let product = pointer && !list && {
        let head = part.rsplit(',').next().unwrap_or_default().trim();
        head.contains(['=', '[', ']', '+', '-', '/', '.', ')'])
    };
    if !(is_type || list) || product {
        return None;
    }
    let words_of = |text: &str| {
        let chars: Vec<char> = text.chars().collect();
        words(&chars).map(|(_, word)| word).collect::<Vec<_>>()
    };
    let own = part.rsplit(',').next().unwrap_or_default();
    let constant =
        !pointer && words_of(own).iter().any(|word| word == "const" || word == "constexpr");
    Some((pointer || after.starts_with('['), constant))
}

/// The function whose header this is.
fn function(header: &str, lines: &[u32]) -> Option<Function> {
    let chars: Vec<char> = header.chars().collect();
    let at = |start: usize| lines.get(start).copied();
    const CONTROL: [&str; 9] =
        ["if", "for", "while", "switch", "do", "else", "catch", "struct", "class"];
    let mut before_parameters = words(&chars).filter(|(start, word)| {
        let rest = chars.get(start + word.chars().count()..).unwrap_or_default();
        rest.iter().find(|c| !c.is_whitespace()) == Some(&'(')
    });
    let (start, name) = before_parameters
        .find(|(_, word)| !matches!(word.as_str(), "__launch_bounds__" | "__attribute__"))?;
    let line = at(start)?;
    let header = header.split_whitespace().collect::<Vec<_>>().join(" ");
    let header = header.replacen(&format!("{name} ("), &format!("{name}("), 1);
    (!CONTROL.contains(&name.as_str())).then_some(Function { name, header, line, end: line })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PROGRAM: &str = "#define N 100;\n\
        template <typename T>\n__global__ void __launch_bounds__(256) scale(T* x, const float k,\n    int n) {\n\
        \x20   const int i = threadIdx.x;\n    if (i < n) {\n        x[i] *= k;\n    }\n}\n\
        namespace a { __device__ float half(float v) { return v / 2; } }\n\
        int main() {\n    float *d_a, d_b;\n    double total = 3 * d_b;\n    scale<<<1, 2>>>(d_a, 2, n);\n}\n";

    #[test]
    fn functions_have_their_names_and_places() {
        let source = Source::new(PROGRAM);
        let functions = source.functions();
        let names: Vec<_> =
            functions.iter().map(|f| (f.name.as_str(), f.line, f.end, f.is_device())).collect();
        assert_eq!(names, [("scale", 3, 9, true), ("half", 10, 10, true), ("main", 11, 15, false)]);
        assert_eq!(functions[0].parameters(), ["T* x", "const float k", "int n"]);
        assert!(functions[0].is_kernel() && !functions[1].is_kernel());
        assert_eq!(source.function_around(7).map(|f| f.name), Some("scale".into()));
        assert_eq!(source.macro_named("N"), Some((1, "100;".into())));
    }

    /// A macro looks like a function, and may stand before one.
    #[test]
    fn the_preprocessor_has_no_functions() {
        let source = Source::new(
            "#define AT(a, i) \\\n  (a)[(i)]\n__global__ void k(Vec<int, 3>* v, int n) {\n}\n",
        );
        let functions = source.functions();
        assert_eq!(functions.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["k"]);
        assert_eq!(functions[0].parameters(), ["Vec<int, 3>* v", "int n"]);
        assert_eq!(source.parameters("k"), ["v", "n"]);
    }

    #[test]
    fn declarations_say_what_a_name_is() {
        let source = Source::new(PROGRAM);
        let of = |name: &str| {
            let found = source.declaration(name)?;
            Some((found.line, found.indexable, found.constant, found.parameter))
        };
        assert_eq!(of("x"), Some((3, true, false, true)));
        assert_eq!(of("k"), Some((3, false, true, true)));
        assert_eq!(of("i"), Some((5, false, true, false)));
        assert_eq!(of("d_a"), Some((12, true, false, false)));
        assert_eq!(of("d_b"), Some((12, false, false, false)));
        assert_eq!(of("total"), Some((13, false, false, false)));
        assert_eq!(of("nothing"), None);
    }

    proptest! {
        /// A learner's file can be anything.
        #[test]
        fn never_panics(text in "[a-c\\[\\](){};=+/*\"'#, \n\u{e9}]{0,200}", line in 0u32..12, column in 0u32..60) {
            let source = Source::new(&text);
            source.functions();
            source.function_around(line);
            source.declaration("a");
            source.macro_named("a");
            source.before(line, column);
            source.after(line, column);
        }
    }
}
