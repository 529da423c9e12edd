//! Explains operations of a warp on matrices whose lanes or operands do not fit.

use ptxsim::{Finding, MatrixProblem};

use super::Draft;
use super::branches::parting;
use super::masks::lanes;
use super::scene::Scene;
use super::words::many;

pub fn bad_operation(scene: &Scene<'_>, finding: &Finding, problem: MatrixProblem) -> Draft {
    let at = &finding.at;
    let (thread, lane) = (scene.thread(at), at.linear % 32);
    let mark = |draft: Draft, label: String| draft.mark(scene.mark(at, true, label));
    match problem {
        MatrixProblem::AbsentLanes { present } => absent_lanes(scene, finding, present),
        MatrixProblem::OtherAddress { lane: other } => mark(
            Draft::new(format!("lanes {lane} and {other} pass different pointers to one matrix")),
            format!("lane {lane} is {thread}"),
        )
        .note("a warp loads or stores a matrix as a whole, so all its lanes pass the address of the matrix's first element")
        .think("which part of the pointer depends on the thread, although all threads of a warp work on the same matrix?"),
        MatrixProblem::OtherStride { lane: other } => mark(
            Draft::new(format!("lanes {lane} and {other} pass different row lengths for one matrix")),
            format!("lane {lane} is {thread}"),
        )
        .note("a warp loads or stores a matrix as a whole, so all its lanes pass the same row length")
        .think("which part of the row length depends on the thread?"),
        MatrixProblem::Address { address, multiple } => mark(
            Draft::new(format!("a matrix begins at an address that is not a multiple of {multiple}")),
            format!("{} past a multiple of {multiple}", many(address % u64::from(multiple), "byte", "bytes")),
        )
        .note(format!("the address is {address:#x}"))
        .note(format!("a warp loads and stores this matrix only at addresses that are multiples of {multiple} bytes"))
        .think("where does the array begin, and by how many bytes does the index move the pointer?"),
        MatrixProblem::Stride { bytes, elements, multiple } => mark(
            Draft::new(format!(
                "the rows of a matrix are {bytes} bytes apart, which is not a multiple of {multiple}"
            )),
            format!("{} from row to row", many(elements.into(), "element", "elements")),
        )
        .note(format!("in a matrix that is stored by columns, this is the distance between columns; it must be a multiple of {multiple} bytes, so that every row or column begins at such an address"))
        .think("by how many elements could you lengthen each row in memory, so that the distance fits?"),
    }
}

fn absent_lanes(scene: &Scene<'_>, finding: &Finding, present: u32) -> Draft {
    let at = &finding.at;
    let are = match present.count_ones() {
        1 => "1 is".to_owned(),
        n => format!("{n} are"),
    };
    let draft = Draft::new(format!(
        "an operation on matrices needs all 32 lanes of a warp, but only {are} here"
    ))
    .mark(scene.mark(at, true, format!("executed by {}", lanes(present))))
    .note(format!("not here: {}", lanes(!present)))
    .note("each lane holds a part of every matrix, so the whole warp executes each operation")
    .think("which condition keeps the other lanes away, and do all warps of the block have 32 threads?");
    let Some(with) = &finding.with else { return draft };
    let draft = match with.source.line == at.source.line && with.called_from == at.called_from {
        true => draft,
        false => {
            draft.mark(scene.mark(with, false, format!("lane {} waits here", with.linear % 32)))
        }
    };
    let branch = parting(scene, at, with).or_else(|| parting(scene, with, at));
    draft.mark(branch.map(|branch| branch.mark("only some lanes enter here")))
}
