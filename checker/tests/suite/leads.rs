//! Reports that must lead to the line with the mistake, and never to one that is right: what they
//! mark, which cause they name, and what they ask.
//!
//! Needs a CUDA 13 compiler and the host's g++.

use std::fs;

use crate::causes::{Said, check, edited, program};

/// A record or a wait that fails orders nothing, so it comes before the wait that is missing then.
#[test]
fn failed_calls_come_before_the_waits_that_they_leave_out() {
    let create = "cudaEventCreateWithFlags(&squared, cudaEventDisableTiming);";
    edited("ch08_streams", "stream_order", &[(create, "")])
        .says(&["error[bad-handle]: cudaEventRecord gets an event that does not exist"])
        .never(&["missing-wait"]);
    let create = "cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming);";
    edited("ch08_streams", "concurrent_kernels", &[(create, "")])
        .says(&["error[bad-handle]: cudaEventRecord"])
        .never(&["missing-wait"]);
    // the event exists, and the stream of the wait does not
    let (wait, wrong) = ("cudaStreamWaitEvent(back,", "cudaStreamWaitEvent((cudaStream_t)squared,");
    edited("ch08_streams", "stream_order", &[(wait, wrong)])
        .says(&["error[bad-handle]: cudaStreamWaitEvent gets a stream that does not exist"])
        .never(&["missing-wait"]);
}

/// A call that fails after the work without a wait is not its reason.
#[test]
fn calls_that_fail_later_come_after_a_missing_wait() {
    let wait = "cudaStreamWaitEvent(back, squared);";
    let destroy = ("cudaEventDestroy(squared);", "cudaEventDestroy((cudaEvent_t)back);");
    edited("ch08_streams", "stream_order", &[(wait, ""), destroy])
        .says(&["error[missing-wait]"])
        .never(&["bad-handle"]);
}

/// `checker run` shows all findings in the same order.
#[test]
fn a_run_shows_the_cause_first() {
    let source = "
        __global__ void set(int* to) { *to = 1; }
        __global__ void add(int* to) { *to += 1; }
        int main() {
            cudaStream_t a, b;
            cudaEvent_t set_done = (cudaEvent_t)nullptr;
            int* to;
            cudaMalloc(&to, 4);
            cudaStreamCreate(&a);
            cudaStreamCreate(&b);
            set<<<1, 1, 0, a>>>(to);
            cudaEventRecord(set_done, a);
            cudaStreamWaitEvent(b, set_done);
            add<<<1, 1, 0, b>>>(to);
            cudaDeviceSynchronize();
            cudaFree(to);
            cudaStreamDestroy(a);
            cudaStreamDestroy(b);
        }";
    let said = program(source).says(&["error[bad-handle]", "error[missing-wait]"]);
    assert!(said.text.find("error[bad-handle]") < said.text.find("error[missing-wait]"));
}

/// A constant of the program is infinite without any operation that makes it so.
#[test]
fn an_infinite_constant_is_marked() {
    let max = "static constexpr float NEUTRAL = -INFINITY;";
    let sum = "static constexpr float NEUTRAL = 0.0f;";
    let file = "ch07_generic";
    edited(file, "reduction_kernel", &[(max, "static constexpr float NEUTRAL = INFINITY;")]).says(
        &[
            "error[not-a-number]",
            "-------- infinity",
            "an infinity is the value of a constant such as `INFINITY`",
            "what is the initial value of result[0]",
        ],
    );
    let limit = "static constexpr float NEUTRAL = -std::numeric_limits<float>::infinity();";
    edited(
        file,
        "reduction_kernel",
        &[(sum, limit), ("constexpr int", "#include <limits>\nconstexpr int")],
    )
    .says(&["-------- negative infinity", "a constant such as `infinity`"]);
    // the division is the operation to find
    let kernel = "extern \"C\" __global__ void guard(const float* a, float* out, int n) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = fabsf(a[i]) / 0.0f;
    }";
    check("guard", kernel)
        .says(&["inf is the result of a division by 0, or of a number"])
        .never(&["a constant such as"]);
}

/// nvcc includes `<math.h>` before a file, so its constants need no `#include`.
#[test]
fn kernels_have_the_constants_of_math_h() {
    let text = fs::read_to_string("../solutions/ch06_atomics/warp_shuffle.cu").expect("a solution");
    for include in ["", "#include <cmath>\n", "#include <math.h>\n"] {
        for lowest in ["-INFINITY", "-HUGE_VALF", "-float(HUGE_VAL)", "NAN"] {
            let source = format!("{include}#define LOWEST ({lowest})\n{text}");
            let source = source
                .lines()
                .filter(|line| !line.contains("LOWEST ="))
                .collect::<Vec<_>>()
                .join("\n");
            check("warp_shuffle", &source).says(&["✓ warp_shuffle"]);
        }
    }
    check("double_it", "static_assert(M_PI > 3.14 && 1 / INFINITY == 0 && NAN != NAN);")
        .never(&["static_assert", "undefined"]);
}

fn histogram(edits: &[(&str, &str)]) -> Said {
    edited("ch06_atomics", "histogram", edits)
}

/// Lanes of one warp leave a loop with a barrier at different times, which other warps do not.
#[test]
fn the_other_barrier_of_a_diverged_warp_is_marked() {
    let head = "for (size_t idx = me; idx < n; idx += stride) {";
    histogram(&[(head, &format!("{head}\n__syncthreads();"))])
        .says(&[
            "thread 0 waits here",
            "thread 232 waits here instead",
            "some threads have left this loop",
            "how many iterations does each thread run",
        ])
        .never(&["waits on this line"]);
}

/// A condition is to blame only if it failed for a thread.
#[test]
fn only_conditions_that_failed_are_marked() {
    let barrier = "    __syncthreads();  // every warp has stored its results\n";
    let store = "        warp_maxima[warp] = maximum;\n";
    edited("ch06_atomics", "warp_shuffle", &[(barrier, ""), (store, &format!("{store}{barrier}"))])
        .says(&[
            "error[bad-sync-mask]",
            "if (lane == 0) { | -------------- only some lanes enter here",
            "--------------- lane 0 waits here",
        ])
        .never(&["if (warp == 0) { | -------------- only some"]);
    // all threads with an element enter, and the others have returned before
    let first = "    tile[tid] = idx < n ? in[idx] : 0.0f;";
    let returns = format!("    if (idx >= n) return;\n    if (n > 0) {{\n{first}");
    let last = "        out[idx] = tile[tid] / total;\n    }\n";
    let edits = [(first, returns.as_str()), (last, &format!("{last}    }}\n"))];
    edited("ch04_shared", "barrier_divergence", &edits)
        .says(&["error[barrier-not-reached]"])
        .never(&["only some threads enter here"]);
}

/// The barrier is in a function, and the condition is around its call.
#[test]
fn a_condition_around_a_call_is_marked() {
    edited("ch06_atomics", "last_block", &[("__shared__ bool last;", "bool last = false;")]).says(&[
        "if (last) { | --------- only some threads enter here",
        "each thread has a variable `last` of its own: it is true in thread 0 and false in thread 1",
        "which threads give this variable its value",
    ]);
}

/// Two variables with one address: both calls of `cudaFree` are right, and an assignment is not.
#[test]
fn two_pointers_with_one_address_are_not_freed_too_often() {
    let swap = "std::swap(now, next);";
    edited("ch10_science", "convection", &[(swap, "now = next; next = now;")]).says(&[
        "error[double-free]: `next` and `now` hold the same address",
        "copies the address",
        "cudaMalloc(&now, bytes); | ----------------------- allocated here and never freed",
        "which variable still holds the address of the memory from line 33",
    ]);
    // without another allocation, nothing is lost
    let source = "
        int main() {
            int* a;
            cudaMalloc(&a, 4);
            int* b = a;
            cudaFree(a);
            cudaFree(b);
        }";
    program(source)
        .says(&["error[double-free]: `a` and `b` hold the same address", "which of the two"])
        .never(&["never freed"]);
    // a parameter is another name of the caller's variable
    let source = "
        void release(int* p) { cudaFree(p); }
        int main() {
            int* a;
            cudaMalloc(&a, 4);
            release(a);
            cudaFree(a);
        }";
    program(source)
        .says(&["error[double-free]: `a` is freed a second time", "which part of the program owns"])
        .never(&["hold the same address"]);
}

/// The count of texture requests includes those of surfaces, and says so.
#[test]
fn requests_of_surfaces_are_shown_with_those_of_textures() {
    let halved = "        height /= 2;\n        width /= 2;\n";
    let last = "        from = to;\n";
    let later = format!("{last}{halved}");
    let edits = [(halved, ""), (last, later.as_str())];
    edited("ch09_images", "surface_write", &edits).says(&[
        "there are 640 texture and surface requests (160 wanted)",
        "line 12: 320 texture requests",
        "line 13: 320 surface requests",
        "or one load or store through a surface",
        "how many threads reach these lines",
    ]);
}

/// A thread with an element of its own has a wrong coordinate, and needs no guard.
#[test]
fn a_coordinate_of_a_thread_with_an_element_is_computed_wrongly() {
    let line = "surf2Dwrite(mean, to, col * sizeof(float), row);";
    let rows = "surf2Dwrite(mean, to, col * sizeof(float), row * sizeof(float));";
    edited("ch09_images", "surface_write", &[(line, rows)]).says(&[
        "error[surface-coordinate]: thread (0,1) writes outside",
        "y counts rows: which row belongs to thread (0,1), and how does this line compute y",
    ]);
    let columns = "surf2Dwrite(mean, to, (col + 1) * sizeof(float), row);";
    edited("ch09_images", "surface_write", &[(line, columns)])
        .says(&["which element of its row belongs to thread (2,0)"]);
    let guard = ("if (row < height && col < width) {", "{");
    edited("ch09_images", "surface_write", &[guard])
        .says(&["what should a thread without an element of its own do?"]);
}

/// No barrier helps where a launch reads an array as a texture and writes it through a surface.
#[test]
fn a_texture_and_a_surface_of_one_array_are_named() {
    edited("ch09_images", "surface_write", &[("resource_of(to)", "resource_of(from)")])
        .says(&[
            "error[global-race]",
            "the texture `from` and the surface `to` are of the same array",
            "launched here",
            "from which array does the program make the surface",
        ])
        .never(&["there is no barrier between", "what must every thread have finished"]);
}

/// The program counts its streams itself, so a report names the variable of each.
#[test]
fn streams_have_the_names_of_their_variables() {
    let wait = "cudaStreamWaitEvent(stream[0], done[k]);";
    edited("ch08_streams", "concurrent_kernels", &[(wait, "")]).says(&[
        "error[missing-wait]",
        "(1) writes it in `stream[1]`",
        "reads it in `stream[0]`",
    ]);
    let wait = "cudaStreamWaitEvent(back, squared);";
    edited("ch08_streams", "stream_order", &[(wait, "")])
        .says(&["(1) writes it in `front`", "(2) reads it in `back`"]);
    // one name for two streams distinguishes nothing
    let source = "
        __global__ void set(int* to) { *to = 1; }
        int main() {
            cudaStream_t all[2];
            int* to;
            cudaMalloc(&to, 4);
            for (int k = 0; k < 2; ++k) cudaStreamCreate(&all[k]);
            for (int k = 0; k < 2; ++k) {
                set<<<1, 1, 0, all[k]>>>(to);
            }
            cudaDeviceSynchronize();
            cudaFree(to);
            for (int k = 0; k < 2; ++k) cudaStreamDestroy(all[k]);
        }";
    program(source).says(&["it in stream 1", "it in stream 2"]).never(&["in `all[k]`"]);
}

/// The compiler gives part of a library's function the line before its call.
#[test]
fn conflicts_inside_a_library_are_marked_at_its_call() {
    let source = "#include <cub/cub.cuh>
        __global__ void scan(const int* in, int* out, int n) {
            using Scan = cub::BlockScan<int, 256>;
            __shared__ typename Scan::TempStorage temp;
            int before = 0;
            for (int first = 0; first < n; first += 512) {
                for (int part = 0; part < 2; ++part) {
                    const int i = first + part * 256 + threadIdx.x;
                    int value = i < n ? in[i] : 0, sum;
                    Scan(temp).InclusiveSum(value, value, sum);
                    __syncthreads();
                    if (i < n) out[i] = before + value;
                    before += sum;
                }
            }
        }
        extern \"C\" void scan_blocks(const int* in, int* out, int n) {
            int *d_in, *d_out;
            cudaMalloc(&d_in, n * sizeof(int));
            cudaMalloc(&d_out, n * sizeof(int));
            cudaMemcpy(d_in, in, n * sizeof(int), cudaMemcpyHostToDevice);
            scan<<<1, 256>>>(d_in, d_out, n);
            cudaMemcpy(out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
            cudaFree(d_in);
            cudaFree(d_out);
        }";
    check("scan_blocks", source)
        .says(&["error[bank-conflict]", "the function that this line calls makes these requests"])
        .says(&["Scan(temp).InclusiveSum(value, value, sum); | ^^^"])
        .never(&["in[i] : 0, sum; | ^^^"]);
}

/// A warp's barrier between two accesses of different warps is named, because it looks like the
/// right one.
#[test]
fn a_barrier_of_a_warp_is_not_one_of_the_block() {
    edited("ch04_shared", "reverse_sync", &[("__syncthreads()", "__syncwarp()")])
        .says(&["error[shared-race]", "__syncwarp() on line", "(1) and (2) are in different warps"])
        .never(&["there is no barrier"]);
    edited("ch04_shared", "reverse_sync", &[("__syncthreads();", "")])
        .says(&["there is no barrier between (1) and (2)"]);
}

/// Where the host writes what a kernel reads, a wait isn't always what is missing.
#[test]
fn a_host_that_writes_too_late_is_asked_which_values_count() {
    let fill = "for (int i = 0; i < n; ++i) {\n        volts[i] = measured[2 * i + 1];\n    }\n";
    let wait = "    cudaDeviceSynchronize();\n";
    let later = format!("    {fill}{wait}");
    edited("ch02_memory", "mapped_memory", &[(fill, ""), (wait, &later)])
        .says(&[
            "error[host-race]",
            "the host writes",
            "the old values, or the values that this line writes",
        ])
        .never(&["which call before this line"]);
}

/// A size that the exercise does not pass is no variable that the learner should declare.
#[test]
fn a_name_that_is_no_parameter_is_compared_with_the_parameters() {
    edited("ch01_threads", "add_one", &[("out[i] =", "if (i < n) out[i] =")])
        .says(&["identifier \"n\" is undefined", "`add_one` has the parameters `a`, `out`"]);
}

/// An allocation for one row where the kernel works on all rows is named with its size.
#[test]
fn an_allocation_for_one_extent_is_marked() {
    edited(
        "ch10_science",
        "convection",
        &[("size_t(rows) * cols * sizeof(float)", "cols * sizeof(float)")],
    )
    .says(&["error[out-of-bounds-read]", "allocated here", "room for 11 elements of 4 bytes"])
    .says(&["`rows` = 6 and `cols` = 11", "how many elements does this array have in all"])
    .never(&["which thread computes it"]);
}

/// The third value of a launch's configuration is not the stream.
#[test]
fn a_stream_in_the_place_of_shared_memory_is_named() {
    edited("ch08_streams", "concurrent_kernels", &[("BLOCK, 0, stream[0]", "BLOCK, stream[0]")])
        .says(&["the stream is the fourth value between <<< and >>>", "the third value is 0"]);
}

/// A copy whose direction does not name its ends is reported, though it succeeds.
#[test]
fn a_direction_that_does_not_fit_is_reported() {
    edited("ch02_memory", "volume_3d", &[("way_in.kind = cudaMemcpyHostToDevice;", "")]).says(&[
        "error[wrong-direction]: cudaMemcpy3D gets a direction that does not fit",
        "cudaMemcpyHostToHost, but the destination is `d_in` (on the device)",
        "a direction that is never set is 0",
    ]);
}

/// An element of which a copy has written some bytes is not one that nothing has written.
#[test]
fn an_element_that_is_written_in_part_says_so() {
    edited("ch08_streams", "overlap", &[("count * sizeof(float)", "count")]).says(&[
        "error[uninitialised-read]",
        "of which only 1 of 4 bytes has been written",
        "has 4000 bytes; before this launch, only the first 125 were written",
    ]);
}

/// A kernel that reads what an earlier one should have written is told how much that wrote.
#[test]
fn an_earlier_kernel_that_wrote_a_part_is_marked() {
    let launch = (
        "grid((cols + BLOCK_X - 1) / BLOCK_X, (rows +",
        "grid((rows + BLOCK_X - 1) / BLOCK_X, (cols +",
    );
    edited("ch10_science", "convection", &[launch]).says(&[
        "error[uninitialised-read]",
        "this kernel wrote to `next` before",
        "before this launch, only",
    ]);
}

/// A variable that a copy fills in part is named, with the copy.
#[test]
fn a_variable_that_is_filled_in_part_is_named() {
    edited(
        "ch09_images",
        "sobel_const",
        &[("slope_weights, slope, 3 * sizeof(float)", "slope_weights, slope, 3")],
    )
    .says(&[
        "fills 3 of 12 bytes",
        "`slope_weights` has 12 bytes, and the copies to it fill the first 3",
        "how many bytes does each element of `slope_weights` have",
    ]);
}

/// Threads outside an array while no thread inside writes: a condition lets the wrong ones through.
#[test]
fn an_inverted_guard_leaves_the_output_unwritten() {
    edited("ch01_threads", "guard", &[("if (idx < n)", "if (idx >= n)")]).says(&[
        "error[out-of-bounds-write]",
        "in this run, no element of `out` is written",
        "which threads should write an element of `out`, and which ones reach the line that does?",
    ]);
}

/// Values that belong elsewhere are told where.
#[test]
fn values_in_other_places_are_found() {
    let fetch = ("tex2D<float>(image, x, y)", "tex2D<float>(image, y, x)");
    edited("ch09_images", "texture_rotate", &[fetch]).says(&[
        "every value shown is an element of `image`, unchanged: out[0][1] is image[1][0]",
        "which elements of `image` belong in out[0][1], and which ones does it get?",
    ]);
}

/// A read that comes before the write of the same iteration is not "still" reading.
#[test]
fn a_read_before_the_write_of_its_iteration_is_too_early() {
    let barrier = "__syncthreads();  // both tiles are complete before any thread uses them";
    edited("ch04_shared", "matmul_tiled", &[(barrier, "")])
        .says(&["error[shared-race]", "may still be writing it"])
        .never(&["may still be reading it"]);
}

/// Extents in the wrong order are shown where they are: in the launch, or where the array is made.
#[test]
fn extents_in_the_wrong_order_show_both_places() {
    let surface = ("ch09_images", "surface_write");
    edited(
        surface.0,
        surface.1,
        &[("(texture, surface, height, width)", "(texture, surface, width, height)")],
    )
    .says(&["error[surface-coordinate]", "launched here", "allocated here"])
    .says(&[
        "the kernel gets `height` = 3 and `width` = 2",
        "in the launch, or in the coordinates of this line?",
    ]);
    edited(
        "ch02_memory",
        "pitched_2d",
        &[("(&d_region, &pitch, bytes, rows)", "(&d_region, &pitch, rows, bytes)")],
    )
    .says(&[
        "error[call-failed]: cudaMemcpy2D",
        "cudaMallocPitch(&d_region, &pitch, rows, bytes);",
        "allocated here",
    ])
    .says(&["which number of the allocation counts the bytes of a row, and which one the rows?"]);
}

/// A race on global memory need not lack a barrier: the read may be meant for another array.
#[test]
fn a_race_on_global_memory_asks_for_the_value_that_is_meant() {
    edited(
        "ch10_science",
        "convection",
        &[("now[(row + 1) % rows * cols + col]", "next[(row + 1) % rows * cols + col]")],
    )
    .says(&[
        "error[global-race]",
        "should the read find the old value or the new one, and what decides that?",
    ])
    .never(&["what must every thread have finished"]);
}

/// A wait that cannot order two kernels is shown, with the reason.
#[test]
fn waits_that_come_late_or_wait_for_themselves_are_shown() {
    let order = ("ch08_streams", "stream_order");
    let record = "cudaEventRecord(squared, front);";
    edited(order.0, order.1, &[(record, "cudaEventRecord(squared, back);")]).says(&[
        "error[missing-wait]",
        "the event is recorded here",
        "(1) is not part of it",
    ]);
    let wait = "cudaStreamWaitEvent(back, squared);";
    let root = "root<<<blocks, BLOCK, 0, back>>>(d_squared + first, d_out + first, count);";
    let turned = format!("{root}\n        cudaStreamWaitEvent(back, squared );");
    edited(order.0, order.1, &[(wait, ""), (root, &turned)]).says(&[
        "error[missing-wait]",
        "this wait comes after (2)",
        "delays only the work that the stream gets after it",
    ]);
}

/// A copy to the address of a pointer says what that address is.
#[test]
fn the_address_of_a_pointer_is_explained() {
    edited("ch02_memory", "roundtrip", &[("cudaMemcpy(d_a,", "cudaMemcpy(&d_a,")])
        .says(&["`&d_a` is where the pointer `d_a` itself is, on the host"]);
}

/// What the host never did is said beside wrong values: an input that is not copied, an array that
/// is not changed.
#[test]
fn inputs_that_are_not_copied_and_arrays_that_are_not_changed_are_named() {
    edited("ch07_generic", "elementwise", &[("cudaMemcpy(d_y, y,", "cudaMemcpy(d_y, x,")])
        .says(&["error[wrong-values]", "no copy to the device reads `y`"]);
}

/// Integer arguments of a launch that have changed places are named.
#[test]
fn integer_arguments_that_have_changed_places_are_named() {
    edited(
        "ch02_memory",
        "volume_3d",
        &[("(d_in, d_out, depth, height, width)", "(d_in, d_out, width, height, depth)")],
    )
    .says(&["the parameter `depth` gets `width`, and `width` gets `depth`", "launched here"]);
}

/// Where every thread goes outside, no condition is to blame.
#[test]
fn an_index_that_is_the_same_in_every_thread_is_not_a_question_of_reaching() {
    edited("ch01_threads", "add_one", &[("= threadIdx.x;", "= blockDim.x;")])
        .says(&["error[out-of-bounds-write]", "in this run, no element of `out` is written"])
        .never(&["which ones reach the line"]);
}

/// One piece of memory for two parameters is named beside wrong values.
#[test]
fn memory_that_a_kernel_gets_twice_is_named() {
    edited(
        "ch02_memory",
        "mapped_memory",
        &[(
            "cudaHostGetDevicePointer(&d_watts, watts, 0)",
            "cudaHostGetDevicePointer(&d_watts, volts, 0)",
        )],
    )
    .says(&["error[wrong-values]", "gets the same memory as"]);
}

/// Two accesses of one statement are both inside the mark.
#[test]
fn two_accesses_of_one_statement_share_a_mark() {
    let said = edited(
        "ch06_atomics",
        "counter_race",
        &[("atomicAdd(hits, 1)", "hits[0] = atomicAdd(hits, 1)")],
    );
    said.says(&["error[global-race]", "^^^^^^^^^^^^^^^^^^^^^^^^^^^^ both accesses"]);
}

/// No barrier is recommended for a race on global memory: other launches have several blocks.
#[test]
fn no_barrier_is_recommended_for_global_memory() {
    edited("ch10_science", "convection", &[("cudaMalloc(&next, bytes);", "next = now;")])
        .says(&["error[global-race]"])
        .never(&["__syncthreads()"]);
}

/// An index that wraps around in a loop that counts up is not the loop's mistake.
#[test]
fn a_wrapped_index_in_a_loop_that_counts_up_is_not_about_the_loop() {
    edited(
        "ch05_debugging",
        "oob_uninit_hunt",
        &[(
            "(threadIdx.y + r) * FRAME + threadIdx.x + c",
            "(threadIdx.y + r - 1) * FRAME + threadIdx.x + c",
        )],
    )
    .says(&["error[out-of-bounds-read]", "for which threads would this index be negative"])
    .never(&["counts down"]);
}

/// Whole numbers that differ by little have nothing to do with floats in a file without any.
#[test]
fn no_float_is_blamed_where_there_is_none() {
    edited(
        "ch10_science",
        "euler_collatz",
        &[("key_of(length, first + idx)", "key_of(length, first + idx + 1)")],
    )
    .says(&["error[wrong-values]"])
    .never(&["a float holds"]);
}

/// The numbers that a seed draws are shown, because results are computed from them.
#[test]
fn the_case_shows_drawn_numbers() {
    edited("ch10_science", "euler_collatz", &[("unsigned long long x", "unsigned int x")])
        .says(&["error[wrong-values]", "n = 1000, first = 625 712"])
        .never(&["lowest"]);
}

/// The compiler makes a trap of a kernel's store to constant memory.
#[test]
fn a_store_to_a_constant_is_named() {
    edited(
        "ch09_images",
        "sobel_const",
        &[("    __syncthreads();", "    smooth_weights[0] = 1.0f;\n    __syncthreads();")],
    )
    .says(&[
        "error[trap]",
        "stores to the constant `smooth_weights`",
        "smooth_weights[0] = 1.0f; | ^^^",
        "cudaMemcpyToSymbol",
    ]);
}

/// A header that others include by chance must be included.
#[test]
fn a_name_of_the_library_needs_its_header() {
    edited(
        "ch02_memory",
        "roundtrip",
        &[("    const size_t bytes", "    std::vector<float> copy(n);\n    const size_t bytes")],
    )
    .says(&["error[compile-error]", "add #include <vector>"])
    .never(&["the name is std::"]);
}

/// A semicolon that the text of a macro lacks isn't missing before its use.
#[test]
fn a_semicolon_that_a_macro_lacks_is_in_the_macro() {
    let macro_text = "#define CHECK(call) \\\n    do { \\\n        cudaError_t code = (call) \\\n        \
                      if (code != cudaSuccess) return 1; \\\n    } while (0)\n";
    let source =
        format!("{macro_text}int main() {{\n    int* c;\n    CHECK(cudaMalloc(&c, 4));\n}}\n");
    program(&source)
        .says(&[
            "expected a ; in the text of the macro CHECK",
            "a ; is missing in its text",
            "used here",
        ])
        .never(&["a ; is missing after this"]);
}

/// An input is not a place for results.
#[test]
fn a_copy_to_an_input_is_named() {
    edited("ch02_memory", "roundtrip", &[("cudaMemcpy(out, d_out", "cudaMemcpy(a, d_out")]).says(
        &[
            "error[compile-error]",
            "`a` is only for reading, and cudaMemcpy would write to it",
            "to, from, bytes, direction",
        ],
    );
}

/// CUB only says how much memory it needs if it gets none.
#[test]
fn results_of_a_reduction_that_never_ran_are_uninitialised() {
    program(
        "#include <cub/cub.cuh>\n#include <cstdio>\nint main() {\n    int *in, *out, sum = 0;\n    \
         cudaMalloc(&in, 400);\n    cudaMalloc(&out, 4);\n    cudaMemset(in, 0, 400);\n    size_t bytes = 0;\n    \
         cub::DeviceReduce::Sum(nullptr, bytes, in, out, 100);\n    \
         cub::DeviceReduce::Sum(nullptr, bytes, in, out, 100);\n    \
         cudaMemcpy(&sum, out, 4, cudaMemcpyDeviceToHost);\n    printf(\"%d\\n\", sum);\n    \
         cudaFree(in);\n    cudaFree(out);\n}\n",
    )
    .says(&["error[uninitialised-read]: cudaMemcpy reads `out`, which nothing has written"]);
}

/// An array that lost its `__shared__` belongs to each thread.
#[test]
fn a_local_array_for_a_block_is_named() {
    edited("ch04_shared", "reverse_sync", &[("__shared__ float", "float")])
        .says(&["error[uninitialised-read]", "every thread has its own copy of a local array"]);
}

/// A header of constants works where host code is compiled.
#[test]
fn constants_of_floats_need_their_header() {
    edited("ch07_generic", "reduction_kernel", &[("NEUTRAL = -INFINITY", "NEUTRAL = -FLT_MAX")])
        .says(&["error[compile-error]", "add #include <cfloat>"]);
}

/// A shuffle inside a branch that one lane takes lacks the lanes of its mask.
#[test]
fn a_shuffle_of_one_lane_is_named() {
    edited(
        "ch03_coalescing",
        "row_col_sums",
        &[(
            "        acc = sum_of_warp(acc);\n        if (lane == 0) {",
            "        if (lane == 0) {\n            acc = sum_of_warp(acc);",
        )],
    )
    .says(&["row_col_sums", "sum_of_warp", "mask"]);
}

/// A maximum that a thread computes and stores itself is no atomic operation.
#[test]
fn a_maximum_without_an_atomic_function_is_a_race() {
    edited(
        "ch10_science",
        "euler_collatz",
        &[("atomicMax(&longest, key)", "longest = max(longest, key)")],
    )
    .says(&["error[shared-race]", "longest = max(longest, key)"]);
}
