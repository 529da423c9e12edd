//! Planted bugs in the groups of compute-sanitizer's four tools, each beside a fixed version. A bug
//! must be reported once, with the right kind, line and accesses, in every order of execution. The
//! fixed version must compute the right result without a finding.

mod answers;
mod expect;

use crate::common::{Kernel, Ran, ptx};
use expect::{Argument, Planted};
use ptxsim::{Access, Action, Diagnose, Finding, FindingKind, Options};

/// The sources, and whether NVRTC can compile them, too (it does not have all headers).
const FILES: [(&str, bool); 8] = [
    ("memcheck", true),
    ("memcheck_heap", true),
    ("racecheck_shared", true),
    ("racecheck_global", true),
    ("racecheck_async", true),
    ("initcheck", true),
    ("synccheck", true),
    ("synccheck_groups", false),
];

/// Kernels that fail, and why. One that passes must be removed from the list.
const PENDING: &[(&str, &str)] = &[];

/// Seeds for different orders of warps and blocks.
const SEEDS: [u64; 4] = [0, 1, 2, 5];

fn corpus() -> Vec<Planted> {
    let read = |(file, _): &(&str, bool)| {
        let path = format!("tests/kernels/planted/{file}.cu");
        let source = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        expect::read(file, &source)
    };
    FILES.iter().flat_map(read).collect()
}

/// The buffer or scalar that a launch comment describes.
fn with_argument(kernel: Kernel, argument: &Argument) -> Kernel {
    macro_rules! of {
        ($t:ty) => {{
            let parse = |text: &str| -> $t {
                text.trim().parse().unwrap_or_else(|_| panic!("{argument:?}"))
            };
            let (how, rest) = argument.value.split_once(' ').unwrap_or((&argument.value, ""));
            let ramp = |n: usize| -> Vec<$t> { (0..n).map(|i| i as $t).collect() };
            match (argument.count, how) {
                (None, _) => match argument.value.strip_prefix("0x") {
                    Some(hex) => kernel.scalar(u64::from_str_radix(hex, 16).expect("hexadecimal")),
                    None => kernel.scalar(parse(&argument.value)),
                },
                (Some(n), "") => kernel.uninitialised::<$t>(&argument.name, n),
                (Some(n), "zero") => kernel.buffer(&argument.name, &vec![parse("0"); n]),
                (Some(n), "fill") => kernel.buffer(&argument.name, &vec![parse(rest); n]),
                (Some(n), "ramp") if rest.is_empty() => kernel.buffer(&argument.name, &ramp(n)),
                (Some(n), "ramp") => {
                    let known = ramp(rest.parse().expect("a number of elements"));
                    kernel.partly_initialised(&argument.name, &known, n)
                }
                (Some(n), "mod") => {
                    let k: usize = rest.parse().expect("a divisor");
                    let values: Vec<$t> = (0..n).map(|i| (i % k) as $t).collect();
                    kernel.buffer(&argument.name, &values)
                }
                (Some(n), _) => {
                    let list = argument.value.trim_matches(['{', '}']);
                    let values: Vec<$t> = list.split(',').map(parse).collect();
                    assert_eq!(values.len(), n, "{argument:?}");
                    kernel.buffer(&argument.name, &values)
                }
            }
        }};
    }
    match argument.ty.as_str() {
        "u8" => of!(u8),
        "i32" => of!(i32),
        "u32" => of!(u32),
        "u64" => of!(u64),
        "f32" => of!(f32),
        "f64" => of!(f64),
        other => panic!("no type {other}"),
    }
}

fn launched(module: &std::sync::Arc<ptxsim::Module>, planted: &Planted) -> Kernel {
    let launch = &planted.launch;
    let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
    let kernel = Kernel::new(module, &planted.name).grid(gx, gy, gz).block(bx, by, bz);
    launch.arguments.iter().fold(kernel.shared(launch.shared), with_argument)
}

/// Checks what is true of any finding.
fn sound(file: &str, finding: &Finding) -> Result<(), String> {
    let check = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
    let place = |p: &Access| p.source.file == format!("{file}.cu") && p.source.column > 0;
    check(place(&finding.at), "no file or column")?;
    check(finding.count > 0, "a count of nothing")?;
    check((1..=finding.count).contains(&finding.threads), "threads that did nothing")?;
    let race = matches!(finding.what, FindingKind::SharedRace | FindingKind::GlobalRace);
    check(!race || finding.with.is_some(), "a race of one")?;
    let Some(with) = &finding.with else { return Ok(()) };
    check(place(with), "no file or column of the other party")?;
    if race {
        let at = &finding.at;
        check(at.array == with.array, "two arrays")?;
        check(
            at.address < with.address + u64::from(with.bytes)
                && with.address < at.address + u64::from(at.bytes),
            "bytes that do not meet",
        )?;
        check(at.action != Action::Read || with.action != Action::Read, "two readers")?;
        check(
            finding.what == FindingKind::GlobalRace || at.block == with.block,
            "shared memory of two blocks",
        )?;
    }
    Ok(())
}

/// Runs one compiler's version of a kernel in several orders and checks each run.
fn complaint(planted: &Planted, flavour: &str) -> Result<(), String> {
    let text = ptx(&format!("{flavour}planted/{}", planted.file));
    let module = ptxsim::Module::parse(&text).map_err(|e| e.to_string())?.into();
    let kernel = launched(&module, planted);
    if planted.expected.is_empty() {
        for diagnose in [Diagnose::Bounds, Diagnose::Count, Diagnose::Full] {
            for seed in if diagnose == Diagnose::Full { &SEEDS[..] } else { &SEEDS[..1] } {
                let options = Options { diagnose, seed: *seed, ..Options::default() };
                let ran = kernel.try_run(&options).map_err(|e| e.to_string())?;
                check_fixed(planted, &ran)
                    .map_err(|e| format!("{diagnose:?}, seed {seed}: {e}"))?;
            }
        }
        return Ok(());
    }
    for seed in SEEDS {
        let options = Options { seed, budget: 2_000_000, ..Options::default() };
        let ran = kernel.try_run(&options).map_err(|e| e.to_string())?;
        check_findings(planted, &ran.seen.findings).map_err(|e| format!("seed {seed}: {e}"))?;
    }
    Ok(())
}

fn check_fixed(planted: &Planted, ran: &Ran) -> Result<(), String> {
    if let Some(finding) = ran.seen.findings.first() {
        return Err(format!("unexpected finding {finding:?}"));
    }
    if !ran.seen.completed {
        return Err("not completed".to_owned());
    }
    answers::check(&planted.name, ran)
}

fn check_findings(planted: &Planted, findings: &[Finding]) -> Result<(), String> {
    let list = || {
        let all: Vec<String> = findings
            .iter()
            .map(|f| {
                let with = f.with.as_ref().map_or(0, |w| w.source.line);
                format!("{:?} at line {} with {with}", f.what, f.at.source.line)
            })
            .collect();
        all.join(", ")
    };
    for (n, expected) in planted.expected.iter().enumerate() {
        let why: Vec<String> = findings.iter().filter_map(|f| expected.differs(f)).collect();
        if why.len() == findings.len() {
            return Err(format!("no. {n} is missing: {}", why.join("; ")));
        }
    }
    if findings.len() != planted.expected.len() {
        return Err(format!("{} findings: {}", findings.len(), list()));
    }
    findings.iter().try_for_each(|f| sound(&planted.file, f).map_err(|e| format!("{e}: {f:?}")))
}

#[test]
fn planted_bugs_are_found_and_fixed_versions_are_clean() {
    let mut wrong = vec![];
    for planted in corpus() {
        let nvrtc = FILES.iter().any(|(file, both)| *file == planted.file && *both);
        let both_compilers: &[&str] = if nvrtc { &["", "nvrtc/"] } else { &[""] };
        let outcome: Vec<String> = both_compilers
            .iter()
            .filter_map(|f| {
                complaint(&planted, f).err().map(|e| format!("{f}{}: {e}", planted.name))
            })
            .collect();
        let pending = PENDING.iter().find(|(name, _)| *name == planted.name);
        match (outcome.first(), pending) {
            (Some(first), None) => wrong.push(first.clone()),
            (None, Some(_)) => wrong.push(format!("{} is right now: not pending", planted.name)),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} kernels:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is reported does not depend on the number of host threads or on how they are scheduled.
#[test]
fn reports_are_the_same_twenty_times() {
    for planted in corpus().iter().filter(|planted| !planted.expected.is_empty()) {
        let text = ptx(&format!("planted/{}", planted.file));
        let module = ptxsim::Module::parse(&text).expect("parses").into();
        let kernel = launched(&module, planted);
        let report = |threads| {
            let options = Options { seed: 1, threads, budget: 200_000, ..Options::default() };
            kernel.try_run(&options).map(|ran| format!("{:?}", ran.seen)).expect("runs")
        };
        let first = report(1);
        for n in 0..20 {
            assert_eq!(first, report([8, 2, 1, 4, 3][n % 5]), "{}", planted.name);
        }
    }
}

#[test]
fn each_tool_has_bugs_and_each_bug_has_a_fixed_version() {
    let all = corpus();
    for tool in ["memcheck", "racecheck", "initcheck", "synccheck"] {
        let of = |k: &&Planted| k.file.starts_with(tool) && !k.expected.is_empty();
        let bugs = all.iter().filter(of).count();
        assert!(bugs >= 15, "{tool}: {bugs}");
    }
    for planted in &all {
        let counterpart = match planted.name.strip_suffix("_fixed") {
            Some(name) => name.to_owned(),
            None => format!("{}_fixed", planted.name),
        };
        assert!(all.iter().any(|k| k.name == counterpart), "no {counterpart}");
        assert_eq!(
            planted.expected.is_empty(),
            planted.name.ends_with("_fixed"),
            "{}",
            planted.name
        );
    }
    for (name, _) in PENDING {
        assert!(all.iter().any(|k| k.name == *name), "{name} is pending and is not there");
    }
}
