//! Programs with mistakes about the state of streams, events and captures: the report names the
//! cause, whichever order the simulator took.
//!
//! Needs a CUDA 13 compiler and the host's g++.

use crate::causes::program;

/// A program with a kernel `fill` and an array `v` of 1000 numbers.
fn filling(main: &str) -> String {
    format!(
        "#include <cstdio>\n\
         __global__ void fill(float* v, int n) {{\n\
         \x20 int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) v[i] = 1;\n}}\n\
         int main() {{\nconst int n = 1000; const size_t bytes = n * sizeof(float);\n\
         float *v, *h; cudaMallocHost(&h, bytes);\n{main}cudaFreeHost(h);\n}}\n"
    )
}

/// A kernel in the default stream and a copy in a stream that does not wait for it: the missing
/// wait shows although the stream is destroyed before the kernel is done, and it is the cause of
/// values that nothing has written.
#[test]
fn a_non_blocking_stream_does_not_wait_for_the_default_stream() {
    for before in ["", "cudaMemset(v, 0, bytes); cudaDeviceSynchronize();"] {
        let main = |flags: &str| {
            format!(
                "cudaMalloc(&v, bytes);\ncudaStream_t s;\ncudaStreamCreateWithFlags(&s, {flags});\n\
                 {before}\nfill<<<4, 256>>>(v, n);\n\
                 cudaMemcpyAsync(h, v, bytes, cudaMemcpyDeviceToHost, s);\n\
                 cudaStreamSynchronize(s);\nprintf(\"%g\\n\", h[n - 1]);\n\
                 cudaStreamDestroy(s);\ncudaFree(v);\n"
            )
        };
        program(&filling(&main("cudaStreamNonBlocking")))
            .says(&[
                "error[missing-wait]: the copy to the host reads `v` without waiting for kernel `fill`",
            ])
            .never(&["uninitialised-read", "nothing has written"]);
        let right = program(&filling(&main("cudaStreamDefault")));
        assert_eq!((right.code, right.text.as_str()), (0, "1"));
    }
}

/// A free in another stream that does not wait for a kernel, and the copy before it.
#[test]
fn a_free_in_another_stream_needs_a_wait() {
    let main = |order: &str| {
        format!(
            "cudaStream_t a, b; cudaStreamCreate(&a); cudaStreamCreate(&b);\n\
             cudaEvent_t e; cudaEventCreate(&e);\ncudaMallocAsync(&v, bytes, a);\n\
             fill<<<4, 256, 0, a>>>(v, n);\n{order}\n\
             cudaMemcpyAsync(h, v, bytes, cudaMemcpyDeviceToHost, b);\ncudaFreeAsync(v, b);\n\
             cudaStreamSynchronize(b);\ncudaStreamSynchronize(a);\nprintf(\"%g\\n\", h[0]);\n\
             cudaEventDestroy(e); cudaStreamDestroy(a); cudaStreamDestroy(b);\n"
        )
    };
    let wrong = filling(&main("cudaStreamWaitEvent(b, e); cudaEventRecord(e, a);"));
    program(&wrong)
        .says(&[
            "the copy to the host reads `v` without waiting for kernel `fill`",
            "cudaFreeAsync frees `v` without waiting for kernel `fill`",
            "this event has not been recorded yet",
        ])
        .never(&["use-after-free", "uninitialised-read"]);
    let right = program(&filling(&main("cudaEventRecord(e, a); cudaStreamWaitEvent(b, e);")));
    assert_eq!((right.code, right.text.as_str()), (0, "1"));
}

/// The report says which of two events is not complete.
#[test]
fn an_incomplete_event_is_named() {
    let main = |first: &str, second: &str| {
        format!(
            "cudaMalloc(&v, bytes);\ncudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreate(&t);\n\
             cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b);\n\
             fill<<<4, 256, 0, s>>>(v, n);\ncudaEventRecord(a, {first});\ncudaEventRecord(b, {second});\n\
             cudaStreamSynchronize(t);\nfloat ms; cudaEventElapsedTime(&ms, a, b);\n\
             cudaDeviceSynchronize();\ncudaEventDestroy(a); cudaEventDestroy(b);\n\
             cudaStreamDestroy(s); cudaStreamDestroy(t);\ncudaFree(v);\n"
        )
    };
    for (first, second, which) in [("s", "t", "first"), ("t", "s", "second")] {
        let other = if which == "first" { "second" } else { "first" };
        program(&filling(&main(first, second)))
            .says(&[
                &format!("the device has not reached the {which} event yet"),
                &format!("returns only when the {which} event is complete"),
                &format!("the {which} event is recorded here"),
            ])
            .never(&[&format!("the {other} event")]);
    }
    program(&filling(&main("s", "s"))).says(&["the device has not reached either event yet"]);
}

/// A call that is not allowed in a capture does something: it makes the capture invalid.
#[test]
fn a_capture_is_invalid_after_a_call_that_waits() {
    let said = program(&filling(
        "cudaMalloc(&v, bytes);\ncudaStream_t s; cudaStreamCreate(&s);\ncudaGraph_t g;\n\
         cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\ncudaStreamSynchronize(s);\n\
         fill<<<4, 256, 0, s>>>(v, n);\ncudaStreamEndCapture(s, &g);\n\
         cudaStreamDestroy(s);\ncudaFree(v);\n",
    ))
    .says(&[
        "not allowed while the stream is being captured",
        "such a call makes the capture invalid",
        "this call has made the capture invalid",
        "the capture begins here",
    ])
    .never(&["a call that fails does nothing", "which of its arguments"]);
    assert_eq!(said.count("error[call-failed]"), 3, "{}", said.text);
}

/// Work of another stream that the first stream does not wait for at the end of a capture.
#[test]
fn unjoined_work_of_a_capture_is_marked() {
    program(&filling(
        "cudaMalloc(&v, bytes);\ncudaStream_t s, t; cudaStreamCreate(&s); cudaStreamCreate(&t);\n\
         cudaEvent_t e; cudaEventCreate(&e);\ncudaGraph_t g;\n\
         cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);\ncudaEventRecord(e, s);\n\
         cudaStreamWaitEvent(t, e);\nfill<<<4, 256, 0, t>>>(v, n);\ncudaStreamEndCapture(s, &g);\n\
         cudaEventDestroy(e); cudaStreamDestroy(s); cudaStreamDestroy(t);\ncudaFree(v);\n",
    ))
    .says(&[
        "cudaErrorStreamCaptureUnjoined",
        "captured in a stream that never joins the first one again",
        "wait for the last work of the other one?",
    ])
    .never(&["which of its arguments"]);
}

/// A call in a loop that fails with other sizes each time is one mistake.
#[test]
fn a_call_that_fails_in_a_loop_is_counted_as_one_mistake() {
    let said = program(&filling(
        "cudaMalloc(&v, bytes);\nfor (int m = 10; m < 26; ++m)\n\
         \x20 cudaMemcpy2DAsync(v, m, h, m, 4 * m, 2, cudaMemcpyHostToDevice);\n\
         cudaDeviceSynchronize();\ncudaFree(v);\n",
    ))
    .says(&["error[call-failed]", "this happens 16 times in this run"]);
    assert_eq!(said.count("error["), 1, "{}", said.text);
}

/// The codes are those of an H100 with driver 580.
#[test]
fn calls_that_a_capture_does_not_allow_make_it_invalid() {
    let source = |flags: &str, mode: &str, call: &str| {
        format!(
            "#include <cstdio>\n__global__ void fill(int* v) {{ v[threadIdx.x] = 1; }}\nint main() {{\n\
             \x20 int *d, *q = nullptr, *p, h[8]; cudaMalloc(&d, 64); cudaMallocHost(&p, 64);\n\
             \x20 cudaStream_t s, o; cudaStreamCreateWithFlags(&s, {flags}); cudaStreamCreate(&o);\n\
             \x20 cudaEvent_t e; cudaEventCreate(&e); cudaEventRecord(e, o);\n\
             \x20 cudaMemset(d, 0, 64); cudaDeviceSynchronize();\n\
             \x20 cudaGraph_t g; cudaStreamBeginCapture(s, cudaStreamCaptureMode{mode});\n\
             \x20 int call = {call};\n  cudaGetLastError(); fill<<<1, 8, 0, s>>>(d);\n\
             \x20 printf(\"<%d %d \", call, cudaGetLastError());\n\
             \x20 printf(\"%d>\", cudaStreamEndCapture(s, &g));\n  fflush(stdout);\n}}\n"
        )
    };
    let (blocking, other) = ("cudaStreamDefault", "cudaStreamNonBlocking");
    let ends = |flags: &str, mode: &str, call: &str, codes: &str| {
        program(&source(flags, mode, call)).says(&[codes]);
    };
    for call in ["cudaMalloc(&q, 4)", "cudaFreeHost(p)", "cudaEventQuery(e)", "cudaStreamQuery(o)"]
    {
        ends(blocking, "Global", call, "<900 901 901>");
        ends(other, "Relaxed", call, "<0 0 0>");
    }
    ends(other, "ThreadLocal", "cudaStreamSynchronize(o)", "<900 901 901>");
    ends(other, "Relaxed", "cudaDeviceSynchronize()", "<900 901 901>");
    ends(blocking, "Global", "(cudaEventRecord(e, s), cudaEventSynchronize(e))", "<907 901 901>");
    ends(blocking, "Relaxed", "cudaStreamWaitEvent(s, e, 0)", "<905 901 901>");
    let legacy = ["cudaMemcpy(h, d, 32, cudaMemcpyDeviceToHost)", "cudaEventRecord(e, 0)"];
    for call in legacy.iter().chain(&["(fill<<<1, 8>>>(d), cudaPeekAtLastError())"]) {
        ends(blocking, "Relaxed", call, "<906 901 901>");
        ends(other, "Global", call, "<0 0 0>");
    }
    for call in ["(fill<<<1, 8, 0, o>>>(d), 0)", "cudaEventCreate(&e)", "cudaStreamDestroy(o)"] {
        ends(blocking, "Global", call, "<0 0 0>");
    }

    program(&source(blocking, "Global", "cudaMalloc(&q, 4)")).says(&[
        "cudaMalloc fails with cudaErrorStreamCaptureUnsupported",
        "not allowed during the capture",
        "the capture begins here",
        "a capture cannot record an allocation",
        "can it be before or after the capture?",
    ]);
    program(&source(blocking, "Global", legacy[0])).says(&[
        "cudaMemcpy fails with cudaErrorStreamCaptureImplicit",
        "uses the default stream during the capture",
    ]);
    program(&source(blocking, "Global", "(cudaEventRecord(e, s), cudaEventQuery(e))"))
        .says(&["cudaEventQuery fails with", "this event was recorded in the capture"]);
}
