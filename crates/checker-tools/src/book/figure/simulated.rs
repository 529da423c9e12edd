//! Runs on the simulator that the tests of the figures compare their arithmetic with.

/// Kernels in which 32 lanes load one or four floats each, `step` floats apart, from float `first`
/// on.
const LOADS: &str = "
    .version 7.0
    .target sm_75
    .address_size 64
    .visible .entry load1(.param .u64 a, .param .u32 step, .param .u32 first) {
        .reg .b32 %r<9>;
        .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [a];
        ld.param.u32 %r1, [step];
        ld.param.u32 %r2, [first];
        mov.u32 %r3, %tid.x;
        mad.lo.s32 %r4, %r3, %r1, %r2;
        mul.wide.s32 %rd2, %r4, 4;
        add.s64 %rd3, %rd1, %rd2;
        ld.global.u32 %r5, [%rd3];
        ret;
    }
    .visible .entry load4(.param .u64 a, .param .u32 step, .param .u32 first) {
        .reg .b32 %r<9>;
        .reg .b64 %rd<4>;
        ld.param.u64 %rd1, [a];
        ld.param.u32 %r1, [step];
        ld.param.u32 %r2, [first];
        mov.u32 %r3, %tid.x;
        mad.lo.s32 %r4, %r3, %r1, %r2;
        mul.wide.s32 %rd2, %r4, 4;
        add.s64 %rd3, %rd1, %rd2;
        ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd3];
        ret;
    }";

/// The sectors of one request in which lane l loads `width` floats (1 or 4) from float
/// `first + l * step` on.
pub(crate) fn sectors(step: usize, first: usize, width: usize) -> Result<u64, ptxsim::Error> {
    let mut memory = ptxsim::Memory::new();
    let room = vec![0; 4 * (first + 32 * step + width)];
    let a = memory.alloc("a", room.len() as u64, 4, Some(&room))?;
    let args = [a.to_le_bytes().to_vec(), word(step), word(first)];
    Ok(run(LOADS, &format!("load{width}"), 32, args.to_vec(), memory)?.totals.load_sectors)
}

/// A 32-bit argument of a kernel.
pub(crate) fn word(number: usize) -> Vec<u8> {
    (number as u32).to_le_bytes().to_vec()
}

/// Runs the kernel `entry` of `ptx` in one block of `threads` threads, and returns what the
/// simulator saw.
pub(crate) fn run(
    ptx: &str,
    entry: &str,
    threads: usize,
    args: Vec<Vec<u8>>,
    mut memory: ptxsim::Memory,
) -> Result<ptxsim::Observations, ptxsim::Error> {
    let launch = ptxsim::Launch {
        entry: entry.to_owned(),
        grid: [1, 1, 1],
        block: [threads as u32, 1, 1],
        args,
        ..ptxsim::Launch::default()
    };
    let options = ptxsim::Options {
        diagnose: ptxsim::Diagnose::Full,
        seed: 0,
        threads: 1,
        budget: 1_000_000,
        ..Default::default()
    };
    ptxsim::run(&ptxsim::Module::parse(ptx)?, &mut memory, &launch, &options)
}

#[cfg(test)]
mod tests {
    /// What learners have to predict in `stride` is what the simulator counts.
    #[test]
    fn sectors_by_stride_are_those_of_the_exercise() -> Result<(), ptxsim::Error> {
        for (stride, by_hand) in [(1, 4), (2, 8), (3, 12), (4, 16), (8, 32), (16, 32)] {
            assert_eq!(super::sectors(stride, 0, 1)?, by_hand, "stride {stride}");
        }
        Ok(())
    }
}
