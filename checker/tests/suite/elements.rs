//! What reports call the elements of structures, vectors and parts of allocations.
//!
//! Needs a CUDA 13 compiler and the host's g++.

use std::fs;

use crate::cli::common::{checker, run};

/// What the checker says about a program, with single spaces. Device code stands for the kernels,
/// and `host` for the body of `main`.
fn said(device: &str, host: &str) -> String {
    said_with(&[], device, host)
}

fn said_with(options: &[&str], device: &str, host: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let source = format!(
        "#include <cstdio>\n#include <cstdint>\n{device}\nint main() {{\n{host}\n    \
         cudaDeviceSynchronize();\n    cudaDeviceReset();\n}}\n"
    );
    fs::write(folder.path().join("program.cu"), source).expect("written");
    let root = fs::canonicalize("..").expect("the repository");
    let mut command = checker(&root);
    command.args(["run", "--backend", "sim"]).args(options).arg(folder.path().join("program.cu"));
    let ran = run(command.env("NO_COLOR", "1"));
    let text = format!("{}{}", ran.out, ran.err);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}`: {text}");
    }
}

#[test]
fn arrays_of_structures_count_structures() {
    let text = said(
        "struct P { float x, y; int id; };\n__global__ void move(P* p, int n) {\n    int i = threadIdx.x;\n    p[i].y += 1;\n}\n\
         __global__ void pair(const float2* a, float2* b, int n) {\n    int i = threadIdx.x;\n    if (i < n) b[i] = a[i + 1];\n}",
        "P* d; float2 *a, *b; cudaMalloc(&d, 10 * sizeof(P)); cudaMemset(d, 0, 10 * sizeof(P));\n\
         cudaMalloc(&a, 80); cudaMalloc(&b, 80); cudaMemset(a, 0, 80);\n\
         move<<<1, 32>>>(d, 10); pair<<<1, 32>>>(a, b, 10);",
    );
    has(
        &text,
        &[
            "thread 10 writes p[10].y, but `p` has 10 elements",
            "the launch has 32 threads, for 10 elements",
            "thread 9 reads a[10], but `a` has 10 elements",
            "i + 1 = 10 here",
            "the elements of `a` are a[0] to a[9]",
        ],
    );
}

#[test]
fn an_index_that_runs_over_in_a_member_is_that_members() {
    let text = said(
        "template <typename T, int N> struct Vec { T v[N]; };\n\
         template <typename T, int N> __global__ void sum(const Vec<T, N>* in, T* out, int n) {\n    \
         int i = threadIdx.x;\n    if (i >= n) return;\n    T s{};\n    \
         for (int k = 0; k <= N; ++k) s += in[i].v[k];\n    out[i] = s;\n}",
        "Vec<short, 3>* d; short* o; cudaMalloc(&d, 300); cudaMalloc(&o, 100); cudaMemset(d, 0, 300);\n\
         sum<<<1, 64>>>(d, o, 50);",
    );
    has(&text, &["thread 49 reads in[49].v[3], but `v` has 3 elements"]);
    assert!(!text.contains("i = "), "{text}");
}

#[test]
fn bytes_that_are_no_whole_number_of_elements_are_counted() {
    let text = said(
        "struct P { float x, y, z, vx, vy, m; };\n__global__ void move(P* p, int n) {\n    int i = threadIdx.x;\n    \
         if (i < n) p[i].m += 1;\n}",
        "P* d; cudaMalloc(&d, 2100); cudaMemset(d, 0, 2100); move<<<1, 128>>>(d, 88);",
    );
    has(
        &text,
        &[
            "thread 87 writes p[87].m, but `p` has 87 elements",
            "`d` has 2100 bytes, which is room for 87 elements of 24 bytes",
        ],
    );
}

/// The allocation is right, and the launch's cast makes the elements larger.
#[test]
fn a_cast_to_larger_elements_is_shown() {
    for argument in ["(double*)d", "reinterpret_cast<double*>(d)"] {
        let text = said(
            "template <typename T>\n__global__ void fill(T* out, T value, int n) {\n    \
             int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) out[i] = value;\n}",
            &format!(
                "float* d; cudaMalloc(&d, 400 * sizeof(float));\n    \
                 fill<<<4, 128>>>({argument}, 1.5, 400);"
            ),
        );
        has(&text, &["cast here", "the kernel gets", argument, "elements of 8 bytes"]);
        assert!(!text.contains("how many bytes do"), "{text}");
    }
}

/// A macro before the kernel, a row of a two-dimensional array, and pointers from memory.
#[test]
fn rows_and_pointers_from_memory() {
    let text = said(
        "namespace sim { struct Cell { float heat; int age; }; }\nusing sim::Cell;\ntypedef Cell C2;\n#define AT(a, i) (a)[(i)]\n\
         __global__ void macro(C2* c) { AT(c, threadIdx.x).age = 1; }\n\
         __global__ void rows(float (*r)[3]) { int i = threadIdx.x;\n    for (int k = 0; k <= 3; ++k) r[i][k] = 1;\n}\n\
         __global__ void jagged(Cell** r) { int i = threadIdx.x;\n    r[i / 4][i % 4].age = 3;\n}",
        "Cell *c, *d; cudaMalloc(&c, 80);\n    cudaMalloc(&d, 80);\n    macro<<<1, 11>>>(c); float (*f)[3]; cudaMalloc(&f, 120); rows<<<1, 10>>>(f);\n\
         Cell* h[3] = {d, d + 4, d + 8}; Cell** r; cudaMalloc(&r, sizeof h); cudaMemcpy(r, h, sizeof h, cudaMemcpyHostToDevice);\n\
         jagged<<<1, 12>>>(r);",
    );
    has(
        &text,
        &[
            "thread 10 writes c[10].age, but `c` has 10 elements",
            "thread 9 writes r[9][3], but `r[9]` has 3 elements",
            "thread 10 writes d[10].age, but `d` has 10 elements",
        ],
    );
}

#[test]
fn elements_of_an_unknown_type_are_bytes() {
    let text = said(
        "__global__ void raw(void* p) { int* q = (int*)p;\n    q[threadIdx.x] = 1; }",
        "void* p; cudaMalloc(&p, 100); raw<<<1, 32>>>(p);",
    );
    has(&text, &["thread 25 writes byte 100 of `p`, which has 100 bytes"]);
}

#[test]
fn the_pointer_of_the_access_is_named() {
    let text = said(
        "struct Soa { float *x, *y; int* tag; };\n\
         __global__ void parts(float* v, unsigned char* f) { int k = threadIdx.x;\n    v[k] = 1; f[k] = 2; }\n\
         __global__ void soa(Soa s) { int k = threadIdx.x;\n    s.x[k] = s.y[k];\n}",
        "char* m; cudaMalloc(&m, 900); parts<<<1, 128>>>((float*)m, (unsigned char*)m + 800);\n\
         char* w; cudaMalloc(&w, 800); soa<<<1, 64>>>(Soa{(float*)w, (float*)w + 100, nullptr});",
    );
    has(
        &text,
        &[
            "thread 100 writes f[100], but only 100 bytes of its memory are left from `f` on",
            "the launch passes `f` as a pointer to byte 800 of its memory, which has 100 bytes from there on",
            "thread 0 reads s.y[0], which nothing has written yet",
        ],
    );
}

#[test]
fn shared_structures_and_device_variables() {
    let text = said(
        "struct P { float x, y; int id; };\n__device__ float2 pairs[8];\n__global__ void k(float* out) {\n    \
         __shared__ P tile[32];\n    __shared__ float2 two[4][8];\n    int t = threadIdx.x;\n    \
         tile[t].id = t;\n    two[t / 8][t % 8].y = t;\n    __syncthreads();\n    \
         out[t] = tile[t % 32].id + two[0][t % 8].y;\n}\n\
         __global__ void write() {\n    pairs[threadIdx.x].y = 1;\n}",
        "float* o; cudaMalloc(&o, 256); k<<<1, 33>>>(o); write<<<1, 9>>>();",
    );
    has(
        &text,
        &[
            "thread 32 writes tile[32].id, but `tile` has 32 elements",
            "thread 8 writes pairs[8].y, but `pairs` has 8 elements",
        ],
    );
}

#[test]
fn an_element_before_a_matrix_is_counted_from_its_first() {
    let text = said(
        "__global__ void k(float* out) {\n    __shared__ float tile[34][34];\n    int t = threadIdx.x;\n    tile[t][t] = 0;\n    \
         __syncthreads();\n    out[t] = tile[t - 1][t - 1];\n}",
        "float* o; cudaMalloc(&o, 256); k<<<1, 32>>>(o);",
    );
    has(&text, &["thread 0 reads the element 35 positions before tile[0][0], which is the first"]);
    assert!(!text.contains("tile[-2]"), "{text}");
}

#[test]
fn scalars_have_the_form_of_the_source() {
    let text = said(
        "struct S { int count; float sum; };\n__global__ void add(int* total, S* s, const int* v) {\n    \
         int i = threadIdx.x;\n    *total += v[i];\n    s->sum += 1;\n}",
        "int *t, *v; S* s; cudaMalloc(&t, 4); cudaMemset(t, 0, 4); cudaMalloc(&v, 256); cudaMemset(v, 0, 256);\n\
         cudaMalloc(&s, sizeof *s); cudaMemset(s, 0, sizeof *s); add<<<1, 64>>>(t, s, v);",
    );
    has(&text, &["writes *total"]);
    assert!(!text.contains("total[0]"), "{text}");
}

#[test]
fn an_unsigned_index_is_not_negative() {
    let text = said(
        "__global__ void shift(float* out, size_t n) {\n    size_t i = threadIdx.x;\n    out[i - 30] = 1;\n}",
        "float* a; cudaMalloc(&a, 400); shift<<<1, 64>>>(a, 100);",
    );
    has(
        &text,
        &[
            "thread 0 writes out[18446744073709551586], but `out` has 100 elements",
            "i - 30 = 18446744073709551586 here",
        ],
    );
    assert!(!text.contains("[-"), "{text}");
}

#[test]
fn a_read_on_another_line_than_the_compilers_is_marked_there() {
    let kernel = "__global__ void wait(int* data, int* flag, int* out) {\n    if (blockIdx.x == 0) {\n        \
         data[threadIdx.x] = 3;\n        __syncthreads();\n        if (threadIdx.x == 0) {\n            *flag = 1;\n        }\n    } else {\n        \
         if (threadIdx.x == 0) {\n            while (*flag == 0) {\n            }\n        }\n        __syncthreads();\n        \
         out[threadIdx.x] = data[threadIdx.x];\n    }\n}";
    let host = "int *d, *f, *o; cudaMalloc(&d, 256); cudaMalloc(&f, 4); cudaMalloc(&o, 256); cudaMemset(f, 0, 4);\n\
                wait<<<2, 64>>>(d, f, o);";
    has(
        &said(kernel, host),
        &["while (*flag == 0) { | ^^^^^^^^^^^^^^^^^^ (2) block 1, thread 0 reads *flag"],
    );
}

#[test]
fn memory_that_a_kernel_allocates_has_its_pointers_name() {
    let text = said(
        "__global__ void grow(int* out) {\n    int* mine = new int[4];\n    for (int k = 0; k <= 4; ++k) mine[k] = k;\n    \
         out[threadIdx.x] = mine[3];\n    delete[] mine;\n}",
        "int* o; cudaMalloc(&o, 128); grow<<<1, 32>>>(o);",
    );
    has(&text, &["writes mine[4], but `mine` has 4 elements"]);
}

#[test]
fn a_trace_shows_members_with_their_values() {
    let text = said_with(
        &["--trace", "--launch", "1"],
        "struct P { float x, y; int id; };\nstruct Soa { float *a; P* p; };\n__global__ void k(Soa s, float4* v) {\n    \
         int i = threadIdx.x;\n    s.a[i] = s.p[i + 1].x + s.p[i].id;\n    v[i] = make_float4(1, 2, 3, 4);\n}",
        "P* p; float4* v; cudaMalloc(&p, 120); P h[10]; for (int i = 0; i < 10; ++i) h[i] = P{i + 0.5f, 2, 7};\n\
         cudaMemcpy(p, h, 120, cudaMemcpyHostToDevice); float* a; cudaMalloc(&a, 40); cudaMalloc(&v, 160);\n\
         k<<<1, 4>>>(Soa{a, p}, v);",
    );
    has(
        &text,
        &[
            "reads s.p[1].x = 1.5",
            "reads s.p[0].id = 7",
            "writes s.a[0] = 8.5",
            "writes v[0].w = 4",
        ],
    );
}

/// After a swap, a copy uses another name than the allocation did.
#[test]
fn a_copy_of_swapped_memory_names_both_pointers() {
    let text = said(
        "",
        "    float *now, *next;\n    cudaMalloc(&now, 40);\n    cudaMalloc(&next, 40);\n    cudaMemset(now, 0, 40);\n    \
         float* other = now; now = next; next = other;\n    float h[10];\n    \
         cudaMemcpy(h, now, 40, cudaMemcpyDeviceToHost);",
    );
    has(
        &text,
        &[
            "cudaMemcpy reads `next`, which nothing has written",
            "`now` points here to the memory that line 7 allocated as `next`",
        ],
    );
}

#[test]
fn texels_were_allocated_with_another_function() {
    let text = said(
        "",
        "    cudaArray_t a; auto f = cudaCreateChannelDesc<float>();\n    cudaMallocArray(&a, &f, 8, 8);\n    float h[64];\n    \
         cudaMemcpy2DFromArray(h, 32, a, 0, 0, 32, 8, cudaMemcpyDeviceToHost);\n    cudaFreeArray(a);",
    );
    has(&text, &["cudaMallocArray does not clear the memory"]);
}

/// A pointer that is one of two parameters, chosen while the kernel runs.
#[test]
fn a_chosen_pointer_has_the_elements_of_both() {
    let text = said(
        "__global__ void step(int* black, int* white) {\n    int* mine = blockIdx.x == 0 ? black : white;\n    \
         const int* theirs = blockIdx.x == 0 ? white : black;\n    mine[threadIdx.x] = theirs[(threadIdx.x + 1) % 32];\n}",
        "int *b, *w; cudaMalloc(&b, 128); cudaMalloc(&w, 128); cudaMemset(b, 0, 128); cudaMemset(w, 0, 128);\n\
         step<<<2, 32>>>(b, w);",
    );
    has(&text, &["error[global-race]"]);
    assert!(!text.contains("byte "), "{text}");
}

/// The address of a local array is of no use to another thread.
#[test]
fn addresses_of_local_memory_are_named() {
    let text = said(
        "__global__ void keep(int** slot) {\n    int mine[4] = {1, 2, 3, 4};\n    mine[threadIdx.x % 4] += 1;\n    \
         if (threadIdx.x == 0) *slot = mine;\n}\n\
         __global__ void use(int** slot, int* out) { *out = (*slot)[2]; }",
        "int** s; int* o; cudaMalloc(&s, sizeof(int*)); cudaMalloc(&o, sizeof(int));\n\
         keep<<<1, 32>>>(s); use<<<1, 1>>>(s, o);",
    );
    has(&text, &["through an address of local memory", "belongs to one thread"]);
}
