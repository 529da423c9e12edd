//! How the learner's source declares a shared array, for traces: the compiler's debug build is
//! silent about them.

use ptxsim::trace::Kind;

use super::scan::{Source, is_word};

/// `__shared__ float tile[32][33]`, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// What its elements are; `None` for a type of the learner's own.
    pub kind: Option<Kind>,
    /// Bytes of one; `None` for a type of the learner's own.
    pub bytes: Option<u32>,
    /// Its dimensions; empty for a single variable. A dimension that cannot be read is `None`.
    pub dims: Vec<Option<i64>>,
    /// The only member of its type, if that is a struct with one: its name, and whether it is an
    /// array.
    pub member: Option<(String, bool)>,
    /// The declaration behind its specifiers.
    pub text: String,
}

impl Declared {
    /// `[3][4]` for a flat index; the first index may lie outside. Nothing for a single variable.
    pub fn element(&self, index: i64) -> String {
        let inner: Option<Vec<i64>> = self.dims.iter().skip(1).copied().collect();
        let Some(inner) = inner.filter(|inner| inner.iter().all(|dim| *dim > 0)) else {
            return format!("[{index}]");
        };
        if let (Some((member, array)), true) = (&self.member, self.dims.is_empty()) {
            return if *array { format!(".{member}[{index}]") } else { format!(".{member}") };
        }
        if self.dims.is_empty() {
            return if index == 0 { String::new() } else { format!("[{index}]") };
        }
        let mut rest = index;
        let mut all: Vec<String> = inner
            .iter()
            .rev()
            .map(|dim| {
                let at = rest.rem_euclid(*dim);
                rest = rest.div_euclid(*dim);
                format!("[{at}]")
            })
            .collect();
        all.push(format!("[{rest}]"));
        all.reverse();
        all.concat()
    }
}

impl Source<'_> {
    /// The declaration of the shared variable `name`; `None` when there is none, or more than one.
    pub fn shared(&self, name: &str) -> Option<Declared> {
        self.declared_as(&["__shared__"], name)
    }

    /// The declaration of a variable in the device's memory: `__device__ int lock;`.
    pub fn device_variable(&self, name: &str) -> Option<Declared> {
        self.declared_as(&["__device__", "__managed__", "__constant__"], name)
    }

    /// The names of all variables that are declared as shared.
    pub fn shared_variables(&self) -> Vec<String> {
        let declared = self.occurrences("__shared__").into_iter().filter_map(|(line, column)| {
            let after = self.after(line, column);
            let declaration = after.split(['[', ';', '=']).next()?.trim_end();
            let name = declaration.rsplit(|c| !is_word(c)).next()?;
            Some(name.to_owned()).filter(|name| !name.is_empty())
        });
        declared.collect()
    }

    fn declared_as(&self, specifiers: &[&str], name: &str) -> Option<Declared> {
        let places = specifiers.iter().flat_map(|specifier| {
            self.occurrences(specifier).into_iter().map(move |place| (*specifier, place))
        });
        let mut found = places.filter_map(|(specifier, (line, column))| {
            let text = self.statement_text_around(line, column, 4)?;
            let declaration = text.split_once(specifier)?.1.trim_start();
            // a function, or its call
            let (before_name, after_name) = declaration.split_once(name)?;
            let function = before_name.contains(['(', '=']) || after_name.starts_with('(');
            (!function).then(|| self.declared(declaration, name)).flatten()
        });
        let only = found.next()?;
        found.next().is_none().then_some(only)
    }

    /// Whether the length of the shared array `name` is left to the launch:
    /// `extern __shared__ float name[];`
    pub fn is_sized_by_launch(&self, name: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        self.texts().any(|(_, code)| {
            let words: Vec<&str> = code.split(|c| !is_word(c)).collect();
            ["extern", "__shared__", name].iter().all(|word| words.contains(word))
        })
    }

    fn declared(&self, text: &str, name: &str) -> Option<Declared> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let at = text.match_indices(name).map(|(at, _)| at).find(|at| {
            let (before, after) = (text.get(..*at), text.get(at + name.len()..));
            before.is_some_and(|b| !b.ends_with(is_word))
                && after.is_some_and(|a| !a.starts_with(is_word))
                && before.is_some_and(|b| b.matches('[').count() == b.matches(']').count())
        })?;
        let words: Vec<&str> = text.get(..at)?.split(|c| !is_word(c)).collect();
        let is = |word: &str| words.contains(&word);
        let kind = if is("float") || is("double") {
            Some(Kind::Float)
        } else if is("unsigned") || is("size_t") {
            Some(Kind::Unsigned)
        } else if is("bool") {
            Some(Kind::Bool)
        } else if ["int", "short", "long", "char"].into_iter().any(is) {
            Some(Kind::Signed)
        } else {
            None
        };
        let mut rest = text.get(at + name.len()..)?.trim_start();
        let mut dims = vec![];
        while let Some((dim, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        {
            dims.push(self.constant(dim));
            rest = after.trim_start();
        }
        let bytes = words.iter().rev().find_map(|word| bytes(word));
        let member = if kind.is_none() { self.only_member(&words) } else { None };
        Some(Declared { kind, bytes, dims, member, text: text.to_owned() })
    }

    /// The only member of the first struct of the file that one of these words names.
    fn only_member(&self, words: &[&str]) -> Option<(String, bool)> {
        let (line, column) = self.occurrences("struct").into_iter().find(|(line, column)| {
            let named = self.after(*line, column + "struct".len() as u32);
            let name: String = named.trim_start().chars().take_while(|c| is_word(*c)).collect();
            words.contains(&name.as_str())
        })?;
        let rest = self.code_chars_from(line).skip_while(|(at, _)| *at < (line, column));
        let body = rest.map(|(_, c)| c).skip_while(|c| *c != '{').skip(1);
        let body: String = body.take_while(|c| *c != '}').collect();
        let mut members = body.split(';').map(str::trim).filter(|member| !member.is_empty());
        let only = members.next().filter(|member| !member.contains(['(', ',', '{']))?;
        let (declared, array) =
            only.split_once('[').map_or((only, false), |(declared, _)| (declared, true));
        let name = declared.rsplit(|c| !is_word(c)).find(|word| !word.is_empty())?;
        members.next().is_none().then(|| (name.to_owned(), array))
    }

    /// The value of a sum, difference or product of numbers and constants of the file.
    pub fn constant(&self, text: &str) -> Option<i64> {
        self.constant_within(text, 8)
    }

    /// The same, where constants are defined by others at most `levels` deep.
    fn constant_within(&self, text: &str, levels: u32) -> Option<i64> {
        let text = text.trim();
        let levels = levels.checked_sub(1)?;
        let value = |part: &str| self.constant_within(part, levels);
        if let Some((a, sign, b)) = split_last(text, &['+', '-']) {
            let b = value(b)?;
            return value(a)?.checked_add(if sign == '-' { -b } else { b });
        }
        if let Some((a, sign, b)) = split_last(text, &['*', '/']) {
            let (a, b) = (value(a)?, value(b)?);
            return if sign == '*' { a.checked_mul(b) } else { a.checked_div(b) };
        }
        if let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            return value(inner);
        }
        if let Ok(number) = text.parse() {
            return Some(number);
        }
        let mut found = self.occurrences(text).into_iter().filter_map(|(line, column)| {
            if let Some(defined) = self.line(line)?.trim_start().strip_prefix("#define") {
                let meaning = defined.trim_start().strip_prefix(text)?;
                return value(meaning.split("//").next()?);
            }
            let statement = self.statement_text_around(line, column, 2)?;
            let (declared, meaning) = statement.split_once('=')?;
            let fixed = declared.split_whitespace().any(|w| w == "constexpr" || w == "const");
            let named = fixed && declared.split_whitespace().last() == Some(text);
            named.then(|| value(meaning)).flatten()
        });
        found.next()
    }
}

/// The text before and after the last of these signs that is outside all parentheses.
fn split_last<'t>(text: &'t str, signs: &[char]) -> Option<(&'t str, char, &'t str)> {
    let mut depth = 0_i32;
    let (at, sign) = text.char_indices().rev().find(|(_, c)| {
        depth += i32::from(*c == ')') - i32::from(*c == '(');
        depth == 0 && signs.contains(c)
    })?;
    Some((text.get(..at)?, sign, text.get(at + 1..)?))
}

/// Bytes of CUDA's types of one word, vectors such as `uchar4` among them.
fn bytes(word: &str) -> Option<u32> {
    let (scalar, lanes) = match word.strip_suffix(['1', '2', '3', '4']) {
        Some(scalar) => (scalar, word.chars().last()?.to_digit(10)?),
        None => (word, 1),
    };
    let one = match scalar {
        "char" | "uchar" | "bool" => 1,
        "short" | "ushort" => 2,
        "float" | "int" | "uint" | "unsigned" => 4,
        "double" | "long" | "ulong" | "longlong" | "ulonglong" | "size_t" => 8,
        _ => return None,
    };
    Some(one * lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index that a learner would write, or the flat one where the declaration cannot be read.
    #[test]
    fn shared_arrays() {
        let source = Source::new(
            "constexpr int SIDE = 16;\nstruct P { int a; };\n__global__ void k() {\n    __shared__ float tile[SIDE][SIDE + 1];\n    \
             __shared__ unsigned int hits, bins[256];\n    extern __shared__ float pool[];\n    __shared__ P p[4];\n    \
             __shared__ float odd[2][N];\n    __shared__ uchar4 four[8];\n    __shared__ unsigned char small[8];\n}\n",
        );
        let element = |name: &str, index| source.shared(name).map(|d| (d.kind, d.element(index)));
        let found = |kind, text: &str| Some((Some(kind), text.to_owned()));
        assert_eq!(element("tile", 17 * 3 + 4), found(Kind::Float, "[3][4]"));
        assert_eq!(element("tile", -1), found(Kind::Float, "[-1][16]"));
        assert_eq!(element("hits", 0), found(Kind::Unsigned, ""));
        assert_eq!(element("bins", 7), found(Kind::Unsigned, "[7]"));
        assert_eq!(element("pool", 9), found(Kind::Float, "[9]"));
        assert_eq!(element("odd", 9), found(Kind::Float, "[9]"));
        assert_eq!(element("p", 1), Some((None, "[1]".to_owned())));
        assert_eq!(element("til", 1), None);
        let bytes = |name: &str| source.shared(name).and_then(|declared| declared.bytes);
        let sizes = ["tile", "bins", "p", "four", "small"].map(bytes);
        assert_eq!(sizes, [Some(4), Some(4), None, Some(4), Some(1)]);
        let other = Source::new(
            "constexpr int TILE = 32;\nconstexpr int SIDE = TILE + 2;\n#define WIDE (2 * SIDE)  // cells\n\
             __device__ int lock = 0; __device__ int total;\n__device__ float grid[3][SIDE];\n\
             __device__ float twice(float lock) { return 2 * lock; }\n__global__ void k() {\n    \
             __shared__ float tile[SIDE][SIDE];\n    __shared__ float wide[4][WIDE - 1];\n}\n",
        );
        let element =
            |name: &str, index| other.shared(name).map(|declared| declared.element(index));
        assert_eq!(element("tile", 1024).as_deref(), Some("[30][4]"));
        assert_eq!(element("wide", 68).as_deref(), Some("[1][1]"));
        let own = Source::new(
            "template <int N> struct Bins { unsigned c[N]; };\nstruct Two { int a, b; };\n\
             __global__ void k() {\n    __shared__ Bins<256> mine;\n    __shared__ Two two;\n}\n",
        );
        let member = |name: &str| own.shared(name).map(|declared| declared.element(235));
        assert_eq!(member("mine").as_deref(), Some(".c[235]"));
        assert_eq!(own.shared("two").and_then(|declared| declared.member), None);
        let variable =
            |name: &str, index| other.device_variable(name).map(|declared| declared.element(index));
        assert_eq!(variable("lock", 0).as_deref(), Some(""));
        assert_eq!(variable("total", 0).as_deref(), Some(""));
        assert_eq!(variable("grid", 35).as_deref(), Some("[1][1]"));
        assert_eq!(variable("twice", 0), None);
        let by_the_launch = ["pool", "tile", "bins"].map(|name| source.is_sized_by_launch(name));
        assert_eq!(by_the_launch, [true, false, false]);
    }
}
