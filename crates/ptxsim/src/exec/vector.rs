//! Chooses code by the host's processor; no other file does. The interpreter's full level is
//! compiled for any processor, for AVX2 with fused multiply-add, and for AVX-512. All give the same
//! results; the portable one calls libm for `fma`.

use std::sync::atomic::{AtomicU32, Ordering};

use super::block::Stop;
use super::machine::{BlockState, Machine};
use super::{FULL, interp};
use crate::arith::tensor::Product;

/// The vector instructions of the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Vectors {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Vectors {
    /// The best ones that this processor has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let avx2 = has!("avx2")
                && has!("fma")
                && has!("bmi1")
                && has!("bmi2")
                && has!("lzcnt")
                && has!("popcnt");
            let avx512 =
                has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl");
            match (avx2, avx512) {
                (true, true) => return Self::Avx512,
                (true, false) => return Self::Avx2,
                _ => {}
            }
        }
        Self::Portable
    }
}

/// Runs warp `w` of the block at the full level until it stops.
pub(super) fn run_warp(m: &mut Machine<'_>, b: &mut BlockState, w: usize) -> Stop {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "calling functions compiled for features that were detected")]
    match m.grid.vectors {
        // SAFETY: `Vectors::detect` found the features, and the function has no other requirement.
        Vectors::Avx512 => return unsafe { run_warp_avx512(m, b, w) },
        // SAFETY: as above.
        Vectors::Avx2 => return unsafe { run_warp_avx2(m, b, w) },
        Vectors::Portable => {}
    }
    // nearly all processors of this architecture have AVX2, so this copy need not be fast there
    interp::run::<FULL, { !cfg!(target_arch = "x86_64") }>(m, b, w)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn run_warp_avx2(m: &mut Machine<'_>, b: &mut BlockState, w: usize) -> Stop {
    interp::run::<FULL, true>(m, b, w)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn run_warp_avx512(m: &mut Machine<'_>, b: &mut BlockState, w: usize) -> Stop {
    interp::run::<FULL, true>(m, b, w)
}

/// Adds the product of two matrices to `sums`.
pub(super) fn add_product(vectors: Vectors, product: &Product<'_>, sums: &mut [u32]) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "calling a function compiled for features that were detected")]
    if vectors >= Vectors::Avx2 {
        // SAFETY: `Vectors::detect` found the features, and the function has no other requirement.
        return unsafe { add_product_avx2(product, sums) };
    }
    _ = vectors;
    product.add_to(sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn add_product_avx2(product: &Product<'_>, sums: &mut [u32]) {
    product.add_to(sums);
}

/// Words of device memory in the widest vector.
pub(super) const LINE_WORDS: usize = 16;

/// Loads a line of words, each as by a relaxed load. Compilers make one instruction of each relaxed
/// load, although the processor can load all words at once.
#[inline(always)]
pub(super) fn load_line(
    from: &[AtomicU32; LINE_WORDS],
    to: &mut [u32; LINE_WORDS],
    vectors: Vectors,
) {
    #[expect(unsafe_code, reason = "a vector load of words that other threads may be storing")]
    // SAFETY: `from` is valid for reads and `to` for writes of 64 bytes; the processor has what
    // `Vectors::detect` found.
    let copied = unsafe { copy_line(from.as_ptr().cast(), to.as_mut_ptr(), vectors) };
    if !copied {
        for (to, from) in to.iter_mut().zip(from) {
            *to = from.load(Ordering::Relaxed);
        }
    }
}

/// Stores a line of words, each as by a relaxed store.
#[inline(always)]
pub(super) fn store_line(to: &[AtomicU32; LINE_WORDS], from: &[u32; LINE_WORDS], vectors: Vectors) {
    #[expect(unsafe_code, reason = "a vector store of words that other threads may be loading")]
    // SAFETY: `from` is valid for reads of 64 bytes. So is `to` for writes, because atomics may be
    // written through a shared reference. The processor has what `Vectors::detect` found.
    let copied = unsafe { copy_line(from.as_ptr(), to.as_ptr().cast_mut().cast(), vectors) };
    if !copied {
        for (to, from) in to.iter().zip(from) {
            to.store(*from, Ordering::Relaxed);
        }
    }
}

/// Copies a line by vector instructions. Each aligned 4-byte word is read and written at once, as
/// by a relaxed atomic. False, and nothing done, where the processor has none.
///
/// # Safety
/// `from` is valid for reads and `to` for writes of 64 bytes, both aligned to 4, and the processor
/// has `vectors`.
#[inline(always)]
#[expect(unsafe_code, reason = "vector moves of words that other threads may access")]
unsafe fn copy_line(from: *const u32, to: *mut u32, vectors: Vectors) -> bool {
    #[cfg(target_arch = "x86_64")]
    match vectors {
        // SAFETY: the caller's; the moves access nothing else.
        Vectors::Avx512 => unsafe {
            std::arch::asm!(
                "vmovdqu64 zmm0, [{from}]",
                "vmovdqu64 [{to}], zmm0",
                from = in(reg) from,
                to = in(reg) to,
                out("xmm0") _,
                options(nostack, preserves_flags)
            );
            return true;
        },
        // SAFETY: as above, in two halves.
        Vectors::Avx2 => unsafe {
            std::arch::asm!(
                "vmovdqu ymm0, [{from}]",
                "vmovdqu ymm1, [{from} + 32]",
                "vmovdqu [{to}], ymm0",
                "vmovdqu [{to} + 32], ymm1",
                from = in(reg) from,
                to = in(reg) to,
                out("xmm0") _,
                out("xmm1") _,
                options(nostack, preserves_flags)
            );
            return true;
        },
        Vectors::Portable => {}
    }
    _ = (from, to, vectors);
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::tensor::{Accumulator, Arithmetic, Number};
    use ptx_cases::Random;

    /// The products of matrices are the same with the processor's vector instructions and without.
    #[test]
    fn products_do_not_depend_on_the_vectors() {
        let mut random = Random(3);
        let floats = |number: Number, accumulator| {
            let products = number.products_in_group();
            Arithmetic::Floats { number, accumulator, products }
        };
        for (arithmetic, depth) in [
            (floats(Number::F16, Accumulator::F16), 16),
            (floats(Number::F16, Accumulator::F32), 16),
            (floats(Number::Bf16, Accumulator::F32), 8),
            (floats(Number::Tf32, Accumulator::F32), 8),
            (Arithmetic::Integers { saturate: false }, 32),
            (Arithmetic::Integers { saturate: true }, 32),
        ] {
            for _ in 0..200 {
                let mut factor =
                    || (0..16 * depth).map(|_| random.next() as u32).collect::<Vec<_>>();
                let (a, b) = (factor(), factor());
                let (rows, columns) = (16, 16);
                let product = Product { rows, columns, depth, a: &a, b: &b, arithmetic };
                let before: Vec<u32> = (0..256).map(|_| random.next() as u32).collect();
                let (mut portable, mut detected) = (before.clone(), before);
                add_product(Vectors::Portable, &product, &mut portable);
                add_product(Vectors::detect(), &product, &mut detected);
                assert_eq!(portable, detected, "{arithmetic:?}");
            }
        }
    }
}
