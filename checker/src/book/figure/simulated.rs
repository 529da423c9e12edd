//! What the simulator counts of one load of a warp: what the figures' arithmetic is held to.

/// 32 lanes load as wide as the kernel's name says, `step` floats apart, from float `first` on.
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

/// Sectors of one request in which lane l loads `width` floats (1 or 4), the first of them number `first + l * step`.
pub(crate) fn sectors(step: usize, first: usize, width: usize) -> Result<u64, ptxsim::Error> {
    let mut memory = ptxsim::Memory::new();
    let room = vec![0; 4 * (first + 32 * step + width)];
    let a = memory.alloc("a", room.len() as u64, 4, Some(&room))?;
    let word = |number: usize| (number as u32).to_le_bytes().to_vec();
    let launch = ptxsim::Launch {
        entry: format!("load{width}"),
        grid: [1, 1, 1],
        block: [32, 1, 1],
        shared: 0,
        args: vec![a.to_le_bytes().to_vec(), word(step), word(first)],
        ..ptxsim::Launch::default()
    };
    let options =
        ptxsim::Options { diagnose: ptxsim::Diagnose::Count, seed: 0, threads: 1, budget: 1000 };
    let module = ptxsim::Module::parse(LOADS)?;
    Ok(ptxsim::run(&module, &mut memory, &launch, &options)?.totals.load_sectors)
}
