//! What the source calls the element that an access is to: the pointer that the access goes
//! through, the index in elements of its type, and the member.
//!
//! The simulator gives the bytes. Here the source's types divide them into elements. Where a type
//! is not known, the element is named by its bytes.

use ptxsim::trace::Kind;
use ptxsim::{Access, Finding, Pointer, Space};

use super::scene::Scene;
use super::shared;
use super::types::{Layout, Types};

/// Prefix of the simulator's name for memory that a kernel allocated.
const DEVICE_HEAP: &str = "malloc(";

/// Prefix of the runtime's name for an array of texels.
const TEXELS: &str = "array ";

/// An access in terms of the source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Element {
    /// The pointer or array: `in`, `p.v`.
    pub name: String,
    /// Bytes of one element; `None` if its type is not known.
    pub size: Option<u64>,
    /// Bytes of the memory from where the pointer points.
    pub room: u64,
    /// The index; of bytes if the type is not known.
    pub index: i64,
    /// The index of the last element that the access is to, if that is another one.
    pub last: Option<i64>,
    /// `in[49].v[3]`
    pub text: String,
    /// The last of several numbers that the access is to.
    pub last_text: Option<String>,
    /// What the accessed number is.
    pub kind: Option<Kind>,
    /// The bytes in front of the pointer, if it points behind the start of its memory.
    pub before: u64,
    /// The access is to an element of an array in the element, so that its index may have run over.
    pub in_member_array: bool,
    /// The array in the last element that the access is past the end of, and its length.
    pub overrun: Option<(String, u64)>,
    /// The parameter that is the pointer.
    pub pointer: Option<Pointer>,
}

/// A parameter of a kernel, as its source declares it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParameterText {
    pub name: String,
    /// What it points to, if that is known.
    element: Option<Layout>,
    /// Itself, if it is a structure.
    own: Option<Layout>,
    /// Whether it is a pointer.
    pointer: bool,
}

/// A pointer through which memory is accessed.
struct PointerText {
    name: String,
    element: Option<Layout>,
    /// Where it points, in bytes from the start of the memory.
    start: i64,
    /// The parameter that it is.
    parameter: Option<Pointer>,
}

impl Scene<'_> {
    /// A finding in terms of the source: indices and lengths count the elements that the source
    /// declares, and arrays have the names of the pointers that the accesses go through.
    pub fn in_terms_of_source(&self, finding: &Finding) -> Finding {
        let with = finding.with.as_ref().map(|with| self.access_in_terms_of_source(with));
        Finding { at: self.access_in_terms_of_source(&finding.at), with, ..finding.clone() }
    }

    /// An access in terms of the source.
    pub fn access_in_terms_of_source(&self, access: &Access) -> Access {
        let Some(element) = self.located(access) else { return access.clone() };
        let elements = element.size.map(|size| element.room / size.max(1));
        Access {
            array: Some(element.name),
            index: element.size.and(Some(element.index)),
            last_index: element.size.and(element.last),
            elements,
            // the array is no longer called what the launch calls it
            pointer: element.pointer.or(access.pointer),
            ..access.clone()
        }
    }

    /// What the source calls the element of an access; `None` where the simulator's own units are
    /// those of the source, or where the source does not show the array.
    pub fn located(&self, access: &Access) -> Option<Element> {
        let offset = access.offset?;
        let array = access.array.as_deref()?;
        let variable = self.param(array).is_none() && self.source.device_variable(array).is_some();
        if access.space == Some(Space::Shared) || variable {
            return self.located_in_variable(access, offset);
        }
        let bytes = i64::try_from(access.array_bytes?).ok()?;
        let PointerText { name, element, start, parameter: pointer } = self.pointer(access)?;
        let room = u64::try_from(bytes.checked_sub(start)?).unwrap_or(0);
        let before = u64::try_from(start).unwrap_or(0);
        let at = offset.checked_sub(start)?;
        let Some(layout) = element.filter(|layout| layout.bytes > 0) else {
            let text = format!("byte {at} of `{name}`");
            let index = at;
            return Some(Element {
                name,
                room,
                index,
                text,
                before,
                pointer,
                ..Element::default()
            });
        };
        let name_of = |index: i64, part: &str| self.element_through(&name, index, part);
        let found = divided(&layout, at, access.bytes.into(), name_of)?;
        let found = Element { name: name.clone(), room, before, pointer, ..found };
        let found = self.in_union(access, found, (&layout, at), name_of);
        let past = at >= 0 && at.unsigned_abs() >= room;
        if past && found.in_member_array && found.index.unsigned_abs() == room / layout.bytes {
            return Some(self.overrun(access, found, (&layout, at)));
        }
        Some(found)
    }

    /// An access just past the last element, to an array in an element: the index of that array may
    /// have run over in the last element, or the index of the element may be too large. The number
    /// of the thread decides; without it, only the byte is certain.
    fn overrun(&self, access: &Access, found: Element, (layout, at): (&Layout, i64)) -> Element {
        let own = self.flat().then(|| self.number(access.block, access.thread));
        let own = own.and_then(|own| i64::try_from(own).ok());
        if own == Some(found.index) {
            return found;
        }
        let inside = at.rem_euclid(layout.bytes as i64).unsigned_abs();
        let last = layout.last_array().filter(|_| own == found.index.checked_sub(1));
        if let Some((path, element, length)) = last
            && let Some((part, _)) =
                element.part(inside % element.bytes.max(1), access.bytes.into())
        {
            let (index, name) = (found.index - 1, &found.name);
            let number = length + inside / element.bytes.max(1);
            let text = self.element_through(name, index, &format!("{path}[{number}]{part}"));
            let member = match path.rsplit_once('.') {
                Some((_, member)) => member.to_owned(),
                None => self.element_through(name, index, &path),
            };
            return Element { index, text, overrun: Some((member, length)), ..found };
        }
        let text = format!("byte {at} of `{}`", found.name);
        Element { text, size: None, index: at, last: None, last_text: None, ..found }
    }

    /// The element of an array or variable that the kernel or the module declares.
    fn located_in_variable(&self, access: &Access, offset: i64) -> Option<Element> {
        let array = access.array.as_deref()?;
        let declared = match access.space {
            Some(Space::Shared) => self.source.shared(array),
            _ => self.source.device_variable(array),
        };
        let Some(declared) = declared else {
            let layout = self.types().shared_with_type(array)?;
            let name_of = |index: i64, part: &str| match index {
                0 => format!("{array}{part}"),
                _ => format!("{array}[{index}]{part}"),
            };
            let found = divided(&layout, offset, access.bytes.into(), name_of)?;
            let found = Element { name: array.to_owned(), room: access.array_bytes?, ..found };
            return Some(self.in_union(access, found, (&layout, offset), name_of));
        };
        let layout = self.types().variable(&declared.text, array, self.template_arguments())?;
        let name_of = |index: i64, part: &str| format!("{array}{}{part}", declared.element(index));
        let mut found = divided(&layout, offset, access.bytes.into(), name_of)?;
        if found.index < 0 && declared.dims.len() > 1 {
            found.text = before_first(array, &declared, found.index);
            found.last_text = None;
        }
        let found = Element { name: array.to_owned(), room: access.array_bytes?, ..found };
        Some(self.in_union(access, found, (&layout, offset), name_of))
    }

    /// The same element by the member of a union that the statement names. If that is not certain,
    /// it is named by its bytes.
    fn in_union(
        &self,
        access: &Access,
        found: Element,
        (layout, at): (&Layout, i64),
        name_of: impl Fn(i64, &str) -> String,
    ) -> Element {
        // of a race, the place is the first byte that both parties access
        let at = at - at.rem_euclid(i64::from(access.bytes.max(1)));
        let inside = at.rem_euclid(layout.bytes.max(1) as i64).unsigned_abs();
        let all = layout.alternatives(inside, access.bytes.into());
        if all.len() < 2 {
            return found;
        }
        let (line, column) = (access.source.line, access.source.column);
        let text = self.source.statement_text_around(line, column, 6);
        let text: Vec<char> = text.unwrap_or_default().chars().collect();
        let words: Vec<String> = super::scan::words(&text).map(|(_, word)| word).collect();
        let named = |part: &&String| {
            let names = part
                .split(['.', '[', ']'])
                .filter(|word| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()));
            names.into_iter().all(|name| words.iter().any(|word| word == name))
        };
        let mut parts = all.iter().filter(named);
        match (parts.next(), parts.next()) {
            (Some(part), None) => {
                Element { text: name_of(found.index, part), last_text: None, ..found }
            }
            _ => {
                let bytes = i64::from(access.bytes.max(1));
                let text = match bytes {
                    1 => format!("byte {at} of `{}`", found.name),
                    _ => format!("bytes {at} to {} of `{}`", at + bytes - 1, found.name),
                };
                Element { text, last_text: None, size: None, index: at, last: None, ..found }
            }
        }
    }

    /// `name[3].x`, or `*name` and `name->x` where the source has no index.
    fn element_through(&self, name: &str, index: i64, part: &str) -> String {
        if index != 0 || !self.is_single(name) {
            return format!("{name}[{index}]{part}");
        }
        match part.strip_prefix('.') {
            Some(member) => format!("{name}->{member}"),
            None if part.is_empty() => format!("*{name}"),
            None => format!("(*{name}){part}"),
        }
    }

    /// Whether the kernel uses a pointer only for the one object that it points to: `*total`,
    /// `atomicAdd(total, 1)`, `p->x`.
    fn is_single(&self, name: &str) -> bool {
        let own = name.rsplit('.').next().unwrap_or(name);
        let Some(kernel) = self.kernel_function() else { return false };
        let uses: Vec<(u32, u32)> = self
            .source
            .occurrences(own)
            .into_iter()
            .filter(|(line, _)| (kernel.line..=kernel.end).contains(line))
            .skip(usize::from(own == name))
            .collect();
        let single = |(line, column): &(u32, u32)| {
            let before = self.source.code_before(*line, *column);
            let before = before.trim_end();
            let after = self.source.after(*line, column + own.chars().count() as u32);
            let after = after.trim_start();
            let argument = before.ends_with('(')
                && before
                    .trim_end_matches('(')
                    .rsplit(|c| !super::scan::is_word(c))
                    .next()
                    .is_some_and(|function| function.starts_with("atomic"));
            // a pointer is no factor, so that a `*` before it is no multiplication
            let plain = !after.starts_with('[');
            after.starts_with("->")
                || argument && after.starts_with(',')
                || before.ends_with('*') && plain
        };
        !uses.is_empty() && uses.iter().all(single)
    }

    /// The parameter and the element at a byte of an array that parameters point into: of several
    /// parameters, the one that points closest before it.
    pub fn pointed_at(&self, array: &str, byte: i64) -> Option<(String, i64)> {
        let before = |number: &usize| self.start_of(*number) <= byte;
        let numbers = self.numbers_of(array).into_iter().filter(before);
        let number = numbers.max_by_key(|number| self.start_of(*number))?;
        let parameter = self.parameters().get(number)?;
        let size = i64::try_from(parameter.element.as_ref()?.bytes.max(1)).ok()?;
        Some((parameter.name.clone(), (byte - self.start_of(number)) / size))
    }

    /// The pointer that an access goes through.
    fn pointer(&self, access: &Access) -> Option<PointerText> {
        let array = access.array.as_deref()?;
        if let Some(position) = self.params.iter().position(|param| param.name == array) {
            // an exercise says what its elements are, so only a kernel that takes them as others
            // counts differently
            let declared = self.parameters().get(position)?;
            let element = declared.element.as_ref()?;
            let size = self.params.get(position)?.dtype.bytes() as u64;
            (element.bytes != size).then_some(())?;
            let element = Some(element.clone());
            let (name, parameter) = (declared.name.clone(), None);
            return Some(PointerText { name, element, start: 0, parameter });
        }
        if array.starts_with(DEVICE_HEAP) {
            return self.heap_pointer(access);
        }
        if array.starts_with(TEXELS) {
            return None;
        }
        if let Some(pointer) = access.pointer {
            return self.pointer_in(pointer.parameter as usize, pointer.byte.into(), pointer.start);
        }
        let candidates = self.numbers_of(array);
        let mut numbers = candidates.clone();
        if numbers.len() > 1 {
            let text = self.source.statement_text(access.source.line, 6);
            let is_on_it = |number: &usize| {
                let name = self.parameters().get(*number).map(|p| p.name.as_str());
                let chars: Vec<char> = text.chars().collect();
                super::scan::words(&chars).any(|(_, word)| Some(word.as_str()) == name)
            };
            numbers.retain(is_on_it);
        }
        match numbers.as_slice() {
            [only] => self.pointer_in(*only, 0, self.start_of(*only)),
            [] if candidates.is_empty() && self.is_launch_of_program() => {
                Some(self.pointer_of_host(array))
            }
            _ => self.any_of(array, &candidates),
        }
    }

    /// The memory that several parameters point into, which all see the same elements in it.
    fn any_of(&self, array: &str, candidates: &[usize]) -> Option<PointerText> {
        let of = |number: &usize| self.parameters().get(*number)?.element.as_ref();
        let mut elements = candidates.iter().map(of);
        let first = elements.next()?;
        let element = first.filter(|_| elements.all(|other| other == first)).cloned();
        Some(PointerText { name: array.to_owned(), element, start: 0, parameter: None })
    }

    /// Memory that no parameter points to, by the variable of the host that it was allocated with.
    fn pointer_of_host(&self, array: &str) -> PointerText {
        let name = self.name(array);
        let element = self.source.declaration(name).and_then(|found| {
            let before = self.source.before(found.line, found.column);
            // the first of several names has the type of all
            let first = before.split(['*', ',']).next()?;
            let stars = before.len() - before.trim_end_matches(['*', ' ']).len();
            let stars = before.get(before.len() - stars..)?;
            let declared = self.types().declared(&format!("{first} {stars}{name}"), &[])?;
            self.types().layout(&declared.points_to?)
        });
        PointerText { name: name.to_owned(), element, start: 0, parameter: None }
    }

    /// What the source calls the pointer in a parameter, at a byte of it: `p`, or `p.data` in a
    /// structure.
    pub fn pointer_name(&self, number: usize, byte: u64) -> Option<String> {
        self.pointer_in(number, byte, 0).map(|pointer| pointer.name)
    }

    /// The pointer in a parameter, at a byte of it.
    fn pointer_in(&self, number: usize, byte: u64, start: i64) -> Option<PointerText> {
        let ParameterText { name, element, own, pointer } = self.parameters().get(number)?;
        let (place, part) = (u32::try_from(number).ok()?, u32::try_from(byte).ok()?);
        let parameter = Some(Pointer { parameter: place, byte: part, start });
        if *pointer && byte == 0 {
            let (name, element) = (name.clone(), element.clone());
            return Some(PointerText { name, element, start, parameter });
        }
        let (part, to) = own.as_ref()?.pointer_at(byte)?;
        let element = self.types().layout(to);
        Some(PointerText { name: format!("{name}{part}"), element, start, parameter })
    }

    /// The variable with which a line accesses memory that the kernel allocated.
    fn heap_pointer(&self, access: &Access) -> Option<PointerText> {
        let text =
            self.source.statement_text_around(access.source.line, access.source.column, 6)?;
        let chars: Vec<char> = text.chars().collect();
        let mut names: Vec<String> = super::scan::words(&chars).map(|(_, word)| word).collect();
        names.sort();
        names.dedup();
        names.retain(|name| {
            self.source.declaration_before(name, access.source.line).is_some_and(|found| {
                found.indexable && !found.parameter && self.source.shared(name).is_none()
            })
        });
        let [name] = names.as_slice() else { return None };
        let found = self.source.declaration_before(name, access.source.line)?;
        let declared = format!("{}{name}", self.source.before(found.line, found.column));
        let declared = self.types().declared(&declared, self.template_arguments())?;
        let element = self.types().layout(&declared.points_to?);
        Some(PointerText { name: name.clone(), element, start: 0, parameter: None })
    }
}

/// What a parameter is, as it is written.
pub fn parameter_text(
    types: &Types<'_, '_>,
    text: &str,
    known: &[(String, String)],
) -> Option<ParameterText> {
    let declared = types.declared(text, known)?;
    let element = declared.points_to.as_ref().and_then(|to| types.layout(to));
    let pointer = declared.points_to.is_some();
    let own = if pointer { None } else { types.layout(&declared.own) };
    Some(ParameterText { name: declared.name, element, own, pointer })
}

/// An access to `bytes` bytes at byte `at` of an array of elements of this type.
fn divided(
    layout: &Layout,
    at: i64,
    bytes: u64,
    name_of: impl Fn(i64, &str) -> String,
) -> Option<Element> {
    let size = i64::try_from(layout.bytes.max(1)).ok()?;
    let (index, inside) = (at.div_euclid(size), at.rem_euclid(size).unsigned_abs());
    let end = at.checked_add(i64::try_from(bytes.max(1)).ok()?)?.checked_sub(1)?;
    let last = Some(end.div_euclid(size)).filter(|last| *last > index);
    let (mut text, mut last_text, mut kind) = (name_of(index, ""), None, layout.kind());
    let mut in_member_array = false;
    if let Some(last) = last {
        last_text = Some(name_of(last, ""));
    } else if let Some((part, inner)) = layout.part(inside, bytes) {
        (text, kind) = (name_of(index, &part), inner.kind());
        in_member_array = part.contains('[');
    } else if let Some((first, end)) =
        [8, 4, 2, 1].into_iter().find_map(|each| layout.parts(inside, bytes, each))
    {
        (text, last_text) = (name_of(index, &first), Some(name_of(index, &end)));
    } else {
        text = format!("a part of {text}");
    }
    let size = Some(layout.bytes.max(1));
    Some(Element {
        size,
        index,
        last,
        text,
        last_text,
        kind,
        in_member_array,
        ..Element::default()
    })
}

/// An element in front of an array of several dimensions, whose indices are ambiguous: one less in
/// a row is as far away as one row less and many columns more.
fn before_first(array: &str, declared: &shared::Declared, index: i64) -> String {
    let positions = super::words::many(index.unsigned_abs(), "position", "positions");
    format!("the element {positions} before {array}{}", declared.element(0))
}
