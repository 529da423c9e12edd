//! The course: its chapters and exercises, in order. An exercise is one file below this folder and one line in
//! [`CHAPTERS`].

use std::path::Path;
use std::sync::LazyLock;

use crate::spec::Spec;

mod ch01_threads;
mod ch02_memory;
mod ch03_coalescing;
mod ch04_shared;
mod ch05_debugging;
mod ch06_atomics;
mod ch07_generic;
mod ch08_streams;
mod ch09_images;
mod ch10_science;
mod common;
pub mod large;
#[cfg(test)]
mod tests;

pub(crate) use ch10_science::philox::philox;

/// A chapter of the book and its exercises, in the order in which they are done.
#[derive(Debug)]
pub struct Chapter {
    /// `ch01_threads`: the folder in every tree.
    pub id: &'static str,
    /// 1 for the first.
    pub number: u32,
    /// "Threads, blocks, grids".
    pub title: &'static str,
    /// In teaching order.
    pub exercises: &'static [&'static Spec],
}

static CHAPTERS: &[Chapter] = &[
    Chapter {
        id: "ch01_threads",
        number: 1,
        title: "Threads, blocks, grids",
        exercises: &[
            &ch01_threads::double_it::SPEC,
            &ch01_threads::guard::SPEC,
            &ch01_threads::blocks::SPEC,
            &ch01_threads::launch_config::SPEC,
            &ch01_threads::grid_stride::SPEC,
            &ch01_threads::matrix_add_2d::SPEC,
        ],
    },
    Chapter {
        id: "ch02_memory",
        number: 2,
        title: "Memory transfer and the host",
        exercises: &[
            &ch02_memory::roundtrip::SPEC,
            &ch02_memory::in_out_inout::SPEC,
            &ch02_memory::stay_on_device::SPEC,
            &ch02_memory::error_checking::SPEC,
            &ch02_memory::cleanup::SPEC,
            &ch02_memory::pitched_2d::SPEC,
            &ch02_memory::volume_3d::SPEC,
        ],
    },
    Chapter {
        id: "ch03_coalescing",
        number: 3,
        title: "Coalescing",
        exercises: &[
            &ch03_coalescing::stride::SPEC,
            &ch03_coalescing::row_col_sums::SPEC,
            &ch03_coalescing::structs_soa::SPEC,
            &ch03_coalescing::float4_align::SPEC,
        ],
    },
    Chapter {
        id: "ch04_shared",
        number: 4,
        title: "Shared memory and bank conflicts",
        exercises: &[
            &ch04_shared::reverse_sync::SPEC,
            &ch04_shared::barrier_divergence::SPEC,
            &ch04_shared::stencil_1d::SPEC,
            &ch04_shared::tile_transpose::SPEC,
            &ch04_shared::bank_conflicts::SPEC,
            &ch04_shared::matmul_tiled::SPEC,
        ],
    },
    Chapter {
        id: "ch05_debugging",
        number: 5,
        title: "Debugging",
        exercises: &[&ch05_debugging::oob_uninit_hunt::SPEC, &ch05_debugging::nan_hunt::SPEC],
    },
    Chapter {
        id: "ch06_atomics",
        number: 6,
        title: "Atomics, reductions, scan",
        exercises: &[
            &ch06_atomics::counter_race::SPEC,
            &ch06_atomics::histogram::SPEC,
            &ch06_atomics::reduce_tree::SPEC,
            &ch06_atomics::warp_shuffle::SPEC,
            &ch06_atomics::scan_blocks::SPEC,
        ],
    },
    Chapter {
        id: "ch07_generic",
        number: 7,
        title: "Generated and generic kernels",
        exercises: &[
            &ch07_generic::specialise::SPEC,
            &ch07_generic::elementwise::SPEC,
            &ch07_generic::reduction_kernel::SPEC,
        ],
    },
    Chapter {
        id: "ch08_streams",
        number: 8,
        title: "Streams and events",
        exercises: &[
            &ch08_streams::event_timing::SPEC,
            &ch08_streams::overlap::SPEC,
            &ch08_streams::stream_order::SPEC,
        ],
    },
    Chapter {
        id: "ch09_images",
        number: 9,
        title: "Images and textures",
        exercises: &[
            &ch09_images::rgb_to_gray::SPEC,
            &ch09_images::sobel_const::SPEC,
            &ch09_images::texture_rotate::SPEC,
        ],
    },
    Chapter {
        id: "ch10_science",
        number: 10,
        title: "Science",
        exercises: &[
            &ch10_science::rng_pi::SPEC,
            &ch10_science::ising::SPEC,
            &ch10_science::izhikevich::SPEC,
            &ch10_science::convection::SPEC,
            &ch10_science::fft_shared::SPEC,
            &ch10_science::euler_collatz::SPEC,
        ],
    },
];

static ALL: LazyLock<Vec<&'static Spec>> =
    LazyLock::new(|| CHAPTERS.iter().flat_map(|c| c.exercises.iter().copied()).collect());

/// The chapters, in order.
pub fn chapters() -> &'static [Chapter] {
    CHAPTERS
}

/// Every exercise, in order.
pub fn all() -> &'static [&'static Spec] {
    &ALL
}

/// No exercise has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no exercise is called `{name}`{}", match .nearest {
    Some(nearest) => format!("; did you mean `{nearest}`?"),
    None => "; `checker list` shows them all".to_owned(),
})]
pub struct Unknown {
    /// What was asked for.
    pub name: String,
    /// The most similar name, when one is similar.
    pub nearest: Option<&'static str>,
}

/// The exercise called `name`. A path to its file will do as well: `exercises/ch01_threads/blocks.cu`.
///
/// # Errors
/// [`Unknown`], with the nearest name when one is near.
pub fn find(name: &str) -> Result<&'static Spec, Unknown> {
    let stem = Path::new(name).file_name().and_then(|f| f.to_str()).unwrap_or(name);
    let stem = stem.strip_suffix(".cu").unwrap_or(stem);
    if let Some(spec) = all().iter().find(|s| s.id == stem) {
        return Ok(spec);
    }
    let wanted = stem.to_lowercase().replace('-', "_");
    let nearest = all()
        .iter()
        .map(|s| (strsim::jaro_winkler(&wanted, s.id), s.id))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, id)| id);
    Err(Unknown { name: name.to_owned(), nearest })
}
