//! Rows that need more shared memory than a block gets without a request.

use ndarray::{Array2, arr1};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::diagnostic::Slug;
use crate::exercises::common::*;
use crate::spec::{
    Case, HostPart, Kind, MachineFault, Metric, Param, Role, Spec, Start, Tolerance,
};
use crate::value::{Array, DType, Scalar, Value};

/// The longest row that fits on every GPU. A block can have 64 KiB with compute capability 7.5, and
/// more with all later ones (CUDA C++ Programming Guide, "Compute Capabilities").
const FITS: usize = 16_384;

/// The longest row that fits on the simulated device, where a program can request 227 KiB for a
/// block (compute capability 9.0).
const LIMIT: usize = 227 * 1024 / 4;

/// `big_tile`.
pub static SPEC: Spec = Spec {
    id: "big_tile",
    chapter: "ch04_shared",
    kind: Kind::Program(HostPart::Copies),
    start: Start::Fix,
    minutes: 20,
    goal: "request more than 48 KiB of shared memory, and find out whether the device has enough",
    cooperative: false,
    ordered: &[],
    params: &[
        floats_in_out("rows", "[height][width]"),
        Param { name: "fits", role: Role::Host, dtype: DType::I32, shape: "[1]" },
        count("height"),
        count("width"),
        count("shift"),
    ],
    cases: &[
        sized(
            "3 x 1000",
            "4000 bytes, less than the 48 KiB that every block may use",
            &[("height", 3), ("width", 1000)],
        ),
        gated(sized(
            "2 x 16 384",
            "64 KiB, which a block can have on every GPU from compute capability 7.0 on, if the \
             program requests it",
            &[("height", 2), ("width", FITS)],
        )),
        Case {
            // a program may also request the memory, and check whether the call fails
            allows: &[Slug::CallFailed],
            ..sized(
                "1 x 300 000",
                "more bytes than a block can have on any GPU, so the row stays as it is",
                &[("height", 1), ("width", 300_000)],
            )
        },
        Case {
            allows: &[Slug::CallFailed],
            ..sized(
                "1 x 60 000",
                "240 000 bytes, which are more than a block can have on any GPU; a program that \
                 compares the number of floats with the limit in bytes doesn't notice this",
                &[("height", 1), ("width", 60_000)],
            )
        },
        Case {
            simulated_only: true,
            ..sized(
                "1 x 58 112",
                "the largest number of bytes that a program can request for a block on the \
                 simulated device",
                &[("height", 1), ("width", LIMIT)],
            )
        },
        Case {
            simulated_only: true,
            allows: &[Slug::CallFailed],
            ..sized(
                "1 x 58 200",
                "more shared memory than a block can have, but less than a multiprocessor has",
                &[("height", 1), ("width", 58_200)],
            )
        },
        Case {
            allows: &[Slug::CallFailed],
            ..on_a_smaller_device(
                "1 x 20 000 on another device",
                "80 000 bytes, on a device whose limit is 64 KiB for a block, so the row doesn't \
                 fit; a program that assumes the limit of another device doesn't notice this",
                &[("height", 1), ("width", 20_000)],
            )
        },
        on_a_smaller_device(
            "1 x 16 000 on another device",
            "64 000 bytes, which fit on the device whose limit is 64 KiB",
            &[("height", 1), ("width", 16_000)],
        ),
        Case {
            fault: Some(MachineFault::NoKernelImage),
            simulated_only: true,
            allows: &[Slug::CallFailed],
            ..sized(
                "2 x 1000 on a device without the kernel",
                "the launch fails, although a row fits, so the rows stay as they are",
                &[("height", 2), ("width", 1000)],
            )
        },
        sized("2 x 12 288", "exactly 48 KiB", &[("height", 2), ("width", 12_288)]),
        sized("2 x 12 289", "one float more than 48 KiB", &[("height", 2), ("width", 12_289)]),
        sized("5 x 1", "a row of one element", &[("height", 5), ("width", 1)]),
    ],
    large: None,
    tolerance: Tolerance::Exact,
    gates: &[
        exactly(Metric::Launches, 1.0),
        at_least(Metric::SharedBytes, 65_536.0),
        shared_work(6_000.0),
    ],
    hints: &[
        "Without a request, a block gets up to 48 KiB, which is 49 152 bytes. How many bytes does \
         a row of 16 384 floats need? And what does `cudaGetLastError()` return after the launch \
         in the original file?",
        "Call `cudaFuncSetAttribute(rotate, cudaFuncAttributeMaxDynamicSharedMemorySize, \
         row_bytes)` before the launch. The launch itself still needs `row_bytes` as its third \
         value between the angle brackets.",
        "Every device has its own limit, and `cudaDeviceGetAttribute(&limit, \
         cudaDevAttrMaxSharedMemoryPerBlockOptin, 0)` stores it in `limit`, in bytes. If a row \
         needs more bytes, set `*fits` to 0 and return before you allocate anything.",
        "Right after the launch, `cudaGetLastError()` returns an error if the kernel couldn't \
         start. Copy the rows back only if the launch succeeded.",
    ],
    pitfalls: &[
        "Don't pass the number of floats. Both the attribute and the launch count bytes, so the \
         block would get only a quarter of the memory that it needs.",
        "Don't set the attribute after the launch, because it applies only to later launches.",
        "Don't read `cudaDevAttrMaxSharedMemoryPerBlock`. That's the limit without a request, so \
         it's 48 KiB on every GPU.",
        "You can't use an array with a fixed length, as in `__shared__ float tile[16384]`. If the \
         array has more than 48 KiB, the compiler reports an error, even if the device has enough \
         memory.",
        "Don't leave out the third value of the launch. The attribute only permits a size, and the \
         launch has to request this size.",
        "Don't forget to check the launch. If it fails, no kernel runs, and the program copies \
         back rows that no kernel has changed.",
    ],
    learn: "chapter 4, \"More than 48 KiB\"",
    skeleton: Slug::UncheckedError,
    inputs,
    reference,
};

/// A case on a device with less shared memory than the simulated device has.
const fn on_a_smaller_device(
    name: &'static str,
    why: &'static str,
    sizes: &'static [(&'static str, usize)],
) -> Case {
    let fault = Some(MachineFault::LessSharedMemory);
    Case { fault, simulated_only: true, ..sized(name, why, sizes) }
}

fn inputs(case: &Case, rng: &mut ChaCha8Rng) -> Vec<Value> {
    let [height, width] = ["height", "width"].map(|name| case.size(name));
    let shift = match width {
        // no thread reads what it has stored itself, even if it stores many neighbouring elements
        FITS => rng.random_range(width / 4..width * 3 / 4) | 1,
        1 => 0,
        _ => rng.random_range(1..width),
    };
    let rows = uniform(rng, &[height, width]);
    vec![rows, ints(&[1]), int(height), int(width), int(shift)]
}

fn reference(case: &Case, inputs: &[Value]) -> Vec<Array> {
    let [height, width] = ["height", "width"].map(|name| case.size(name));
    let Some(Value::Scalar(Scalar::I32(shift))) = inputs.get(4) else {
        panic!("argument 4 isn't an int")
    };
    let rows = f64s(inputs, 0).into_shape_with_order([height, width]).expect("its own shape");
    let limit = match case.fault {
        Some(MachineFault::LessSharedMemory) => FITS,
        Some(_) => 0,
        None => LIMIT,
    };
    let fits = width <= limit;
    let rows = if fits { rotated(&rows, *shift as usize) } else { rows };
    vec![rows.into_dyn().into(), Array::I32(arr1(&[i32::from(fits)]).into_dyn())]
}

fn rotated(rows: &Array2<f64>, shift: usize) -> Array2<f64> {
    let width = rows.ncols();
    Array2::from_shape_fn(rows.dim(), |(row, i)| rows[[row, (i + shift) % width]])
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn every_row_moves_to_the_left() {
        let rows = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
        assert_eq!(rotated(&rows, 1), array![[2.0, 3.0, 1.0], [5.0, 6.0, 4.0]]);
        assert_eq!(rotated(&rows, 0), rows);
    }
}
