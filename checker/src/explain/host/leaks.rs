//! Explains memory and objects that a program never released.

use cudart_sim::report::{CallSite, Leak, LeakKind};

use super::{Draft, Program, many, size_in_bytes};

/// What a reader may not expect of `malloc` in a kernel.
const HEAP_NOTE: &str = "memory that a kernel gets from `malloc` stays allocated when the kernel ends, until a kernel calls `free`";

/// Explains memory and objects that were never released.
pub(super) fn leaks(program: Program<'_>, leaks: &[Leak]) -> Draft {
    let sized =
        |leak: &&Leak| matches!(leak.kind, LeakKind::Memory | LeakKind::Array | LeakKind::Pinned);
    let memory: Vec<&Leak> = leaks.iter().filter(sized).collect();
    let mut draft = Draft::new(leak_title(leaks, &memory));
    let mut lines: Vec<(&Leak, u64)> = vec![];
    for leak in leaks {
        let here = leak.at.as_ref().map(position);
        match lines.iter_mut().find(|(first, _)| first.at.as_ref().map(position) == here) {
            Some((_, count)) => *count += 1,
            None => lines.push((leak, 1)),
        }
    }
    for (i, (leak, count)) in lines.iter().take(4).enumerate() {
        let (made, ended) = match leak.kind {
            LeakKind::Memory | LeakKind::Pinned | LeakKind::DeviceHeap => ("allocated", "freed"),
            LeakKind::Array => ("created", "freed"),
            LeakKind::Registered => ("registered", "unregistered"),
            LeakKind::Texture
            | LeakKind::Surface
            | LeakKind::Stream
            | LeakKind::Event
            | LeakKind::Graph
            | LeakKind::ExecutableGraph => ("created", "destroyed"),
        };
        let label = match count {
            _ if leak.kind == LeakKind::DeviceHeap => {
                format!("this kernel gets {} from `malloc`", size_in_bytes(leak.bytes))
            }
            1 => format!("{made} here and never {ended}"),
            n => format!("{made} {n} times here and never {ended}"),
        };
        draft = draft.mark(program.mark(leak.at.as_ref(), i == 0, label));
    }
    if lines.len() > 4 {
        draft = draft.note(format!("the same happens on {} more lines", lines.len() - 4));
    }
    let objects = |leak: &Leak| matches!(leak.kind, LeakKind::Texture | LeakKind::Surface);
    let heap = |leak: &Leak| leak.kind == LeakKind::DeviceHeap;
    if memory.is_empty() && leaks.iter().all(heap) {
        return draft
            .note(HEAP_NOTE)
            .think("which thread should call `free`, and after which last use?");
    }
    if memory.is_empty() && !leaks.iter().any(objects) {
        return draft
            .note("a stream, an event, a graph or registered memory takes up resources of the driver until the program releases it or the process ends")
            .think("which call should release it, and does every path out of the function reach that call?");
    }
    if memory.is_empty() {
        return draft
            .note("an object takes up memory on the device until it is destroyed or the process ends; the memory behind it must be freed separately")
            .think("which call should destroy it, and does every path out of the function reach that call?");
    }
    if leaks.iter().any(heap) {
        draft = draft.note(HEAP_NOTE);
    }
    let pinned = memory.iter().all(|leak| leak.kind == LeakKind::Pinned);
    let kind = if pinned { "page-locked memory" } else { "device memory" };
    draft.note(format!("{kind} stays allocated until it is freed or the process ends")).think(
        "which line should free this memory, and does every path out of the function reach it?",
    )
}

/// The title for leaks, of which `memory` has a size: "1 stream is never destroyed, 1 event is
/// never destroyed, and 2 allocations (8 KiB) are never freed".
fn leak_title(leaks: &[Leak], memory: &[&Leak]) -> String {
    let verb = |n: u64| if n == 1 { "is" } else { "are" };
    let count = |kind| leaks.iter().filter(|leak| leak.kind == kind).count() as u64;
    let kinds = [
        (LeakKind::Texture, "texture object", "destroyed"),
        (LeakKind::Surface, "surface object", "destroyed"),
        (LeakKind::Stream, "stream", "destroyed"),
        (LeakKind::Event, "event", "destroyed"),
        (LeakKind::Graph, "graph", "destroyed"),
        (LeakKind::ExecutableGraph, "executable graph", "destroyed"),
        (LeakKind::Registered, "block of host memory", "unregistered"),
    ];
    let mut parts: Vec<String> = vec![];
    for (kind, noun, ended) in kinds {
        let plural = if kind == LeakKind::Registered {
            "blocks of host memory".to_owned()
        } else {
            format!("{noun}s")
        };
        if let n @ 1.. = count(kind) {
            parts.push(format!("{} {} never {ended}", many(n, noun, &plural), verb(n)));
        }
    }
    let heap = leaks.iter().filter(|leak| leak.kind == LeakKind::DeviceHeap);
    if let bytes @ 1.. = heap.map(|leak| leak.bytes).sum::<u64>() {
        parts.push(format!("{} from `malloc` in kernels is never freed", size_in_bytes(bytes)));
    }
    if !memory.is_empty() {
        let all = |kind| memory.iter().all(|leak| leak.kind == kind);
        let nouns = if all(LeakKind::Array) {
            ("array", "arrays")
        } else if all(LeakKind::Pinned) {
            ("page-locked allocation", "page-locked allocations")
        } else {
            ("allocation", "allocations")
        };
        let (n, bytes) = (memory.len() as u64, memory.iter().map(|leak| leak.bytes).sum());
        let number = many(n, nouns.0, nouns.1);
        parts.push(format!("{number} ({}) {} never freed", size_in_bytes(bytes), verb(n)));
    }
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{}, and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn position(place: &CallSite) -> Option<(&str, u32, u32)> {
    place.source.as_ref().map(|source| (source.file.as_str(), source.line, source.column))
}
