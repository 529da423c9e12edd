//! Launches of `kernels/threads.cu`: threads, blocks, grids.

use crate::{Launch, Random};

pub(super) fn launches() -> Vec<Launch> {
    let mut random = Random(1);
    let mut floats = |n: usize| random.floats(n, -1.0, 3.0);
    let k = |name: &str| Launch::new("threads", name);
    let mut all = Vec::new();
    for (x, y) in [(5, 3), (32, 4), (16, 16)] {
        let n = (x * y) as usize;
        all.push(
            k("one_block")
                .variant(format!("{x}x{y}"))
                .block(x, y, 1)
                .buffer(&floats(n))
                .zeros(n, 4)
                .scalar(x as i32),
        );
    }
    for (n, blocks, block) in
        [(1000, 4, 256), (450, 5, 96), (100, 1, 128), (1, 1, 32), (997, 25, 40)]
    {
        all.push(
            k("vector_add")
                .variant(n)
                .grid(blocks, 1, 1)
                .block(block, 1, 1)
                .buffer(&floats(n))
                .buffer(&floats(n))
                .zeros(n, 4)
                .scalar(n as i32),
        );
    }
    all.push(
        k("early_exit")
            .grid(9, 1, 1)
            .block(128, 1, 1)
            .buffer(&floats(1000))
            .zeros(1000, 4)
            .scalar(1000_i32),
    );
    for (grid, block) in [(1, 32), (4, 128)] {
        all.push(
            k("grid_stride")
                .variant(format!("{grid}x{block}"))
                .grid(grid, 1, 1)
                .block(block, 1, 1)
                .buffer(&floats(5000))
                .zeros(5000, 4)
                .scalar(5000_i32),
        );
    }
    all.push(
        k("chunk_per_thread")
            .grid(2, 1, 1)
            .block(64, 1, 1)
            .buffer(&floats(2048))
            .zeros(2048, 4)
            .scalar(16_i32),
    );
    for name in ["matrix_add", "matrix_add_swapped"] {
        for (rows, cols, x, y) in [(37, 65, 16, 16), (64, 96, 32, 8)] {
            let n = rows * cols;
            // the swapped kernel takes rows along x
            let (wide, high) = if name == "matrix_add" {
                (cols as u32, rows as u32)
            } else {
                (rows as u32, cols as u32)
            };
            all.push(
                k(name)
                    .variant(format!("{rows}x{cols}"))
                    .grid(wide.div_ceil(x), high.div_ceil(y), 1)
                    .block(x, y, 1)
                    .buffer(&floats(n))
                    .buffer(&floats(n))
                    .zeros(n, 4)
                    .scalar(rows as i32)
                    .scalar(cols as i32),
            );
        }
    }
    let (w, h, d) = (64, 32, 8);
    all.push(
        k("laplacian")
            .grid(2, 8, 2)
            .block(32, 4, 4)
            .buffer(&floats(w * h * d))
            .zeros(w * h * d, 4)
            .scalar(w as i32)
            .scalar(h as i32)
            .scalar(d as i32),
    );
    all
}
