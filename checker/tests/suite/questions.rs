//! The questions of reports fit what happened: they name both ways out where there are two, and
//! assume nothing that the run does not show.
//!
//! Needs a CUDA 13 compiler and the host's g++.

use crate::causes::edited;

/// A number of the host reaches a kernel by value. A copy of it on the device would work, too, but
/// costs a copy that the task does not allow.
#[test]
fn the_address_of_a_variable_of_the_host_is_not_a_question_of_copies() {
    let by_address = [
        (
            "float c, float* out, int n) {\n    const int",
            "const float* c, float* out, int n) {\n    const int",
        ),
        ("+ c;", "+ *c;"),
        ("d_b, c,", "d_b, &c,"),
    ];
    edited("ch02_memory", "in_out_inout", &by_address).says(&[
        "the argument `c` is a host address",
        "does the kernel need the address of `c`, or the value of `c`?",
    ]);
    let by_address = [
        ("turn(Points points", "turn(const Points* points"),
        ("points.", "points->"),
        (">>>(all,", ">>>(&all,"),
    ];
    edited("ch03_coalescing", "structs_soa", &by_address)
        .says(&["does the kernel need the address of `all`, or the value of `all`?"]);
    // an array of the host must be copied
    edited("ch02_memory", "in_out_inout", &[(">>>(d_a,", ">>>(a,")])
        .says(&["which memory can a kernel use, and how do the values get there?"]);
    edited("ch02_memory", "in_out_inout", &[(">>>(d_a,", ">>>(&a[0],")])
        .says(&["which memory can a kernel use, and how do the values get there?"]);
}

/// The host's store into device memory and its load from there get one question that fits both.
#[test]
fn the_host_uses_device_memory_in_either_direction() {
    let question =
        "which memory can the host use itself, and how do values get from one memory to the other?";
    for memory in ["volts", "watts"] {
        let host = format!("cudaHostAlloc(&{memory}, bytes, cudaHostAllocMapped)");
        let device = format!("cudaMalloc(&{memory}, bytes)");
        edited("ch02_memory", "mapped_memory", &[(&host, &device)]).says(&[question]);
    }
}

/// The host may be what exchanges rows and columns.
#[test]
fn exchanged_rows_and_columns_are_not_blamed_on_threads() {
    edited("ch03_coalescing", "structs_soa", &[("out[3 * i + k] =", "out[k * n + i] =")])
        .says(&["error[wrong-values]"])
        .never(&["threadIdx"]);
}

/// A kernel without a line that writes gets no question about reaching that line.
#[test]
fn a_kernel_that_stores_nothing_is_asked_which_line_stores() {
    edited("ch01_threads", "add_one", &[("out[i] =", "const int sum =")])
        .says(&["which line stores a result in `out`, and which threads reach it?"]);
}

/// A null pointer where a call stores its result is named.
#[test]
fn a_null_pointer_for_a_result_is_named() {
    let null = "a null pointer stands where the address of the variable for the result belongs";
    let by_value = [
        ("float *d_a, *d_b, *d_out;", "float *d_a = nullptr, *d_b, *d_out;"),
        ("cudaMalloc(&d_a,", "cudaMalloc((void**)d_a,"),
    ];
    edited("ch02_memory", "in_out_inout", &by_value)
        .says(&["cudaMalloc fails with cudaErrorInvalidValue", null]);
    let swapped = [
        ("float *d_volts, *d_watts;", "float *d_volts = nullptr, *d_watts = nullptr;"),
        ("(&d_volts, volts, 0)", "((void**)&volts, d_volts, 0)"),
    ];
    edited("ch02_memory", "mapped_memory", &swapped)
        .says(&["the address of the host's memory is null"]);
}

/// An atomic function whose result goes back into the element is one step, and the store another.
#[test]
fn a_store_beside_an_atomic_function_is_not_three_steps() {
    edited(
        "ch06_atomics",
        "counter_race",
        &[("atomicAdd(hits, 1)", "hits[0] = atomicAdd(hits, 1)")],
    )
    .says(&[
        "an atomic function changes the element by itself",
        "what is in the element when the atomic function returns",
    ])
    .never(&["three steps"]);
}

/// One event for two streams: the second record replaces the first, so the wait covers only it.
#[test]
fn a_record_that_another_one_replaces_is_named() {
    edited(
        "ch08_streams",
        "concurrent_kernels",
        &[
            ("cudaEventRecord(done[k], stream[k]);", "cudaEventRecord(done[1], stream[k]);"),
            (
                "        cudaStreamWaitEvent(stream[0], done[k]);  // stream[0] runs its own work in order\n    }",
                "    }\n    cudaStreamWaitEvent(stream[0], done[1]);",
            ),
        ],
    )
    .says(&[
        "error[missing-wait]",
        "an event keeps only its last record: line 75 has recorded it again in another stream before line 77 waits",
        "this record is after (1)",
    ]);
}

/// Values that are elements of an image, and 0 outside of it, are read without a filter.
#[test]
fn elements_of_an_input_are_named_beside_zeros() {
    edited("ch09_images", "texture_rotate", &[("cudaFilterModeLinear", "cudaFilterModePoint")])
        .says(&["error[wrong-values]", "every value shown that is not 0 is an element of `image`"]);
}

/// Where kernels write to memory of the host, no copy is missing.
#[test]
fn results_in_memory_of_the_host_are_not_copied() {
    edited("ch02_memory", "mapped_memory", &[("        report[i] = watts[n - 1 - i];\n", "")])
        .says(&["error[output-not-written]", "no line of the program uses `report`"])
        .never(&["copied back", "which line copies"]);
}

/// A missing semicolon explains the other error of its line.
#[test]
fn a_missing_semicolon_after_a_structure_is_the_cause() {
    let structure = "struct Pair {\n    float a, b;\n}\n\nextern \"C\" __global__";
    edited("ch01_threads", "add_one", &[("extern \"C\" __global__", structure)])
        .says(&["error[compile-error]", ";"])
        .never(&["linkage specification"]);
}

/// A thread that reads what all threads add to in shared memory needs a barrier. An atomic read
/// would only hide the race.
#[test]
fn a_read_after_atomics_in_shared_memory_is_a_question_of_waiting() {
    edited(
        "ch06_atomics",
        "counter_race",
        &[(
            "        atomicAdd(hits, 1);\n",
            "        atomicAdd(&mine, 1);\n    }\n    if (threadIdx.x == 0) {\n        atomicAdd(hits, mine);\n",
        ),
        ("    const int idx =", "    __shared__ int mine;\n    if (threadIdx.x == 0) {\n        mine = 0;\n    }\n    __syncthreads();\n    const int idx =")],
    )
    .says(&["error[shared-race]", "what makes them wait"])
    .never(&["ordinary access"]);
}

/// A texture stays with the array that it was made for, so the report shows where it was made.
#[test]
fn a_texture_of_a_freed_array_is_shown_where_it_is_made() {
    let program = crate::causes::program(
        "__global__ void read(cudaTextureObject_t t, float* out) { out[0] = tex2D<float>(t, 0.5f, 0.5f); }\n\
         int main() {\n\
         cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();\n\
         cudaArray_t array;\n\
         cudaMallocArray(&array, &format, 4, 4);\n\
         float host[16] = {};\n\
         cudaMemcpy2DToArray(array, 0, 0, host, 16, 16, 4, cudaMemcpyHostToDevice);\n\
         cudaResourceDesc what{};\n\
         what.resType = cudaResourceTypeArray;\n\
         what.res.array.array = array;\n\
         cudaTextureDesc how{};\n\
         cudaTextureObject_t texture;\n\
         cudaCreateTextureObject(&texture, &what, &how, nullptr);\n\
         float* out;\n\
         cudaMalloc(&out, 4);\n\
         cudaFreeArray(array);\n\
         read<<<1, 1>>>(texture, out);\n\
         cudaDeviceSynchronize();\n\
         cudaDestroyTextureObject(texture);\n\
         cudaFree(out);\n\
         }\n",
    );
    program.says(&[
        "error[use-after-free]",
        "the object is made here",
        "which memory should this launch use, and which memory was the object made for?",
    ]);
}

/// A program that ends without a wait has filled the memory that its kernel reads.
#[test]
fn copies_before_a_kernel_without_a_wait_count() {
    crate::causes::program(
        "__global__ void twice(float* v) { v[threadIdx.x] = 2.0f * v[threadIdx.x]; }\n\
         int main() {\n\
         float *host, *device;\n\
         cudaMallocHost(&host, 256 * sizeof(float));\n\
         cudaMalloc(&device, 256 * sizeof(float));\n\
         for (int i = 0; i < 256; ++i) { host[i] = 1.0f; }\n\
         cudaStream_t stream;\n\
         cudaStreamCreate(&stream);\n\
         cudaMemcpyAsync(device, host, 256 * sizeof(float), cudaMemcpyHostToDevice, stream);\n\
         twice<<<1, 256, 0, stream>>>(device);\n\
         cudaMemcpyAsync(host, device, 256 * sizeof(float), cudaMemcpyDeviceToHost, stream);\n\
         }\n",
    )
    .says(&["error[unfinished-work]"])
    .never(&["uninitialised"]);
}

/// A guard that lets in too many threads is shown, and not asked for.
#[test]
fn a_guard_that_is_true_for_too_many_threads_is_marked() {
    edited("ch01_threads", "blocks", &[("if (idx < n)", "if (threadIdx.x < n)")]).says(&[
        "error[out-of-bounds-write]",
        "this condition is true for block 1, thread 1",
        "for which threads should this condition be true?",
    ]);
    // this block is no part of the `if`
    edited("ch01_threads", "blocks", &[("if (idx < n)", "if (idx < n);")])
        .says(&["error[out-of-bounds"])
        .never(&["this condition is true"]);
    let guard = "    if (idx < n) {\n        out[idx] = a[idx] + b[idx];\n    }";
    edited("ch01_threads", "blocks", &[(guard, "    out[idx] = a[idx] + b[idx];")])
        .says(&["what should the extra threads do?"]);
}

/// A program whose results only a free waits for passes, and hears of the wait that is missing.
#[test]
fn a_pass_says_that_only_a_free_waits() {
    let only = "waits for the copy on line";
    edited("ch08_streams", "overlap", &[("cudaStreamSynchronize(", "cudaStreamQuery(")]).says(&[
        "✓ overlap",
        "only cudaHostUnregister (line",
        only,
    ]);
    edited("ch08_streams", "overlap", &[]).says(&["✓ overlap"]).never(&[only]);
}

/// A number that the code got is named where all wrong values are that number.
#[test]
fn a_number_that_stands_in_every_element_is_named() {
    edited("ch07_generic", "elementwise", &[("{a, b, low, high}", "{low, high, a, b}")])
        .says(&["every value shown is that of `b`", "which lines use `b`, and for what?"]);
}

/// A sum in an output needs its old value, and a value before the first term.
#[test]
fn a_sum_in_an_output_needs_a_first_value() {
    edited("ch01_threads", "blocks", &[("out[idx] =", "out[idx] +=")])
        .says(&["error[uninitialised-read]", "contain before the first update"]);
}

/// Where nearly all kernels are in one stream, no wait of the host is to blame.
#[test]
fn kernels_in_one_stream_of_two_are_named() {
    let one = [
        ("swing<<<blocks, BLOCK, 0, stream[1]>>>", "swing<<<blocks, BLOCK, 0, stream[0]>>>"),
        ("radiate<<<blocks, BLOCK, 0, stream[2]>>>", "radiate<<<blocks, BLOCK, 0, stream[0]>>>"),
        (
            "mean<<<blocks, BLOCK, 0, stream[0]>>>",
            "cudaDeviceSynchronize();\n    mean<<<blocks, BLOCK>>>",
        ),
    ];
    edited("ch08_streams", "concurrent_kernels", &one)
        .says(&["error[gate-missed]", "one stream has", "which launches need no result"])
        .never(&["the host waits"]);
}

/// A program may ask for the time in a loop until both events are complete.
#[test]
fn a_time_may_be_polled() {
    let elapsed = "cudaEventElapsedTime(milliseconds, start, stop);";
    let polled = "while (cudaEventElapsedTime(milliseconds, start, stop) == cudaErrorNotReady) {}";
    edited(
        "ch08_streams",
        "event_timing",
        &[("cudaEventSynchronize(stop);", ""), (elapsed, polled)],
    )
    .says(&["✓ event_timing"]);
}

/// Rows that no thread reaches are not missing in the copy back, which may bring a part only.
#[test]
fn a_copy_of_the_right_part_is_not_to_blame() {
    let grid = "grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y)";
    let swapped = "grid((rows + block.y - 1) / block.y, (cols + block.x - 1) / block.x)";
    edited("ch02_memory", "pitched_2d", &[(grid, swapped)])
        .says(&["which thread of which launch should change image["])
        .never(&["get its size", "bytes are copied back"]);
}

/// A pointer may begin at the wrong element, and then its index is right.
#[test]
fn a_pointer_into_an_array_may_begin_at_the_wrong_element() {
    let cast = ("const float4*>(view)", "const float4*>(x) + offset");
    edited("ch03_coalescing", "float4_align", &[cast])
        .says(&["at which element of `x` does the pointer on this line begin"]);
}

/// A handle of 0 may be another argument of the call.
#[test]
fn a_call_may_get_zero_for_its_surface() {
    let call = ("surf2Dwrite(mean, to,", "surf2Dwrite(to, mean,");
    edited("ch09_images", "surface_write", &[call])
        .says(&["this call gets 0 in place of a surface object", "which argument of this call"]);
}

/// A structure needs a semicolon after its closing brace, whatever declaration follows.
#[test]
fn a_structure_without_its_semicolon_is_marked_at_its_brace() {
    let places = [
        ("elementwise", "high);\n    }\n};", "high);\n    }\n}"),
        ("reduction_kernel", "return x[i];\n    }\n};", "return x[i];\n    };\n}"),
    ];
    for (exercise, find, replace) in places {
        let said = edited("ch07_generic", exercise, &[(find, replace)]);
        said.says(&["expected a ;", "| } | ^ a ; is missing after this"]);
    }
}
