//! Launches of `kernels/images.cu`: bytes, constants, halos in two dimensions.

use crate::{Launch, Random};

pub(super) fn launches() -> Vec<Launch> {
    let k = |name: &str| Launch::new("images", name);
    let mut random = Random(7);
    let mut all = Vec::new();
    for n in [256, 203] {
        let line = |name: &str, bytes: usize| {
            k(name)
                .variant(n)
                .grid(2, 1, 1)
                .block(128, 1, 1)
                .zeros(n * bytes, 1)
                .zeros(n, 1)
                .scalar(n as i32)
        };
        all.push(line("gray_bytes", 3));
        all.push(line("gray_vectors", 4));
    }
    let floats = random.floats(160, -1.0, 1.0);
    all.push(k("constant_uniform").block(128, 1, 1).buffer(&floats).zeros(128, 4).scalar(25_i32));
    let index: Vec<i32> = (0..128).map(|_| random.below(64) as i32).collect();
    all.push(k("constant_divergent").block(128, 1, 1).buffer(&index).zeros(128, 4));
    for (width, height) in [(64, 32), (45, 37)] {
        let n = width * height;
        let pixels = random.floats(n, 0.0, 1.0);
        for name in ["blur", "sobel_tile"] {
            all.push(
                k(name)
                    .variant(format!("{width}x{height}"))
                    .grid((width as u32).div_ceil(16), (height as u32).div_ceil(16), 1)
                    .block(16, 16, 1)
                    .buffer(&pixels)
                    .zeros(n, 4)
                    .scalar(width as i32)
                    .scalar(height as i32),
            );
        }
    }
    all
}
