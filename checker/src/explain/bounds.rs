//! Explains accesses outside an array, and asks about what is wrong with them: the guard, the
//! index, or its type.

use ptxsim::{Access, Action, Finding, FindingKind, Space};

use super::Draft;
use super::element::Element;
use super::faults::{repeated, verb};
use super::scan::span;
use super::scene::Scene;
use super::words::{count, many, volume};

/// Largest distance of an element from a neighbour, as stencils have it.
const MAX_NEIGHBOUR: u64 = 64;

/// An access outside the array that it is meant for.
pub fn out_of_bounds(scene: &Scene<'_>, finding: &Finding) -> Draft {
    let at = &finding.at;
    let array = at.array.as_deref().map(|name| scene.name(name).to_owned());
    let elements = at.elements;
    // the others may go past the end instead
    let outside = (is_before(at) && finding.threads > 1)
        .then(|| format!("{} threads leave the array", count(finding.threads)));
    let again = outside.or_else(|| repeated(finding));
    let label = match (scene.subscript_value(at), again) {
        (Some(value), Some(again)) => format!("{value} here; {again}"),
        (Some(value), None) => format!("{value} here"),
        (None, Some(again)) => again,
        (None, None) => format!("{} outside the array", verb(at.action)),
    };
    let mut draft =
        Draft::new(title(scene, at, array.as_deref(), elements)).mark(scene.mark(at, true, label));
    let elements = elements.unwrap_or(0);
    let mistake = Mistake::of(scene, finding, elements);
    draft.notes.extend(scene.pointer_note(at));
    draft.notes.extend(extent(scene, at, array.as_deref(), elements, mistake));
    let watched = draft.watch(scene.simulated.then_some((at.block, at.thread)));
    let launched =
        |array: &String| at.space == Some(Space::Shared) && scene.source.is_sized_by_launch(array);
    let sized = array.as_ref().filter(|array| !is_before(at) && launched(array));
    if let Some(array) = sized.filter(|_| !scene.is_launch_of_program() && !scene.program) {
        return watched
            .note(format!(
                "`extern` leaves the size of `{array}` to the launch, and this exercise's launch gives it {}",
                many(at.array_bytes.unwrap_or(0), "byte", "bytes")
            ))
            .think("how many elements does one block need, and where can the kernel itself say so?");
    }
    if let Some(array) = sized {
        return watched
            .note(format!(
                "the launch sets the size of `{array}` in bytes, with the third value between <<< and >>>"
            ))
            .think(format!(
                "which element should {} use here, and for how many bytes does the launch make room?",
                scene.thread(at)
            ));
    }
    if let Some((line, column, length)) = guard(scene, at, mistake) {
        let label = format!("this condition is true for {}", scene.thread(at));
        return watched
            .mark([span(line, column, length, false, label)])
            .think("for which threads should this condition be true?");
    }
    let draft = match mistake {
        Mistake::Wrapped => watched
            .note("an unsigned number cannot be negative: below 0 it wraps around to 4294967295"),
        Mistake::Wrapped64 => watched.note(
            "an unsigned number cannot be negative: below 0 it wraps around to 18446744073709551615",
        ),
        _ => watched,
    };
    draft.think(mistake.question(scene, at))
}

/// The condition around an access that lets in a thread without an element of its own.
fn guard(scene: &Scene<'_>, at: &Access, mistake: Mistake) -> Option<(u32, u32, u32)> {
    let (line, column) = (at.source.line, at.source.column);
    // memory that the program allocates may be too small instead
    let own = !scene.is_launch_of_program() && at.called_from.is_none();
    let guarded = own && matches!(mistake, Mistake::Guard | Mistake::Thread);
    let place = scene.source.enclosing(line, column, &["if"]).filter(|_| guarded)?;
    let function = scene.source.function_around(line)?;
    let text = scene.source.line(place.0)?.chars().skip(place.1 as usize - 1);
    let condition: String = text.take(place.2 as usize).collect();
    let compares = condition.replace("->", "").contains(['<', '>']);
    // a semicolon after the condition ends the statement, so the block is none of its
    let end = place.1 as usize - 1 + place.2 as usize;
    let rest: String = scene.source.line(place.0)?.chars().skip(end).collect();
    let decides = rest.trim_start().starts_with('{');
    (place.0 >= function.line && compares && decides).then_some(place)
}

fn is_before(at: &Access) -> bool {
    at.index.is_some_and(|index| index < 0)
}

fn title(scene: &Scene<'_>, at: &Access, array: Option<&str>, elements: Option<u64>) -> String {
    let (thread, element, verb) = (scene.thread(at), scene.elements(at), verb(at.action));
    let located = scene.located(at);
    if let Some((array, length)) = located.as_ref().and_then(|found| found.overrun.as_ref()) {
        let length = many(*length, "element", "elements");
        return format!("{thread} {verb} {element}, but `{array}` has {length}");
    }
    if let Some(found) = located.filter(|found| found.size.is_none()) {
        let bytes = many(found.room, "byte", "bytes");
        return format!("{thread} {verb} {element}, which has {bytes}");
    }
    let subscript = scene.expression(at).map(|(_, subscript)| subscript.inner);
    let wrapped = subscript.and_then(|s| scene.wrapped(&s, (at.source.line, at.index?)));
    let inner = scene.located(at).filter(|found| found.before > 0 && found.index >= 0);
    if let Some(found) = inner.filter(|_| wrapped.is_none()) {
        return format!("{thread} {verb} {element}, but {}", rest_of(&found));
    }
    match (array, elements) {
        (Some(array), Some(elements)) if wrapped.is_some() => {
            let index = wrapped.unwrap_or_default();
            let elements = many(elements, "element", "elements");
            format!("{thread} {verb} {array}[{index}], but `{array}` has {elements}")
        }
        (Some(_), _) if is_before(at) && element.contains(" before ") => {
            format!("{thread} {verb} {element}, which is the first")
        }
        (Some(_), _) if is_before(at) => {
            format!("{thread} {verb} {element}, before the first element")
        }
        (Some(array), Some(0)) => format!(
            "{thread} {verb} {element}, but `{array}` has {}",
            many(at.array_bytes.unwrap_or(0), "byte", "bytes")
        ),
        (Some(array), Some(elements)) => format!(
            "{thread} {verb} {element}, but `{array}` has {}",
            many(elements, "element", "elements")
        ),
        (None, Some(elements)) if at.space == Some(Space::Local) => format!(
            "{thread} {verb} {element}, which have {} in total",
            many(elements, "element", "elements")
        ),
        (None, None) if at.space == Some(Space::Local) => {
            format!("{thread} {verb} outside its local arrays")
        }
        _ => format!("{thread} {verb} {element}, outside every array"),
    }
}

/// What is left of its memory behind a pointer that does not point to the start of it.
fn rest_of(found: &Element) -> String {
    let name = &found.name;
    let (each, room) = (found.size.unwrap_or(1).max(1), found.room);
    let (left, one, more) = match room / each {
        _ if room == 0 => return format!("`{name}` points to the end of its memory or beyond"),
        left if each > 1 && left > 0 => (left, "element", "elements"),
        _ => (room, "byte", "bytes"),
    };
    let are = if left == 1 { "is" } else { "are" };
    format!("only {} of its memory {are} left from `{name}` on", many(left, one, more))
}

/// The elements that the array has, beside the threads where there are too many of them.
fn extent(
    scene: &Scene<'_>,
    at: &Access,
    array: Option<&str>,
    elements: u64,
    mistake: Mistake,
) -> Vec<String> {
    let (Some(array), Some(last)) = (array, elements.checked_sub(1)) else { return vec![] };
    if scene.located(at).is_some_and(|found| found.overrun.is_some()) {
        return vec![];
    }
    let shape = at.array.as_deref().and_then(|name| scene.shape_line(scene.param(name)?));
    let global = at.space == Some(Space::Global);
    match shape {
        Some(shape) if global => vec![
            format!("`{array}` is {shape}, stored row after row: {array}[0] to {array}[{last}]"),
            scene.launch_line(),
        ],
        _ if mistake == Mistake::Block => vec![format!(
            "the launch has {}, and `{array}` has {}",
            many(volume(scene.grid), "block", "blocks"),
            many(elements, "element", "elements")
        )],
        _ if mistake == Mistake::Thread => vec![format!(
            "a block has {}, and `{array}` has {}",
            many(volume(scene.block), "thread", "threads"),
            many(elements, "element", "elements")
        )],
        _ if mistake == Mistake::Guard => {
            vec![format!("{}, for {}", scene.launch_line(), many(elements, "element", "elements"))]
        }
        _ => {
            let end = |index: u64| match (&at.array, i64::try_from(index)) {
                (Some(array), Ok(index)) => scene.element_at(at, array, index),
                _ => format!("{array}[{index}]"),
            };
            let (first, last) = (end(0), end(last));
            if first == last && elements > 1 {
                return vec![];
            }
            vec![format!("the elements of `{array}` are {first} to {last}")]
        }
    }
}

/// What is wrong with an index, as far as the run shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    /// An unsigned index that should be negative has wrapped around.
    Wrapped,
    /// The same with 64 bits.
    Wrapped64,
    /// The index is the thread's number less 65 536: it does not fit into 16 bits.
    Short,
    /// The first threads read elements before their own, and the array does not begin earlier.
    LeftNeighbour,
    /// It is negative in an array with cells before the one of the first thread.
    Halo,
    /// It is negative for another reason.
    Negative,
    /// The index is the thread's own, or its warp's or block's, and the array has no such element.
    Guard,
    /// The index is the block's number, and there are more blocks than elements.
    Block,
    /// The index is the thread's number in its block, and a block has more threads than the array
    /// has elements.
    Thread,
    /// The array has an element for this thread, but the index is another one.
    Index,
    /// The pointer points so near to the end of its memory that no element is left.
    Start,
    /// Nothing of this is certain.
    Unknown,
}

impl Mistake {
    fn of(scene: &Scene<'_>, finding: &Finding, elements: u64) -> Self {
        let at = &finding.at;
        let Some(index) = at.index else { return Self::Unknown };
        if scene.located(at).is_some_and(|found| found.overrun.is_some()) {
            return Self::Unknown;
        }
        if (i64::from(i32::MAX)..=u32::MAX.into()).contains(&index) {
            return Self::Wrapped;
        }
        let at_end = |found: Element| found.before > 0 && found.room < found.size.unwrap_or(1);
        if index >= 0 && scene.located(at).is_some_and(at_end) {
            return Self::Start;
        }
        let global = at.space == Some(Space::Global);
        let own = scene.own_element(at, elements).filter(|_| global);
        let subscript = scene.expression(at).map(|(_, subscript)| subscript.inner);
        if subscript.is_some_and(|subscript| scene.is_unsigned(&subscript, (at.source.line, index)))
        {
            return Self::Wrapped64;
        }
        if index < 0 {
            let distance = index.unsigned_abs();
            // As many threads have no such neighbour as it is far away, or fewer.
            // In two dimensions, an element further away is in another row. An array that has more
            // elements at its ends has the neighbours of all threads.
            let beside = scene.flat() || distance == 1;
            let extended = at.array.as_deref().and_then(|array| scene.param(array));
            let extended = extended.is_some_and(|param| param.shape.contains('+'));
            let neighbour = at.action == Action::Read
                && beside
                && !extended
                && distance <= MAX_NEIGHBOUR
                && finding.threads <= distance;
            let short = own.is_some_and(|(own, _)| i128::from(own) - (1 << 16) == index.into());
            return match (short, neighbour) {
                (true, _) => Self::Short,
                _ if scene.has_halo(at, elements) => Self::Halo,
                (_, true) => Self::LeftNeighbour,
                _ => Self::Negative,
            };
        }
        match own {
            // one thread of each block, without a guard
            Some((own, false)) if is_number_of_block(scene, at, own, index) && elements > 0 => {
                Self::Block
            }
            // a guard that lets some threads beyond the array work, but not the first of them, is
            // for another index
            Some((own, false))
                if own > elements
                    && index.unsigned_abs() == own
                    && finding.threads < scene.threads().saturating_sub(elements) =>
            {
                Self::Index
            }
            Some((own, _)) if scene.is_number_of(at, own, index) && elements > 0 => Self::Guard,
            Some((own, _)) if is_number_in_block(scene, at, own, index) && elements > 0 => {
                Self::Thread
            }
            // A loop takes a thread to other elements, and a wide access to several.
            Some((_, true)) if scene.enclosing_loop(at).is_some() || at.last_index.is_some() => {
                Self::Unknown
            }
            Some((_, true)) => Self::Index,
            _ => Self::Unknown,
        }
    }

    fn question(self, scene: &Scene<'_>, at: &Access) -> String {
        match self {
            Self::Wrapped | Self::Wrapped64 if scene.counts_down(at) => {
                "which value follows 0 when this number counts down, and can the loop's condition become false?"
                    .into()
            }
            Self::Wrapped | Self::Wrapped64 => {
                "for which threads would this index be negative, and what should they use instead?"
                    .into()
            }
            Self::Short => {
                "what is the largest number that the type of this index can hold?".into()
            }
            Self::LeftNeighbour => {
                "which threads have no left neighbour, and what should they use instead?".into()
            }
            Self::Halo => {
                let array = at.array.as_deref().map_or("the array", |array| scene.name(array));
                format!(
                    "which element does {} stand for, and in which cell is the thread's own element?",
                    scene.element_at(at, array, 0)
                )
            }
            Self::Negative => {
                "for which threads is this index negative, and which element should they use?"
                    .into()
            }
            Self::Guard => "what should the extra threads do?".into(),
            Self::Thread => "what should the extra threads of the block do?".into(),
            Self::Start => {
                "at which byte of its memory should this pointer begin, and how many bytes does it need there?"
                    .into()
            }
            Self::Block => {
                "is there an element for each block of this launch, or one for all of them?".into()
            }
            Self::Index => format!(
                "which element should {} use, and how does this line compute its index?",
                scene.thread(at)
            ),
            Self::Unknown if at.array.is_some() && !scene.elements(at).contains('[') => {
                "how many bytes does this line use, and how many does the memory have?".into()
            }
            Self::Unknown => match scene.array_behind_pointer(at) {
                Some(array) => format!(
                    "at which element of {} does the pointer on this line begin, and what is the largest index that it gets?",
                    scene.quoted(array)
                ),
                None => {
                    "what is the largest value of this index, and which thread computes it?".into()
                }
            },
        }
    }
}

/// Whether an index is the number of the thread's block, and not that of the thread or its warp.
fn is_number_of_block(scene: &Scene<'_>, at: &Access, own: u64, index: i64) -> bool {
    let block = u64::from(at.block[0]);
    let is = |number: u64| u64::try_from(index) == Ok(number);
    let of_warp = is(own / 32) && volume(scene.block) > 32;
    scene.flat() && is(block) && !is(own) && !of_warp
}

/// Whether an index is the number of a thread in its block, but not in the launch.
fn is_number_in_block(scene: &Scene<'_>, at: &Access, own: u64, index: i64) -> bool {
    let is = |number: u64| u64::try_from(index) == Ok(number);
    scene.flat() && is(at.linear.into()) && !is(own)
}

/// How many bytes memory has, and how many elements of `each` bytes fit.
fn room(each: u64, (memory, bytes): (&str, u64)) -> String {
    format!(
        "{memory} has {}, which is room for {} of {}",
        many(bytes, "byte", "bytes"),
        many(bytes / each.max(1), "element", "elements"),
        many(each, "byte", "bytes"),
    )
}

/// Adds that the bytes of a program's memory are no whole number of elements.
pub fn partial_elements(each: u64, (memory, bytes): (&str, u64), draft: Draft) -> Draft {
    draft
        .note(room(each, (memory, bytes)))
        .think("how many bytes does one element take, and how many elements must this memory hold?")
}

/// Adds that a launch gets a number of elements that its pointer does not have before the end of
/// its memory, because it begins too late.
pub fn late_pointer((name, value): (&str, i64), pointer: &str, mut draft: Draft) -> Draft {
    // the guard is right for this number
    draft.notes.retain(|note| !note.starts_with("the launch has "));
    draft
        .note(format!("the kernel gets {name} = {value}"))
        .think(format!("at which byte of its memory should `{pointer}` begin in this launch?"))
}

/// Adds that a launch passes a number of elements that fits other memory, but not this.
pub fn other_number(
    each: u64,
    (name, value): (&str, i64),
    (memory, bytes): (&str, u64),
    draft: Draft,
) -> Draft {
    draft
        .note(format!(
            "{}; this launch passes {} for {name}, as the launch above does",
            room(each, (memory, bytes)),
            count(value.unsigned_abs()),
        ))
        .think(format!(
            "how many elements does {memory} have for this launch, and which number should the launch pass?"
        ))
}

/// Adds to accesses outside an array that the kernel has written no element of its output.
pub fn unwritten((finding, threads): (&Finding, u64), output: &str, draft: Draft) -> Draft {
    if finding.what != FindingKind::OutOfBounds || finding.at.action == Action::Read {
        return draft;
    }
    let draft = draft.note(format!("in this run, no element of `{output}` is written"));
    // where all threads reach the line, its index is wrong
    if finding.threads >= threads {
        return draft;
    }
    draft.think(format!(
        "which threads should write an element of `{output}`, and which ones reach the line that does?"
    ))
}

/// Adds that memory of a program has room for one of two extents instead of their product.
pub fn one_extent_allocated(
    each: u64,
    [first, second]: [String; 2],
    (memory, bytes): (&str, u64),
    draft: Draft,
) -> Draft {
    draft
        .note(format!(
            "{}; the kernel gets {first} and {second}",
            room(each, (memory, bytes)),
        ))
        .think("how many elements does this array have in all, and which line decides how many bytes it gets?")
}

/// Adds that a launch casts a pointer to larger elements than its memory was allocated for.
pub fn cast_pointer(
    [each, allocated]: [u64; 2],
    (memory, bytes): (&str, u64),
    argument: &str,
    mut draft: Draft,
) -> Draft {
    draft.notes.retain(|note| !note.starts_with("the launch has "));
    draft
        .note(format!(
            "{}, but the kernel gets `{argument}` and accesses elements of {}",
            room(allocated, (memory, bytes)),
            many(each, "byte", "bytes"),
        ))
        .note("a cast changes the type of the pointer; it converts no element")
        .think(format!(
            "which type do the elements of {memory} have, and which type should the kernel get?"
        ))
}

/// Adds that memory of a program is too small for the number of elements that a launch gets.
pub fn small_allocation(
    each: u64,
    (name, value): (&str, i64),
    (memory, bytes): (&str, u64),
    draft: Draft,
) -> Draft {
    draft.note(format!("{}; the kernel gets {name} = {value}", room(each, (memory, bytes)),)).think(
        format!(
            "how many bytes do {} elements take, and which line decides how many there are?",
            count(value.unsigned_abs())
        ),
    )
}
