//! Reads the comments in `kernels/planted` that describe launches and expected findings.
//!
//! ```text
//! // launch: grid 2 3, block 16 16, shared 64; in f32[100] ramp; out f32[100]; n i32 100
//!
//! above a kernel (it also applies to the fixed version): the geometry, then one argument per parameter.
//!   NAME TYPE[COUNT]            a buffer that nothing has written
//!   NAME TYPE[COUNT] zero       all 0            NAME TYPE[COUNT] fill V    all V
//!   NAME TYPE[COUNT] ramp       0, 1, 2, ...     NAME TYPE[COUNT] ramp K    the first K of them, the rest unwritten
//!   NAME TYPE[COUNT] mod K      i % K            NAME TYPE[COUNT] {A, B}    these
//!   NAME TYPE VALUE             a scalar; u64 also stands for a pointer
//!
//! // at: KIND [FIELD N]... [ACTION] [by [block X [Y]] [thread X [Y]]] [of [ARRAY][[INDEX]]] [size N]
//! // with: [ACTION] [by ...] [of ...]
//!
//! at the end of the line that the finding must name, which may be the line of the call for an inlined function. KIND, FIELD
//! and ACTION are those of `ptxsim`'s JSON. A comment gives every detail that the kernel determines. In a race the two
//! accesses may come in either order. `also:` is a second finding.
//! ```

use ptxsim::{Access, Finding};
use serde_json::Value;

/// One argument of a launch.
#[derive(Debug, Clone)]
pub struct Argument {
    pub name: String,
    /// `f32`, `u8`, ...
    pub ty: String,
    /// Elements, when it is a buffer.
    pub count: Option<usize>,
    /// The rest of the text: how it is filled, or a scalar's value.
    pub value: String,
}

#[derive(Debug, Clone, Default)]
pub struct Geometry {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub arguments: Vec<Argument>,
}

/// The expected details of one access. `None` is "not determined".
#[derive(Debug, Clone, Default)]
pub struct Party {
    pub line: u32,
    pub action: Option<String>,
    pub block: Option<[u32; 3]>,
    pub thread: Option<[u32; 3]>,
    pub array: Option<String>,
    pub index: Option<i64>,
    pub size: Option<u64>,
}

#[derive(Debug, Clone)]
pub struct Expected {
    pub kind: String,
    /// Fields of the kind: `waiting`, `mask`, ...
    pub fields: Vec<(String, u64)>,
    pub at: Party,
    pub with: Option<Party>,
}

/// A kernel with its launch and the expected findings; none for a fixed kernel.
#[derive(Debug, Clone)]
pub struct Planted {
    /// The file without its extension.
    pub file: String,
    pub name: String,
    pub launch: Geometry,
    pub expected: Vec<Expected>,
}

/// Reads all kernels of a source.
pub fn read(file: &str, source: &str) -> Vec<Planted> {
    let mut all: Vec<Planted> = vec![];
    let (mut launch, mut expected) = (Geometry::default(), vec![]);
    let mut inside = false;
    for (number, text) in source.lines().enumerate() {
        let line = number as u32 + 1;
        let fail = |what: &str| -> ! { panic!("{file}.cu:{line}: {what}: {text}") };
        if let Some(rest) = text.strip_prefix("// launch: ") {
            launch = geometry(rest).unwrap_or_else(|| fail("not a launch"));
        } else if let Some(rest) = text.strip_prefix("extern \"C\" __global__ void ") {
            let name = rest.split('(').next().unwrap_or_default().to_owned();
            all.push(Planted { file: file.to_owned(), name, launch: launch.clone(), expected });
            expected = vec![];
            inside = true;
        }
        let here = match all.last_mut() {
            Some(kernel) if inside => &mut kernel.expected,
            // a device function belongs to the next kernel
            _ => &mut expected,
        };
        for comment in text.split("// ").skip(1) {
            if let Some(rest) = comment.strip_prefix("at: ").or(comment.strip_prefix("also: ")) {
                here.push(finding(rest, line).unwrap_or_else(|| fail("not an expectation")));
            }
        }
        if text.starts_with('}') {
            inside = false;
        }
    }
    // the `with:` comments, which may come before the `at:` ones
    let mut kernel = None;
    for (number, text) in source.lines().enumerate() {
        if let Some(rest) = text.strip_prefix("extern \"C\" __global__ void ") {
            kernel = rest.split('(').next();
        }
        for comment in text.split("// ").skip(1) {
            if let Some(rest) = comment.strip_prefix("with: ") {
                let (party, _) = party(rest, number as u32 + 1)
                    .unwrap_or_else(|| panic!("{file}.cu:{}: not a party: {text}", number + 1));
                let at = all.iter_mut().find(|k| Some(k.name.as_str()) == kernel);
                let first = at.and_then(|k| k.expected.first_mut());
                first.unwrap_or_else(|| panic!("{file}.cu:{}: `with` alone", number + 1)).with =
                    Some(party);
            }
        }
    }
    all
}

fn geometry(text: &str) -> Option<Geometry> {
    let mut parts = text.split("; ");
    let mut launch = Geometry { grid: [1; 3], block: [1; 3], ..Geometry::default() };
    for shape in parts.next()?.split(", ") {
        let mut words = shape.split_whitespace();
        let what = words.next()?;
        let numbers: Vec<u32> = words.map(|w| w.parse().ok()).collect::<Option<_>>()?;
        match what {
            "grid" => launch.grid[..numbers.len()].copy_from_slice(&numbers),
            "block" => launch.block[..numbers.len()].copy_from_slice(&numbers),
            "shared" => launch.shared = *numbers.first()?,
            _ => return None,
        }
    }
    for part in parts {
        let (name, rest) = part.split_once(' ')?;
        let (ty, value) = rest.split_once(' ').unwrap_or((rest, ""));
        let (ty, count) = match ty.split_once('[') {
            Some((ty, count)) => (ty, Some(count.strip_suffix(']')?.parse().ok()?)),
            None => (ty, None),
        };
        let [name, ty, value] = [name, ty, value].map(str::to_owned);
        launch.arguments.push(Argument { name, ty, count, value });
    }
    Some(launch)
}

fn finding(text: &str, line: u32) -> Option<Expected> {
    let text = text.trim();
    let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
    let (at, fields) = party(rest, line)?;
    Some(Expected { kind: kind.to_owned(), fields, at, with: None })
}

fn party(text: &str, line: u32) -> Option<(Party, Vec<(String, u64)>)> {
    let mut party = Party { line, ..Party::default() };
    let mut fields = vec![];
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        match word {
            "by" => {}
            "block" | "thread" => {
                let mut at = [0; 3];
                let mut n = 0;
                while let Some(number) = words.peek().and_then(|w| w.parse().ok()) {
                    *at.get_mut(n)? = number;
                    n += 1;
                    words.next();
                }
                *(if word == "block" { &mut party.block } else { &mut party.thread }) = Some(at);
            }
            "of" => {
                let place = words.next()?;
                let (name, index) = match place.split_once('[') {
                    Some((name, index)) => (name, Some(index.strip_suffix(']')?.parse().ok()?)),
                    None => (place, None),
                };
                party.array = (!name.is_empty()).then(|| name.to_owned());
                party.index = index;
            }
            "size" => party.size = Some(words.next()?.parse().ok()?),
            "read" | "write" | "atomic" | "wait" | "exit" | "execute" => {
                party.action = Some(word.to_owned());
            }
            field => {
                let value = words.next()?;
                let number = match value.strip_prefix("0x") {
                    Some(hex) => u64::from_str_radix(hex, 16),
                    None => value.parse(),
                };
                fields.push((field.to_owned(), number.ok()?));
            }
        }
    }
    Some((party, fields))
}

/// The text of a unit variant in JSON.
fn word(value: impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

impl Party {
    fn fits(&self, access: &Access) -> bool {
        let same = |said: &Option<[u32; 3]>, is: [u32; 3]| said.is_none_or(|s| s == is);
        let caller = access.called_from.as_ref().map(|s| s.line);
        (self.line == access.source.line || Some(self.line) == caller)
            && self.action.as_ref().is_none_or(|a| *a == word(access.action))
            && same(&self.block, access.block)
            && same(&self.thread, access.thread)
            && (self.array.is_none() || self.array == access.array)
            && (self.index.is_none() || self.index == access.index)
            && (self.size.is_none() || self.size == access.elements)
    }
}

impl Expected {
    /// How a finding differs from the expected one; `None` if it does not.
    pub fn differs(&self, finding: &Finding) -> Option<String> {
        let json = serde_json::to_value(&finding.what).unwrap_or_default();
        // Kinds without fields are strings.
        let fields = match json.as_str() {
            Some(kind) if kind == self.kind => &Value::Null,
            _ => &json[&self.kind],
        };
        if json.as_str() != Some(&self.kind) && fields.is_null() {
            return Some(format!("{json} instead of {}", self.kind));
        }
        if let Some((field, n)) = self.fields.iter().find(|(f, n)| fields[f] != *n) {
            return Some(format!("{field} is {} instead of {n}", fields[field]));
        }
        let right = |at: &Access, with: Option<&Access>| {
            self.at.fits(at)
                && self.with.as_ref().is_none_or(|w| with.is_some_and(|access| w.fits(access)))
        };
        let swapped = |with: &Access| self.kind.ends_with("race") && right(with, Some(&finding.at));
        if right(&finding.at, finding.with.as_ref()) || finding.with.as_ref().is_some_and(swapped) {
            return None;
        }
        let show = |p: &Access| {
            format!(
                "line {} {} by block {:?} thread {:?} of {}[{:?}] size {:?}",
                p.source.line,
                word(p.action),
                p.block,
                p.thread,
                p.array.as_deref().unwrap_or("?"),
                p.index,
                p.elements
            )
        };
        let with = finding.with.as_ref().map(show).unwrap_or_default();
        Some(format!("found: {} / with {with}\n    wanted: {self:?}", show(&finding.at)))
    }
}
