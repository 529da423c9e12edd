//! The benchmark's kernels in plain Rust: the loops that one would write without a GPU, scalar and
//! on one core. Where the kernels fuse a multiplication and an addition, these do both, because
//! without a chosen processor Rust calls a function for a fused one.

/// The output, as the bits that the kernel leaves in its output array.
pub type Output = Vec<u32>;

fn bits(values: Vec<f32>) -> Output {
    values.into_iter().map(f32::to_bits).collect()
}

pub fn vector_add(a: &[f32], b: &[f32]) -> Output {
    bits(a.iter().zip(b).map(|(a, b)| a + b).collect())
}

pub fn matmul(a: &[f32], b: &[f32], n: usize) -> Output {
    let mut c = vec![0.0; n * n];
    for row in 0..n {
        for column in 0..n {
            let mut sum = 0.0;
            for k in 0..n {
                sum += a[row * n + k] * b[k * n + column];
            }
            c[row * n + column] = sum;
        }
    }
    bits(c)
}

pub fn matmul_tiled(a: &[f32], b: &[f32], n: usize) -> Output {
    const TILE: usize = 16;
    let mut c = vec![0.0; n * n];
    for (row, column, tile) in (0..n)
        .step_by(TILE)
        .flat_map(|r| (0..n).step_by(TILE).map(move |c| (r, c)))
        .flat_map(|(r, c)| (0..n).step_by(TILE).map(move |t| (r, c, t)))
    {
        for i in row..row + TILE {
            for j in column..column + TILE {
                let mut sum = c[i * n + j];
                for k in tile..tile + TILE {
                    sum += a[i * n + k] * b[k * n + j];
                }
                c[i * n + j] = sum;
            }
        }
    }
    bits(c)
}

pub fn reduce(x: &[u32]) -> Output {
    x.chunks(256).map(|block| block.iter().fold(0, |sum: u32, v| sum.wrapping_add(*v))).collect()
}

pub fn mandelbrot(width: usize, height: usize, most: u32) -> Output {
    let mut out = vec![0; width * height];
    for py in 0..height {
        for px in 0..width {
            let (cx, cy) =
                (3.0 * px as f32 / width as f32 - 2.0, 2.0 * py as f32 / height as f32 - 1.0);
            let (mut x, mut y, mut n) = (0.0_f32, 0.0_f32, 0);
            while n < most && x * x + y * y < 4.0 {
                (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
                n += 1;
            }
            out[py * width + px] = n;
        }
    }
    out
}

pub fn n_body(bodies: &[[f32; 4]]) -> Output {
    let mut all = Vec::with_capacity(bodies.len() * 4);
    for me in bodies {
        let mut sum = [0.0; 3];
        for other in bodies {
            let d: [f32; 3] = std::array::from_fn(|axis| other[axis] - me[axis]);
            let r = 1.0
                / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + f32::from_bits(0x3089_705f)).sqrt();
            let weight = r * (r * (r * other[3]));
            (0..3).for_each(|axis| sum[axis] += d[axis] * weight);
        }
        all.extend(sum);
        all.push(0.0);
    }
    bits(all)
}

pub fn histogram(data: &[u8]) -> Output {
    let mut bins = vec![0; 256];
    for byte in data {
        bins[*byte as usize] += 1;
    }
    bins
}
