//! How the learner's source declares a shared array, for traces: the compiler's debug build is
//! silent about them.

use ptxsim::trace::Kind;

use super::scan::Source;

/// `__shared__ float tile[32][33]`, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// What its elements are; `None` for a type of the learner's own.
    pub kind: Option<Kind>,
    /// Bytes of one; `None` for a type of the learner's own.
    pub bytes: Option<u32>,
    /// Its dimensions; empty for a single variable. A dimension that cannot be read is `None`.
    pub dims: Vec<Option<i64>>,
}

impl Declared {
    /// `[3][4]` for a flat index; the first index may lie outside. Nothing for a single variable.
    pub fn element(&self, index: i64) -> String {
        let inner: Option<Vec<i64>> = self.dims.iter().skip(1).copied().collect();
        let Some(inner) = inner.filter(|inner| inner.iter().all(|dim| *dim > 0)) else {
            return format!("[{index}]");
        };
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
        let mut found = self.occurrences("__shared__").into_iter().filter_map(|(line, column)| {
            let text = self.statement_text(line, 4);
            let skip = self.statement(line, 0).map_or(1, |(first, _)| first);
            let text: String = text.chars().skip(column.saturating_sub(skip) as usize).collect();
            self.declared(text.strip_prefix("__shared__")?, name)
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
        Some(Declared { kind, bytes, dims })
    }

    /// A number, a `constexpr` of the file, or such a one and a number added.
    fn constant(&self, text: &str) -> Option<i64> {
        if let Some((a, b)) = text.split_once('+') {
            return self.constant(a)?.checked_add(self.constant(b)?);
        }
        let text = text.trim();
        if let Ok(number) = text.parse() {
            return Some(number);
        }
        let mut found = self.occurrences(text).into_iter().filter_map(|(line, _)| {
            let statement = self.statement_text(line, 2);
            let value = statement.strip_prefix("constexpr")?.split_once('=')?;
            let named = value.0.split_whitespace().last() == Some(text);
            value.1.trim().parse::<i64>().ok().filter(|_| named)
        });
        found.next()
    }
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
        let by_the_launch = ["pool", "tile", "bins"].map(|name| source.is_sized_by_launch(name));
        assert_eq!(by_the_launch, [true, false, false]);
    }
}
