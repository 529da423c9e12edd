//! Programs that use page-locked, registered and managed memory: right ones have no report, and of
//! wrong ones the report names the cause.
//!
//! Needs a CUDA 13 compiler and the host's g++.

use crate::causes::{edited, program};

/// A program with a kernel that adds one to each of 64 elements.
fn adding(main: &str) -> String {
    format!(
        "#include <cstdio>\n#include <cstdlib>\n#include <vector>\n\
         __global__ void inc(int* v, int n) {{ int i = threadIdx.x; if (i < n) ++v[i]; }}\n\
         __global__ void inner(int** v, int n) {{ if (threadIdx.x < n) ++v[0][threadIdx.x]; }}\n\
         struct Part {{ int first; int* data; }};\n\
         __global__ void part(Part p, int n) {{ if (threadIdx.x < n) ++p.data[p.first + threadIdx.x]; }}\n\
         int main() {{\n{main}}}\n"
    )
}

#[track_caller]
fn prints(main: &str, expected: &str) {
    let said = program(&adding(main));
    assert_eq!((said.code, said.text.as_str()), (0, expected), "{main}");
}

/// A kernel may use registered memory, by the host's pointer or by the one of
/// `cudaHostGetDevicePointer`, as an argument or in a structure.
#[test]
fn kernels_use_registered_memory() {
    for (pointer, flags) in [
        ("h.data()", "cudaHostRegisterDefault"),
        ("h.data()", "cudaHostRegisterMapped"),
        ("d", "cudaHostRegisterMapped | cudaHostRegisterPortable"),
    ] {
        prints(
            &format!(
                "std::vector<int> h(64, 41);\n\
                 cudaHostRegister(h.data(), 64 * sizeof(int), {flags});\n\
                 int* d; cudaHostGetDevicePointer(&d, h.data(), 0);\n\
                 inc<<<1, 64>>>({pointer}, 64);\ncudaDeviceSynchronize();\n\
                 inc<<<1, 32>>>({pointer} + 32, 32);\ncudaDeviceSynchronize();\n\
                 part<<<1, 8>>>(Part{{2, {pointer}}}, 8);\ncudaDeviceSynchronize();\n\
                 printf(\"%d %d %d %d\\n\", d == h.data(), h[0], h[2], h[63]);\n\
                 cudaHostUnregister(h.data());\n"
            ),
            "1 42 43 43",
        );
    }
    prints(
        "int* h = (int*)malloc(1 << 20);\nfor (int i = 0; i < 64; ++i) h[i] = i;\n\
         for (int round = 0; round < 3; ++round) {\ncudaHostRegister(h, 1 << 20, 0);\n\
         inc<<<1, 64>>>(h, 64);\ncudaDeviceSynchronize();\ncudaHostUnregister(h);\n}\n\
         printf(\"%d %d\\n\", h[0], h[63]);\nfree(h);\n",
        "3 66",
    );
}

/// Only the registered bytes belong to the kernel.
#[test]
fn a_kernel_beyond_registered_memory_is_out_of_bounds() {
    program(&adding(
        "std::vector<int> h(64, 41);\ncudaHostRegister(h.data(), 64, cudaHostRegisterMapped);\n\
         inc<<<1, 64>>>(h.data(), 64);\ncudaDeviceSynchronize();\ncudaHostUnregister(h.data());\n",
    ))
    .says(&["error[out-of-bounds-write]: thread 16 writes v[16]", "page-locked here"])
    .never(&["host address"]);
}

/// What the simulator does not support is not called a mistake.
#[test]
fn a_pointer_to_registered_memory_in_memory_is_not_supported() {
    program(&adding(
        "std::vector<int> h(64, 41);\ncudaHostRegister(h.data(), 256, cudaHostRegisterMapped);\n\
         int *p = h.data(), **d; cudaMalloc(&d, sizeof p);\n\
         cudaMemcpy(d, &p, sizeof p, cudaMemcpyHostToDevice);\n\
         inner<<<1, 64>>>(d, 64);\ncudaDeviceSynchronize();\n\
         cudaHostUnregister(h.data()); cudaFree(d);\n",
    ))
    .says(&["does not support `a pointer to registered memory", "valid CUDA"])
    .never(&["error[invalid-address]"]);
}

/// The host waits for a kernel that uses registered memory, or there is a race.
#[test]
fn registered_memory_is_watched() {
    program(&adding(
        "int* h = (int*)malloc(1 << 20);\nfor (int i = 0; i < 64; ++i) h[i] = i;\n\
         cudaHostRegister(h, 1 << 20, 0);\ninc<<<1, 64>>>(h, 64);\n\
         printf(\"%d\\n\", h[0]);\n\
         cudaDeviceSynchronize();\ncudaHostUnregister(h);\nfree(h);\n",
    ))
    .says(&["error[host-race]: the host reads `h` while kernel `inc` may still use it"]);
}

/// Functions that release page-locked memory wait for the device, but they come too late for reads
/// before them. The kernel's elements are in the middle of the memory, because registered memory is
/// watched only in pages that contain nothing else.
#[test]
fn releasing_memory_is_no_wait_for_earlier_reads() {
    for (allocate, release) in [
        ("int* h; cudaHostAlloc(&h, 12000, cudaHostAllocMapped);", "cudaFreeHost(h);"),
        ("int* h; cudaMallocHost(&h, 12000);", "cudaFreeHost(h);"),
        (
            "int* h = new int[3000];\ncudaHostRegister(h, 12000, cudaHostRegisterMapped);",
            "cudaHostUnregister(h);\ndelete[] h;",
        ),
    ] {
        let main = |wait: &str| {
            format!(
                "{allocate}\nfor (int i = 0; i < 3000; ++i) h[i] = 1;\n\
                 inc<<<1, 64>>>(h + 1400, 64);\n{wait}\nint sum = 0;\n\
                 for (int i = 1400; i < 1464; ++i) sum += h[i];\n\
                 printf(\"%d\\n\", sum);\n{release}\n"
            )
        };
        program(&adding(&main(""))).says(&["error[host-race]: the host reads", "kernel `inc`"]);
        prints(&main("cudaDeviceSynchronize();"), "128");
    }
}

/// `cudaMemset` on memory of the host or on managed memory is synchronous, and `cudaMemsetAsync` is
/// not.
#[test]
fn a_set_of_memory_that_the_host_sees_is_synchronous() {
    for allocation in ["cudaMallocManaged(&v, 400)", "cudaMallocHost(&v, 400)"] {
        let main = |set: &str| {
            format!(
                "int* v; {allocation};\n{set};\n\
                 long sum = 0;\nfor (int i = 0; i < 100; ++i)\n sum += v[i];\n\
                 printf(\"%ld\\n\", sum);\ncudaDeviceSynchronize();\n\
                 cudaPointerAttributes a; cudaPointerGetAttributes(&a, v);\n\
                 if (a.type == cudaMemoryTypeHost) cudaFreeHost(v); else cudaFree(v);\n"
            )
        };
        prints(&main("cudaMemset(v, 1, 400)"), "1684300900");
        prints(&main("cudaMemset2D(v, 40, 1, 40, 10)"), "1684300900");
        program(&adding(&main("cudaMemsetAsync(v, 1, 400)"))).says(&["error[host-race]"]);
    }
}

/// A copy within the host's memory is synchronous, also with `Async`; one within the device's is
/// not, even without.
#[test]
fn copies_wait_for_the_memory_that_the_host_sees() {
    prints(
        "int *a, *b; cudaMallocHost(&a, 400); cudaMallocHost(&b, 400);\n\
         for (int i = 0; i < 100; ++i) a[i] = i;\n\
         cudaMemcpyAsync(b, a, 400, cudaMemcpyHostToHost);\nprintf(\"%d\\n\", b[99]);\n\
         cudaFreeHost(a); cudaFreeHost(b);\n",
        "99",
    );
    let within = |wait: &str| {
        format!(
            "int *a, *b; cudaMalloc(&a, 256); cudaMalloc(&b, 256);\n\
             cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);\n\
             cudaMemset(a, 0, 256);\ncudaMemcpy(b, a, 256, cudaMemcpyDeviceToDevice);\n{wait}\n\
             inc<<<1, 64, 0, s>>>(b, 64);\ncudaDeviceSynchronize();\nprintf(\"done\\n\");\n\
             cudaStreamDestroy(s); cudaFree(a); cudaFree(b);\n"
        )
    };
    prints(&within("cudaDeviceSynchronize();"), "done");
    program(&adding(&within(""))).says(&["error[missing-wait]: kernel `inc`", "for the copy"]);
}

/// A registration of too few bytes leaves the rest of the array as it is.
#[test]
fn a_copy_beyond_the_registered_bytes_says_what_is_locked() {
    edited(
        "ch08_streams",
        "overlap",
        &[(
            "cudaHostRegister(const_cast<float*>(x), bytes",
            "cudaHostRegister(const_cast<float*>(x), n",
        )],
    )
    .says(&[
        "of which only the first 10 007 bytes are page-locked",
        "how many bytes does the registration lock",
    ])
    .never(&["are left from byte"]);
}

/// An address of the host in a structure is called by the member.
#[test]
fn a_host_address_in_a_structure_is_named() {
    let main = "int h[8] = {}; part<<<1, 8>>>(Part{0, h}, 8);\ncudaDeviceSynchronize();\n";
    program(&adding(main))
        .says(&["the argument `p.data` is a host address", "passed to the kernel here"]);
    let only =
        adding(main).replace("int first; int* data", "int* data").replace("Part{0, h}", "Part{h}");
    let only = only.replace("p.data[p.first + ", "p.data[");
    program(&only).says(&["the argument `p.data` is a host address"]);
}

/// A number that is an argument is no address.
#[test]
fn a_number_is_no_host_address() {
    let source = adding("int h[8] = {}; scaled<<<1, 8>>>(h, 8, 2.5);\ncudaDeviceSynchronize();\n");
    let kernel =
        "__global__ void scaled(int* v, size_t n, double by) { v[threadIdx.x] = n * by; }\n";
    program(&source.replace("struct Part", &format!("{kernel}struct Part")))
        .says(&["the argument `v` is a host address"])
        .never(&["`n`", "`by`"]);
}

/// The address of a device variable's shadow.
#[test]
fn the_address_of_a_device_variable_is_recognised() {
    let source = adding("inc<<<1, 1>>>(&counter, 1);\ncudaDeviceSynchronize();\n");
    program(&source.replace("struct Part", "__device__ int counter;\nstruct Part"))
        .says(&["`counter` is a device variable"]);
}

/// A negative size is called one.
#[test]
fn a_negative_size_is_shown_as_such() {
    program(&adding(
        "int want = 100, have = 160; int* d = nullptr;\n\
         printf(\"%d\\n\", cudaMalloc(&d, (want - have) * sizeof(int)));\n",
    ))
    .says(&["asks for -240 bytes", "which value in this size can be negative"])
    .never(&["GiB", "--device-memory"]);
}

/// Memory that nothing has written is called by the function that allocated it.
#[test]
fn uninitialised_memory_names_its_allocator() {
    program(&adding(
        "int* d; cudaMallocAsync(&d, 256, 0); inc<<<1, 64>>>(d, 64); cudaFreeAsync(d, 0);\n\
         cudaDeviceSynchronize();\n",
    ))
    .says(&["error[uninitialised-read]", "cudaMallocAsync does not clear the memory"]);
}

/// An argument of a pack of parameters is called by the variable of the host.
#[test]
fn an_array_in_a_pack_has_its_name() {
    program(
        "#include <cstdio>\n\
         template <typename... In> __global__ void sum(int* out, const In*... in) {\n\
         out[threadIdx.x] = (0 + ... + in[threadIdx.x]);\n}\n\
         int main() {\n  int *d_out, *d_a, *d_b;\n  cudaMalloc(&d_out, 32);\n  cudaMalloc(&d_a, 32);\n\
         \x20 cudaMalloc(&d_b, 32);\n  cudaMemset(d_a, 0, 32);\n  sum<<<1, 8>>>(d_out, d_a, d_b);\n\
         \x20 cudaDeviceSynchronize();\n  cudaFree(d_out); cudaFree(d_a); cudaFree(d_b);\n}\n",
    )
    .says(&["reads d_b[0]"])
    .never(&["allocation"]);
}

/// The read of a statement comes before its write, as on a GPU.
#[test]
fn the_first_access_of_a_statement_is_reported() {
    program(&adding(
        "int h[8] = {}, *p = h, **d; cudaMalloc(&d, sizeof p);\n\
         cudaMemcpy(d, &p, sizeof p, cudaMemcpyHostToDevice);\n\
         inner<<<1, 8>>>(d, 8);\ncudaDeviceSynchronize();\ncudaFree(d);\n",
    ))
    .says(&["error[invalid-address]: thread 0 reads address"]);
}

/// A copy of rows counts the bytes of its rows, and not those between them.
#[test]
fn copies_of_rows_are_described_by_their_rows() {
    edited(
        "ch02_memory",
        "pitched_2d",
        &[(
            "cudaMemcpy2D(region, host_pitch, d_region, pitch,",
            "cudaMemcpy2D(region, pitch, d_region, pitch,",
        )],
    )
    .says(&[
        "writes 84 bytes beyond the end of `image`",
        "5 rows of 28 bytes, which begin 512 bytes apart",
        "to which memory does each pitch belong?",
    ]);
    program(&adding(
        "float* d; size_t pitch; float h[35];\ncudaMallocPitch(&d, &pitch, 28, 5);\n\
         printf(\"%d\\n\", cudaMemcpy2D(d, pitch, h, 28, 5, 28, cudaMemcpyHostToDevice));\ncudaFree(d);\n",
    ))
    .says(&[
        "writes 28 rows of 5 bytes, which begin 512 bytes apart, to `d`",
        "`d` has 5 rows of 28 bytes, which begin 512 bytes apart",
    ]);
}
