//! The one place that chooses code by processor: the interpreter is compiled twice, once for AVX2 with fused
//! multiply-add, once for any processor. Both give the same results; the portable one calls libm for `fma`.

use super::block::Stop;
use super::interp;
use super::machine::{BlockState, Machine};

/// Runs warp `w` of the block until it stops.
pub(super) fn run_warp<const L: u8>(m: &mut Machine<'_>, b: &mut BlockState, w: usize) -> Stop {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("fma")
        && std::arch::is_x86_feature_detected!("bmi2")
    {
        #[expect(
            unsafe_code,
            reason = "calling a function compiled for features that were just detected"
        )]
        // SAFETY: the processor has avx2, fma and bmi2, as detected above; nothing else is asked of the caller.
        return unsafe { run_warp_avx2::<L>(m, b, w) };
    }
    interp::run::<L>(m, b, w)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn run_warp_avx2<const L: u8>(m: &mut Machine<'_>, b: &mut BlockState, w: usize) -> Stop {
    interp::run::<L>(m, b, w)
}
