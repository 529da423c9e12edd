//! How the types of the learner's source lie in memory: the size of an element of an array, and
//! which member of it an access is to.
//!
//! The types are read from the text, by the rules of the Itanium C++ ABI for simple types. A type
//! that cannot be read for certain has no layout, and reports then speak of bytes.

mod define;
mod tokens;

use ptxsim::trace::Kind;

use super::scan::Source;
use define::{Definition, definitions};
use tokens::split;
pub use tokens::{Token, tokens};

/// How a type lies in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub bytes: u64,
    pub align: u64,
    pub shape: Shape,
}

/// What a type consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    Number(Kind),
    /// A pointer, with the type that it points to.
    Pointer(TypeText),
    Members(Vec<Member>),
    Array(Box<Layout>),
}

/// The text of a type.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypeText(Vec<Token>);

/// A member of a structure. One without a name has the members of a base class, or of an anonymous
/// structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub name: String,
    /// Bytes before it.
    pub start: u64,
    pub layout: Layout,
}

impl Layout {
    const fn number(kind: Kind, bytes: u64) -> Self {
        Self { bytes, align: bytes, shape: Shape::Number(kind) }
    }

    const fn pointer(to: TypeText) -> Self {
        Self { bytes: 8, align: 8, shape: Shape::Pointer(to) }
    }

    fn array(self, length: u64) -> Option<Self> {
        let (bytes, align) = (self.bytes.checked_mul(length)?, self.align);
        Some(Self { bytes, align, shape: Shape::Array(Box::new(self)) })
    }

    /// `.v[3]`: the part of the type that `bytes` bytes from `start` on are, and its layout. An
    /// empty text is the whole. `None` if they are no such part.
    pub fn part(&self, start: u64, bytes: u64) -> Option<(String, &Self)> {
        if (start, bytes) == (0, self.bytes) {
            return Some((String::new(), self));
        }
        self.inner_part(start, bytes)
    }

    /// The same for less than the whole, or for the whole of something without a name.
    fn inner_part(&self, start: u64, bytes: u64) -> Option<(String, &Self)> {
        if start.checked_add(bytes)? > self.bytes {
            return None;
        }
        match &self.shape {
            Shape::Number(_) | Shape::Pointer(_) => None,
            Shape::Array(element) => {
                let (index, rest) = (start / element.bytes.max(1), start % element.bytes.max(1));
                let (inner, layout) = element.part(rest, bytes)?;
                Some((format!("[{index}]{inner}"), layout))
            }
            Shape::Members(members) => members.iter().find_map(|member| {
                let start = start.checked_sub(member.start)?;
                let (inner, layout) = match member.name.is_empty() {
                    true => member.layout.inner_part(start, bytes)?,
                    false => member.layout.part(start, bytes)?,
                };
                let dot = if member.name.is_empty() { "" } else { "." };
                Some((format!("{dot}{}{inner}", member.name), layout))
            }),
        }
    }

    /// All parts of the type that these bytes may be: several in a union.
    pub fn alternatives(&self, start: u64, bytes: u64) -> Vec<String> {
        if (start, bytes) == (0, self.bytes) {
            return vec![String::new()];
        }
        match &self.shape {
            Shape::Number(_) | Shape::Pointer(_) => vec![],
            Shape::Array(element) => {
                let (index, rest) = (start / element.bytes.max(1), start % element.bytes.max(1));
                let inner =
                    if start < self.bytes { element.alternatives(rest, bytes) } else { vec![] };
                inner.into_iter().map(|inner| format!("[{index}]{inner}")).collect()
            }
            Shape::Members(members) => members
                .iter()
                .flat_map(|member| {
                    let inside = start.checked_sub(member.start);
                    let inner = inside.map(|start| member.layout.alternatives(start, bytes));
                    let dot = if member.name.is_empty() { "" } else { "." };
                    let path = move |inner| format!("{dot}{}{inner}", member.name);
                    inner.unwrap_or_default().into_iter().map(path)
                })
                .collect(),
        }
    }

    /// `.next`: the pointer at byte `start` of the type, and what it points to.
    pub fn pointer_at(&self, start: u64) -> Option<(String, &TypeText)> {
        match &self.shape {
            Shape::Number(_) => None,
            Shape::Pointer(to) => (start == 0).then(|| (String::new(), to)),
            Shape::Array(element) => {
                let index = start.checked_div(element.bytes)?;
                let (inner, to) = element.pointer_at(start % element.bytes)?;
                (start < self.bytes).then(|| (format!("[{index}]{inner}"), to))
            }
            Shape::Members(members) => members.iter().find_map(|member| {
                let start = start.checked_sub(member.start)?;
                let (inner, to) = member.layout.pointer_at(start)?;
                let dot = if member.name.is_empty() { "" } else { "." };
                Some((format!("{dot}{}{inner}", member.name), to))
            }),
        }
    }

    /// `.v` and `.u`: the first and the last of the numbers that an access of several is to.
    pub fn parts(&self, start: u64, bytes: u64, each: u64) -> Option<(String, String)> {
        let last = start.checked_add(bytes)?.checked_sub(each)?;
        Some((self.part(start, each)?.0, self.part(last, each)?.0))
    }

    /// What the type is, or all numbers in it.
    pub fn kind(&self) -> Option<Kind> {
        match &self.shape {
            Shape::Number(kind) => Some(*kind),
            Shape::Pointer(_) => Some(Kind::Pointer),
            Shape::Array(element) => element.kind(),
            Shape::Members(members) => {
                let mut kinds = members.iter().map(|member| member.layout.kind());
                let first = kinds.next()??;
                kinds.all(|kind| kind == Some(first)).then_some(first)
            }
        }
    }

    /// The array at the very end of the type: its path, its element and its length.
    pub fn last_array(&self) -> Option<(String, &Self, u64)> {
        let members = match &self.shape {
            Shape::Array(element) => {
                return Some((String::new(), element, self.bytes / element.bytes.max(1)));
            }
            Shape::Members(members) => members,
            Shape::Number(_) | Shape::Pointer(_) => return None,
        };
        let last = members.last().filter(|m| m.start + m.layout.bytes == self.bytes)?;
        let dot = if last.name.is_empty() { "" } else { "." };
        let path = format!("{dot}{}", last.name);
        let (inner, element, length) = last.layout.last_array()?;
        Some((format!("{path}{inner}"), element, length))
    }
}

/// The deepest nesting of types that is read.
const MAX_DEPTH: u32 = 12;

/// The types of a source.
pub struct Types<'s, 'a> {
    source: &'s Source<'a>,
    tokens: Vec<Token>,
    definitions: Vec<Definition>,
}

impl<'s, 'a> Types<'s, 'a> {
    pub fn new(source: &'s Source<'a>) -> Self {
        let tokens = source_tokens(source);
        let definitions = definitions(&tokens);
        Self { source, tokens, definitions }
    }

    /// The layout of the type `text`.
    pub fn layout(&self, text: &TypeText) -> Option<Layout> {
        self.layout_within(&text.0, MAX_DEPTH)
    }

    /// A parameter or variable declared as `text`: its name, its layout, and what it points to if
    /// it is a pointer or an array. `known` are template parameters with their arguments.
    pub fn declared(&self, text: &str, known: &[(String, String)]) -> Option<Declared> {
        let known: Vec<(String, Vec<Token>)> =
            known.iter().map(|(name, value)| (name.clone(), tokens(value))).collect();
        let all = substituted(&tokens(text), &known);
        let declared = define::declarator(&all)?;
        let of_array = !declared.dims.is_empty() && !declared.grouped;
        let mut of: Option<TypeText> = None;
        if declared.grouped {
            // `float (*tile)[32]` points to arrays
            let mut element = declared.ty.clone();
            element.extend(declared.dims.iter().flat_map(|dim| bracketed(dim)));
            of = Some(TypeText(element));
        } else if of_array {
            let mut element = declared.ty.clone();
            element.extend(declared.dims.iter().skip(1).flat_map(|dim| bracketed(dim)));
            of = Some(TypeText(element));
        } else if let Some(stars) = declared.ty.iter().rposition(|t| t.is("*") || t.is("&")) {
            of = Some(TypeText(declared.ty.get(..stars)?.to_vec()));
        }
        Some(Declared { name: declared.name, points_to: of, own: TypeText(declared.ty) })
    }

    /// The layout of an element of the variable `name` of a declaration of one or several.
    pub fn variable(&self, text: &str, name: &str, known: &[(String, String)]) -> Option<Layout> {
        let known: Vec<(String, Vec<Token>)> =
            known.iter().map(|(name, value)| (name.clone(), tokens(value))).collect();
        let mut parts = split(&substituted(&tokens(text), &known), ",").into_iter();
        let first = define::declarator(&parts.next()?)?;
        let base: Vec<Token> =
            first.ty.iter().filter(|t| !t.is("*") && !t.is("&")).cloned().collect();
        let others = parts.filter_map(|part| define::declarator(&[base.clone(), part].concat()));
        let declared = std::iter::once(first).chain(others).find(|one| one.name == name)?;
        self.layout(&TypeText(declared.ty))
    }

    /// The layout of the shared variable `name` that is declared together with its type:
    /// `__shared__ union { ... } name;`
    pub fn shared_with_type(&self, name: &str) -> Option<Layout> {
        let starts = (0..self.tokens.len()).filter(|at| self.tokens[*at].is("__shared__"));
        let mut found = starts.filter_map(|at| {
            let (definition, end) = define::definition(&self.tokens, at + 1)?;
            let declares = self.tokens.get(end)?.is(name) && self.tokens.get(end + 1)?.is(";");
            declares.then(|| self.defined(&definition, &[], MAX_DEPTH)).flatten()
        });
        let only = found.next()?;
        found.next().is_none().then_some(only)
    }

    fn layout_within(&self, text: &[Token], levels: u32) -> Option<Layout> {
        let levels = levels.checked_sub(1)?;
        if let Some(open) = text.iter().position(|t| t.is("[")) {
            let (element, dims) = text.split_at(open);
            let mut layout = self.layout_within(element, levels)?;
            let dims: Vec<&[Token]> = dims.split(|t| t.is("[") || t.is("]")).collect();
            for dim in dims.into_iter().rev().filter(|dim| !dim.is_empty()) {
                layout = layout.array(self.number(dim)?)?;
            }
            return Some(layout);
        }
        let text: Vec<Token> = text.iter().filter(|t| !t.is_qualifier()).cloned().collect();
        if let Some(star) = top_level(&text, "*") {
            return Some(Layout::pointer(TypeText(text.get(..star)?.to_vec())));
        }
        if top_level(&text, "&").is_some() {
            return Some(Layout::pointer(TypeText::default()));
        }
        if let Some(layout) = builtin(&text) {
            return Some(layout);
        }
        // what stands behind the last `::`
        let plain = (0..text.len()).rev().find(|at| {
            text[*at].is("::")
                && text[..*at].iter().filter(|t| t.is("<")).count()
                    == text[..*at].iter().filter(|t| t.is(">")).count()
        });
        let own = text.get(plain.map_or(0, |at| at + 1)..)?;
        let (name, rest) = own.split_first()?;
        let name = name.word()?;
        let arguments = match rest {
            [] => vec![],
            [open, inner @ .., close] if open.is("<") && close.is(">") => split(inner, ","),
            _ => return None,
        };
        let scoped = |space: &str| text.first().is_some_and(|t| t.is(space)) && plain.is_some();
        let library = scoped("std") || scoped("cuda") || scoped("thrust");
        if library && name == "array" && arguments.len() == 2 {
            let element = self.layout_within(&arguments[0], levels)?;
            return element.array(self.number(&arguments[1])?);
        }
        if let Some(layout) = vector(name).filter(|_| arguments.is_empty()) {
            return Some(layout);
        }
        if library {
            return None;
        }
        let mut of_name = self.definitions.iter().filter(|d| d.name == name);
        if let Some(definition) = of_name.next() {
            if of_name.next().is_some() {
                return None;
            }
            return self.defined(definition, &arguments, levels);
        }
        if !arguments.is_empty() {
            return None;
        }
        if let Some((_, meaning)) = self.source.macro_named(name) {
            return self.layout_within(&tokens(&meaning), levels);
        }
        self.layout_within(&define::alias(&self.tokens, name)?, levels)
    }

    /// The layout of a structure with these template arguments.
    fn defined(
        &self,
        definition: &Definition,
        arguments: &[Vec<Token>],
        levels: u32,
    ) -> Option<Layout> {
        let known: Vec<(String, Vec<Token>)> = definition
            .parameters
            .iter()
            .enumerate()
            .map(|(i, (name, default))| {
                Some((name.clone(), arguments.get(i).or(default.as_ref())?.clone()))
            })
            .collect::<Option<_>>()?;
        let body = substituted(&definition.body, &known);
        let mut members: Vec<(Member, Option<u64>)> = vec![];
        for base in &definition.bases {
            let layout = self.layout_within(&substituted(base, &known), levels)?;
            // the compiler may use the last bytes of such a base
            let end = match &layout.shape {
                Shape::Members(all) => all.iter().map(|m| m.start + m.layout.bytes).max(),
                _ => None,
            };
            (end.is_none_or(|end| end == layout.bytes)).then_some(())?;
            // an empty base takes no room
            let empty = matches!(&layout.shape, Shape::Members(all) if all.is_empty());
            let base = Member { name: String::new(), start: 0, layout };
            members.extend((!empty).then_some((base, None)));
        }
        if !definition.plain {
            return None;
        }
        let mut least = 1;
        for part in define::members(&body)? {
            let layout = match part.inner {
                Some(inner) => self.defined(&inner, &[], levels)?,
                None => self.layout_within(&part.ty, levels)?,
            };
            if let Some(align) = part.align {
                least = least.max(self.number(&align)?);
            }
            let bits = match &part.bits {
                Some(bits) => Some(self.number(bits)?),
                None => None,
            };
            members.push((Member { name: part.name, start: 0, layout }, bits));
        }
        let own = match &definition.align {
            Some(align) => self.number(&substituted(align, &known))?,
            None => 1,
        };
        Some(placed(members, definition.union, own.max(least)))
    }

    /// The value of a constant expression.
    fn number(&self, text: &[Token]) -> Option<u64> {
        let text: Vec<&str> = text.iter().map(Token::text).collect();
        if let [size, "(", .., ")"] = text.as_slice()
            && *size == "sizeof"
        {
            let inner = text.get(2..text.len() - 1)?.join(" ");
            return Some(self.layout_within(&tokens(&inner), 4)?.bytes);
        }
        let number = self.source.constant(&text.join(""))?;
        u64::try_from(number).ok()
    }
}

/// A parameter or variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    /// The type of its elements, if it is a pointer or an array.
    pub points_to: Option<TypeText>,
    /// Its own type.
    pub own: TypeText,
}

/// Members one after the other, or all at the start of a union, with the widths of bit-fields.
/// Several bit-fields share bytes, so that none of them is a member that an access is to.
fn placed(members: Vec<(Member, Option<u64>)>, union: bool, least: u64) -> Layout {
    let (mut end, mut bits, mut align) = (0_u64, 0_u64, least.max(1));
    let mut whole = vec![];
    for (mut member, width) in members {
        let unit = member.layout.bytes.saturating_mul(8).max(1);
        let from = if union { 0 } else { end };
        end = match width {
            Some(0) => from.next_multiple_of(unit),
            Some(width) if from / unit == (from.saturating_add(width) - 1) / unit => {
                from.saturating_add(width)
            }
            Some(width) => from.next_multiple_of(unit).saturating_add(width),
            None => {
                member.start = from.div_ceil(8).next_multiple_of(member.layout.align.max(1));
                member.start.saturating_add(member.layout.bytes).saturating_mul(8)
            }
        };
        bits = bits.max(end);
        align = align.max(member.layout.align);
        whole.extend(width.is_none().then_some(member));
    }
    let bytes = bits.div_ceil(8).max(1).next_multiple_of(align);
    Layout { bytes, align, shape: Shape::Members(whole) }
}

/// `text` with template parameters replaced by their arguments.
fn substituted(text: &[Token], known: &[(String, Vec<Token>)]) -> Vec<Token> {
    let one = |token: &Token| match known.iter().find(|(name, _)| token.is(name)) {
        Some((_, value)) => value.clone(),
        None => vec![token.clone()],
    };
    text.iter().flat_map(one).collect()
}

fn bracketed(dim: &[Token]) -> Vec<Token> {
    let sign = |text: &str| tokens(text);
    [sign("["), dim.to_vec(), sign("]")].concat()
}

/// The tokens of a source, without its preprocessor's lines except the conditional ones.
fn source_tokens(source: &Source<'_>) -> Vec<Token> {
    let mut text = String::new();
    let directives = source.directive_lines();
    for (number, line) in source.texts() {
        if !directives.contains(&number) {
            text.push_str(&line);
        } else if line.trim_start().trim_start_matches('#').trim_start().starts_with("if") {
            text.push_str(" # ");
        }
        text.push('\n');
    }
    tokens(&text)
}

/// Where `sign` is, outside of template arguments.
fn top_level(text: &[Token], sign: &str) -> Option<usize> {
    let mut depth = 0_i32;
    text.iter().enumerate().rev().find_map(|(at, token)| {
        depth += i32::from(token.is(">")) - i32::from(token.is("<"));
        (depth == 0 && token.is(sign)).then_some(at)
    })
}

/// The arithmetic types of C++ and the fixed-width ones of its library.
fn builtin(text: &[Token]) -> Option<Layout> {
    let words: Vec<&str> = text
        .iter()
        .map(Token::text)
        .filter(|word| !matches!(*word, "std" | "cuda" | "::"))
        .collect();
    let is = |word: &str| words.contains(&word);
    let known = ["unsigned", "signed", "char", "short", "int", "long", "float", "double", "bool"];
    if let [only] = words.as_slice()
        && let Some(layout) = fixed(only)
    {
        return Some(layout);
    }
    if words.is_empty() || !words.iter().all(|word| known.contains(word)) {
        return None;
    }
    let integer = if is("unsigned") { Kind::Unsigned } else { Kind::Signed };
    Some(match () {
        () if is("float") => Layout::number(Kind::Float, 4),
        () if is("double") && is("long") => return None,
        () if is("double") => Layout::number(Kind::Float, 8),
        () if is("bool") => Layout::number(Kind::Bool, 1),
        () if is("char") => Layout::number(integer, 1),
        () if is("short") => Layout::number(integer, 2),
        () if is("long") => Layout::number(integer, 8),
        () => Layout::number(integer, 4),
    })
}

fn fixed(word: &str) -> Option<Layout> {
    let (kind, bytes) = match word {
        "int8_t" => (Kind::Signed, 1),
        "uint8_t" | "uchar" | "byte" => (Kind::Unsigned, 1),
        "int16_t" => (Kind::Signed, 2),
        "uint16_t" | "ushort" => (Kind::Unsigned, 2),
        "int32_t" => (Kind::Signed, 4),
        "uint32_t" | "uint" => (Kind::Unsigned, 4),
        "int64_t" | "ptrdiff_t" | "ssize_t" | "intptr_t" => (Kind::Signed, 8),
        "uint64_t" | "size_t" | "ulong" | "uintptr_t" | "clock_t" => (Kind::Unsigned, 8),
        "half" | "__half" | "__nv_bfloat16" => (Kind::Bits, 2),
        "__half2" | "half2" | "__nv_bfloat162" => (Kind::Bits, 4),
        "cudaTextureObject_t" | "cudaSurfaceObject_t" => (Kind::Bits, 8),
        _ => return None,
    };
    Some(Layout::number(kind, bytes))
}

/// CUDA's vector types (CUDA C++ Programming Guide, "Built-in Vector Types").
fn vector(name: &str) -> Option<Layout> {
    let name = match name {
        "dim3" => "uint3",
        "cuComplex" | "cuFloatComplex" | "cufftComplex" => "float2",
        "cuDoubleComplex" | "cufftDoubleComplex" => "double2",
        name => name,
    };
    let lanes = name.chars().last()?.to_digit(10).filter(|n| (1..=4).contains(n))?;
    let (kind, each) = match name.get(..name.len() - 1)? {
        "char" => (Kind::Signed, 1),
        "uchar" => (Kind::Unsigned, 1),
        "short" => (Kind::Signed, 2),
        "ushort" => (Kind::Unsigned, 2),
        "int" => (Kind::Signed, 4),
        "uint" => (Kind::Unsigned, 4),
        "long" | "longlong" => (Kind::Signed, 8),
        "ulong" | "ulonglong" => (Kind::Unsigned, 8),
        "float" => (Kind::Float, 4),
        "double" => (Kind::Float, 8),
        _ => return None,
    };
    let member =
        |name: &str| Member { name: name.to_owned(), start: 0, layout: Layout::number(kind, each) };
    let member = |name: &str| (member(name), None);
    let members = ["x", "y", "z", "w"].into_iter().take(lanes as usize).map(member).collect();
    let together = u64::from(lanes) * each;
    let align = if lanes == 3 { each } else { together.min(16) };
    Some(placed(members, false, align))
}

#[cfg(test)]
mod tests;
