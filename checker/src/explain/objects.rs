//! Objects that a kernel is given or asks the driver for: textures, surfaces, memory, the grid's barrier.

use ptxsim::{Access, Action, FreeProblem, ObjectProblem};

use super::Draft;
use super::scene::Scene;
use super::words::many;

/// The grid's barrier in a launch that has none.
pub fn not_cooperative(scene: &Scene<'_>, at: &Access) -> Draft {
    Draft::new("the whole grid cannot synchronise in this launch")
        .mark(scene.mark(at, true, format!("{} stops here", scene.who(at))))
        .note("a barrier for all blocks needs all of them on the GPU at the same time")
        .note("only cudaLaunchCooperativeKernel promises that: after <<<...>>>, grid.sync() is a trap")
        .think("can the work be split into two kernels, one after the other?")
}

/// A handle that is no texture, or no surface.
pub fn bad_object(scene: &Scene<'_>, at: &Access, surface: bool, problem: ObjectProblem) -> Draft {
    let (what, other) = if surface { ("surface", "texture") } else { ("texture", "surface") };
    let handle = at.address;
    let draft = match problem {
        ObjectProblem::Unknown => Draft::new(format!("{handle:#x} is no {what} object"))
            .note(format!("nothing has made a {what} with this handle"))
            .think("which parameter is the handle, and does its value come from the host unchanged?"),
        ObjectProblem::Pointer => {
            Draft::new(format!("{handle:#x} is a pointer, and a {what} object is needed"))
                .note(format!("a {what} is read through its handle, never through an address"))
                .think("which parameter is the handle?")
        }
        ObjectProblem::OtherKind => Draft::new(format!("this {what} instruction got a {other} object"))
            .note("textures are read through filters, surfaces are read and written texel by texel")
            .think("which of the two does this line need?"),
        ObjectProblem::Dimensions => {
            Draft::new(format!("this {what} does not have as many dimensions as the function asks for"))
                .note("tex1D is for arrays of one dimension, tex2D of two; layered arrays have their own functions")
                .think("which dimensions did the array get when it was made?")
        }
    };
    draft.mark(scene.mark(at, true, format!("{} uses it here", scene.who(at))))
}

/// A surface access outside its array, or between two elements.
pub fn surface(
    scene: &Scene<'_>,
    at: &Access,
    [x, y, z]: [i64; 3],
    [row, height, planes]: [u64; 3],
    texel: u32,
) -> Draft {
    let who = scene.who(at);
    let verb = if at.action == Action::Write { "writes" } else { "reads" };
    let name = at.array.as_deref().map_or("the surface".into(), |a| format!("`{}`", scene.name(a)));
    let bytes = u64::from(at.bytes.max(1));
    let mark = |draft: Draft, label: String| draft.mark(scene.mark(at, true, label));
    if x.rem_euclid(bytes as i64) != 0 {
        let draft =
            Draft::new(format!("{who} {verb} between two elements: byte {x} of a row of {name}"));
        return mark(draft, format!("x is {x}, which is no multiple of {bytes}"))
            .note("the first coordinate of a surface counts bytes, not elements")
            .note(format!("element i of this row is at x = i * {texel}"))
            .think("what is sizeof of one element, and where does it enter the coordinate?");
    }
    let outside = |v: i64, n: u64| u64::try_from(v).map_or(true, |v| v >= n);
    let (what, value, size, unit) = if outside(x, row) || x as u64 + bytes > row {
        ("x", x, row, "byte")
    } else if outside(y, height) {
        ("y", y, height, "row")
    } else {
        ("z", z, planes, "plane")
    };
    let draft = Draft::new(format!("{who} {verb} outside {name}: {what} is {value}"));
    let draft = mark(draft, format!("{what} goes from 0 to {}", size.saturating_sub(1)));
    let draft = if what == "x" {
        let elements = row / u64::from(texel.max(1));
        draft.note("the first coordinate of a surface counts bytes, not elements").note(format!(
            "a row has {} of {}",
            many(elements, "element", "elements"),
            many(texel.into(), "byte", "bytes")
        ))
    } else {
        draft.note(format!(
            "there {}",
            match size {
                1 => format!("is 1 {unit}"),
                n => format!("are {n} {unit}s"),
            }
        ))
    };
    draft.think("what should a thread do that has no element of its own?")
}

/// An access to memory that is not there any more.
pub fn after_free(scene: &Scene<'_>, at: &Access, with: Option<&Access>) -> Draft {
    let (who, element) = (scene.who(at), scene.element(at));
    let verb = if at.action == Action::Read { "reads" } else { "writes" };
    let draft = Draft::new(format!("{who} {verb} {element}, which was freed before"))
        .mark(scene.mark(at, true, format!("{verb} memory that is no longer there")));
    let draft = match with {
        Some(with) => draft
            .mark(scene.mark(with, false, format!("freed here by {}", scene.who(with))))
            .note("after free() the memory may belong to another thread, or to nobody"),
        None => draft.note("the host freed it before this kernel started"),
    };
    draft.think("who is the last to use this memory, and how do the others know?")
}

/// `free` of memory for the second time.
pub fn double_free(scene: &Scene<'_>, at: &Access, with: Option<&Access>) -> Draft {
    let draft = Draft::new(format!("{} frees memory that is freed already", scene.who(at)))
        .mark(scene.mark(at, true, "freed again here"));
    let draft = match with {
        Some(with) if with.source.line != at.source.line => {
            draft.mark(scene.mark(with, false, format!("first freed by {}", scene.who(with))))
        }
        Some(with) => draft.note(format!("{} was here first", scene.who(with))),
        None => draft,
    };
    draft
        .note("one thread that calls malloc makes one allocation: one thread has to free it, once")
        .think("how many threads come to this line, and how many called malloc?")
}

/// `free` of what `malloc` never returned.
pub fn invalid_free(scene: &Scene<'_>, at: &Access, problem: FreeProblem) -> Draft {
    let who = scene.who(at);
    let draft = match (problem, at.index) {
        (FreeProblem::NotTheStart, Some(index)) => Draft::new(format!(
            "{who} frees a pointer into the middle of its memory"
        ))
        .note(format!(
            "it points {} behind the start",
            many(index.unsigned_abs(), "byte", "bytes")
        )),
        _ => Draft::new(format!("{who} frees memory that malloc did not return"))
            .note("memory from cudaMalloc is freed by the host, with cudaFree"),
    };
    draft
        .mark(scene.mark(at, true, format!("the pointer is {:#x}", at.address)))
        .note("free() takes exactly the pointers that malloc() returned in a kernel")
        .think("where does this pointer come from, and was it changed since?")
}
