//! Reports that must name the cause: an exercise with one change, or a program, and parts of what
//! the checker says about it.
//!
//! Needs a CUDA 13 compiler and the host's g++.

use std::fs;

use crate::cli::common::{Ran, Workbook, checker, run};

/// What the checker prints, with single spaces, and its exit code.
pub struct Said {
    pub code: i32,
    pub text: String,
}

impl Said {
    fn by(args: &[&str], name: &str, source: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(name), source).expect("written");
        let root = fs::canonicalize("..").expect("the repository");
        let mut command = checker(&root);
        command.args(args).arg(folder.path().join(name)).env("NO_COLOR", "1");
        Self::new(&run(&mut command))
    }

    fn new(ran: &Ran) -> Self {
        let text = format!("{}{}", ran.out, ran.err);
        Self { code: ran.code, text: text.split_whitespace().collect::<Vec<_>>().join(" ") }
    }

    #[track_caller]
    pub fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.text.contains(part), "no `{part}`: {}", self.text);
        }
        self
    }

    #[track_caller]
    pub fn never(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(!self.text.contains(part), "`{part}`: {}", self.text);
        }
        self
    }

    pub fn count(&self, part: &str) -> usize {
        self.text.matches(part).count()
    }
}

/// Checks the solution of an exercise with some edits, in a file with another name.
#[track_caller]
pub fn edited(chapter: &str, exercise: &str, edits: &[(&str, &str)]) -> Said {
    let path = format!("../solutions/{chapter}/{exercise}.cu");
    let mut source = fs::read_to_string(path).expect("a solution");
    for (find, replace) in edits {
        assert!(source.contains(find), "`{find}` is not in {exercise}");
        source = source.replace(find, replace);
    }
    check(exercise, &source)
}

pub fn check(exercise: &str, source: &str) -> Said {
    Said::by(&["check", exercise, "--backend", "sim", "--file"], "mine.cu", source)
}

pub fn program(source: &str) -> Said {
    Said::by(&["run", "--backend", "sim"], "program.cu", source)
}

/// A file with another name than the exercise's has lines and names, too.
#[test]
fn host_code_in_a_file_of_any_name_is_marked() {
    let skeleton = fs::read_to_string("../exercises/ch02_memory/cleanup.cu").expect("a skeleton");
    check("cleanup", &skeleton)
        .says(&["error[host-race]", "reads `received`", "mine.cu:46", "only enqueued here"])
        .never(&["pinned allocation"]);
}

const FILL: &str = "#include <cstdio>\n\
    __global__ void fill(int* v) { v[threadIdx.x] = threadIdx.x; }\n";

/// A loop over an array makes one mistake.
#[test]
fn a_host_race_is_reported_once() {
    let main = "int main() {\n  int *d, *p;\n  cudaMalloc(&d, 32); cudaMallocHost(&p, 32);\n\
        \x20 fill<<<1, 8>>>(d);\n  cudaMemcpyAsync(p, d, 32, cudaMemcpyDeviceToHost);\n\
        \x20 int s = 0;\n  for (int i = 0; i < 8; ++i)\n    s += p[i];\n  printf(\"%d\\n\", s);\n\
        \x20 cudaFree(d); cudaFreeHost(p);\n}\n";
    let said = program(&format!("{FILL}{main}")).says(&["error[host-race]"]);
    assert_eq!(said.count("error["), 1, "{}", said.text);
}

#[test]
fn a_time_between_events_that_have_not_happened_is_a_failed_call() {
    let main = "int main() {\n  int* d;\n  cudaMalloc(&d, 32);\n  cudaEvent_t a, b;\n\
        \x20 cudaEventCreate(&a); cudaEventCreate(&b);\n  cudaEventRecord(a);\n  fill<<<1, 8>>>(d);\n\
        \x20 cudaEventRecord(b);\n  float ms = -1;\n  WAIT\n  cudaEventElapsedTime(&ms, a, b);\n\
        \x20 printf(\"%d\\n\", ms > 0);\n  cudaEventDestroy(a); cudaEventDestroy(b); cudaFree(d);\n}\n";
    let source = format!("{FILL}{main}");
    program(&source.replace("WAIT", "")).says(&[
        "error[call-failed]: cudaEventElapsedTime fails with cudaErrorNotReady",
        "the device has not reached either event yet",
        "return only when both events are complete",
    ]);
    let said = program(&source.replace("WAIT", "cudaEventSynchronize(b);"));
    assert_eq!((said.code, said.text.as_str()), (0, "1"));
}

/// A copy over the stack ends the program, and what was found before is still reported.
#[test]
fn a_program_that_destroys_its_stack_keeps_its_findings() {
    let source = "#include <cstdio>\n__global__ void run(float* out, int n) {\n    int i = threadIdx.x;\n\
        \x20   if (i < n) out[i + 1] = i;\n}\nint main() {\n    float* out;\n    cudaMalloc(&out, 400);\n\
        \x20   run<<<1, 128>>>(out, 100);\n    cudaDeviceSynchronize();\n    float* h = new float[100];\n\
        \x20   cudaMemcpy(&h, out, 400, cudaMemcpyDeviceToHost);\n    printf(\"%g\\n\", h[99]);\n}\n";
    program(source).says(&[
        "error[out-of-bounds-write]",
        "error[host-crash]",
        "program.cu:13",
        "this copy writes over `h` itself",
    ]);
    let copy = "cudaMemcpy(out, d_out";
    edited("ch02_memory", "roundtrip", &[(copy, "cudaMemcpy(&out, d_out")])
        .says(&["error[host-crash]", "writes over `out` itself"])
        .never(&["belongs to the device"]);
}

/// The compiler leaves out a load whose value is not used.
#[test]
fn a_trace_and_a_check_agree_about_an_unused_load() {
    let edits = [
        ("    if (idx < n) {", "    const float mine = a[idx];\n    if (idx < n) {"),
        ("a[idx] + 10.0f", "mine + 10.0f"),
    ];
    let said = edited("ch01_threads", "guard", &edits);
    assert_eq!(said.code, 0, "{}", said.text);
    let source = fs::read_to_string("../solutions/ch01_threads/guard.cu").expect("a solution");
    let source = edits.iter().fold(source, |text, (find, replace)| text.replace(find, replace));
    let workbook = Workbook::new();
    fs::write(workbook.exercise("guard"), source).expect("writable");
    let ran = workbook.run(&["trace", "guard", "--thread", "1010"]);
    Said::new(&ran)
        .says(&["the compiler left it out", "reads a[1010]"])
        .never(&["depends on chance", "undefined"]);
}

/// The debug build, which a trace shows, need not make the mistake of the optimised code that
/// `check` runs: it reads 16 bytes at once, too, but writes them in parts.
#[test]
fn a_trace_says_which_mistake_a_check_shows() {
    const QUADS: &str = "extern \"C\" __global__ void float4_align(float a, const float* x, const float* y, float* out, int offset, int n) {
    const int t = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
    const float* v = x + offset;
    const int head = min(n, (4 - offset % 4) % 4);
    if (me < head) out[me] = a * v[me] + y[me];
    for (int q = me; q < (n - head) / 4; q += t) {
        const int i = head + 4 * q;
        const float4 X = *(const float4*)(v + i), Y = *(const float4*)(y + i);
        *(float4*)(out + i) = make_float4(a * X.x + Y.x, a * X.y + Y.y, a * X.z + Y.z, a * X.w + Y.w);
    }
}
";
    let workbook = Workbook::new();
    let file = workbook.root().join("exercises/ch03_coalescing/float4_align.cu");
    fs::write(&file, QUADS).expect("writable");
    let trace = ["trace", "float4_align", "--case", "view from 1"];
    // Both builds make the same mistake first, so nothing is left to say.
    Said::new(&workbook.run(&trace)).says(&["reads y[3]: not at a multiple of 16 bytes"]).never(&[
        "depends on chance",
        "gave other results",
        "the optimised code",
    ]);
    // Without the wrong read, only the optimised code makes a mistake.
    let reads = "*(const float4*)(y + i)";
    let parts = "make_float4(y[i], y[i + 1], y[i + 2], y[i + 3])";
    fs::write(&file, QUADS.replace(reads, parts)).expect("writable");
    Said::new(&workbook.run(&trace))
        .says(&[
            "not right yet: block 0, thread 0 writes 16 bytes",
            "the optimised code that `check` runs makes a mistake, misaligned-access on line 9, that \
             this build does not make",
        ])
        .never(&["depends on chance", "gave other results"]);
}

const ODD_LANES: &str = "__global__ void odd(int* out) {\n    int v = threadIdx.x;\n\
    \x20   if (v % 2) {\n        v += SHUFFLE;\n    }\n    out[threadIdx.x] = v;\n}\n\
    int main() {\n    int* d;\n    cudaMalloc(&d, 128);\n    odd<<<1, 32>>>(d);\n\
    \x20   cudaDeviceSynchronize();\n    cudaFree(d);\n}\n";

/// A shuffle gets a value from a lane that the mask names.
#[test]
fn every_shuffle_reads_named_lanes_only() {
    for shuffle in [
        "__shfl_down_sync(0xaaaaaaaa, v, 1)",
        "__shfl_up_sync(0xaaaaaaaa, v, 1)",
        "__shfl_xor_sync(0xaaaaaaaa, v, 1)",
        "__shfl_sync(0xaaaaaaaa, v, 2)",
    ] {
        program(&ODD_LANES.replace("SHUFFLE", shuffle)).says(&["error[bad-sync-mask]"]);
    }
    for shuffle in ["__shfl_down_sync(0xaaaaaaaa, v, 2)", "__shfl_sync(0xaaaaaaaa, v, 3)"] {
        assert_eq!(program(&ODD_LANES.replace("SHUFFLE", shuffle)).code, 0, "{shuffle}");
    }
}

/// The index of an element in memory is not the kernel's index, where the pointer begins later.
#[test]
fn an_index_counts_from_the_kernels_pointer() {
    let launch = "saxpy<<<grid, block>>>(a, d_x, d_y, d_out, n);";
    let part = "for (int g = 0; g < grid; ++g) saxpy<<<1, block>>>(a, d_x + g * block, d_y + g * block, d_out + g * block, n);";
    edited("ch01_threads", "launch_config", &[(launch, part)])
        .says(&["error[out-of-bounds-write]", "idx = 1 here", "a pointer to element 1024"])
        .never(&["idx = 1025"]);
}

#[test]
fn a_line_that_may_not_have_run_only_may_give_the_value() {
    let edits = [(
        "    codes[5] = cudaFree(d_data);",
        "    if (codes[4] == cudaSuccess) codes[5] = cudaFree(d_data);",
    )];
    edited("ch02_memory", "error_checking", &edits)
        .says(&["error[wrong-values]", "element 5 can get its value here", "or here"])
        .never(&["element 5 gets its value here"]);
}

#[test]
fn a_race_found_in_the_other_order_counts_pairs() {
    edited(
        "ch04_shared",
        "barrier_divergence",
        &[("    __syncthreads();  // the sum", "    // the sum")],
    )
    .says(&["error[shared-race]", "448 pairs of such accesses race"])
    .never(&["accesses at (1)"]);
}

#[test]
fn elements_that_are_written_again_are_not_counted_as_one() {
    let stride = "extern \"C\" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {\n\
        \x20   for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) {\n\
        \x20       out[i] = sqrtf(a[i] * a[i] + b[i] * b[i]);\n    }\n}\n";
    check("grid_stride", stride)
        .says(&["error[written-twice]", "elements of `out` are written up to 4 times"])
        .never(&["one element is written"]);
}

/// An index of an unsigned type has no negative value.
#[test]
fn an_unsigned_index_wraps_around() {
    let kernel = "extern \"C\" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {\n\
        \x20   const size_t threads = size_t(gridDim.x) * blockDim.x;\n\
        \x20   const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;\n\
        \x20   for (size_t idx = n - 1 - me; idx >= 0; idx -= threads) {\n\
        \x20       out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);\n    }\n}\n";
    check("grid_stride", kernel)
        .says(&["idx = 18446744073709551587 here", "18446744073709551615", "the loop's condition"])
        .never(&["index negative"]);
}

/// Several statements share the line of the call.
#[test]
fn the_call_that_measures_is_marked() {
    let call = "cudaEventElapsedTime(milliseconds, start, stop);";
    let changed = "float ms; cudaEventElapsedTime(&ms, start, stop); *milliseconds = ms / 1000;";
    let mark = format!("| {} |", "^".repeat("cudaEventElapsedTime(&ms, start, stop)".len()));
    edited("ch08_streams", "event_timing", &[(call, changed)]).says(&[&mark]);
}

/// The line table has one column for a line, so the text of the line decides.
#[test]
fn an_access_on_a_line_with_several_statements_is_marked() {
    let source = "__global__ void add(const int* v, int* total, int n) { int i = threadIdx.x; if (i < n) { *total += v[i]; } }\n\
        int main() {\n    int *v, *t;\n    cudaMalloc(&v, 400); cudaMemset(v, 0, 400);\n\
        \x20   cudaMalloc(&t, 4); cudaMemset(t, 0, 4);\n    add<<<1, 128>>>(v, t, 100);\n\
        \x20   cudaDeviceSynchronize();\n    cudaFree(v); cudaFree(t);\n}\n";
    program(source)
        .says(&["error[global-race]", "program.cu:1:90", "three steps: read, compute, write"])
        .never(&["must every thread have finished"]);
}

/// An update of a variable takes three steps, as that of an element does.
#[test]
fn an_update_of_a_variable_is_one() {
    let source = "__device__ int total;\n__global__ void add(const int* v) {\n    total += v[threadIdx.x];\n}\n\
        int main() {\n    int* v;\n    cudaMalloc(&v, 512); cudaMemset(v, 0, 512);\n    add<<<1, 128>>>(v);\n\
        \x20   cudaDeviceSynchronize();\n    cudaFree(v);\n}\n";
    program(source)
        .says(&["error[global-race]", "three steps: read, compute, write"])
        .never(&["must every thread have finished"]);
}

/// Managed memory moves without a copy, so a program that uses it has not avoided the device.
#[test]
fn managed_memory_counts_where_copies_are_wanted() {
    let source = "__global__ void turn(float* x, float* y, float* z, float c, float s, float lift, int n) {\n\
        \x20   const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i >= n) return;\n\
        \x20   const float u = x[i], v = y[i];\n    x[i] = c * u - s * v;\n    y[i] = s * u + c * v;\n    z[i] += lift;\n}\n\
        extern \"C\" void structs_soa(const float* points, float c, float s, float lift, float* out, int n, int steps) {\n\
        \x20   float* f[3];\n    for (auto& p : f) cudaMallocManaged(&p, n * sizeof(float));\n\
        \x20   for (int i = 0; i < 3 * n; ++i) f[i % 3][i / 3] = points[8 * (i / 3) + i % 3];\n\
        \x20   for (int k = 0; k < steps; ++k) turn<<<(n + 31) / 32, 32>>>(f[0], f[1], f[2], c, s, lift, n);\n\
        \x20   cudaDeviceSynchronize();\n    for (int i = 0; i < 3 * n; ++i) out[i] = f[i % 3][i / 3];\n\
        \x20   for (auto p : f) cudaFree(p);\n}\n";
    let said = check("structs_soa", source);
    assert_eq!(said.code, 0, "{}", said.text);
}

/// An exchange whose old value is not used is a store.
#[test]
fn an_exchange_may_be_the_first_store() {
    let kernel = |exchange: &str| {
        format!(
            "constexpr int MOST = 256;\nextern \"C\" __global__ void reverse_sync(const float* in, float* out) {{\n\
             \x20   __shared__ float tile[MOST];\n    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n\
             \x20   {exchange}\n    __syncthreads();\n    out[i] = tile[blockDim.x - 1 - t];\n}}\n"
        )
    };
    check("reverse_sync", &kernel("atomicExch(&tile[t], in[i]);")).never(&["uninitialised-read"]);
    check("reverse_sync", &kernel("if (atomicExch(&tile[t], in[i]) == 7.5f) __trap();"))
        .says(&["error[uninitialised-read]"]);
}

/// The exercise asks for a number of copies, and not only of bytes.
#[test]
fn copies_of_single_elements_are_too_many() {
    let copies = [(
        "cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);",
        "for (int i = 0; i < n; ++i) cudaMemcpy(d_a + i, a + i, sizeof *a, cudaMemcpyHostToDevice);",
    )];
    edited("ch02_memory", "in_out_inout", &copies)
        .says(&["error[gate-missed]", "copies to the device"]);
}

/// The padding of memory with a pitch is named where it was read, and only there.
#[test]
fn padding_is_named_where_it_is_read() {
    let swapped =
        "cudaMemcpy2D(region, host_pitch, d_region, pitch, bytes, rows, cudaMemcpyDeviceToHost);";
    let wrong = "cudaMemcpy2D(region, host_pitch, d_region, pitch, host_pitch, rows, cudaMemcpyDeviceToHost);";
    edited("ch02_memory", "pitched_2d", &[(swapped, wrong)]).says(&[
        "error[uninitialised-read]",
        "each row has 28 bytes",
        "belong to neither",
    ]);
}

/// A copy that reads beyond the end of a host array is reported as that.
#[test]
fn a_copy_beyond_a_host_array_is_reported() {
    let edits = [
        ("cudaMalloc(&d_a, bytes);", "cudaMalloc(&d_a, 2 * bytes);"),
        ("cudaMemcpy(d_a, a, bytes,", "cudaMemcpy(d_a, a, 2 * bytes,"),
    ];
    edited("ch02_memory", "roundtrip", &edits).says(&[
        "error[out-of-bounds-read]",
        "reads 3.9 KiB beyond the end of `a`",
        "`a` has 3.9 KiB",
    ]);
}

#[test]
fn a_sum_without_a_first_value_is_asked_about() {
    edited("ch04_shared", "matmul_tiled", &[("float acc = 0.0f;", "float acc;")]).says(&[
        "error[wrong-values]",
        "declared without a value",
        "what is the value of `acc`",
    ]);
}

/// A kernel exercise has no launch that a learner could change.
#[test]
fn an_extern_array_in_a_kernel_exercise_has_no_bytes() {
    let kernel = "extern \"C\" __global__ void reverse_sync(const float* in, float* out) {\n\
        \x20   extern __shared__ float tile[];\n    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n\
        \x20   tile[t] = in[i];\n    __syncthreads();\n    out[i] = tile[blockDim.x - 1 - t];\n}\n";
    check("reverse_sync", kernel)
        .says(&["error[out-of-bounds-write]", "this exercise's launch gives it 0 bytes"])
        .never(&["between <<< and >>>"]);
}

/// An unrolled loop loads in another order than its iterations.
#[test]
fn the_first_unset_element_is_named() {
    let edits = [("tile[tid] = idx < n ? in[idx] : 0.0f;", "if (idx < n) tile[tid] = in[idx];")];
    edited("ch04_shared", "barrier_divergence", &edits)
        .says(&["error[uninitialised-read]", "reads tile[5]"]);
}

/// The missing wait is the cause, and the unset element its consequence.
#[test]
fn a_missing_wait_comes_first() {
    let source = "__global__ void scale(float* v) {\n    v[threadIdx.x] *= 2;\n}\nint main() {\n    float *h, *d;\n\
        \x20   cudaMallocHost(&h, 512); cudaMalloc(&d, 512);\n    for (int i = 0; i < 128; ++i) h[i] = i;\n\
        \x20   cudaStream_t a, b;\n    cudaStreamCreate(&a); cudaStreamCreate(&b);\n\
        \x20   cudaMemcpyAsync(d, h, 512, cudaMemcpyHostToDevice, a);\n    scale<<<1, 128, 0, b>>>(d);\n\
        \x20   cudaDeviceSynchronize();\n    cudaStreamDestroy(a); cudaStreamDestroy(b);\n    cudaFree(d); cudaFreeHost(h);\n}\n";
    let said = program(source).says(&["error[missing-wait]"]);
    let first = said.text.find("error[").map(|at| &said.text[at..]);
    assert!(first.is_some_and(|text| text.starts_with("error[missing-wait]")), "{}", said.text);
}

/// The first use of freed memory is the one to fix.
#[test]
fn a_kernel_that_uses_freed_memory_comes_before_a_later_copy() {
    let launch = "saxpy<<<grid, block>>>(a, d_x, d_y, d_out, n);";
    edited(
        "ch01_threads",
        "launch_config",
        &[(launch, &format!("cudaFree(d_out);\n    {launch}"))],
    )
    .says(&["error[use-after-free]", "and passed to the kernel here"]);
}

/// The simulated runtime writes what a copy writes, so it knows the call.
#[test]
fn a_copy_beyond_a_host_array_is_the_call_that_made_it() {
    edited(
        "ch02_memory",
        "roundtrip",
        &[
            ("cudaMalloc(&d_out, bytes)", "cudaMalloc(&d_out, 2 * bytes)"),
            (
                "cudaMemcpy(out, d_out, bytes,",
                "cudaMemset(d_out + n, 0, bytes); cudaMemcpy(out, d_out, 2 * bytes,",
            ),
        ],
    )
    .says(&[
        "error[out-of-bounds-write]: cudaMemcpy writes 4000 bytes beyond the end of `out`",
        "writes 8000 bytes",
        "`out` has 4000 bytes from there to its end",
    ])
    .never(&["something wrote", "more finding"]);
    edited(
        "ch02_memory",
        "in_out_inout",
        &[("cudaMemcpy(out, d_out,", "cudaMemcpy(out + 1, d_out,")],
    )
    .says(&["cudaMemcpy writes 4 bytes beyond the end of `out`", "from byte 4 on"])
    .never(&["something wrote"]);
    edited(
        "ch02_memory",
        "volume_3d",
        &[("make_cudaPitchedPtr(out, width *", "make_cudaPitchedPtr(out, (width + 1) *")],
    )
    .says(&["cudaMemcpy3D writes", "beyond the end of `out`", "cudaMemcpy3D(&"]);
}

/// What the host makes itself needs no copy, and what nothing has made comes from no device.
#[test]
fn results_of_the_host_are_not_asked_for_on_the_device() {
    edited("ch02_memory", "error_checking", &[("codes[i] = -1;", ";")])
        .says(&["error[wrong-values]", "which line should give codes["])
        .never(&["copied back", "on the device"]);
    let path = "../solutions/ch07_generic/reduction_kernel.cu";
    let source = fs::read_to_string(path).expect("a solution");
    let (head, body) = source.split_once("extern \"C\"").expect("a function");
    let (signature, rest) = body.split_once("{\n").expect("a body");
    let early = format!("{head}extern \"C\"{signature}{{\n    if (n == 0) return;\n{rest}");
    check("reduction_kernel", &early)
        .says(&["launches no kernel in this case", "what does your function do when n is 0"])
        .never(&["on the device"]);
}

/// What a copy or a set writes after the kernel is what the host gets.
#[test]
fn the_last_line_that_writes_the_copied_memory_is_marked() {
    let copy = "cudaMemcpy(out, d_out, bytes,";
    let set = "cudaMemset(d_out, 0, bytes);\n    cudaMemcpy(out, d_out, bytes,";
    edited("ch02_memory", "roundtrip", &[(copy, set)])
        .says(&[
            "cudaMemset(d_out, 0, bytes);",
            "the last line that writes what is copied to `out`",
        ])
        .never(&["only line that writes"]);
}

#[test]
fn a_pointer_into_freed_memory_is_called_that() {
    let source = "int main() {\n  float* d; cudaMalloc(&d, 8000);\n  float* w = d + 1000;\n\
        \x20 cudaFree(d);\n  cudaFree(w);\n}\n";
    program(source)
        .says(&["error[invalid-free]: cudaFree gets byte 4000 of `d`, which was freed before"])
        .never(&["this is `d`"]);
}

/// A pointer that was loaded from an invalid address is null because of that.
#[test]
fn the_invalid_load_of_a_pointer_comes_before_its_use() {
    let source = "struct Soa { float *x, *y; };\n__global__ void turn(Soa* q) {\n\
        \x20 Soa& p = *q;\n  p.x[threadIdx.x] = 1;\n}\nint main() {\n  Soa s{};\n\
        \x20 turn<<<1, 32>>>(&s);\n  cudaDeviceSynchronize();\n}\n";
    program(source)
        .says(&[
            "error[invalid-address]: thread 0 reads host memory",
            "the argument `q` is a host address",
        ])
        .never(&["null pointer"]);
    let list = "struct Node { int value; Node* next; };\n__global__ void walk(Node* n, int* s) {\n\
        \x20 for (; n; n = n->next) *s += n->value;\n}\nint main() {\n\
        \x20 static Node b{2, nullptr}; Node a{1, &b};\n  Node* d; int* s;\n\
        \x20 cudaMalloc(&d, sizeof a); cudaMalloc(&s, 4); cudaMemset(s, 0, 4);\n\
        \x20 cudaMemcpy(d, &a, sizeof a, cudaMemcpyHostToDevice);\n  walk<<<1, 1>>>(d, s);\n\
        \x20 cudaDeviceSynchronize();\n}\n";
    program(list)
        .says(&["error[invalid-address]"])
        .never(&["which arguments of this launch come from cudaMalloc"]);
}

#[test]
fn a_stream_or_an_event_that_does_not_exist_is_a_bad_handle() {
    let main = "int main() {\n  int* d;\n  cudaMalloc(&d, 128);\n  cudaStream_t s[2];\n\
        \x20 for (auto t : s) { cudaStreamCreate(&t); cudaStreamDestroy(t); }\n\
        \x20 s[0] = (cudaStream_t)0x7ffd12345670; fill<<<1, 8, 0, s[0]>>>(d);\n\
        \x20 printf(\"%s\\n\", cudaGetErrorName(cudaGetLastError()));\n  cudaFree(d);\n}\n";
    program(&format!("{FILL}{main}")).says(&[
        "cudaErrorInvalidResourceHandle",
        "error[bad-handle]: the launch gets a stream that does not exist",
        "this handle was never set",
    ]);
    let main = "int main() {\n  cudaStream_t s;\n  cudaStreamCreate(&s);\n  cudaStreamDestroy(s);\n\
        \x20 cudaStreamSynchronize(s);\n}\n";
    program(main).says(&[
        "error[bad-handle]: cudaStreamSynchronize gets a stream that was destroyed before",
        "destroyed here",
    ]);
    let main = "int main() {\n  cudaEvent_t a, b;\n  cudaEventCreate(&a); cudaEventCreate(&b);\n\
        \x20 cudaEventRecord(a); cudaEventRecord(a); cudaDeviceSynchronize();\n  float ms;\n\
        \x20 cudaEventElapsedTime(&ms, a, b);\n  cudaEventDestroy(a); cudaEventDestroy(b);\n}\n";
    program(main).says(&["error[call-failed]", "the second event was never recorded"]);
}

/// The call that fails comes before the kernel that needs its result, and a kernel's mistake before
/// the calls that fail after it.
#[test]
fn the_first_mistake_is_reported_first() {
    let texture = "int main() {\n  float *d, *o;\n  cudaMalloc(&d, 80 * 20); cudaMalloc(&o, 4);\n\
        \x20 cudaMemset(d, 0, 1600);\n  cudaResourceDesc r = {};\n\
        \x20 r.resType = cudaResourceTypePitch2D; r.res.pitch2D.devPtr = d;\n\
        \x20 r.res.pitch2D.desc = cudaCreateChannelDesc<float>();\n\
        \x20 r.res.pitch2D.width = 20; r.res.pitch2D.height = 20;\n\
        \x20 r.res.pitch2D.pitchInBytes = 80;\n  cudaTextureDesc t = {};\n\
        \x20 cudaTextureObject_t tex = 0;\n  cudaCreateTextureObject(&tex, &r, &t, nullptr);\n\
        \x20 shade<<<1, 1>>>(tex, o);\n  cudaDeviceSynchronize();\n  cudaFree(d); cudaFree(o);\n}\n";
    let kernel =
        "__global__ void shade(cudaTextureObject_t t, float* o) { *o = tex2D<float>(t, 0, 0); }\n";
    let said = program(&format!("{kernel}{texture}"));
    let said = said.says(&[
        "the resource's pitch is 80 bytes, which is not a multiple of 32",
        "gets 0 in place of a texture object",
    ]);
    let [call, kernel] =
        ["error[call-failed]", "error[bad-handle]"].map(|part| said.text.find(part));
    assert!(call.is_some() && call < kernel, "{}", said.text);
    let source = "__global__ void two(float* v) { v[threadIdx.x] = 1; }\nint main() {\n\
        \x20 float *d, h[64];\n  cudaMalloc(&d, 128);\n  two<<<1, 64>>>(d);\n\
        \x20 cudaMemcpy(h, d, 256, cudaMemcpyDeviceToHost);\n  cudaFree(d);\n}\n";
    let said = program(source).says(&["reads 256 bytes from `d`, which has 128 bytes"]);
    let [kernel, call] =
        ["error[out-of-bounds-write]", "error[call-failed]"].map(|part| said.text.find(part));
    assert!(kernel.is_some() && kernel < call, "{}", said.text);
}

/// CUDA requires the flag, although an H200 creates the surface without it.
#[test]
fn an_array_without_its_flag_has_no_surface() {
    let main = |flags: &str| {
        format!(
            "int main() {{\n  cudaArray_t a;\n  auto d = cudaCreateChannelDesc<float>();\n\
             \x20 cudaMallocArray(&a, &d, 4, 4{flags});\n  cudaResourceDesc r = {{}};\n\
             \x20 r.resType = cudaResourceTypeArray; r.res.array.array = a;\n\
             \x20 cudaSurfaceObject_t s = 0;\n  cudaCreateSurfaceObject(&s, &r);\n\
             \x20 cudaDestroySurfaceObject(s); cudaFreeArray(a);\n}}\n"
        )
    };
    program(&main("")).says(&[
        "error[call-failed]: cudaCreateSurfaceObject fails",
        "the array was created without cudaArraySurfaceLoadStore",
    ]);
    program(&main(", cudaArraySurfaceLoadStore")).never(&["error["]);
}

#[test]
fn the_handle_of_an_array_is_no_texture_object() {
    let source = "__global__ void shade(cudaTextureObject_t image, float* o) { *o = tex2D<float>(image, 0, 0); }\n\
        int main() {\n  float* o;\n  cudaMalloc(&o, 4);\n  cudaArray_t a;\n\
        \x20 auto d = cudaCreateChannelDesc<float>();\n  cudaMallocArray(&a, &d, 4, 4);\n\
        \x20 shade<<<1, 1>>>((cudaTextureObject_t)a, o);\n  cudaDeviceSynchronize();\n\
        \x20 cudaFreeArray(a); cudaFree(o);\n}\n";
    program(source).says(&[
        "error[bad-handle]: a texture instruction gets the handle of an array of texels",
        "the argument `image` is an array of texels",
    ]);
}

#[test]
fn a_direction_in_the_place_of_the_offset_is_recognised() {
    let source = "__constant__ float weights[3];\nint main() {\n  float w[3] = {1, 2, 1};\n\
        \x20 cudaMemcpyToSymbol(weights, w, sizeof w, cudaMemcpyHostToDevice);\n\
        \x20 cudaMemcpyToSymbol(weights, w, 4 * sizeof w);\n}\n";
    program(source).says(&[
        "writes 12 bytes to `weights`, starting at byte 1, which has 12 bytes",
        "cudaMemcpyHostToDevice is in the place of the offset",
        "writes 48 bytes to `weights`, which has 12 bytes",
    ]);
}

#[test]
fn graphs_that_are_never_destroyed_are_leaks() {
    let source = "int main() {\n  cudaGraph_t g; cudaGraphExec_t e;\n  cudaGraphCreate(&g, 0);\n\
        \x20 cudaGraphInstantiate(&e, g, 0);\n  DESTROY\n}\n";
    program(&source.replace("DESTROY", "")).says(&[
        "error[memory-leak]: 1 graph is never destroyed, and 1 executable graph is never destroyed",
    ]);
    let destroyed = source.replace("DESTROY", "cudaGraphExecDestroy(e); cudaGraphDestroy(g);");
    assert_eq!(program(&destroyed).code, 0);
}

#[test]
fn a_copy_to_freed_page_locked_memory_is_the_first_use_of_it() {
    let source = "int main() {\n  float *d, *h;\n  cudaMalloc(&d, 400); cudaMallocHost(&h, 400);\n\
        \x20 cudaMemset(d, 0, 400);\n  cudaFreeHost(h);\n\
        \x20 cudaMemcpyAsync(h, d, 400, cudaMemcpyDeviceToHost);\n  cudaDeviceSynchronize();\n\
        \x20 float sum = h[0]; cudaFree(d); return sum > 0;\n}\n";
    program(source).says(&["error[use-after-free]: cudaMemcpyAsync writes `h` after it was freed"]);
}

#[test]
fn common_mistakes_in_calls_of_templates_and_lambdas_are_explained() {
    let zip = "template <class F> __global__ void zip(F f, float* v) { v[0] = f(v[0]); }\n";
    let lambda = "int main() {\n  float* d = nullptr;\n  auto f = [=](float x) { return x + 1; };\n\
        \x20 zip<<<1, 1>>>(f, d);\n}\n";
    program(&format!("{zip}{lambda}"))
        .says(&[
            "error[compile-error]: a kernel cannot call this lambda",
            "write [=] __device__ (...)",
        ])
        .never(&["extended-lambda"]);
    let braces = "struct Add { float a; __device__ float operator()(float x) const { return x + a; } };\n\
        int main() {\n  float* d = nullptr;\n  zip<<<1, 1>>>({1.0f}, d);\n}\n";
    program(&format!("{zip}{braces}")).says(&[
        "a list in braces has no type",
        "write the type in front of the braces: Type{1.0f}",
    ]);
    let time = "int main() {\n  cudaEvent_t a, b;\n  int ms = 0;\n\
        \x20 cudaEventElapsedTime(&ms, a, b);\n}\n";
    program(time).says(&[
        "needs the address of a variable of type float",
        "declare `ms` with the type float",
    ]);
    let pointer = "int main() { void* p = nullptr; return (uintptr_t)p & 15; }\n";
    program(pointer).says(&["add #include <cstdint> at the top"]);
}

#[test]
fn a_semicolon_behind_a_condition_is_found_in_host_code_and_in_kernels() {
    let solution = fs::read_to_string("../solutions/ch06_atomics/counter_race.cu").expect("one");
    let kernel = solution.replace("> limit) {", "> limit); {");
    check("counter_race", &kernel).says(&[
        "the `;` right after `if (...)` is its whole body, so the block behind it runs even if the condition is false",
    ]);
    let host =
        solution.replace("    if (idx < n", "    for (int k = 0; k < 1; ++k);\n    if (idx <= n");
    check("counter_race", &host).never(&["is its whole body"]);
}

#[test]
fn an_atomic_operation_on_a_local_variable_is_no_unknown_trap() {
    let edits = [(
        "        atomicAdd(hits, 1);",
        "        int seen = hits[0];\n        atomicAdd(&seen, 1);\n        hits[0] = seen;",
    )];
    edited("ch06_atomics", "counter_race", &edits)
        .says(&[
            "error[trap]: thread 4 updates the local variable `seen` atomically",
            "mine.cu:10:9",
            "an atomic operation works only on global or shared memory",
        ])
        .never(&["which condition brings this thread to this line"]);
    let root = fs::canonicalize("..").expect("the repository");
    Said::new(&run(checker(&root).args(["explain", "trap"])))
        .says(&["atomicAdd(&total, 1); // becomes a trap"]);
}

#[test]
fn no_thread_is_named_beside_a_number_that_all_threads_compute() {
    edited("ch10_science", "euler_collatz", &[("999999 - begin", "999998 - begin")])
        .says(&["best[0], the only element, is wrong"])
        .never(&["block 0, thread 0"]);
}

#[test]
fn what_is_left_behind_a_pointer_into_memory_is_counted() {
    let pool = |bytes: &str, place: &str, n: &str| {
        program(&format!(
            "__global__ void sums(int* totals, int n) {{\n    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    \
             if (i < n) totals[i] = 1;\n}}\nint main() {{\n    char* pool;\n    cudaMalloc(&pool, {bytes});\n    \
             sums<<<2, 32>>>((int*)(pool + {place}), {n});\n    cudaDeviceSynchronize();\n}}\n"
        ))
    };
    let wide = pool("801", "800", "1");
    wide.says(&[
        "writes totals[0], but only 1 byte of its memory is left from `totals` on",
        "as a pointer to element 200 of its memory, which has 1 byte from there on",
        "at which byte of its memory should this pointer begin",
    ]);
    pool("256", "256", "1")
        .says(&["but `totals` points to the end of its memory"])
        .never(&["largest value"]);
    pool("200", "4", "50").says(&[
        "writes totals[49], but only 49 elements of its memory are left from `totals` on",
        "the kernel gets `n` = 50",
        "at which byte of its memory should `totals` begin in this launch?",
    ]);
}

#[test]
fn an_unset_element_of_a_local_array_makes_a_nan() {
    let kernel = "constexpr int BLOCK = 256;\nextern \"C\" __global__ void reduce_tree(const float* in, float* out, int n) {\n    \
        __shared__ float tile[BLOCK / 32][32];\n    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;\n    \
        const int idx = blockIdx.x * BLOCK + threadIdx.x;\n    tile[warp][lane] = idx < n ? in[idx] : 0.0f;\n    \
        __syncthreads();\n    if (warp) return;\n    float part[8];\n    \
        for (int w = 1; w < 8; ++w) part[w] = tile[w][lane];\n    float sum = 0.0f;\n    \
        for (int w = 0; w < BLOCK / 32; ++w) sum += part[w];\n    \
        for (int mask = 1; mask < 32; mask <<= 1) sum += __shfl_xor_sync(~0u, sum, mask);\n    \
        if (lane == 31) out[blockIdx.x] = sum;\n}\n";
    check("reduce_tree", kernel)
        .says(&[
            "error[not-a-number]",
            "declared without values",
            "no line gives `part[0]` a value",
        ])
        .never(&["NaN is the result of", "which operation is the first"]);
}

#[test]
fn members_of_a_union_are_named_in_races() {
    let source = "__global__ void pack(unsigned* out) {\n    __shared__ union {\n        uint4 quads[2];\n        \
        unsigned words[8];\n        unsigned char bytes[32];\n    } part;\n    const int t = threadIdx.x;\n    \
        if (t < 2) part.words[t] = t;\n    else if (t == 3) part.bytes[6] = 1;\n    __syncthreads();\n    \
        out[t] = part.words[0];\n}\nint main() {\n    unsigned* d;\n    cudaMalloc(&d, 256);\n    \
        pack<<<1, 64>>>(d);\n    cudaFree(d);\n}\n";
    program(source).says(&[
        "thread 1 and thread 3 both write part.bytes[6]",
        "(1) thread 1 writes part.words[1]",
        "(1) and (2) overlap: both include byte 6 of `part`",
        "which thread should write these bytes",
    ]);
}

#[test]
fn a_race_that_decides_which_threads_reach_a_barrier_comes_first() {
    let source = "__global__ void last_one(unsigned* done, float* out) {\n    __shared__ bool last;\n    __shared__ float slots[8];\n    \
        if (threadIdx.x == 0) last = atomicAdd(done, 1) == gridDim.x - 1;\n    if (last) {\n        \
        slots[threadIdx.x / 32] = 1;\n        __syncthreads();\n        out[threadIdx.x] = slots[threadIdx.x % 8];\n    }\n}\n\
        int main() {\n    unsigned* done;\n    float* out;\n    cudaMalloc(&done, 4);\n    cudaMemset(done, 0, 4);\n    \
        cudaMalloc(&out, 1024);\n    last_one<<<3, 256>>>(done, out);\n    cudaDeviceSynchronize();\n}\n";
    program(source)
        .says(&["error[shared-race]", "reads `last` while thread 0 may still be writing it"]);
    let skipped = "__global__ void half(float* out) {\n    __shared__ float slots[64];\n    const int t = threadIdx.x;\n    \
        slots[t] = t;\n    if (t < 32) {\n        __syncthreads();\n    }\n    out[t] = slots[63 - t];\n}\n\
        int main() {\n    float* out;\n    cudaMalloc(&out, 256);\n    half<<<1, 64>>>(out);\n    \
        cudaDeviceSynchronize();\n}\n";
    program(skipped).says(&["error[barrier-not-reached]"]);
}

#[test]
fn threads_of_a_block_that_have_no_element_are_no_small_allocation() {
    let source = "__global__ void join(const float* partial, float* out, int n) {\n    \
        if (blockIdx.x == gridDim.x - 1) out[threadIdx.x] = partial[threadIdx.x];\n}\nint main() {\n    \
        float *partial, *out;\n    cudaMalloc(&partial, 260);\n    cudaMemset(partial, 0, 260);\n    cudaMalloc(&out, 1024);\n    \
        join<<<4, 256>>>(partial, out, 1000);\n    cudaDeviceSynchronize();\n}\n";
    program(source)
        .says(&[
            "reads partial[65], but `partial` has 65 elements",
            "a block has 256 threads, and `partial` has 65 elements",
            "what should the extra threads of the block do?",
        ])
        .never(&["1000 elements"]);
}

#[test]
fn a_row_that_no_copy_writes_is_asked_for() {
    let source = "__global__ void sum(const char* rows, size_t pitch, float* out) {\n    float s = 0;\n    \
        for (int r = 0; r < 3; ++r) s += ((const float*)(rows + r * pitch))[threadIdx.x];\n    out[threadIdx.x] = s;\n}\n\
        int main() {\n    char* rows;\n    size_t pitch;\n    float* out;\n    cudaMallocPitch(&rows, &pitch, 128, 3);\n    \
        cudaMemset2D(rows, pitch, 0, 128, 2);\n    cudaMalloc(&out, 128);\n    sum<<<1, 32>>>(rows, pitch, out);\n    \
        cudaDeviceSynchronize();\n}\n";
    program(source)
        .says(&["which rows of `rows` does the kernel read"])
        .never(&["how many bytes has a row"]);
}

#[test]
fn a_launch_whose_block_stands_first_is_marked() {
    edited(
        "ch10_science",
        "ising",
        &[(
            "<<<grid, block>>>(d_black, d_white, rows, half, WHITE",
            "<<<block, grid>>>(d_black, d_white, rows, half, WHITE",
        )],
    )
    .says(&[
        "`block` is the grid here, and `grid` the block",
        "how many threads does each of them have?",
    ])
    .never(&["which array does the last launch write"]);
}

#[test]
fn a_lock_without_a_fence_is_asked_about_as_one() {
    let locked = |fence: &str| {
        let body = format!(
            "        while (atomicCAS(&lock, 0, 1) != 0) {{\n        }}\n{fence}        hits[0] += 1;\n{fence}        atomicExch(&lock, 0);\n"
        );
        let edits = [
            ("extern \"C\"", "__device__ int lock = 0;\nextern \"C\""),
            ("        atomicAdd(hits, 1);\n", body.as_str()),
        ];
        edited("ch06_atomics", "counter_race", &edits)
    };
    locked("")
        .says(&[
            "the lock on line 10 lets in one thread at a time",
            "only a fence, such as __threadfence(), orders them",
        ])
        .never(&["other threads may access it in between", "these three steps one"]);
    locked("        __threadfence();\n").never(&["global-race"]);
}

#[test]
fn advice_against_a_stale_value_is_not_to_read_it_atomically() {
    edited("ch06_atomics", "counter_race", &[("atomicAdd(hits, 1)", "atomicMax(hits, *hits + 1)")])
        .says(&["an atomic or volatile read would not help", "in how many steps"])
        .never(&["make the read (1) atomic"]);
    let edits = [(
        "        atomicAdd(hits, 1);",
        "        const int old = hits[0];\n        atomicExch(hits, old + 1);",
    )];
    edited("ch06_atomics", "counter_race", &edits)
        .says(&["an atomic or volatile read would not help"]);
}

#[test]
fn threads_that_change_the_same_element_are_counted() {
    let source = "__global__ void step(float* v, int n) {\n    const int i = threadIdx.x % 32;\n    const float own = v[i];\n    \
        v[i] = own * 2 + 1;\n}\nint main() {\n    float* v;\n    cudaMalloc(&v, 128);\n    cudaMemset(v, 0, 128);\n    \
        step<<<1, 64>>>(v, 32);\n    cudaDeviceSynchronize();\n}\n";
    program(source).says(&["how many threads should change this element, and what orders them?"]);
}

/// The first access that a GPU would stop at, of one thread.
#[test]
fn the_first_misaligned_access_is_reported() {
    let source = "__global__ void copy(const float* x, float* out) {\n    const float4 v = *(const float4*)(x + 1);\n    \
        *(float4*)(out + 1) = v;\n}\nint main() {\n    float *x, *out;\n    cudaMalloc(&x, 64);\n    cudaMemset(x, 0, 64);\n    \
        cudaMalloc(&out, 64);\n    copy<<<1, 1>>>(x, out);\n    cudaDeviceSynchronize();\n}\n";
    program(source).says(&["thread 0 reads 16 bytes at an address"]);
}

/// A count of one case is not compared with that of another one.
#[test]
fn counts_are_compared_with_the_start_of_the_same_case() {
    edited("ch01_threads", "matrix_add_2d", &[])
        .says(&["load requests 8192 8192 at most 8192 ok", "sectors per request: 8 times fewer"])
        .never(&["21.3"]);
    edited("ch03_coalescing", "float4_align", &[]).says(&["4.0 sectors/request"]);
}

#[test]
fn the_statements_of_a_line_that_access_memory_are_marked() {
    let body = "    int i = blockIdx.x + threadIdx.x * gridDim.x;\n    while (i < n) { out[i] = hypotf(a[i], b[i]); i += gridDim.x * blockDim.x; }\n}\n";
    let kernel = format!(
        "extern \"C\" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {{\n{body}"
    );
    check("grid_stride", &kernel).says(&["error[uncoalesced]", "mine.cu:3:21"]);
}

#[test]
fn the_call_of_a_function_that_allocates_is_marked() {
    let source = "__global__ void sine(const float* a, float* out, int n) {\n    const int i = threadIdx.x;\n    \
        if (i < n) out[i] = sinf(a[i]);\n}\ntemplate <class T> T* on_device(size_t bytes) {\n    void* p;\n    cudaMalloc(&p, bytes);\n    \
        return static_cast<T*>(p);\n}\nint main() {\n    auto d_a = on_device<float>(400);\n    float* d_out = on_device<float>(100);\n    \
        cudaMemset(d_a, 0, 400);\n    sine<<<1, 128>>>(d_a, d_out, 100);\n    cudaDeviceSynchronize();\n}\n";
    program(source).says(&[
        "writes out[25], but `out` has 25 elements",
        "12 | float* d_out = on_device<float>(100); | ------------------------------------ called here",
        "`d_out` has 100 bytes, which is room for 25 elements of 4 bytes",
    ]);
}

/// Memory that nodes of graphs allocate: by hand and captured, freed by the graph, by another one,
/// by a call, and at the next launch.
const GRAPH_MEMORY: &str = r#"#include <cstdio>
#define OK(call) if (cudaError_t e = call) printf("%s: %s\n", #call, cudaGetErrorName(e))
__global__ void fill(int* v, int value) { v[threadIdx.x] = value; }
__global__ void add(int* sum, const int* v) { atomicAdd(sum, v[threadIdx.x]); }
unsigned long long memory(cudaGraphMemAttributeType kind) {
    unsigned long long bytes = 0;
    OK(cudaDeviceGetGraphMemAttribute(0, kind, &bytes));
    return bytes >> 20;
}
void show(const char* when) {
    printf("%s: used %llu, reserved %llu\n", when, memory(cudaGraphMemAttrUsedMemCurrent),
           memory(cudaGraphMemAttrReservedMemCurrent));
}
int main() {
    const size_t bytes = 4 << 20;
    cudaMemAllocNodeParams alloc = {};
    alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    alloc.poolProps.location = {cudaMemLocationTypeDevice, 0};
    alloc.bytesize = bytes;
    cudaStream_t s;
    cudaStreamCreate(&s);
    int *sum, host = 0;
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));

    // Two allocations, one after the other, at the same address.
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t a, k, l, f, b, g;
    cudaGraphCreate(&graph, 0);
    OK(cudaGraphAddMemAllocNode(&a, graph, nullptr, 0, &alloc));
    int* first = (int*)alloc.dptr;
    int value = 3;
    void* fill_args[] = {&first, &value};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void*)fill; kernel.gridDim = 1; kernel.blockDim = 32; kernel.kernelParams = fill_args;
    OK(cudaGraphAddKernelNode(&k, graph, &a, 1, &kernel));
    void* add_args[] = {&sum, &first};
    kernel.func = (void*)add; kernel.kernelParams = add_args;
    OK(cudaGraphAddKernelNode(&l, graph, &k, 1, &kernel));
    OK(cudaGraphAddMemFreeNode(&f, graph, &l, 1, first));
    OK(cudaGraphAddMemFreeNode(&g, graph, &f, 1, first));
    OK(cudaGraphAddMemFreeNode(&g, graph, &f, 1, sum));
    OK(cudaGraphAddMemAllocNode(&b, graph, &f, 1, &alloc));
    printf("same address: %d\n", alloc.dptr == first);
    cudaGraphNodeType type;
    cudaGraphNodeGetType(f, &type);
    printf("type %d\n", (int)type);
    cudaGraph_t clone;
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphDestroyNode(f));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    cudaGraphExec_t second;
    OK(cudaGraphInstantiate(&second, graph, 0));
    show("before the launch");
    for (int i = 0; i < 3; ++i) {
        OK(cudaGraphLaunch(exec, s));
        OK(cudaFreeAsync(first, s));
    }
    OK(cudaStreamSynchronize(s));
    show("launched");
    cudaMemcpy(&host, sum, sizeof(int), cudaMemcpyDeviceToHost);
    printf("sum %d\n", host);
    OK(cudaGraphExecDestroy(exec));
    show("destroyed");
    OK(cudaDeviceGraphMemTrim(0));
    show("trimmed");
    cudaGraphDestroy(graph);

    // Captured: the memory is there until a call frees it.
    int* kept;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    OK(cudaMallocAsync(&kept, bytes, s));
    OK(cudaMemsetAsync(kept, 0, bytes, s));
    fill<<<1, 32, 0, s>>>(kept, 5);
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaMemcpyAsync(&host, kept + 31, sizeof(int), cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    printf("kept %d\n", host);
    OK(cudaGraphLaunch(exec, s));
    OK(cudaFreeAsync(kept, s));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaFree(kept));
    show("freed");
    cudaGraphExecDestroy(exec);
    OK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaGraphLaunch(exec, s));
    OK(cudaStreamSynchronize(s));
    LAST
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaFree(sum);
    cudaStreamDestroy(s);
}
"#;

#[test]
fn graphs_allocate_and_free_memory() {
    let said = |last: &str| {
        Said::by(&["run", "--backend", "sim"], "memory.cu", &GRAPH_MEMORY.replace("LAST", last))
    };
    said("OK(cudaFree(kept));").never(&["error[memory-leak]"]).says(&[
        "same address: 1 type 11",
        "cudaGraphAddMemFreeNode(&g, graph, &f, 1, first): cudaErrorInvalidValue",
        "cudaGraphAddMemFreeNode(&g, graph, &f, 1, sum): cudaErrorInvalidValue",
        "cudaGraphClone(&clone, graph): cudaErrorNotSupported",
        "cudaGraphDestroyNode(f): cudaErrorNotSupported",
        "cudaGraphInstantiate(&second, graph, 0): cudaErrorNotSupported",
        "before the launch: used 0, reserved 0 launched: used 4, reserved 4 sum 288",
        "destroyed: used 0, reserved 4 trimmed: used 0, reserved 0",
        "kept 5 cudaGraphLaunch(exec, s): cudaErrorInvalidValue freed: used 4, reserved 4",
        "memory that an earlier launch of this graph allocated has not been freed",
    ]);
    said("").says(&["error[memory-leak]: 1 allocation (4 MiB) is never freed"]);
    said("OK(cudaFree(kept)); fill<<<1, 32, 0, s>>>(kept, 1); cudaStreamSynchronize(s);")
        .says(&["error[use-after-free]"]);
}

/// The statement reads and writes the element that it updates, so the address decides which access
/// a finding marks.
#[test]
fn the_access_of_a_compound_assignment_that_is_out_of_bounds_is_marked() {
    let source = "__global__ void k(float* a, const int* p, int n) {\n    int i = threadIdx.x;\n    UPDATE;\n}\n\
        int main() {\n    float* d;\n    int* p;\n    cudaMalloc(&d, 400);\n    cudaMalloc(&p, 400);\n\
        \x20   cudaMemset(d, 0, 200);\n    cudaMemset(p, 0, 400);\n    k<<<1, 40>>>(d, p, 100);\n\
        \x20   cudaDeviceSynchronize();\n    cudaFree(p);\n    cudaFree(d);\n}\n";
    let with = |update: &str| program(&source.replace("UPDATE", update));
    with("a[i + 50] += a[i]").says(&["reads a[50], which", ":3:5", "i + 50 = 50 here"]);
    with("a[i] -= a[n - 50 + i]").says(&["reads a[50], which", ":3:13", "n - 50 + i = 50 here"]);
    with("a[i] = a[i] + a[i + n]").says(&["reads a[100], but", ":3:19", "i + n = 100 here"]);
    with("a[i + 50] += a[p[i]]").says(&["reads a[50], which", ":3:5", "i + 50 = 50 here"]);
    // neither index can be computed
    with("a[p[i] + i + 50] += a[p[i]]").says(&["reads a[50], which", ":3:5"]).never(&["= 50 here"]);
}

/// An index is shown only with a value that it can have.
#[test]
fn no_value_is_shown_for_an_index_of_a_pointer_that_moves() {
    let source = "__global__ void k(float* a) {\n    a += blockIdx.x * 32;\n\
        \x20   a[threadIdx.x + 4] = 1.0f;\n}\nint main() {\n    float* d;\n    cudaMalloc(&d, 400);\n\
        \x20   k<<<4, 32>>>(d);\n    cudaDeviceSynchronize();\n    cudaFree(d);\n}\n";
    program(source).says(&["writes a[100], but", ":3:5"]).never(&["threadIdx.x + 4 = 100"]);
}

#[test]
fn a_handle_that_a_launch_passes_for_another_parameter_is_described() {
    let source = "__global__ void move(cudaTextureObject_t in, cudaSurfaceObject_t out) {\n\
        \x20   float v = tex2D<float>(in, threadIdx.x + 0.5f, 0.5f);\n    surf2Dwrite(v, out, threadIdx.x * 4, 0);\n}\n\
        int main() {\n    cudaArray_t a;\n    auto d = cudaCreateChannelDesc<float>();\n\
        \x20   cudaMallocArray(&a, &d, 8, 8, cudaArraySurfaceLoadStore);\n    float h[64] = {};\n\
        \x20   cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 8, cudaMemcpyHostToDevice);\n\
        \x20   cudaResourceDesc r = {};\n    r.resType = cudaResourceTypeArray;\n    r.res.array.array = a;\n\
        \x20   cudaTextureDesc look = {};\n    cudaTextureObject_t t;\n    cudaSurfaceObject_t s;\n\
        \x20   cudaCreateTextureObject(&t, &r, &look, nullptr);\n    cudaCreateSurfaceObject(&s, &r);\n\
        \x20   move<<<1, 8>>>(ARGUMENTS);\n    cudaDeviceSynchronize();\n    cudaDestroyTextureObject(t);\n\
        \x20   cudaDestroySurfaceObject(s);\n    cudaFreeArray(a);\n}\n";
    let with = |arguments: &str| program(&source.replace("ARGUMENTS", arguments));
    let untrue = ["surface object, and not a surface", "texture object, and not a texture"];
    with("t, t")
        .says(&[
            "a surface instruction gets the handle of a texture object",
            "`out` is a texture object, and not a surface object",
            "the same handle as the argument `in`",
        ])
        .never(&untrue)
        .never(&["`in` is a texture object"]);
    with("s, s")
        .says(&["`in` is a surface object, and not a texture object", "as the argument `out`"])
        .never(&untrue);
    with("s, t")
        .says(&["`in` is a surface object, so the two arguments are swapped"])
        .never(&untrue);
}

#[test]
fn headers_that_kernels_need_nothing_of_may_be_included() {
    let include = |headers: &str| {
        let kernel = "extern \"C\" __global__ void add_one";
        let text = format!("{headers}\n{kernel}");
        let check = ("out[i] =", "assert(i >= 0); out[i] =");
        edited("ch01_threads", "add_one", &[(kernel, &text), check])
    };
    let said = include("#include <cassert>\n#include <cstdio>\n#include <assert.h>");
    assert_eq!(said.code, 0, "{}", said.text);
    include("#include <vector>")
        .says(&["a header of the host", "cannot use the host's C++ library"])
        .never(&["not needed"]);
}

/// One wait behind a launch orders all accesses of the host.
#[test]
fn one_missing_wait_is_reported_once() {
    let source = "#include <cstdio>\n__global__ void add(int* v) { v[threadIdx.x] += 1; }\nint main() {\n\
        \x20 int *h, *d;\n  cudaHostAlloc(&h, 32, cudaHostAllocMapped);\n  cudaHostGetDevicePointer(&d, h, 0);\n\
        \x20 for (int i = 0; i < 8; ++i) h[i] = i;\n  for (int k = 0; k < 3; ++k) {\n\
        \x20   add<<<1, 8>>>(d);\n    WAIT\n    for (int i = 0; i < 8; ++i)\n      printf(\"%d \", h[i]);\n\
        \x20   int s = 0;\n    for (int i = 0; i < 8; ++i)\n      s += h[i];\n\
        \x20   printf(\"%d\\n\", s);\n    h[0] = 0;\n  }\n  cudaFreeHost(h);\n}\n";
    let said = program(&source.replace("WAIT", "")).says(&["error[host-race]", ":12:", "reads"]);
    assert_eq!(said.count("error["), 1, "{}", said.text);
    assert_eq!(program(&source.replace("WAIT", "cudaDeviceSynchronize();")).code, 0);
    let streams = "#include <cstdio>\n__global__ void add(int* v) { *v += 1; }\nint main() {\n\
        \x20 int* h;\n  cudaMallocHost(&h, 16);\n  cudaStream_t s[4];\n  for (int k = 0; k < 4; ++k) {\n\
        \x20   h[k] = k;\n    cudaStreamCreate(&s[k]);\n  }\n  for (int k = 0; k < 4; ++k)\n\
        \x20   add<<<1, 1, 0, s[k]>>>(h + k);\n  for (int k = 0; k < 4; ++k)\n    printf(\"%d\\n\", h[k]);\n\
        \x20 for (int k = 0; k < 4; ++k) cudaStreamDestroy(s[k]);\n  cudaFreeHost(h);\n}\n";
    let said = program(streams).says(&["error[host-race]"]);
    assert_eq!(said.count("error["), 1, "{}", said.text);
}

/// A race that has made the outputs wrong gives no hope that they may be right.
#[test]
fn results_that_are_wrong_are_not_said_to_be_right() {
    let hope = "may be right on your GPU today";
    let no_barrier = edited("ch04_shared", "reverse_sync", &[("__syncthreads();", "")]);
    no_barrier.says(&["error[shared-race]"]).never(&[hope]);
    let many_writers = "__global__ void k(int* out) { *out = blockIdx.x; }\nint main() {\n  int* d;\n\
        \x20 cudaMalloc(&d, 4);\n  k<<<2, 1>>>(d);\n  cudaDeviceSynchronize();\n  cudaFree(d);\n}\n";
    program(many_writers).says(&["error[global-race]", hope]);
}

/// A barrier between a write and the atomic operation behind it orders nothing for other blocks.
#[test]
fn a_signal_without_a_fence_names_the_fence_and_its_place() {
    let last_block = fs::read_to_string("tests/programs/facts/last_block.cu").expect("a program");
    let visible = "an atomic operation makes no other access of its thread visible";
    program(&last_block.replace("FENCE", "")).says(&[
        "error[global-race]",
        "reads parts[0]",
        "__syncthreads() does not wait for other blocks",
        visible,
        "call __threadfence() after (1) and before the atomic operation on line 13",
    ]);
    program(&last_block.replace("FENCE", "__threadfence_block();")).says(&[
        "__threadfence_block() orders the accesses only for threads of the same block",
        "call __threadfence() after (1) and before the atomic operation on line 13",
    ]);
    let fenced = program(&last_block.replace("FENCE", "__threadfence();"));
    assert_eq!((fenced.code, fenced.text.as_str()), (0, "256"));

    let counted = last_block
        .replace("FENCE", "")
        .replace("last = atomicAdd(&finished, 1) == gridDim.x - 1;", "atomicAdd(&finished, 1);")
        .replace("if (last &&", "if (blockIdx.x == 0 &&");
    program(&counted).says(&["error[global-race]"]).never(&[visible]);

    let flag = "#include <cstdio>\n__global__ void pass(int* data, volatile int* flag, int* out) {\n\
        \x20 if (blockIdx.x == 1) {\n    if (threadIdx.x == 0)\n      while (*flag == 0) {}\n\
        \x20   __syncthreads();\n    out[threadIdx.x] = data[threadIdx.x];\n  } else {\n\
        \x20   data[threadIdx.x] = threadIdx.x;\n    __syncthreads();\n\
        \x20   if (threadIdx.x == 0) *flag = 1;\n  }\n}\nint main() {\n  int *d, *f, *o;\n\
        \x20 cudaMalloc(&d, 256); cudaMalloc(&f, 4); cudaMalloc(&o, 256);\n  cudaMemset(f, 0, 4);\n\
        \x20 pass<<<2, 64>>>(d, f, o);\n  cudaDeviceSynchronize();\n\
        \x20 cudaFree(d); cudaFree(f); cudaFree(o);\n}\n";
    program(flag).says(&[
        "reads data[0]",
        "a volatile store makes no other access of its thread visible",
        "call __threadfence() after (1) and before the store to `flag` on line 11",
    ]);
}

/// Races within warps are not reported as if only a barrier of the block could order them.
#[test]
fn a_race_within_warps_names_the_warps_barrier() {
    let source = |body: &str| {
        format!(
            "__global__ void k(const int* in, int* out) {{\n  __shared__ int tile[256];\n\
             \x20 int t = threadIdx.x;\n  tile[t] = in[t];\n{body}}}\nint main() {{\n  int *in, *out;\n\
             \x20 cudaMalloc(&in, 1024); cudaMalloc(&out, 1024); cudaMemset(in, 0, 1024);\n\
             \x20 k<<<1, 256>>>(in, out);\n  cudaDeviceSynchronize();\n  cudaFree(in); cudaFree(out);\n}}\n"
        )
    };
    let names = "__syncwarp() orders the accesses of one warp's threads";
    program(&source("  out[t] = tile[t ^ 1];\n")).says(&["error[shared-race]", names]);
    let ordered = program(&source("  __syncwarp();\n  out[t] = tile[t ^ 1];\n"));
    assert_eq!(ordered.code, 0, "{}", ordered.text);
    let last_warp = "  __syncthreads();\n  if (t < 32) {\n    volatile int* v = tile;\n\
        \x20   v[t] += v[t + 32];\n    v[t] += v[t + 16];\n  }\n";
    program(&source(last_warp)).says(&["error[shared-race]", names]);
    program(&source("  out[t] = tile[255 - t];\n")).says(&["error[shared-race]"]).never(&[names]);
    program(&source("  out[t] = tile[(t + 1) % 256];\n")).never(&[names]);
    program(&source("  tile[t / 2] += 1;\n")).never(&[names]);
}

/// An update in the value of another assignment is an update, too.
#[test]
fn an_update_in_a_condition_is_one_of_three_steps() {
    let last_block = fs::read_to_string("tests/programs/facts/last_block.cu").expect("a program");
    let last_block = last_block.replace("FENCE", "__threadfence();");
    for ticket in ["(finished += 1) == gridDim.x", "(finished = finished + 1) == gridDim.x"] {
        program(&last_block.replace("atomicAdd(&finished, 1) == gridDim.x - 1", ticket)).says(&[
            "error[global-race]",
            "this changes the element in three steps: read, compute, write",
            "what would make these three steps one?",
        ]);
    }
}

#[test]
fn a_kernel_that_asks_for_too_much_shared_memory_gets_both_numbers() {
    let source = "__global__ void k(int* out) {\n  extern __shared__ int tile[];\n\
        \x20 tile[threadIdx.x] = 1;\n  out[threadIdx.x] = tile[threadIdx.x];\n}\nint main() {\n\
        \x20 int* out;\n  cudaMalloc(&out, 128);\n  ALLOW\n  k<<<1, 32, 80000>>>(out);\n\
        \x20 cudaDeviceSynchronize();\n  cudaFree(out);\n}\n";
    let attribute = "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);";
    let question =
        "how many bytes does this launch need, and how many does a call before it allow?";
    program(&source.replace("ALLOW", attribute)).says(&[
        "80000 bytes of dynamic shared memory; cudaFuncSetAttribute has set at most 60000",
        question,
    ]);
    program(&source.replace("ALLOW", "")).says(&["80000 bytes", "more than 49152", question]);
}

/// The words are the assembler's, for a program and for a kernel.
#[test]
fn too_much_static_shared_memory_leads_to_dynamic() {
    let floats = |n: u32| {
        edited(
            "ch04_shared",
            "big_tile",
            &[("extern __shared__ float tile[]", &format!("__shared__ float tile[{n}]"))],
        )
    };
    let fix = "declare the array as `extern __shared__`, without a size";
    floats(20_000).says(&[
        "kernel `rotate` uses too much shared data: 80000 bytes, and at most 49152 are possible",
        fix,
    ]);
    program(
        "__global__ void k(int* out) {\n  __shared__ int tile[300000];\n\
        \x20 for (int i = threadIdx.x; i < 300000; i += 32) tile[i] = i;\n  __syncthreads();\n\
        \x20 *out = tile[*out];\n}\nint main() {\n  int* out;\n  cudaMalloc(&out, 4);\n\
        \x20 cudaMemset(out, 0, 4);\n  k<<<1, 32>>>(out);\n  cudaDeviceSynchronize();\n\
        \x20 cudaFree(out);\n}\n",
    )
    .says(&["`tile` uses too much shared data: 1200000 bytes", fix]);
    edited("ch04_shared", "reverse_sync", &[("tile[MOST];", "tile[20000];")]).says(&[
        "error[launch-failed]",
        "`reverse_sync` uses too much shared data",
        fix,
    ]);
}

/// Arguments whose names show that they have changed places.
#[test]
fn swapped_arguments_of_a_launch_are_named() {
    let question = "which parameter of the kernel does each argument of this launch belong to?";
    let source = |parameters: &str, [input, output]: [&str; 2], arguments: &str| {
        format!(
            "__global__ void twice(const float* {parameters}, int n) {{\n  int i = threadIdx.x;\n\
             \x20 if (i < n) out[i] = 2 * in[i];\n}}\nint main() {{\n  float *{input}, *{output};\n\
             \x20 cudaMalloc(&{input}, 400); cudaMalloc(&{output}, 400);\n\
             \x20 cudaMemset({input}, 0, 400);\n  twice<<<1, 128>>>({arguments}, 100);\n\
             \x20 cudaDeviceSynchronize();\n  cudaFree({input}); cudaFree({output});\n}}\n"
        )
    };
    for [input, output] in [["d_in", "d_out"], ["in_dev", "out_dev"], ["dIn", "dOut"]] {
        let note = format!("the parameter `in` gets `{output}`, and `out` gets `{input}`");
        let swapped = format!("{output}, {input}");
        program(&source("in, float* out", [input, output], &swapped)).says(&[
            "error[uninitialised-read]",
            "launched here",
            &note,
            question,
        ]);
        let right = format!("{input}, {output}");
        let said = program(&source("in, float* out", [input, output], &right));
        assert_eq!(said.code, 0, "{}", said.text);
    }

    edited(
        "ch02_memory",
        "in_out_inout",
        &[("(d_a, d_b, c, d_out, n);", "(d_out, d_b, c, d_a, n);")],
    )
    .says(&["the parameter `a` gets `d_out`, and `out` gets `d_a`", question]);
    // nothing is read that has no value, because the output is cleared
    edited(
        "ch02_memory",
        "in_out_inout",
        &[
            ("(d_a, d_b, c, d_out, n);", "(d_out, d_b, c, d_a, n);"),
            (
                "cudaMalloc(&d_out, bytes);",
                "cudaMalloc(&d_out, bytes); cudaMemset(d_out, 0, bytes);",
            ),
        ],
    )
    .says(&[
        "error[wrong-values]",
        "`out` is copied from memory that `multiply_add` only reads: it gets this memory as `a`",
        "which parameter of the kernel does each argument of the launch belong to",
    ]);
}

/// A right result does not hide a sum without a first value.
#[test]
fn a_variable_without_a_value_is_named_although_the_result_is_right() {
    let start = "    for (int i = 0; i < n; ++i) {\n        report[i]";
    let lucky = "    float sum;\n    for (int i = 0; i < n; ++i) {\n        sum += watts[i];\n        report[i]";
    let said = edited("ch02_memory", "mapped_memory", &[(start, lucky)]);
    assert_eq!(said.code, 0, "{}", said.text);
    said.says(&["`sum` (line 31) has no value before it is changed for the first time"]);
    edited("ch04_shared", "matmul_tiled", &[("float acc = 0.0f;", "float acc;")]).says(&[
        "error[wrong-values]",
        "declared without a value",
        "what is the value of `acc`",
    ]);
}

/// A missed gate is about one case, and later cases print, too.
#[test]
fn the_output_that_a_report_shows_is_of_its_case() {
    let original = "proof/originals/ch02_memory/in_out_inout.cu";
    let source = fs::read_to_string(original).expect("an original").replacen(
        "    const size_t bytes",
        "    printf(\"n is %d.\\n\", n);\n    const size_t bytes",
        1,
    );
    check("in_out_inout", &format!("#include <cstdio>\n{source}"))
        .says(&["error[gate-missed]", "(n = 65 536)", "n is 65536."])
        .never(&["n is 10007."]);
}

/// Efficiency is not the question while a loop gives elements to several threads. The simulator
/// stops counting at 15, and each number says so.
#[test]
fn elements_that_are_written_too_often_come_before_other_missed_gates() {
    let every_element = [("idx += threads", "idx += 9")];
    edited("ch01_threads", "grid_stride", &every_element)
        .says(&[
            "error[written-twice]: the answers are right, but elements of `out` are written up to 15 times or more",
            "writes per element - 15 or more 1 missed",
            "which stores write the same element, in which threads or iterations, and which one is needed?",
        ])
        .never(&["does a sector start there too?"]);
}

/// A tile with a halo has the left neighbours of all threads, so a guard would hide the mistake.
#[test]
fn a_negative_index_in_a_tile_with_a_halo_leads_to_the_missing_offset() {
    let question =
        "which element does tile[0] stand for, and in which cell is the thread's own element?";
    let neighbours = "which threads have no left neighbour";
    let unshifted =
        [("cell = tid; cell <= tid + 2 * radius", "cell = tid - radius; cell <= tid + radius")];
    edited("ch04_shared", "stencil_1d", &unshifted)
        .says(&["error[out-of-bounds-read]: thread 0 reads tile[-3]", question])
        .never(&[neighbours]);

    // The tile is so long that only the store shows that it has a halo.
    let kernel = |own: &str| {
        format!(
            "__global__ void k(const int* in, int* out, int radius) {{\n  __shared__ int tile[1024];\n\
             \x20 const int t = threadIdx.x;\n  const int own = {own};\n  tile[own] = in[t];\n\
             \x20 __syncthreads();\n  out[t] = tile[t - 1];\n}}\nint main() {{\n  int *in, *out;\n\
             \x20 cudaMalloc(&in, 256); cudaMalloc(&out, 256); cudaMemset(in, 0, 256);\n\
             \x20 k<<<1, 64>>>(in, out, 2);\n  cudaDeviceSynchronize();\n\
             \x20 cudaFree(in); cudaFree(out);\n}}\n"
        )
    };
    program(&kernel("t + radius")).says(&["reads tile[-1]", question]).never(&[neighbours]);
    program(&kernel("t")).says(&["reads tile[-1]", neighbours]).never(&[question]);
}

/// A number that fits the memory of another launch is not a sign that this memory is too small.
#[test]
fn a_number_that_another_launch_uses_rightly_is_marked_where_it_is_passed() {
    let question = "how many elements does `d_partial` have for this launch, and which number should the launch pass?";
    let given_n = [(
        "(Itself{d_partial}, combine, d_result, grid)",
        "(Itself{d_partial}, combine, d_result, n)",
    )];
    edited("ch07_generic", "reduction_kernel", &given_n)
        .says(&[
            "error[out-of-bounds-read]",
            "this launch passes `n`, too",
            "launched here",
            "room for 64 elements of 4 bytes; this launch passes 1000 for `n`",
            question,
        ])
        .never(&["which line decides how many there are"]);
    // the only launch with this number
    let small = "__global__ void k(int* v, int n) {\n  int i = threadIdx.x;\n  if (i < n) v[i] = i;\n}\n\
        int main() {\n  int* d;\n  cudaMalloc(&d, 200);\n  k<<<1, 128>>>(d, 100);\n\
        \x20 cudaDeviceSynchronize();\n  cudaFree(d);\n}\n";
    program(small).says(&["which line decides how many there are"]);
}

/// A program that multiplies by the element's size already does not read that it must.
#[test]
fn an_array_whose_width_and_height_are_swapped_is_marked_where_it_is_made() {
    let bytes = "the first coordinate of a surface counts bytes";
    let swapped = [("to = new_array(height, width)", "to = new_array(width, height)")];
    edited("ch09_images", "surface_write", &swapped)
        .says(&[
            "error[surface-coordinate]",
            "allocated here",
            "called here",
            "the array has 3 rows of 2 elements, and one with 2 rows of 3 elements has room",
            "where do rows and columns change places: where the array is made, in the launch, or in",
        ])
        .never(&[bytes, "a thread without an element"]);
    edited("ch09_images", "surface_write", &[("row < height && col < width", "row < height")])
        .says(&["error[surface-coordinate]", "a thread without an element of its own"])
        .never(&[bytes, "in which order"]);
    let elements = [("col * sizeof(float), row", "col, row")];
    edited("ch09_images", "surface_write", &elements).says(&["error[surface-coordinate]", bytes]);
}

/// No order makes two results of one step right, except behind a first value.
#[test]
fn two_threads_that_write_one_element_in_one_step_are_asked_whether_they_should() {
    let question =
        "should two threads write this element at all, or is the index of (1) or (2) wrong?";
    let order = "__syncwarp() orders the accesses";
    let shared = [("const int a = 2 * (tid - k) + k;", "const int a = 2 * tid;")];
    edited("ch10_science", "fft_shared", &shared)
        .says(&["error[shared-race]", "both write", question])
        .never(&[order, "in which order should they"]);
    // the loop that fills the tile and the one that uses it are different steps
    let filled = [("__syncthreads();  // every point is stored before a butterfly reads it", "")];
    edited("ch10_science", "fft_shared", &filled).says(&["error[shared-race]"]).never(&[question]);
    let source = |first: &str| {
        format!(
            "__global__ void k(int* out, int n) {{\n  __shared__ int best;\n  int t = threadIdx.x;\n\
             \x20 if (t == 0) best = {first};\n  if (t == 5) best = out[t];\n  __syncthreads();\n\
             \x20 out[t] = best;\n}}\nint main() {{\n  int* out;\n  cudaMalloc(&out, 128);\n\
             \x20 cudaMemset(out, 0, 128);\n  k<<<1, 32>>>(out, 3);\n  cudaDeviceSynchronize();\n\
             \x20 cudaFree(out);\n}}\n"
        )
    };
    program(&source("n")).says(&["both write", question]).never(&[order]);
    program(&source("-1")).says(&["both write", "should both lines write this element", order]);
}

/// A crash outside the program's own lines asks about no line. An address that no process can have
/// is not a null pointer, although the kernel reports 0 for it.
#[test]
fn a_crash_without_a_line_asks_about_no_line() {
    let main = |ending: &str| {
        format!(
            "#include <cstring>\n#include <vector>\n{FILL}int main() {{\n  int* d;\n\
             \x20 cudaMalloc(&d, 32);\n  std::vector<int> h(8);\n  fill<<<1, 8>>>(d);\n\
             \x20 cudaMemcpy(h.data(), d, 32, cudaMemcpyDeviceToHost);\n  cudaFree(d);\n\
             {ending}\n}}\n"
        )
    };
    program(&main("  void (*volatile f)() = (void (*)())0x1000000;\n  f();"))
        .says(&["error[host-crash]", "which index, or which copy with its number of bytes"])
        .never(&["this line"]);
    program(&main("  memset((void*)&h, 17, sizeof h);"))
        .says(&["error[host-crash]", "address outside host memory"])
        .never(&["null pointer"]);
}
