//! Launches of `kernels/shared.cu`: one warp's access by width and pattern, then tiles.

use super::lanes;
use crate::{Launch, Random};

fn k(name: &str) -> Launch {
    Launch::new("shared", name)
}

pub(super) fn launches() -> Vec<Launch> {
    let mut all = Vec::new();
    for (name, bytes) in
        [("char", 1), ("short", 2), ("int", 4), ("long", 8), ("int2", 8), ("int4", 16)]
    {
        let mut patterns = lanes::common();
        if bytes > 4 {
            patterns.extend(lanes::merging());
        }
        let limits: &[u64] = match bytes {
            1 => &[64, 2048],
            2 | 4 => &[64, 1024],
            _ => &[8, 32, 64, 1024],
        };
        patterns.extend(lanes::random(if name == "int2" { 3 } else { 8 }, limits));
        for (pattern, index) in patterns {
            // 64 elements after the highest index
            let elements = 1088.max(if bytes == 1 { 2112 } else { 0 });
            all.push(
                k(&format!("load_{name}"))
                    .variant(&pattern)
                    .shared(elements * bytes)
                    .buffer(&index)
                    .zeros(32, bytes)
                    .scalar(elements as i32),
            );
            if bytes != 8 || name == "long" {
                all.push(
                    k(&format!("store_{name}"))
                        .variant(&pattern)
                        .shared(elements * bytes)
                        .buffer(&index)
                        .zeros(32, bytes)
                        .zeros(1, bytes),
                );
            }
        }
    }
    all.extend(tiles());
    all
}

fn tiles() -> Vec<Launch> {
    let mut random = Random(4);
    let mut floats = |n: usize| random.floats(n, -1.0, 1.0);
    let mut all = Vec::new();
    for (rows, cols) in [(96, 160), (70, 45)] {
        let n = rows * cols;
        let (x, y) = ((cols as u32).div_ceil(32), (rows as u32).div_ceil(32));
        for name in
            ["transpose_naive", "transpose_tiled", "transpose_padded", "transpose_padded_by_two"]
        {
            let y = if name == "transpose_naive" { 4 * y } else { y };
            all.push(
                k(name)
                    .variant(format!("{rows}x{cols}"))
                    .grid(x, y, 1)
                    .block(32, 8, 1)
                    .buffer(&floats(n))
                    .zeros(n, 4)
                    .scalar(rows as i32)
                    .scalar(cols as i32),
            );
        }
    }
    all.push(
        k("transpose_swizzled")
            .grid(2, 2, 1)
            .block(32, 32, 1)
            .buffer(&floats(64 * 64))
            .zeros(64 * 64, 4)
            .scalar(64_i32),
    );
    for name in ["transpose_doubles_tiled", "transpose_doubles_padded"] {
        all.push(k(name).block(16, 16, 1).zeros(256, 8).zeros(256, 8));
    }
    for block in [64, 256] {
        all.push(
            k("reverse")
                .variant(block)
                .grid(3, 1, 1)
                .block(block, 1, 1)
                .zeros(3 * block as usize, 4)
                .zeros(3 * block as usize, 4),
        );
    }
    all.push(
        k("stencil_shared")
            .grid(8, 1, 1)
            .block(128, 1, 1)
            .buffer(&floats(1000))
            .zeros(1000, 4)
            .scalar(1000_i32),
    );
    for name in ["matmul_naive", "matmul_tiled"] {
        all.push(
            k(name)
                .grid(4, 4, 1)
                .block(16, 16, 1)
                .buffer(&floats(64 * 64))
                .buffer(&floats(64 * 64))
                .zeros(64 * 64, 4)
                .scalar(64_i32),
        );
    }
    all
}
