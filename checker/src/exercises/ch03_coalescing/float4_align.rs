//! Loads of four floats: what they save, which addresses they require, and what to do with the
//! tail.

use ndarray::{ArrayD, Zip};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{Case, Kind, Spec, Start, Tolerance};
use crate::value::{Array, Value};

/// `float4_align`.
pub static SPEC: Spec = Spec {
    id: "float4_align",
    chapter: "ch03_coalescing",
    kind: Kind::Kernel,
    start: Start::Optimise,
    minutes: 40,
    goal: "load four floats at a time, for every alignment of the data",
    cooperative: false,
    ordered: &[],
    params: &[
        number("a"),
        floats_in("x", "[offset + n]"),
        floats_in("y", "[n]"),
        floats_out("out", "[n]"),
        count("offset"),
        count("n"),
    ],
    cases: &[
        wide("1000 elements", "a multiple of 4", &[("offset", 0), ("n", 1000)]),
        narrow("997 elements", "a tail of one element", &[("offset", 0), ("n", 997)]),
        narrow("three elements", "fewer elements than a `float4` has", &[("offset", 0), ("n", 3)]),
        narrow("1003 elements", "a tail of three elements", &[("offset", 0), ("n", 1003)]),
        wide(
            "view from 1",
            "the view begins 4 bytes after a multiple of 16",
            &[("offset", 1), ("n", 1000)],
        ),
        wide(
            "view from 2",
            "the view begins 8 bytes after a multiple of 16",
            &[("offset", 2), ("n", 1001)],
        ),
        wide(
            "view from 3",
            "the view begins 12 bytes after a multiple of 16",
            &[("offset", 3), ("n", 5)],
        ),
        wide(
            "view from 12",
            "the offset is a multiple of 4, so the view is aligned again",
            &[("offset", 12), ("n", 999)],
        ),
        gated(wide(
            "16 387 elements",
            "the checker counts the load requests in this case; the view is aligned and has a tail \
             of three elements",
            &[("offset", 8), ("n", 16_387)],
        )),
    ],
    // few threads, so the bytes of a thread's loads decide how busy memory is
    large: Some(case("large", "", &[("offset", 0), ("n", 1 << 25)], [264, 1], [256, 1])),
    // a product and a sum
    tolerance: Tolerance::Roundings(2),
    // Loading 16 384 elements of both arrays takes 2 * 512 requests, and with `float4` a quarter of
    // that. The limit leaves room for the three elements of the tail.
    gates: &[WRITTEN_ONCE, load_requests(264.0, Some(1026.0)), shared_work(550.0)],
    hints: &[
        "A `float4` is a struct of four floats, `x`, `y`, `z` and `w`. If a thread reads a \
         `float4` through a `const float4*`, it executes a single load of 16 bytes. You get this \
         pointer with `reinterpret_cast<const float4*>(y)`.",
        "There are `n / 4` whole `float4`s, and `n % 4` elements are left over. The threads share \
         the `float4`s as they shared the elements in the original kernel, so thread `me` begins \
         with `float4` number `me`. Which threads process the elements that are left over?",
        "`x` begins at a multiple of 16 bytes. For which offsets is the address `x + offset` a \
         multiple of 16 as well? For all other offsets, you can't read a `float4` from this \
         address, and the existing loop is the right one.",
        "Let `fours` be `n / 4` if `offset % 4 == 0`, and 0 otherwise. Write a loop over `k < \
         fours` with `float4`, and after it the old loop, which now begins with `i = 4 * fours + \
         me`.",
    ],
    pitfalls: &[
        "Don't forget the tail. If `n` is a multiple of 4, you won't notice the mistake.",
        "If you round `n / 4` up, the last `float4` can reach beyond the end of the array.",
        "Check where the view begins before you convert the pointer. Without this check, the \
         kernel works for offset 0, but it fails for offset 1.",
        "If each thread loads four neighbouring floats one after the other, a warp makes four \
         requests, and each of them moves 16 sectors instead of 4. With a `float4`, a single \
         request is enough.",
        "Don't let every thread, or thread 0 of each block, compute the tail. Exactly one thread \
         of the grid has to compute each element.",
        "Don't judge the kernel by its sectors per request alone. A request for 32 `float4`s moves \
         16 sectors and wastes nothing, because the lanes use all of its 512 bytes.",
    ],
    learn: "chapter 3, \"Four at a time\"",
    skeleton: Slug::GateMissed,
    inputs,
    reference,
};

/// A case with two warps.
const fn narrow(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    case(name, why, sizes, [2, 1], [32, 1])
}

/// A case with sixteen warps.
const fn wide(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    case(name, why, sizes, [4, 1], [128, 1])
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let (offset, n) = (case.size("offset"), case.size("n"));
    let a = float(rng.random_range(1.5..4.5));
    vec![a, uniform(rng, &[offset + n]), uniform(rng, &[n]), out(&[n]), int(offset), int(n)]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let (x, y) = (f64s(inputs, 1), f64s(inputs, 2));
    vec![scaled_sum(scalar(inputs, 0), &x, &y, case.size("offset")).into()]
}

/// `a * x + y`, without the first `offset` elements of `x`.
fn scaled_sum(a: f64, x: &ArrayD<f64>, y: &ArrayD<f64>, offset: usize) -> ArrayD<f64> {
    let view = x.slice_axis(ndarray::Axis(0), ndarray::Slice::from(offset..));
    Zip::from(view).and(y).map_collect(|x, y| a * x + y)
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn scales_from_the_offset_on() {
        let (x, y) = (array![9.0, 1.0, -2.0].into_dyn(), array![10.0, 0.5].into_dyn());
        assert_eq!(scaled_sum(3.0, &x, &y, 1), array![13.0, -5.5].into_dyn());
    }
}
