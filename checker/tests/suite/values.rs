//! What reports say about wrong values: which elements, what they contain, and which line.
//!
//! Needs a CUDA 13 compiler and the host's g++.

use crate::causes::edited;

const IN_OUT: (&str, &str) = ("ch02_memory", "in_out_inout");
const MAPPED: (&str, &str) = ("ch02_memory", "mapped_memory");
const LAUNCH: &str = "multiply_add<<<grid, block>>>(d_a, d_b, c, d_out, n);";

/// An output that the program reads before it has written it is written all the same. The line
/// that reads it is marked, whether it copies the output or changes its elements.
#[test]
fn values_that_contain_what_the_output_held_are_not_untouched() {
    let contain = "and the wrong results are computed from it";
    let copied = "cudaMemcpy(d_out, out, bytes, cudaMemcpyHostToDevice);\n    ";
    edited(
        IN_OUT.0,
        IN_OUT.1,
        &[(LAUNCH, &format!("{copied}{LAUNCH}")), ("out[idx] = ", "out[idx] += ")],
    )
    .says(&["error[wrong-values]", contain, "reads what `out` held before", "which line reads"])
    .says(&["cudaMemcpy(d_out, out, bytes, cudaMemcpyHostToDevice); | ^^^"])
    .never(&["untouched", "never written"]);

    edited(MAPPED.0, MAPPED.1, &[("report[i] = ", "report[i] += ")])
        .says(&["error[wrong-values]: all 3000 elements", contain, "reads what `report` held"])
        .never(&["untouched", "never written", "which line copies"]);
}

/// Each product is as precise as itself: no element that is far off counts as right because others
/// are large.
#[test]
fn small_values_are_as_precise_as_large_ones() {
    let last = ("report[i] = ", "report[i] = i == n - 1 ? 0.0f : ");
    edited(MAPPED.0, MAPPED.1, &[last]).says(&["report[2999], the last element, is wrong"]);
    edited(
        MAPPED.0,
        MAPPED.1,
        &[("power<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_volts, d_watts, n);", "")],
    )
    .says(&["all 3000 elements", "the program launches no kernel in this case"])
    .never(&["from index 1"]);
}

/// `cudaMemset` writes the memory, too, and it writes bytes.
#[test]
fn a_set_with_a_number_for_elements_is_marked() {
    edited(
        IN_OUT.0,
        IN_OUT.1,
        &[
            (LAUNCH, &format!("cudaMemset(d_out, c, bytes);\n    {LAUNCH}")),
            ("a[idx] * b[idx] + c", "a[idx] * b[idx] + out[idx]"),
        ],
    )
    .says(&[
        "error[wrong-values]",
        "sets each byte, to the lowest 8 bits of int(c)",
        "cudaMemset sets bytes",
    ])
    .never(&["the only line that writes", "compute out[0] by hand"]);
}

/// A launch with one row of blocks has no second row that could be wrong.
#[test]
fn rows_of_blocks_are_those_of_the_launch() {
    edited(
        "ch04_shared",
        "tile_transpose",
        &[("out_row < cols && out_col < rows", "out_row < rows && out_col < cols")],
    )
    .says(&["every row from 32 on"])
    .never(&["first row of blocks"]);
}

/// Memory of the wrong kind is a question of whose memory it is, not of how many arrays there are.
#[test]
fn allocations_where_none_are_wanted_are_marked() {
    let host = |name: &str| format!("cudaHostAlloc(&{name}, bytes, cudaHostAllocMapped);");
    let managed = |name: &str| format!("cudaMallocManaged(&{name}, bytes);");
    let edits: Vec<(String, String)> = ["volts", "watts"]
        .iter()
        .flat_map(|name| {
            let pointer = format!("cudaHostGetDevicePointer(&d_{name}, {name}, 0);");
            [
                (host(name), managed(name)),
                (pointer, format!("d_{name} = {name};")),
                (format!("cudaFreeHost({name})"), format!("cudaFree({name})")),
            ]
        })
        .collect();
    let edits: Vec<(&str, &str)> = edits.iter().map(|(a, b)| (&a[..], &b[..])).collect();
    edited(MAPPED.0, MAPPED.1, &edits)
        .says(&["error[gate-missed]", "cudaMallocManaged(&volts, bytes); | ^^^", "whose memory"])
        .never(&["needed at the same time"]);
}

/// The numbers of the original file are not the learner's, and a kernel that has been repaired
/// cannot show the right ones.
#[test]
fn recorded_numbers_are_about_the_original_kernel() {
    let about = "the numbers are about the original file's kernel";
    let found =
        [("2,   // blockIdx.x", "-1,"), ("50,  // threadIdx.x", "-1,"), ("8,   // step", "-1,")];
    edited("ch05_debugging", "nan_hunt", &found)
        .says(&["`found` still has the numbers of the original file", about])
        .never(&["that you wrote", "what made you expect"]);
    edited("ch05_debugging", "nan_hunt", &found[..1])
        .says(&["1 of the 3 numbers recorded in `found` is not right", about]);
}

/// A name in the place of a type is one, and its header works in kernel exercises.
#[test]
fn undefined_types_are_misspelled_or_lack_their_header() {
    let fours = |of: &str| {
        edited(
            "ch03_coalescing",
            "float4_align",
            &[("const int fours", &format!("const {of} fours"))],
        )
    };
    let header = "add #include <cstdint> at the top";
    fours("uint32_t").says(&["its header is missing", header]).never(&["have no headers"]);
    fours("unit32_t")
        .says(&["did you mean uint32_t?", "uint32_t needs #include <cstdint>"])
        .never(&["declare a variable"]);
    fours("whole").says(&["no type has this name"]).never(&["declare a variable"]);
    edited(
        "ch03_coalescing",
        "float4_align",
        &[("offset % 4 == 0", "reinterpret_cast<uintptr_t>(view) % 16 == 0")],
    )
    .says(&["its header is missing", header]);
}

/// Elements at the edges of a matrix that are wrong together are said to lie there.
#[test]
fn wrong_edges_are_named() {
    edited("ch09_images", "sobel_const", &[("return (i + n) % n;", "return i % n;")]).says(&[
        "11 of 35 elements of `out` are wrong; all in the first row and the first column",
        "what is different about an element at this edge, and which lines take care of that?",
    ]);
}

/// Of two lines that write an output, both are shown where elements are written twice.
#[test]
fn two_lines_that_write_are_both_marked() {
    edited("ch03_coalescing", "float4_align", &[("i = 4 * fours + me", "i = fours + me")])
        .says(&["error[written-twice]", "one of the two lines that write"]);
}

/// Elements that had initial values and still have them are not a question of threads, where a copy
/// back is too short.
#[test]
fn elements_that_keep_their_values_lead_to_the_copy() {
    edited(
        "ch10_science",
        "izhikevich",
        &[("cudaMemcpy(v, all.v, n * sizeof(float),", "cudaMemcpy(v, all.v, n,")],
    )
    .says(&["225 of 300 elements of `v` are wrong, and still have their initial values; all from index 75 on"])
    .says(&["300 bytes are copied back; `v` is 1200 bytes long", "how many bytes does each element have?"])
    .never(&["which elements do the threads compute"]);
}
