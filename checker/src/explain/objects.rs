//! Explains mistakes with textures, surfaces, memory of the device's heap, and the barrier for the
//! whole grid.

use ptxsim::{Access, Action, Finding, FindingKind, FreeProblem, ObjectProblem};

use super::Draft;
use super::scan::is_word;
use super::scene::Scene;
use super::words::many;

/// A barrier for the whole grid in a launch that is not cooperative.
pub fn not_cooperative(scene: &Scene<'_>, at: &Access) -> Draft {
    Draft::new("the whole grid cannot synchronise in this launch")
        .mark(scene.mark(at, true, format!("{} stops here", scene.thread(at))))
        .note("a barrier for all blocks needs all of them on the GPU at the same time")
        .note("only cudaLaunchCooperativeKernel guarantees that: in a launch with <<<...>>>, grid.sync() is a trap")
        .think("can the work be split into two kernels, one after the other?")
}

/// A value that is not the handle of a texture, or of a surface.
pub fn bad_object(scene: &Scene<'_>, at: &Access, surface: bool, problem: ObjectProblem) -> Draft {
    let (what, other) = if surface { ("surface", "texture") } else { ("texture", "surface") };
    let handle = at.address;
    let draft = match problem {
        ObjectProblem::Unknown if handle == 0 => {
            Draft::new(format!("this call gets 0 in place of a {what} object"))
                .note(format!("a {what} object is a handle, which the call that creates the object fills in; no object has the handle 0"))
                .think(format!("which argument of this call is the {what} object, which line fills it in before the launch, and does that succeed?"))
        }
        ObjectProblem::Unknown => Draft::new(format!("{handle:#x} is not a {what} object"))
            .note(format!("no {what} with this handle was created"))
            .think("which parameter is the handle, and does its value come from the host unchanged?"),
        ObjectProblem::Pointer => {
            Draft::new(format!("{handle:#x} is a pointer, but a {what} object is needed"))
                .note(format!("a {what} is accessed through its handle, never through an address"))
                .think("which parameter is the handle?")
        }
        ObjectProblem::OtherKind => Draft::new(format!("this {what} instruction got a {other} object"))
            .note("a texture is read through a filter, whereas a surface is read and written texel by texel")
            .think("which of the two does this line need?"),
        ObjectProblem::Dimensions => {
            Draft::new(format!("this {what} does not have as many dimensions as the function expects"))
                .note("tex1D is for arrays of one dimension, tex2D of two; layered arrays have their own functions")
                .think("which dimensions did the array get when it was created?")
        }
    };
    draft.mark(scene.mark(at, true, format!("{} uses it here", scene.thread(at))))
}

/// A surface access outside its array, or between two elements.
pub fn surface(
    scene: &Scene<'_>,
    at: &Access,
    [x, y, z]: [i64; 3],
    [row, height, planes]: [u64; 3],
    texel: u32,
) -> Draft {
    let thread = scene.thread(at);
    let verb = if at.action == Action::Write { "writes" } else { "reads" };
    let name = at.array.as_deref().map_or("the surface".into(), |a| format!("`{}`", scene.name(a)));
    let bytes = u64::from(at.bytes.max(1));
    let mark = |draft: Draft, label: String| draft.mark(scene.mark(at, true, label));
    if x.rem_euclid(bytes as i64) != 0 {
        let draft = Draft::new(format!(
            "{thread} {verb} between two elements: byte {x} of a row of {name}"
        ));
        return mark(draft, format!("x is {x}, which is not a multiple of {bytes}"))
            .note("the first coordinate of a surface counts bytes, not elements")
            .note(format!("element i of this row is at x = i * {texel}"))
            .think("what is the sizeof of one element, and where does the coordinate use it?");
    }
    let outside = |v: i64, n: u64| u64::try_from(v).map_or(true, |v| v >= n);
    let (what, value, size, unit) = if outside(x, row) || x as u64 + bytes > row {
        ("x", x, row, "byte")
    } else if outside(y, height) {
        ("y", y, height, "row")
    } else {
        ("z", z, planes, "plane")
    };
    let draft = Draft::new(format!("{thread} {verb} outside {name}: {what} is {value}"));
    let draft = mark(draft, format!("valid values of {what} are 0 to {}", size.saturating_sub(1)));
    let draft = if what == "x" {
        let each = u64::from(texel.max(1));
        let draft = if counts_bytes(scene, x, each) {
            draft
        } else {
            draft.note("the first coordinate of a surface counts bytes, not elements")
        };
        draft.note(format!(
            "a row has {} of {}",
            many(row / each, "element", "elements"),
            many(each, "byte", "bytes")
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
    let columns = row / u64::from(texel.max(1));
    let has_element = has_element(scene, at, [columns, height, planes]);
    match (what, has_element) {
        ("x", true) => draft.think(format!(
            "which element of its row belongs to {thread}, and how does this line compute x from that?"
        )),
        (_, true) => draft.think(format!(
            "{what} counts {unit}s: which {unit} belongs to {thread}, and how does this line compute {what}?"
        )),
        (_, false) => draft.think("what should a thread without an element of its own do?"),
    }
}

/// Whether the array has an element for a thread when each thread owns the one at its place in the
/// grid.
fn has_element(scene: &Scene<'_>, at: &Access, extent: [u64; 3]) -> bool {
    (0..3).all(|axis| {
        let [block, size, thread] =
            [at.block, scene.block, at.thread].map(|all| u64::from(all[axis]));
        block * size + thread < extent[axis].max(1)
    })
}

/// The parameters of a race between a fetch from a texture and a store through a surface, which are
/// therefore of the same array.
pub fn texture_and_surface(scene: &Scene<'_>, finding: &Finding) -> Option<[String; 2]> {
    if finding.what != FindingKind::GlobalRace {
        return None;
    }
    let kernel = scene.kernel_function()?.parameters();
    let parameter = |access: &Access, object: &str| {
        let of_kind = kernel.iter().filter(|text| text.contains(object));
        let mut names = of_kind.filter_map(|text| text.rsplit(|c| !is_word(c)).next());
        let on_line = |name: &&str| {
            let mut places = scene.source.occurrences(name).into_iter();
            places.any(|(line, _)| line == access.source.line)
        };
        names.find(on_line).map(str::to_owned)
    };
    let with = finding.with.as_ref()?;
    let (reader, writer) = match (finding.at.action, with.action) {
        (Action::Read, Action::Write) => (&finding.at, with),
        (Action::Write, Action::Read) => (with, &finding.at),
        _ => return None,
    };
    let texture = parameter(reader, "cudaTextureObject_t")?;
    Some([texture, parameter(writer, "cudaSurfaceObject_t")?])
}

/// Says that a texture and a surface of one launch are of the same array.
pub fn same_array(mut draft: Draft, [texture, surface]: [&str; 2]) -> Draft {
    draft.notes.retain(|note| !note.starts_with("there is no barrier"));
    draft
        .note(format!("the texture `{texture}` and the surface `{surface}` are of the same array"))
        .note("a fetch may return what the array contained before the launch, whether a barrier comes first or not")
        .think(format!("from which array does the program make the surface that the kernel gets as `{surface}`?"))
}

/// Whether a first coordinate is that of an element which the launch has a thread for, so that the
/// program already counts in bytes.
fn counts_bytes(scene: &Scene<'_>, x: i64, each: u64) -> bool {
    let columns = u64::from(scene.grid[0]).saturating_mul(scene.block[0].into());
    let x = x.unsigned_abs();
    x.is_multiple_of(each) && x / each < columns
}

/// Whether the coordinates of a surface access lie in its array if that has its width and height
/// swapped, and nothing but this swap explains how many threads go outside.
pub fn fits_if_swapped(finding: &Finding) -> Option<Swapped> {
    let FindingKind::BadSurfaceCoordinate { at: [x, y, _], extent: [row, height, 1], texel } =
        finding.what
    else {
        return None;
    };
    let each = u64::from(texel.max(1));
    let width = row / each;
    let (x, y) = (u64::try_from(x).ok()?, u64::try_from(y).ok()?);
    let (short, long) = (width.min(height), width.max(height));
    let inside = x.is_multiple_of(each) && x / each < height && y < width;
    let all = finding.threads <= (long - short).saturating_mul(short);
    (inside && all && short < long).then_some(Swapped { width, height })
}

/// The size of an array whose dimensions may be swapped, in elements.
#[derive(Debug, Clone, Copy)]
pub struct Swapped {
    width: u64,
    height: u64,
}

impl Swapped {
    /// The two numbers.
    pub const fn extents(&self) -> [u64; 2] {
        [self.width, self.height]
    }

    /// Adds which array would have room for the access, and what the kernel got of the two numbers.
    pub fn explain(self, got: &[String], mut draft: Draft) -> Draft {
        let size = |rows: u64, columns: u64| {
            format!("{} of {}", many(rows, "row", "rows"), many(columns, "element", "elements"))
        };
        let Self { width, height } = self;
        draft.notes.retain(|note| !note.starts_with("a row has ") && !note.starts_with("there "));
        let draft = draft.note(format!(
            "the array has {}, and one with {} has room for this access",
            size(height, width),
            size(width, height)
        ));
        match got {
            [] => draft.think("where do rows and columns change places: where the array is made, or in the coordinates of this line?"),
            got => draft.note(format!("the kernel gets {}", got.join(" and "))).think(
                "where do rows and columns change places: where the array is made, in the launch, or in the coordinates of this line?",
            ),
        }
    }
}

/// An access to freed memory.
pub fn after_free(scene: &Scene<'_>, at: &Access, with: Option<&Access>) -> Draft {
    let (thread, element) = (scene.thread(at), scene.element(at));
    let verb = if at.action == Action::Read { "reads" } else { "writes" };
    let draft = Draft::new(format!("{thread} {verb} {element}, which was freed before"))
        .mark(scene.mark(at, true, "access to freed memory".to_owned()));
    let draft = match with {
        Some(with) => draft
            .mark(scene.mark(with, false, format!("freed here by {}", scene.thread(with))))
            .note("after free(), the memory may already belong to another thread"),
        None => draft.note("the host freed it before this kernel started"),
    };
    draft.think("which thread is the last to use this memory, and what makes the free wait for it?")
}

/// A second `free` of the same memory.
pub fn double_free(scene: &Scene<'_>, at: &Access, with: Option<&Access>) -> Draft {
    let draft = Draft::new(format!("{} frees memory that was already freed", scene.thread(at)))
        .mark(scene.mark(at, true, "freed again here"));
    let draft = match with {
        Some(with) if with.source.line != at.source.line => {
            draft.mark(scene.mark(with, false, format!("first freed by {}", scene.thread(with))))
        }
        Some(with) => {
            draft.note(format!("{} was the first to free it, on this line", scene.thread(with)))
        }
        None => draft,
    };
    draft
        .note("one call of malloc makes one allocation, so exactly one thread must free it, once")
        .think("how many threads reach this line, and how many called malloc?")
}

/// A `free` of a pointer that `malloc` did not return.
pub fn invalid_free(scene: &Scene<'_>, at: &Access, problem: FreeProblem) -> Draft {
    let thread = scene.thread(at);
    let draft = match (problem, at.index) {
        (FreeProblem::NotTheStart, Some(index)) => Draft::new(format!(
            "{thread} frees a pointer into the middle of an allocation"
        ))
        .note(format!("it points {} past the start", many(index.unsigned_abs(), "byte", "bytes"))),
        _ => Draft::new(format!("{thread} frees memory that malloc did not return"))
            .note("memory from cudaMalloc is freed by the host, with cudaFree"),
    };
    draft
        .mark(scene.mark(at, true, format!("the pointer is {:#x}", at.address)))
        .note("free() accepts only the pointers that malloc() returned in a kernel")
        .think("where does this pointer come from, and was it changed on the way?")
}
