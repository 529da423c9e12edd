//! The entries of `.debug_info` that name variables (DWARF 4, sections 2.6, 3.3, 4.1, 5 and 7.5;
//! NVIDIA's compilers write version 2). A register's name is packed into the operand of
//! `DW_OP_regx`, its last character lowest.

use std::collections::HashMap;

use super::Type;
use super::section::{self, Section};
use crate::trace::Kind;

/// A variable whose scope, labels and registers are still names.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedVariable {
    pub name: String,
    pub ty: Type,
    /// Labels where its scope begins and ends.
    pub from: String,
    pub to: String,
    pub locations: Vec<NamedRange>,
}

/// A location, and the labels between which the variable is there; without labels, in all of its
/// scope.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedRange {
    pub from: Option<String>,
    pub to: Option<String>,
    pub location: Location,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Location {
    Register(String),
    /// A symbol's address, and bytes behind it.
    Symbol(String, u32),
}

// Limits on entries, variables, locations of one variable, and nested types. No real kernel reaches
// them.
const MAX_ENTRIES: usize = 1 << 16;
const MAX_VARIABLES: usize = 2048;
const MAX_LOCATIONS: usize = 256;
const MAX_TYPE_DEPTH: usize = 16;

// DWARF 4, figure 18: tags.
const ARRAY: u64 = 0x01;
const ENUMERATION: u64 = 0x04;
const FORMAL_PARAMETER: u64 = 0x05;
const LEXICAL_BLOCK: u64 = 0x0b;
const POINTER: u64 = 0x0f;
const REFERENCE: u64 = 0x10;
const TYPEDEF: u64 = 0x16;
const SUBRANGE: u64 = 0x21;
const BASE: u64 = 0x24;
const CONST: u64 = 0x26;
const SUBPROGRAM: u64 = 0x2e;
const VARIABLE: u64 = 0x34;
const VOLATILE: u64 = 0x35;
const RESTRICT: u64 = 0x37;

// Figure 20: attributes.
const LOCATION: u64 = 0x02;
const NAME: u64 = 0x03;
const BYTE_SIZE: u64 = 0x0b;
const LOW_PC: u64 = 0x11;
const HIGH_PC: u64 = 0x12;
const UPPER_BOUND: u64 = 0x2f;
const COUNT: u64 = 0x37;
const ENCODING: u64 = 0x3e;
const TYPE: u64 = 0x49;

/// An attribute's value.
#[derive(Debug, Clone, PartialEq)]
enum Attribute {
    Number(u64),
    /// A label, or an offset into a section.
    Name(String, u64),
    Text(String),
    Block(Vec<u8>, Option<String>),
}

struct Entry {
    /// Its place among all entries.
    at: usize,
    tag: u64,
    depth: usize,
    attributes: HashMap<u64, Attribute>,
}

/// All variables and parameters that have a location.
pub fn variables(ptx: &str) -> Vec<NamedVariable> {
    let info = section::read(ptx, ".debug_info");
    if info.bytes.is_empty() {
        return vec![];
    }
    let abbreviations = abbreviations(&section::read(ptx, ".debug_abbrev").bytes);
    let strings = section::read(ptx, ".debug_str");
    let location_section = section::read(ptx, ".debug_loc");
    let (order, entries) = entries(&info, &abbreviations, &strings).unwrap_or_default();
    let types = Types { entries: &entries, order: &order };

    let mut found = vec![];
    // the scopes around the current entry, as labels
    let mut scopes: Vec<(usize, String, String)> = vec![];
    for offset in &order {
        if found.len() >= MAX_VARIABLES {
            break;
        }
        let Some(entry) = entries.get(offset) else { continue };
        scopes.retain(|(depth, _, _)| *depth < entry.depth);
        match entry.tag {
            SUBPROGRAM | LEXICAL_BLOCK => {
                if let (Some(from), Some(to)) = (entry.label(LOW_PC), entry.label(HIGH_PC)) {
                    scopes.push((entry.depth, from, to));
                }
            }
            VARIABLE | FORMAL_PARAMETER => {
                let (Some((_, from, to)), Some(name)) = (scopes.last(), entry.text(NAME)) else {
                    continue;
                };
                let locations = match entry.attributes.get(&LOCATION) {
                    Some(Attribute::Block(bytes, symbol)) => {
                        let location = location(bytes, symbol.as_deref());
                        let range =
                            location.map(|location| NamedRange { from: None, to: None, location });
                        range.into_iter().collect()
                    }
                    Some(Attribute::Number(at) | Attribute::Name(_, at)) => {
                        location_list(&location_section, *at as usize)
                    }
                    _ => vec![],
                };
                let ty = entry.number(TYPE).and_then(|at| types.at(at as usize, 0));
                if let (Some(ty), false) = (ty, locations.is_empty()) {
                    let (from, to) = (from.clone(), to.clone());
                    found.push(NamedVariable { name, ty, from, to, locations });
                }
            }
            _ => {}
        }
    }
    found
}

impl Entry {
    fn label(&self, attribute: u64) -> Option<String> {
        match self.attributes.get(&attribute)? {
            Attribute::Name(name, 0) => Some(name.clone()),
            _ => None,
        }
    }

    fn text(&self, attribute: u64) -> Option<String> {
        match self.attributes.get(&attribute)? {
            Attribute::Text(text) if !text.is_empty() => Some(text.clone()),
            _ => None,
        }
    }

    fn number(&self, attribute: u64) -> Option<u64> {
        match self.attributes.get(&attribute)? {
            Attribute::Number(n) => Some(*n),
            _ => None,
        }
    }
}

/// Types by their offset.
struct Types<'e> {
    entries: &'e HashMap<usize, Entry>,
    order: &'e [usize],
}

impl Types<'_> {
    fn at(&self, offset: usize, depth: usize) -> Option<Type> {
        let entry = self.entries.get(&offset).filter(|_| depth < MAX_TYPE_DEPTH)?;
        let inner = || self.at(entry.number(TYPE)? as usize, depth + 1);
        let bytes = entry.number(BYTE_SIZE).and_then(|n| u32::try_from(n).ok());
        match entry.tag {
            CONST | VOLATILE | TYPEDEF | RESTRICT => inner(),
            POINTER | REFERENCE => match inner() {
                Some(to) if to.dims.is_empty() && !to.pointer => Some(Type { pointer: true, ..to }),
                _ => Some(Type { pointer: true, ..Type::default() }),
            },
            // DWARF 4, figure 26: encodings
            BASE => {
                let kind = match entry.number(ENCODING)? {
                    2 => Kind::Bool,
                    4 => Kind::Float,
                    5 | 6 => Kind::Signed,
                    7 | 8 => Kind::Unsigned,
                    _ => return None,
                };
                Some(Type { kind, bytes: bytes?, ..Type::default() })
            }
            ENUMERATION => Some(Type { kind: Kind::Signed, bytes: bytes?, ..Type::default() }),
            ARRAY => {
                let element = inner()?;
                let mut dims = vec![];
                for child in self.order.iter().skip(entry.at + 1) {
                    let child = self.entries.get(child)?;
                    if child.depth <= entry.depth || dims.len() >= MAX_TYPE_DEPTH {
                        break;
                    }
                    if child.tag == SUBRANGE {
                        let count = child.number(COUNT);
                        dims.push(count.or_else(|| child.number(UPPER_BOUND)?.checked_add(1))?);
                    }
                }
                let Type { kind, bytes, dims: inner, pointer } = element;
                dims.extend(inner);
                Some(Type { kind, bytes, dims, pointer })
            }
            _ => None,
        }
    }
}

/// A location list: pairs of labels, each with an expression, up to a pair of zeros (DWARF 4,
/// section 2.6.2).
fn location_list(section: &Section<'_>, mut at: usize) -> Vec<NamedRange> {
    let mut ranges = vec![];
    while ranges.len() < MAX_LOCATIONS {
        let label = |at: usize| section.names.get(&at).map(|name| (*name).to_owned());
        let (Some(from), Some(to)) = (label(at), label(at + 8)) else { break };
        let mut reader = Reader { bytes: &section.bytes, at: at + 16 };
        let Some(length) = reader.fixed(2) else { break };
        let start = reader.at;
        let Some(bytes) = reader.take(length as usize) else { break };
        let symbol = (start..reader.at).find_map(|at| section.names.get(&at).copied());
        if let Some(location) = location(bytes, symbol) {
            ranges.push(NamedRange { from: Some(from), to: Some(to), location });
        }
        at = reader.at;
    }
    ranges
}

/// A location expression: a register, or a symbol with an offset.
fn location(bytes: &[u8], symbol: Option<&str>) -> Option<Location> {
    const ADDR: u64 = 0x03;
    const PLUS_UCONST: u64 = 0x23;
    const REGX: u64 = 0x90;
    let mut reader = Reader { bytes, at: 0 };
    let location = match reader.fixed(1)? {
        REGX => {
            let mut packed = reader.leb()?;
            let mut name = vec![];
            while packed > 0 {
                name.push((packed & 0xff) as u8);
                packed >>= 8;
            }
            name.reverse();
            Location::Register(String::from_utf8(name).ok()?)
        }
        ADDR => {
            reader.take(8)?;
            let mut offset = 0;
            if reader.at < bytes.len() {
                if reader.fixed(1)? != PLUS_UCONST {
                    return None;
                }
                offset = u32::try_from(reader.leb()?).ok()?;
            }
            Location::Symbol(symbol?.to_owned(), offset)
        }
        _ => return None,
    };
    (reader.at == bytes.len()).then_some(location)
}

/// Tag, children, and pairs of attribute and form, by code (DWARF 4, section 7.5.3).
type Abbreviations = HashMap<u128, (u64, bool, Vec<(u64, u64)>)>;

fn abbreviations(bytes: &[u8]) -> Abbreviations {
    let mut all = Abbreviations::new();
    let mut reader = Reader { bytes, at: 0 };
    while let Some(code) = reader.leb().filter(|code| *code != 0) {
        let (Some(tag), Some(children)) = (reader.leb(), reader.fixed(1)) else { break };
        let mut attributes = vec![];
        while let (Some(name), Some(form)) = (reader.leb(), reader.leb()) {
            if (name, form) == (0, 0) {
                break;
            }
            attributes.push((name as u64, form as u64));
        }
        all.insert(code, (tag as u64, children == 1, attributes));
    }
    all
}

/// All entries with their offsets in reading order. Only the first unit is read: NVIDIA's compilers
/// write one.
fn entries(
    info: &Section<'_>,
    abbreviations: &Abbreviations,
    strings: &Section<'_>,
) -> Option<(Vec<usize>, HashMap<usize, Entry>)> {
    let mut reader = Reader { bytes: &info.bytes, at: 0 };
    let length = reader.fixed(4)? as usize;
    let end = length.checked_add(4)?.min(info.bytes.len());
    let version = reader.fixed(2)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    reader.take(4 + 1)?;
    let (mut order, mut all, mut depth) = (vec![], HashMap::new(), 0_usize);
    while reader.at < end && order.len() < MAX_ENTRIES {
        let offset = reader.at;
        let code = reader.leb()?;
        if code == 0 {
            depth = depth.saturating_sub(1);
            continue;
        }
        let (tag, children, forms) = abbreviations.get(&code)?;
        let mut attributes = HashMap::new();
        for (name, form) in forms {
            attributes.insert(*name, reader.attribute(*form, info, strings)?);
        }
        order.push(offset);
        all.insert(offset, Entry { at: order.len() - 1, tag: *tag, depth, attributes });
        depth += usize::from(*children);
    }
    Some((order, all))
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn take(&mut self, n: usize) -> Option<&'b [u8]> {
        let bytes = self.bytes.get(self.at..self.at.checked_add(n)?)?;
        self.at += n;
        Some(bytes)
    }

    fn fixed(&mut self, n: usize) -> Option<u64> {
        let mut number = [0; 8];
        number.get_mut(..n)?.copy_from_slice(self.take(n)?);
        Some(u64::from_le_bytes(number))
    }

    /// Unsigned LEB128, up to the 16 characters of a register's name.
    fn leb(&mut self) -> Option<u128> {
        let (mut number, mut shift) = (0_u128, 0_u32);
        loop {
            let byte = self.fixed(1)?;
            number |= u128::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.iter().position(|b| *b == 0)?;
        let text = String::from_utf8_lossy(rest.get(..length)?).into_owned();
        self.at += length + 1;
        Some(text)
    }

    /// DWARF 4, figure 21: attribute forms.
    fn attribute(
        &mut self,
        form: u64,
        info: &Section<'_>,
        strings: &Section<'_>,
    ) -> Option<Attribute> {
        let start = self.at;
        let named = |number: u64| match info.names.get(&start) {
            Some(name) => Attribute::Name((*name).to_owned(), number),
            None => Attribute::Number(number),
        };
        Some(match form {
            0x01 | 0x07 | 0x14 => named(self.fixed(8)?),
            0x05 | 0x12 => named(self.fixed(2)?),
            0x06 | 0x10 | 0x13 | 0x17 => named(self.fixed(4)?),
            0x0b | 0x0c | 0x11 => Attribute::Number(self.fixed(1)?),
            0x0d | 0x0f | 0x15 => Attribute::Number(self.leb()? as u64),
            0x19 => Attribute::Number(1),
            0x08 => Attribute::Text(self.string()?),
            0x0e => {
                let at = self.fixed(4)? as usize;
                let base = info.names.get(&start).and_then(|name| strings.labels.get(name));
                let mut reader = Reader { bytes: &strings.bytes, at: base.map_or(at, |b| b + at) };
                Attribute::Text(reader.string().unwrap_or_default())
            }
            0x03 | 0x04 | 0x09 | 0x0a | 0x18 => {
                let length = match form {
                    0x03 => self.fixed(2)?,
                    0x04 => self.fixed(4)?,
                    0x0a => self.fixed(1)?,
                    _ => self.leb()? as u64,
                };
                let start = self.at;
                let bytes = self.take(usize::try_from(length).ok()?)?.to_vec();
                let symbol = (start..self.at).find_map(|at| info.names.get(&at).copied());
                Attribute::Block(bytes, symbol.map(str::to_owned))
            }
            _ => return None,
        })
    }
}
