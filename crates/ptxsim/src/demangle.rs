//! Finds the source's name of a variable or function in its mangled name (Itanium C++ ABI, section
//! 5.1).
//!
//! This is not a full demangler: it finds only the identifier itself, and returns the mangled name
//! where it cannot.

use std::borrow::Cow;

/// The variable's own name: `_ZZ9block_sumE4tile` (the static `tile` of the function `block_sum`)
/// is `tile`, and `_ZN4bank4tileE` (in a namespace) is `tile`. Names that are not mangled stay as
/// they are.
///
/// ```
/// # use ptxsim::demangle::variable_name;
/// assert_eq!(variable_name("_ZZ9block_sumE4tile"), "tile");
/// assert_eq!(variable_name("tile"), "tile");
/// ```
pub fn variable_name(symbol: &str) -> &str {
    last_identifier(symbol).unwrap_or(symbol)
}

/// The function's own name, without namespaces, template arguments and parameters:
/// `_Z9double_itPKfPfi` is `double_it`.
///
/// ```
/// # use ptxsim::demangle::kernel_name;
/// assert_eq!(kernel_name("_Z9double_itPKfPfi"), "double_it");
/// assert_eq!(kernel_name("_ZNK7ClampedclEff"), "operator()");
/// ```
pub fn kernel_name(symbol: &str) -> &str {
    last_identifier(symbol).unwrap_or(symbol)
}

/// The name of a function as a reader of the source knows it: that of [`kernel_name`], and
/// `a lambda` for a function that has none.
///
/// ```
/// # use ptxsim::demangle::function_name;
/// assert_eq!(function_name("_ZZ9histogramENKUliE_clEi"), "a lambda");
/// assert_eq!(function_name("_Z4halff"), "half");
/// ```
pub fn function_name(symbol: &str) -> &str {
    match last_identifier(symbol) {
        None | Some("operator()") if symbol.starts_with("_Z") && symbol.contains("Ul") => {
            "a lambda"
        }
        found => found.unwrap_or(symbol),
    }
}

/// The name with its scopes, for messages that must distinguish two variables: `block_sum::tile`.
pub fn qualified_name(symbol: &str) -> Cow<'_, str> {
    let Some(encoding) = symbol.strip_prefix("_Z") else { return Cow::Borrowed(symbol) };
    let mut parser = Parser { rest: encoding, path: Vec::new() };
    match parser.encoding(0) {
        Some(()) if !parser.path.is_empty() => Cow::Owned(parser.path.join("::")),
        _ => Cow::Borrowed(symbol),
    }
}

/// The template arguments of a function, as the source would have them: `float` and `3` of
/// `_Z3sumIfLi3EEvPfi`. `None` if it has none; those that cannot be read are `?`.
///
/// ```
/// # use ptxsim::demangle::template_arguments;
/// let known = template_arguments("_Z3sumIs3VecIfLi3EELi3EEvPK3VecIT_XT0_EEPT_i");
/// assert_eq!(known, Some(vec!["short".into(), "Vec<float,3>".into(), "3".into()]));
/// assert_eq!(template_arguments("_Z3sumPf"), None);
/// ```
pub fn template_arguments(symbol: &str) -> Option<Vec<String>> {
    let name = last_identifier(symbol)?;
    let (_, rest) = symbol.split_once(&format!("{}{name}I", name.len()))?;
    let mut parser = Parser { rest, path: vec![] };
    let mut all = vec![];
    while !parser.eat("E") {
        let Some(argument) = parser.argument(0) else {
            all.push("?".into());
            break;
        };
        all.push(argument);
    }
    Some(all)
}

fn last_identifier(symbol: &str) -> Option<&str> {
    let encoding = symbol.strip_prefix("_Z")?;
    let mut parser = Parser { rest: encoding, path: Vec::new() };
    parser.encoding(0)?;
    parser.path.last().copied()
}

/// The operators that a program can overload, with their codes.
const OPERATORS: [(&str, &str); 48] = [
    ("nw", "operator new"),
    ("na", "operator new[]"),
    ("dl", "operator delete"),
    ("da", "operator delete[]"),
    ("ps", "operator+"),
    ("ng", "operator-"),
    ("ad", "operator&"),
    ("de", "operator*"),
    ("co", "operator~"),
    ("pl", "operator+"),
    ("mi", "operator-"),
    ("ml", "operator*"),
    ("dv", "operator/"),
    ("rm", "operator%"),
    ("an", "operator&"),
    ("or", "operator|"),
    ("eo", "operator^"),
    ("aS", "operator="),
    ("pL", "operator+="),
    ("mI", "operator-="),
    ("mL", "operator*="),
    ("dV", "operator/="),
    ("rM", "operator%="),
    ("aN", "operator&="),
    ("oR", "operator|="),
    ("eO", "operator^="),
    ("ls", "operator<<"),
    ("rs", "operator>>"),
    ("lS", "operator<<="),
    ("rS", "operator>>="),
    ("eq", "operator=="),
    ("ne", "operator!="),
    ("lt", "operator<"),
    ("gt", "operator>"),
    ("le", "operator<="),
    ("ge", "operator>="),
    ("ss", "operator<=>"),
    ("nt", "operator!"),
    ("aa", "operator&&"),
    ("oo", "operator||"),
    ("pp", "operator++"),
    ("mm", "operator--"),
    ("cm", "operator,"),
    ("pm", "operator->*"),
    ("pt", "operator->"),
    ("cl", "operator()"),
    ("ix", "operator[]"),
    ("li", "operator\"\""),
];

/// The codes of the types of C++ that are no classes.
const BUILTIN_TYPES: [(char, &str); 15] = [
    ('b', "bool"),
    ('a', "signed char"),
    ('c', "char"),
    ('h', "unsigned char"),
    ('s', "short"),
    ('t', "unsigned short"),
    ('i', "int"),
    ('j', "unsigned int"),
    ('l', "long"),
    ('m', "unsigned long"),
    ('x', "long long"),
    ('y', "unsigned long long"),
    ('f', "float"),
    ('d', "double"),
    ('v', "void"),
];

/// The deepest nesting of names that is parsed. Real names nest a few levels.
const MAX_DEPTH: u32 = 32;

/// Parses a mangled name from the left and collects the identifiers up to the entity.
struct Parser<'a> {
    rest: &'a str,
    path: Vec<&'a str>,
}

impl<'a> Parser<'a> {
    /// One argument of a template.
    fn argument(&mut self, depth: u32) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.eat("L") {
            self.argument(depth + 1)?;
            let (value, rest) = self.rest.split_once('E')?;
            self.rest = rest;
            return Some(value.replacen('n', "-", 1));
        }
        if self.eat("P") {
            return Some(format!("{} *", self.argument(depth + 1)?));
        }
        if self.eat("K") || self.eat("V") {
            return self.argument(depth + 1);
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            return self.class(depth);
        }
        if self.eat("N") {
            let mut last = self.class(depth)?;
            while !self.eat("E") {
                last = self.class(depth)?;
            }
            return Some(last);
        }
        let (_, name) = BUILTIN_TYPES.iter().find(|(code, _)| self.rest.starts_with(*code))?;
        self.rest = self.rest.get(1..)?;
        Some((*name).to_owned())
    }

    /// A class with its own template arguments.
    fn class(&mut self, depth: u32) -> Option<String> {
        self.identifier()?;
        let name = self.path.last().copied()?.to_owned();
        if !self.eat("I") {
            return Some(name);
        }
        let mut arguments = vec![];
        while !self.eat("E") {
            arguments.push(self.argument(depth + 1)?);
        }
        Some(format!("{name}<{}>", arguments.join(",")))
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let found = self.rest.strip_prefix(prefix);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    /// `<encoding>` up to the end of its name: local, nested or plain.
    fn encoding(&mut self, depth: u32) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.eat("Z") {
            return self.local(depth);
        }
        if self.eat("N") {
            return self.nested();
        }
        self.eat("St");
        self.eat("L"); // internal linkage
        self.unqualified()
    }

    /// An identifier, an operator, a constructor or a destructor.
    fn unqualified(&mut self) -> Option<()> {
        if let Some((code, name)) = OPERATORS.iter().find(|(code, _)| self.rest.starts_with(code)) {
            self.eat(code);
            self.path.push(name);
            return Some(());
        }
        let class = self.path.last().copied();
        match (self.rest.as_bytes(), class) {
            ([b'C', b'1'..=b'5', ..], Some(class)) => self.path.push(class),
            ([b'D', b'0'..=b'5', ..], Some(_)) => self.path.push("a destructor"),
            _ => return self.identifier(),
        }
        self.rest = self.rest.get(2..)?;
        Some(())
    }

    /// `Z <function> E <entity>`: the entity inside a function. The function's parameter types,
    /// which may hold an `E` themselves, are skipped by trying each `E` until what follows reads as
    /// a name.
    fn local(&mut self, depth: u32) -> Option<()> {
        self.encoding(depth + 1)?;
        let (function, types) = (self.path.clone(), self.rest);
        for (at, _) in types.match_indices('E') {
            self.rest = types.get(at + 1..)?;
            self.path.clone_from(&function);
            if self.encoding(depth + 1).is_some() && self.at_end() {
                return Some(());
            }
        }
        None
    }

    /// After a local entity: nothing, or `_0`, `__10_` (which of several of that name), or the end
    /// of an enclosing local name.
    fn at_end(&self) -> bool {
        self.rest.trim_start_matches('_').bytes().all(|b| b.is_ascii_digit() || b == b'_')
    }

    /// `N <qualifiers> <identifier>+ E`, with template arguments skipped.
    fn nested(&mut self) -> Option<()> {
        self.rest = self.rest.trim_start_matches(['r', 'V', 'K']);
        self.eat("St");
        let before = self.path.len();
        loop {
            if self.eat("E") {
                return (self.path.len() > before).then_some(());
            }
            if self.eat("I") {
                self.template_arguments()?;
            } else {
                self.eat("L");
                self.unqualified()?;
            }
        }
    }

    /// Skips to the `E` that closes template arguments. Identifiers inside are stepped over, so
    /// that their letters do not count.
    fn template_arguments(&mut self) -> Option<()> {
        let mut open = 1u32;
        while open > 0 {
            let first = self.rest.chars().next()?;
            if first.is_ascii_digit() {
                let kept = self.path.len();
                self.identifier()?;
                self.path.truncate(kept);
                continue;
            }
            self.rest = self.rest.get(first.len_utf8()..)?;
            match first {
                'I' | 'N' | 'X' | 'J' | 'F' => open += 1,
                'L' => {
                    // A literal: type, value, E. The value is digits, not an identifier.
                    let end = self.rest.find('E')?;
                    self.rest = self.rest.get(end + 1..)?;
                }
                'E' => open -= 1,
                _ => {}
            }
        }
        Some(())
    }

    /// `<length> <characters>`.
    fn identifier(&mut self) -> Option<()> {
        let digits =
            self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let length: usize = self.rest.get(..digits)?.parse().ok()?;
        let end = digits.checked_add(length)?;
        let name = self.rest.get(digits..end)?;
        if name.is_empty() {
            return None;
        }
        self.rest = self.rest.get(end..)?;
        if name.starts_with("_INTERNAL_") {
            return Some(()); // NVIDIA's namespace for names that are local to a file
        }
        self.path.push(if name.starts_with("_GLOBAL__N") { "(anonymous)" } else { name });
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_compilers_make() {
        // Taken from compiled kernels: statics of functions, namespaces, templates, internal
        // linkage.
        for (symbol, name, qualified) in [
            ("tile", "tile", "tile"),
            ("s", "s", "s"),
            ("block_sum", "block_sum", "block_sum"),
            ("_ZZ9block_sumE4tile", "tile", "block_sum::tile"),
            ("_ZZ3foofE1t", "t", "foo::t"),
            ("_ZZ9transposePKfPfiE4tile", "tile", "transpose::tile"),
            ("_ZZ3fooN1n6EntityEE4tile", "tile", "foo::tile"),
            ("_ZZ6reduceILi256EEvPKfPfiE4tile", "tile", "reduce::tile"),
            ("_ZZN4bank3addEPfE4tile_0", "tile", "bank::add::tile"),
            (
                "_ZZZ3foovENKUlvE_clEvE4tile",
                "_ZZZ3foovENKUlvE_clEvE4tile",
                "_ZZZ3foovENKUlvE_clEvE4tile",
            ),
            ("_Z9double_itPKfPfi", "double_it", "double_it"),
            ("_ZN4bank9double_itEPKfPfi", "double_it", "bank::double_it"),
            ("_ZN12_GLOBAL__N_16helperEf", "helper", "(anonymous)::helper"),
            ("_Z6squareIfEvPT_i", "square", "square"),
            ("_ZN1a1bILi4E1cE3fooEv", "foo", "a::b::foo"),
            ("_ZN16_INTERNAL_a0bb_k4cuda3endE", "end", "cuda::end"),
            ("_ZL6lookup", "lookup", "lookup"),
            ("_ZN2cg4tileILj32EvE4syncEv", "sync", "cg::tile::sync"),
            ("_Z", "_Z", "_Z"),
            ("_Z99short", "_Z99short", "_Z99short"),
            ("_ZN1aE1", "a", "a"),
            ("_Zml7ComplexS_", "operator*", "operator*"),
            ("_ZN7ComplexmIERKS_", "operator-=", "Complex::operator-="),
            ("_ZN7ComplexC1Eff", "Complex", "Complex::Complex"),
            ("_ZN7ComplexC2Eff", "Complex", "Complex::Complex"),
            ("_ZN3BoxIfED1Ev", "a destructor", "Box::a destructor"),
            ("_ZlsIfE3BoxIT_ES2_i", "operator<<", "operator<<"),
        ] {
            assert_eq!(variable_name(symbol), name, "{symbol}");
            assert_eq!(kernel_name(symbol), name, "{symbol}");
            assert_eq!(qualified_name(symbol), qualified, "{symbol}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(prefix in "(_Z){0,1}[ZNLIESt0-9]{0,12}", rest in "\\PC{0,40}") {
            let symbol = prefix + &rest;
            let name = variable_name(&symbol);
            let replaced = ["(anonymous)", "a destructor"].contains(&name);
            prop_assert!(symbol.contains(name) || replaced || name.starts_with("operator"));
            prop_assert!(!qualified_name(&symbol).is_empty() || symbol.is_empty());
        }

        #[test]
        fn statics_of_functions(function in "[a-zE][a-zE_0-9]{0,20}", variable in "[a-zE][a-zE_0-9]{0,20}") {
            let symbol = format!("_ZZ{}{function}PKfE{}{variable}", function.len(), variable.len());
            prop_assert_eq!(variable_name(&symbol), variable);
        }
    }
}
