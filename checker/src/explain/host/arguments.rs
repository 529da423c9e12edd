//! Explains a kernel's finding by what the host passed to the launch.

use cudart_sim::report::{ForeignArgument, Memory, PointerTarget};
use cudart_sim::runtime::LaunchRecord;
use ptxsim::{Finding, FindingKind};

use super::{Draft, Program, bounds, handles, padding, writers};
use crate::explain::calls::Argument;
use crate::explain::objects;
use crate::explain::outline::Function;
use crate::explain::scan::{is_word, span};
use crate::explain::scene::Scene;
use crate::report::Span;

/// The names of memory that a kernel got inside a structure: the runtime's name, and the one in the
/// source.
pub fn indirect(program: Program<'_>, launched: &LaunchRecord) -> Vec<(String, String)> {
    let alias = |memory: &Memory| {
        let name = program.name(memory);
        let plain = name.strip_prefix('`')?.strip_suffix('`')?;
        Some((memory.name.clone(), plain.to_owned()))
    };
    let passed = |memory: &&Memory| {
        let mut arrays = launched.arrays.iter();
        arrays.any(|(i, array)| {
            *array == memory.name && program.source.has_pointer_parameter(&launched.kernel, *i)
        })
    };
    launched.named.iter().filter(|memory| !passed(memory)).filter_map(alias).collect()
}

/// Adds to a kernel's finding which of its pointer arguments do not point to live device memory.
pub fn explain_arguments(
    program: Program<'_>,
    launched: &LaunchRecord,
    (scene, finding): (&Scene<'_>, &Finding),
    mut draft: Draft,
) -> Draft {
    if let Some([texture, surface]) = objects::texture_and_surface(scene, finding) {
        return objects::same_array(draft, [&texture, &surface]).mark(program.mark(
            launched.at.as_ref(),
            false,
            "launched here",
        ));
    }
    let names = program.source.parameters(&launched.kernel);
    let element = Counted::of(scene, finding);
    if let Some(cast) = program.cast(launched, finding, element) {
        let name = program.name(cast.memory);
        let memory_size = (&*name, cast.memory.bytes);
        draft = bounds::cast_pointer([cast.each, cast.allocated], memory_size, &cast.text, draft)
            .mark(program.mark(launched.at.as_ref(), false, "cast here"))
            .mark(program.allocated(cast.memory));
    } else if let Some((memory, each)) = partial(launched, finding, element) {
        let name = program.name(memory);
        draft = bounds::partial_elements(each, (&name, memory.bytes), draft)
            .mark(program.allocated(memory));
    } else if let Some(crossed) = crossed(program, launched, finding, &names) {
        draft = draft
            .mark(program.mark(launched.at.as_ref(), false, "launched here"))
            .note(crossed)
            .think("which parameter of the kernel does each argument of this launch belong to?");
    } else if let Some((memory, number, each)) = too_small(launched, finding, element) {
        let (i, value) = number;
        let argument =
            names.get(i).map_or_else(|| format!("argument {}", i + 1), |n| format!("`{n}`"));
        let name = program.name(memory);
        let (passed, memory_size) = ((&*argument, value), (&*name, memory.bytes));
        draft = match program.earlier_launch(launched, i) {
            Some(earlier) => bounds::other_number(each, passed, memory_size, draft)
                .mark([earlier])
                .mark(program.mark(launched.at.as_ref(), false, "launched here")),
            None => bounds::small_allocation(each, passed, memory_size, draft),
        }
        .mark(program.allocated(memory));
    } else if let Some((memory, extents, each)) = one_extent(launched, finding, element) {
        let extents = extents.map(|(i, value)| {
            let name =
                names.get(i).map_or_else(|| format!("argument {}", i + 1), |n| format!("`{n}`"));
            format!("{name} = {value}")
        });
        let name = program.name(memory);
        draft = bounds::one_extent_allocated(each, extents, (&name, memory.bytes), draft)
            .mark(program.allocated(memory));
    } else if let Some(((i, value), pointer)) = late(scene, launched, finding) {
        let argument =
            names.get(i).map_or_else(|| format!("argument {}", i + 1), |n| format!("`{n}`"));
        draft = bounds::late_pointer((&argument, value), &pointer, draft);
    }
    if let Some((swapped, memory)) = swapped_extent(launched, finding) {
        let [width, height] = swapped.extents().map(|n| i64::try_from(n).unwrap_or(-1));
        let extents = launched.integers.iter().filter(|(_, n)| [width, height].contains(n));
        let got: Vec<String> =
            extents.filter_map(|(i, n)| Some(format!("`{}` = {n}", names.get(*i)?))).collect();
        let launch = program.mark(launched.at.as_ref(), false, "launched here");
        let launch = launch.filter(|_| !got.is_empty());
        draft = swapped.explain(&got, draft).mark(program.allocated(memory)).mark(launch);
    }
    if let Some(memory) = pitched(launched, finding) {
        draft = draft.mark(program.mark(memory.at.as_ref(), false, "allocated here, with a pitch"));
        let at = &finding.at;
        let byte = at
            .index
            .and_then(|index| u64::try_from(index).ok())
            .map(|index| index * u64::from(at.bytes));
        draft = match byte.and_then(|byte| padding(memory, byte)) {
            Some(padding) => draft.note(padding).think(
                "at which byte does the second row begin, and at which byte does this line look for it?",
            ),
            None if byte.is_some_and(|byte| begins_row(memory, byte)) => draft.think(format!(
                "which rows of {} does the kernel read, and which of them do the copies before this launch write?",
                program.name(memory)
            )),
            None => draft.think(format!(
                "how many bytes does a row of {} have, and how many of them does the copy before this launch write?",
                program.name(memory)
            )),
        };
    }
    if finding.what == FindingKind::UninitialisedRead
        && let Some(memory) =
            launched.named.iter().find(|m| finding.at.array.as_ref() == Some(&m.name))
    {
        let maker = format!("{} does not clear", program.allocator(memory));
        for note in &mut draft.notes {
            *note = note.replace("cudaMalloc does not clear", &maker);
        }
    }
    draft = writers::explain(program, launched, finding, draft);
    if matches!(finding.what, FindingKind::BadObject { .. }) {
        return handles::explain(program, launched, (scene, finding), draft);
    }
    let after_free = finding.what == FindingKind::UseAfterFree;
    for ForeignArgument { target, .. } in &launched.foreign_arguments {
        match target {
            PointerTarget::Freed { memory, freed, .. }
                if after_free && finding.at.array.as_ref() == Some(&memory.name) =>
            {
                draft = draft.mark(program.mark(freed.as_ref(), false, "freed here")).mark(
                    program.mark(launched.at.as_ref(), false, "and passed to the kernel here"),
                );
            }
            _ => {}
        }
    }
    let host = launched.foreign_arguments.iter().filter(|a| a.target == PointerTarget::Host);
    let host: Vec<&ForeignArgument> = host.filter(|_| !after_free).collect();
    if !host.is_empty() {
        return host_arguments(program, launched, (scene, finding), &host, draft);
    }
    let host_address = draft.notes.iter().any(|note| note.contains("looks like a host pointer"));
    if host_address && finding.what == FindingKind::InvalidAddress {
        return draft
            .note("no argument of this launch is a host address: the kernel has read this one from memory")
            .think("which line stores this pointer in the memory that the kernel reads, and where does it point to?");
    }
    draft
}

/// Says that these arguments are addresses of the host.
fn host_arguments(
    program: Program<'_>,
    launched: &LaunchRecord,
    (scene, finding): (&Scene<'_>, &Finding),
    arguments: &[&ForeignArgument],
    mut draft: Draft,
) -> Draft {
    let names = program.source.parameters(&launched.kernel);
    let plain = |argument: &&ForeignArgument| {
        let ForeignArgument { number, byte, .. } = **argument;
        let member = scene.pointer_name(number, byte);
        let name = member.or_else(|| names.get(number).cloned());
        name.map_or_else(|| format!("number {}", number + 1), |name| format!("`{name}`"))
    };
    let address = format!("{:#x}", finding.at.address);
    let to = if draft.title.contains(" writes ") { "to " } else { "" };
    draft.title = draft.title.replace(
        &format!("address {address}, which belongs to no array"),
        &format!("{to}host memory, which a kernel cannot access"),
    );
    for span in &mut draft.spans {
        span.label = span.label.replace(&address, "host memory");
    }
    draft.notes.retain(|note| !note.contains("looks like a host pointer"));
    draft = draft.mark(program.mark(launched.at.as_ref(), false, "passed to the kernel here"));
    draft = match arguments {
        [one] => draft.note(format!("the argument {} is a host address", plain(one))),
        [others @ .., last] => {
            let others: Vec<String> = others.iter().map(plain).collect();
            let (others, last) = (others.join(", "), plain(last));
            draft.note(format!("the arguments {others} and {last} are host addresses"))
        }
        [] => draft,
    };
    let reference =
        |a: &&ForeignArgument| program.source.takes_reference(&launched.kernel, a.number);
    if arguments.iter().any(reference) {
        return draft.note("a reference is an address, and here it is the address of a variable of the host: a kernel takes its parameters by value");
    }
    if let Some(variable) =
        arguments.iter().find_map(|a| program.passed_variable(launched, a.number))
    {
        return draft
            .note(format!("`{variable}` is a device variable, so on the host its name is not its address; a kernel can use the name itself"))
            .think("does the kernel need this argument?");
    }
    match arguments.iter().find_map(|a| program.passed_address(launched, a.number)) {
        Some(variable) => draft.think(format!(
            "does the kernel need the address of `{variable}`, or the value of `{variable}`?"
        )),
        None => draft.think("which memory can a kernel use, and how do the values get there?"),
    }
}

impl Program<'_> {
    /// Marks a launch above this one, in the same function, that passes the same number. It had no
    /// finding, so the number is right for its memory.
    fn earlier_launch(self, launched: &LaunchRecord, number: usize) -> Option<Span> {
        let (line, _) = self.line(launched.at.as_ref()?).filter(|_| launched.number > 0)?;
        let passed = &self.source.call_arguments(line, &launched.kernel).get(number)?.text.clone();
        let function = self.source.function_around(line)?;
        let kernels = self.source.functions().into_iter().filter(Function::is_kernel);
        let launches = kernels.flat_map(|kernel| {
            let places = self.source.occurrences(&kernel.name).into_iter();
            places.map(move |(at, _)| (at, kernel.name.clone()))
        });
        let mut earlier = launches.filter(|(at, kernel)| {
            let arguments = || self.source.call_arguments(*at, kernel);
            (function.line..line).contains(at) && arguments().iter().any(|a| a.text == *passed)
        });
        let (at, _) = earlier.next()?;
        let (column, length) = self.source.statement_with(at, 0, "<<<")?;
        Some(span(at, column, length, false, format!("this launch passes `{passed}`, too")))
    }

    /// The cast that an argument of a launch makes, if a thread has accessed an element past the
    /// end of this memory, and it has room for one of the launch's numbers in smaller elements.
    fn cast<'a>(
        self,
        launched: &'a LaunchRecord,
        finding: &Finding,
        element: Option<Counted>,
    ) -> Option<Cast<'a>> {
        let (memory, (_, elements), each) = too_small(launched, finding, element)?;
        let (number, _) = launched.arrays.iter().find(|(_, name)| *name == memory.name)?;
        let text = self.argument(launched, *number)?;
        let is_cast = text.starts_with("reinterpret_cast<") || text.starts_with('(');
        let elements = u64::try_from(elements).ok().filter(|_| is_cast && text.contains("*"))?;
        let allocated = memory.bytes / elements;
        let whole = memory.bytes % elements == 0;
        (whole && (1..each).contains(&allocated)).then_some(Cast { memory, each, allocated, text })
    }

    /// The device variable whose name is an argument of a launch, numbered from 0.
    fn passed_variable(self, launched: &LaunchRecord, number: usize) -> Option<String> {
        let argument = self.argument(launched, number)?;
        let name = argument.trim_start_matches('&').trim();
        let mut variables =
            self.source.texts().filter_map(|(_, code)| super::names::device_variable(&code));
        variables.find(|variable| variable == name)
    }

    /// The variable whose address is an argument of a launch, numbered from 0: `c` for `&c`. An
    /// element of an array is none, because its address is that of the array's memory.
    fn passed_address(self, launched: &LaunchRecord, number: usize) -> Option<String> {
        let argument = self.argument(launched, number)?;
        let variable = argument.strip_prefix('&')?.trim();
        let is_name = |c: char| is_word(c) || c == '.';
        variable.chars().all(is_name).then(|| variable.to_owned())
    }

    /// The text of a launch's argument, numbered from 0.
    fn argument(self, launched: &LaunchRecord, number: usize) -> Option<String> {
        let (line, _) = self.line(launched.at.as_ref()?)?;
        let arguments = self.source.call_arguments(line, &launched.kernel);
        Some(arguments.get(number)?.text.trim().to_owned())
    }
}

/// An argument that is a pointer cast to another type.
struct Cast<'a> {
    memory: &'a Memory,
    /// Bytes of an element in the kernel.
    each: u64,
    /// Bytes for each element in the memory.
    allocated: u64,
    /// The argument: `(double*)d`.
    text: String,
}

/// The elements that an access counts, from the start of its memory.
#[derive(Debug, Clone, Copy)]
struct Counted {
    /// Bytes of one.
    each: u64,
    index: i64,
    last: i64,
}

impl Counted {
    /// `None` if the type is not known, or if the pointer does not point to the start.
    fn of(scene: &Scene<'_>, finding: &Finding) -> Option<Self> {
        let at = &finding.at;
        let counted = |each: u64, index: Option<i64>, last: Option<i64>| {
            Some(Self { each: each.max(1), index: index?, last: last.or(index)? })
        };
        let Some(found) = scene.located(at) else {
            let spanned = at.last_index.zip(at.index).map_or(1, |(last, first)| last - first + 1);
            let each = u64::from(at.bytes) / spanned.unsigned_abs().max(1);
            return counted(each, at.index, at.last_index);
        };
        let plain = found.before == 0 && found.overrun.is_none();
        counted(found.size.filter(|_| plain)?, Some(found.index), found.last)
    }
}

/// The memory past whose end a thread of a launch has accessed an element, if its bytes are no
/// whole number of such elements, and the bytes of one.
fn partial<'a>(
    launched: &'a LaunchRecord,
    finding: &Finding,
    element: Option<Counted>,
) -> Option<(&'a Memory, u64)> {
    let Counted { each, index, last } = element?;
    let name = finding.at.array.as_ref().filter(|_| finding.what == FindingKind::OutOfBounds)?;
    let memory = launched.named.iter().find(|memory| memory.name == *name)?;
    let whole = memory.bytes % each == 0;
    (index >= 0 && last == index && !whole).then_some((memory, each))
}

/// The memory past whose end a thread of a launch has accessed an element, the integer argument
/// that is larger than the number of its elements, and the bytes of one: the launch works on more
/// elements than the memory has room for.
fn too_small<'a>(
    launched: &'a LaunchRecord,
    finding: &Finding,
    element: Option<Counted>,
) -> Option<(&'a Memory, (usize, i64), u64)> {
    let (at, Counted { each, last, .. }) = (&finding.at, element?);
    let name = at.array.as_ref().filter(|_| finding.what == FindingKind::OutOfBounds)?;
    let memory = launched.named.iter().find(|memory| memory.name == *name)?;
    let elements = i64::try_from(memory.bytes / each).ok()?;
    let block = launched.block.iter().product::<u32>();
    if block > 1 && at.block[0] > 0 && i64::from(at.block[0]) == last {
        // one element for each block, however many elements the kernel works on
        return None;
    }
    let blocks = launched.grid.iter().product::<u32>();
    if blocks > 1 && i64::from(at.linear) == last {
        // one element for each thread of a block, whose number only in the first block is that of
        // an element in the launch
        let first = at.block == [0; 3];
        let needed = |value: i64| u64::try_from(value.saturating_sub(elements)).unwrap_or(0);
        let all = launched
            .integers
            .iter()
            .any(|(_, value)| *value > last && finding.count >= needed(*value));
        if !first || !all && finding.threads <= u64::from(block) {
            return None;
        }
    }
    // An index that no element of the launch's number has is wrong itself.
    let number = launched.integers.iter().find(|(_, value)| *value > last)?;
    (last >= elements).then_some((memory, *number, each))
}

/// An integer argument: its number and its value.
type Integer = (usize, i64);

/// The memory past whose end a thread of a launch has accessed an element, where it has room for as
/// many elements as one of two integer arguments says, and the kernel works on their product: the
/// two arguments and the bytes of an element.
fn one_extent<'a>(
    launched: &'a LaunchRecord,
    finding: &Finding,
    element: Option<Counted>,
) -> Option<(&'a Memory, [Integer; 2], u64)> {
    let Counted { each, last, .. } = element?;
    let name = finding.at.array.as_ref().filter(|_| finding.what == FindingKind::OutOfBounds)?;
    let memory = launched.named.iter().find(|memory| memory.name == *name)?;
    let elements = i64::try_from(memory.bytes / each.max(1)).ok()?;
    let integers = &launched.integers;
    let pairs = integers
        .iter()
        .enumerate()
        .flat_map(|(i, a)| integers.iter().skip(i + 1).map(move |b| [*a, *b]));
    let mut fitting = pairs.filter(|[(_, a), (_, b)]| {
        let product = a.checked_mul(*b).unwrap_or(0);
        *a > 1
            && *b > 1
            && (*a == elements || *b == elements)
            && (elements..product).contains(&last)
    });
    Some((memory, fitting.next()?, each))
}

/// The integer argument with the number of elements that a launch works on, and the pointer behind
/// which fewer are left, because it does not point to the start of its memory.
fn late(
    scene: &Scene<'_>,
    launched: &LaunchRecord,
    finding: &Finding,
) -> Option<((usize, i64), String)> {
    let found = scene.located(&finding.at).filter(|_| finding.what == FindingKind::OutOfBounds)?;
    let (each, last) = (found.size?.max(1), found.last.unwrap_or(found.index));
    let left = i64::try_from(found.room / each).ok()?;
    let number = launched.integers.iter().find(|(_, value)| *value > last)?;
    (found.before > 0 && left > 0 && last >= left).then_some((*number, found.name))
}

/// Says which arguments of a launch have changed places: the parameter by which the kernel has used
/// too much memory, or memory that nothing has written, got another argument than the one that has
/// its name.
fn crossed(
    program: Program<'_>,
    launched: &LaunchRecord,
    finding: &Finding,
    names: &[String],
) -> Option<String> {
    let kinds = [FindingKind::OutOfBounds, FindingKind::UninitialisedRead];
    let array = finding.at.array.as_ref().filter(|_| kinds.contains(&finding.what))?;
    let (line, _) = program.line(launched.at.as_ref()?)?;
    let arguments = program.source.call_arguments(line, &launched.kernel);
    if let Some(crossed) = crossed_integers(launched, &arguments, names) {
        return Some(crossed);
    }
    let (number, _) = launched.arrays.iter().find(|(_, name)| name == array)?;
    let parameter = names.get(*number)?;
    let passed = &arguments.get(*number)?.text;
    let plain = |text: &str| text.replace('_', "").to_lowercase();
    let named = |text: &str| {
        let (text, parameter) = (plain(text), plain(parameter));
        let affixes = ["", "d", "dev", "gpu", "device"];
        let with = |affix: &&str| {
            text == format!("{affix}{parameter}") || text == format!("{parameter}{affix}")
        };
        affixes.iter().any(with)
    };
    let other = arguments.iter().position(|argument| named(&argument.text))?;
    let its = names.get(other).filter(|_| other != *number && !named(passed))?;
    let argument = &arguments.get(other)?.text;
    Some(format!("the parameter `{parameter}` gets `{passed}`, and `{its}` gets `{argument}`"))
}

/// Says which integer arguments of a launch have changed places: one has the name of another one's
/// parameter, and that parameter gets something else.
fn crossed_integers(
    launched: &LaunchRecord,
    arguments: &[Argument],
    names: &[String],
) -> Option<String> {
    let is_integer = |i: usize| launched.integers.iter().any(|(number, _)| *number == i);
    let of = |i: usize| is_integer(i).then(|| Some((names.get(i)?, &arguments.get(i)?.text)))?;
    let crossed = |i: usize| {
        let (parameter, passed) = of(i).filter(|(parameter, passed)| parameter != passed)?;
        let other = names.iter().position(|name| name == passed)?;
        let (its, argument) = of(other).filter(|(its, argument)| its != argument)?;
        Some(format!("the parameter `{parameter}` gets `{passed}`, and `{its}` gets `{argument}`"))
    };
    (0..names.len()).find_map(crossed)
}

/// The array outside which a launch has used a surface, if its width and height may be swapped.
fn swapped_extent<'a>(
    launched: &'a LaunchRecord,
    finding: &Finding,
) -> Option<(objects::Swapped, &'a Memory)> {
    let swapped = objects::fits_if_swapped(finding)?;
    let array = finding.at.array.as_ref()?;
    Some((swapped, launched.named.iter().find(|memory| memory.name == *array)?))
}

/// Whether a byte of memory with a pitch is the first one of a row, but not of the first row.
fn begins_row(memory: &Memory, byte: u64) -> bool {
    memory.rows.is_some_and(|rows| byte > 0 && byte.is_multiple_of(rows.pitch))
}

/// The memory with padding after each row of which a thread has read bytes that nothing has
/// written.
fn pitched<'a>(launched: &'a LaunchRecord, finding: &Finding) -> Option<&'a Memory> {
    let name =
        finding.at.array.as_ref().filter(|_| finding.what == FindingKind::UninitialisedRead)?;
    let has_pitch = |memory: &&Memory| {
        let call = memory.at.as_ref().map_or("", |at| at.call.as_str());
        memory.name == *name && ["cudaMallocPitch", "cudaMalloc3D"].contains(&call)
    };
    launched.named.iter().find(has_pitch)
}
