//! Parts of large cases: cases of the same shape that the simulator runs in about a second.

use anyhow::{Context, ensure};

use checker::spec::{Case, Spec};

/// What a part has less of than its large case.
struct Divisors {
    /// The sizes to which the kernels' work is proportional, with their divisors, and the axis of
    /// the grid that is divided with them.
    work: &'static [(&'static str, usize, Option<usize>)],
    /// Sizes that are divided with them, and that change no count.
    also: &'static [(&'static str, usize)],
    /// An axis of the grid that both parts divide by this.
    both: Option<(usize, u32)>,
}

const X: Option<usize> = Some(0);
const Y: Option<usize> = Some(1);

const fn of_work(work: &'static [(&'static str, usize, Option<usize>)]) -> Divisors {
    Divisors { work, also: &[], both: None }
}

const PARTS: [(&str, Divisors); 34] = [
    ("grid_stride", of_work(&[("n", 32, X)])),
    (
        "matrix_add_2d",
        // the original has a thread for each column along y, so both parts need as many of them
        Divisors { work: &[("rows", 8, None), ("cols", 8, X)], both: Some((1, 8)), ..of_work(&[]) },
    ),
    ("in_out_inout", of_work(&[("n", 16, None)])),
    ("stay_on_device", of_work(&[("n", 16, None)])),
    ("stride", of_work(&[("n", 32, X)])),
    ("row_col_sums", of_work(&[("rows", 8, None)])),
    ("structs_soa", of_work(&[("n", 64, None)])),
    ("float4_align", of_work(&[("n", 16, X)])),
    ("stencil_1d", of_work(&[("n", 32, None)])),
    ("tile_transpose", of_work(&[("rows", 32, Y)])),
    ("bank_conflicts", of_work(&[("rows", 32, Y)])),
    ("matmul_tiled", of_work(&[("rows", 64, Y), ("inner", 4, None)])),
    ("histogram", of_work(&[("n", 32, X)])),
    ("reduce_tree", of_work(&[("n", 64, X)])),
    ("elementwise", of_work(&[("n", 16, None)])),
    ("overlap", of_work(&[("n", 16, None)])),
    ("rgb_to_gray", of_work(&[("n", 64, X)])),
    ("izhikevich", of_work(&[("n", 256, None)])),
    ("loads_in_flight", Divisors { also: &[("products", 8)], ..of_work(&[("n", 8, None)]) }),
    ("choose_block", of_work(&[("n", 32, None)])),
    ("register_budget", of_work(&[("n", 64, X)])),
    ("roofline", of_work(&[("n", 32, X)])),
    ("softmax_online", of_work(&[("rows", 33, X)])),
    ("gelu_bias", of_work(&[("rows", 64, None)])),
    ("conv2d", of_work(&[("height", 64, Y)])),
    ("int8_dot", of_work(&[("rows", 128, X)])),
    ("attention_tiles", of_work(&[("queries", 128, X), ("keys", 4, None)])),
    ("transpose_bytes", of_work(&[("rows", 16, Y), ("cols", 4, X)])),
    ("reduce_bandwidth", of_work(&[("n", 8, None)])),
    ("histogram_bytes", of_work(&[("n", 16, None)])),
    ("scan_lookback", of_work(&[("n", 16, None)])),
    ("async_copy", of_work(&[("n", 16, None)])),
    ("matmul_registers", of_work(&[("rows", 16, None), ("inner", 32, None)])),
    ("matmul_async", of_work(&[("rows", 16, Y), ("inner", 32, None)])),
];

/// A part of a large case.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// The exercise with the part as its only case.
    pub spec: &'static Spec,
    /// How many times as much the large case works.
    pub times: u32,
}

/// Two parts of the exercise's large case. The second has half as much of the first size as the
/// first one, so that what both have in common, such as a table that each block loads, is known.
///
/// # Errors
/// When the exercise has no such parts, which is a mistake in this file.
pub fn of(large: &'static Spec) -> anyhow::Result<[Part; 2]> {
    let part = PARTS.iter().find(|(id, _)| *id == large.id);
    let (_, divisors) = part.with_context(|| format!("{} has no part", large.id))?;
    Ok([of_divisors(large, divisors, 1)?, of_divisors(large, divisors, 2)?])
}

fn of_divisors(large: &'static Spec, divisors: &Divisors, more: usize) -> anyhow::Result<Part> {
    let case = large.cases.first().context("the exercise has no large case")?;
    let mut grid = case.grid;
    let mut sizes = case.sizes.to_vec();
    let mut times = 1;
    let mut divide = |name: &str, divisor: usize| {
        let size = sizes.iter_mut().find(|(other, _)| *other == name);
        let (_, size) = size.with_context(|| format!("{} has no size {name}", large.id))?;
        ensure!(*size % divisor == 0, "{name} of {} isn't divisible", large.id);
        *size /= divisor;
        anyhow::Ok(())
    };
    for (at, (name, divisor, axis)) in divisors.work.iter().enumerate() {
        let divisor = if at == 0 { divisor * more } else { *divisor };
        divide(name, divisor)?;
        times *= u32::try_from(divisor)?;
        if let Some(blocks) = axis.and_then(|axis| grid.get_mut(axis)) {
            *blocks = blocks.div_ceil(u32::try_from(divisor)?);
        }
    }
    if let Some((axis, divisor)) = divisors.both
        && let Some(blocks) = grid.get_mut(axis)
    {
        *blocks = blocks.div_ceil(divisor);
    }
    for (name, divisor) in divisors.also {
        divide(name, divisor * more)?;
    }
    // Leaked, because every Spec lives as long as the process.
    let case = Case { sizes: Vec::leak(sizes), grid, ..*case };
    let spec = Box::leak(Box::new(Spec { cases: Vec::leak(vec![case]), ..*large }));
    Ok(Part { spec, times })
}
