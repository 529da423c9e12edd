//! Launches that CUDA's driver refuses: the simulator returns the same error, with a text that
//! names the limit.

use crate::common::{Kernel, bytes_of, module, ptx};
use ptxsim::{
    CudaError, Error, FindingKind, Launch, Limits, Memory, Module, Options, run as run_kernel,
};

/// A kernel with these directives, and declarations in its body.
fn kernel(directives: &str, body: &str) -> Result<Module, Error> {
    Module::parse(&format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.extern .shared .align 4 .b8 d[];\n\
         .visible .entry k()\n{directives}\n{{\n.reg .b32 %r<5>;\n.reg .b64 %x<5>;\n{body}\nret;\n}}\n"
    ))
}

fn answer(module: Result<Module, Error>, launch: impl Fn(Kernel) -> Kernel) -> Option<CudaError> {
    let module = std::sync::Arc::new(module.unwrap_or_else(|e| panic!("{e}")));
    match launch(Kernel::new(&module, "k")).try_run(&Options::default()) {
        Ok(_) => None,
        Err(Error::BadLaunch { error, text }) => {
            assert!(text.chars().any(|c| c.is_ascii_digit()), "says how much: {text}");
            Some(error)
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn sizes_of_grid_and_block() {
    use CudaError::InvalidValue;
    for (grid, block, wanted) in [
        ([1, 1, 1], [1024, 1, 1], None),
        ([1, 1, 1], [16, 1, 64], None),
        ([1, 1, 1], [1025, 1, 1], Some(InvalidValue)),
        ([1, 1, 1], [1, 1, 65], Some(InvalidValue)),
        ([1, 1, 1], [512, 3, 1], Some(InvalidValue)),
        ([1, 1, 1], [0, 1, 1], Some(InvalidValue)),
        ([1, 0, 1], [1, 1, 1], Some(InvalidValue)),
        ([1, 65_535, 1], [1, 1, 1], None),
        ([1, 65_536, 1], [1, 1, 1], Some(InvalidValue)),
    ] {
        let [(gx, gy, gz), (bx, by, bz)] = [grid, block].map(|[x, y, z]| (x, y, z));
        let launch = |k: Kernel| k.grid(gx, gy, gz).block(bx, by, bz);
        assert_eq!(answer(kernel("", ""), launch), wanted, "{grid:?} {block:?}");
    }
}

/// `__launch_bounds__(96)` limits the block's size, and `.reqntid` fixes its shape.
#[test]
fn launch_bounds() {
    use CudaError::InvalidValue;
    let most =
        |x, y| answer(kernel(".maxntid 96, 1, 1\n.minnctapersm 2", ""), |k| k.block(x, y, 1));
    assert_eq!((most(96, 1), most(48, 2)), (None, None));
    assert_eq!((most(97, 1), most(48, 3)), (Some(InvalidValue), Some(InvalidValue)));
    let exactly = |x, y| answer(kernel(".reqntid 32, 2", ""), |k| k.block(x, y, 1));
    assert_eq!((exactly(32, 2), exactly(64, 1)), (None, Some(InvalidValue)));
    assert_eq!((exactly(2, 32), exactly(32, 1)), (Some(InvalidValue), Some(InvalidValue)));
    let m = module(&ptx("35_launchbounds"));
    let launch = |threads| {
        let k = Kernel::new(&m, "lb").block(threads, 1, 1).buffer("a", &[0_f32; 512]);
        k.uninitialised::<f32>("b", 512).scalar(1_i32).try_run(&Options::default()).err()
    };
    assert_eq!(launch(256), None);
    assert!(matches!(launch(257), Some(Error::BadLaunch { error: InvalidValue, .. })));
}

#[test]
fn shared_memory() {
    use CudaError::{InvalidPtx, InvalidValue};
    let own = |bytes: u32, dynamic: u32, allowed: Option<u32>| {
        answer(kernel("", &format!(".shared .align 4 .b8 s[{bytes}];\nmov.u32 %r1, s;")), |k| {
            let k = k.shared(dynamic);
            if let Some(bytes) = allowed { k.allow_shared(bytes) } else { k }
        })
    };
    // the kernel's own arrays
    assert_eq!((own(49_152, 0, None), own(49_153, 0, None)), (None, Some(InvalidPtx)));
    // beyond 48 KiB in total the program has to set an attribute
    assert_eq!((own(4, 49_148, None), own(4, 49_149, None)), (None, Some(InvalidValue)));
    assert_eq!(own(4, 49_149, Some(60_000)), None);
    assert_eq!(own(4, 60_001, Some(60_000)), Some(InvalidValue));
    // a block can have 227 KiB
    assert_eq!(own(4, (227 << 10) - 4, Some(1 << 20)), None);
    assert_eq!(own(4, (227 << 10) - 3, Some(1 << 20)), Some(InvalidValue));
}

/// The driver reserves local memory for every thread that the device can hold: 270 336 threads in
/// 80 GiB.
#[test]
fn local_memory() {
    let local = |bytes: u32| {
        kernel(
            "",
            &format!(".local .align 4 .b8 a[{bytes}];\nmov.u64 %x1, a;\nst.local.u32 [%x1], 1;"),
        )
    };
    assert_eq!(answer(local(300_000), |k| k), None);
    assert_eq!(answer(local(400_000), |k| k), Some(CudaError::OutOfMemory));
    let m = std::sync::Arc::new(local(600_000).expect("a module: only its kernel is refused"));
    let refused = Kernel::new(&m, "k").try_run(&Options::default()).err();
    assert!(matches!(refused, Some(Error::BadLaunch { error: CudaError::InvalidPtx, .. })));
}

/// A function that calls itself has 1 KiB of stack, and each call keeps at least its return address
/// there.
#[test]
fn the_stack_of_a_recursion() {
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n\
        .func (.param .b32 r) f(.param .b32 n) {\n\
        .reg .b32 %r<4>;\n.reg .pred %p;\nld.param.u32 %r1, [n];\nmov.u32 %r3, 0;\n\
        setp.eq.s32 %p, %r1, 0;\n@%p bra $end;\nadd.s32 %r2, %r1, -1;\n\
        {\n.param .b32 a;\n.param .b32 v;\nst.param.b32 [a], %r2;\n\
        call.uni (v), f, (a);\nld.param.b32 %r3, [v];\n}\nadd.s32 %r3, %r3, 1;\n\
        $end:\nst.param.b32 [r], %r3;\nret;\n}\n\
        .visible .entry k(.param .u64 out, .param .u32 n) {\n\
        .reg .b32 %r<3>;\n.reg .b64 %d<2>;\nld.param.u32 %r1, [n];\nld.param.u64 %d1, [out];\n\
        {\n.param .b32 a;\n.param .b32 v;\nst.param.b32 [a], %r1;\n\
        call.uni (v), f, (a);\nld.param.b32 %r2, [v];\n}\nst.global.u32 [%d1], %r2;\nret;\n}\n";
    let m = std::sync::Arc::new(Module::parse(text).expect("parses"));
    let run = |n: u32| Kernel::new(&m, "k").uninitialised::<u32>("out", 1).scalar(n).full();
    let fine = run(127);
    assert_eq!((fine.get::<u32>("out"), fine.seen.findings), (vec![127], vec![]));
    let ran = run(128);
    let what = &ran.only_finding().what;
    assert!(matches!(what, FindingKind::StackOverflow { bytes: 1032 }), "{what:?}");
    // unless the host has set another limit
    let mut memory = Memory::new();
    memory.set_limits(Limits { stack: 2048, ..memory.limits() });
    let out = memory.alloc("out", 4, 4, None).expect("memory");
    for (n, findings) in [(255, 0), (256, 1)] {
        let args = vec![bytes_of(&[out]), bytes_of(&[n])];
        let (grid, block) = ([1; 3], [1; 3]);
        let launch = Launch { entry: "k".to_owned(), grid, block, args, ..Launch::default() };
        let seen = run_kernel(&m, &mut memory, &launch, &Options::default()).expect("it runs");
        assert_eq!(seen.findings.len(), findings, "{n}");
    }
}

/// Attributes of a kernel that are available before a launch.
#[test]
fn attributes_of_a_kernel() {
    let needs = |directives, body| {
        let module = kernel(directives, body).expect("parses");
        let entry = module.entries()[0].clone();
        (entry.max_threads_per_block(), entry.shared_bytes, module.local_bytes(&entry.name))
    };
    assert_eq!(needs("", ""), (1024, 0, 0));
    assert_eq!(needs(".maxntid 96, 1, 1", ".shared .align 4 .b8 s[40];").0, 96);
    assert_eq!(needs(".reqntid 32, 2", "").0, 64);
    let body = ".local .align 4 .b8 a[64];\nmov.u64 %x1, a;\nst.local.u32 [%x1], 1;";
    assert_eq!(needs("", body).2, 64);
}

/// Numbers and names of errors, as programs see them.
#[test]
fn error_codes_and_names() {
    for (error, code, name) in [
        (CudaError::InvalidValue, 1, "CUDA_ERROR_INVALID_VALUE"),
        (CudaError::OutOfMemory, 2, "CUDA_ERROR_OUT_OF_MEMORY"),
        (CudaError::InvalidPtx, 218, "CUDA_ERROR_INVALID_PTX"),
        (CudaError::CooperativeLaunchTooLarge, 720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"),
    ] {
        assert_eq!((error.code(), error.name()), (code, name));
    }
}
