//! Kernels with recorded costs: requests, sectors, wavefronts, conflicts, divergence. The sources
//! are in `kernels/`, each beside its PTX from nvcc. A GPU and the simulator run the same PTX.

mod atomics;
mod branches;
mod global;
mod images;
mod lanes;
mod shared;
mod threads;

use crate::Launch;

/// All launches, in the order of the profiler's record.
pub fn launches() -> Vec<Launch> {
    [
        threads::launches(),
        global::launches(),
        shared::launches(),
        atomics::launches(),
        branches::launches(),
        images::launches(),
    ]
    .concat()
}

/// The PTX of a launch's file.
pub fn ptx(file: &str) -> Option<&'static str> {
    FILES.iter().find(|f| f.0 == file).map(|f| f.1)
}

/// The files with kernels, and their PTX.
pub const FILES: [(&str, &str); 6] = [
    ("threads", include_str!("../../kernels/threads.ptx")),
    ("global", include_str!("../../kernels/global.ptx")),
    ("shared", include_str!("../../kernels/shared.ptx")),
    ("atomics", include_str!("../../kernels/atomics.ptx")),
    ("branches", include_str!("../../kernels/branches.ptx")),
    ("images", include_str!("../../kernels/images.ptx")),
];
