//! Installs with a pip that is a few lines of shell, so that everything around pip is tested
//! without a network.
#![cfg(unix)]

use super::*;
use crate::toolchain::pins::{CUDA_12, CUDA_13};

/// A cache and a `python3` whose pip runs `script` with the target folder as `$target` and its
/// scratch as `$TMPDIR`.
struct Setup {
    folder: tempfile::TempDir,
    environment: Environment,
}

impl Setup {
    fn with_pip(script: &str) -> Self {
        let folder = tempfile::tempdir().expect("temporary folder");
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).expect("folder");
        let python = bin.join("python3");
        let text = format!(
            "#!/bin/sh\n\
             [ \"$1\" = -c ] && echo 3.11.7 && exit\n\
             [ \"$3\" = --version ] && echo 'pip 23.2.1 from /usr' && exit\n\
             while [ \"$1\" != --target ]; do shift; done\n\
             target=$2\n{script}\n"
        );
        crate::toolchain::scripts::write(&python, &text);
        let cache = folder.path().join("cache");
        let environment = Environment { path: vec![bin], cache, ..Environment::default() };
        Self { folder, environment }
    }

    fn install(&self) -> (Result<Toolchain, Error>, Vec<Progress>) {
        self.install_pins(&CUDA_13)
    }

    fn install_pins(&self, pins: &Pins) -> (Result<Toolchain, Error>, Vec<Progress>) {
        let mut seen = Vec::new();
        let result = install(&self.environment, pins, &mut |progress| seen.push(progress));
        (result, seen)
    }

    /// The files in the cache, except the lock.
    fn left(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.environment.cache).into_iter().flatten().flatten();
        let names = entries.map(|e| e.file_name().to_string_lossy().into_owned());
        names.filter(|name| name != "installing.lock").collect()
    }
}

/// Makes a toolkit whose programs start.
const GOOD: &str = r#"
root=$target/nvidia/cu13; mkdir -p $root/lib $root/bin $root/nvvm/bin $root/include
touch $root/lib/libnvrtc.so.13 $root/lib/libnvrtc-builtins.so.13.0 $root/include/cuda_fp16.h
for program in bin/nvcc bin/ptxas nvvm/bin/cicc; do
    printf '#!/bin/sh\necho 13.0\n' > $root/$program; chmod +x $root/$program
done
"#;

#[test]
fn a_good_installation_is_found_afterwards_and_not_repeated() {
    let setup = Setup::with_pip(&format!(
        "mkdir $TMPDIR/pip-unpack; head -c 1000 /dev/zero > $TMPDIR/pip-unpack/nvidia_cuda_crt-13.0.88-py3.whl; \
         sleep 0.5; {GOOD}"
    ));
    let (result, seen) = setup.install();
    let toolchain = result.expect("installs");
    assert_eq!(toolchain.version, CUDA_13.version);
    assert!(toolchain.nvrtc.is_file());
    assert_eq!(setup.left(), [CUDA_13.folder()]);
    assert!(matches!(seen.first(), Some(Progress::Plan { .. })));
    let package = "nvidia-cuda-crt";
    assert!(seen.contains(&Progress::Download {
        package,
        done: 1000,
        total: CUDA_13.packages[3].bytes()
    }));
    assert_eq!(search::find_all(&setup.environment), std::slice::from_ref(&toolchain));

    let (again, seen) = setup.install();
    assert_eq!(again.expect("is there"), toolchain);
    assert_eq!(seen, []);
}

/// pip failing, or writing something unexpected, leaves a cache in which nothing is found.
#[test]
fn a_failed_installation_leaves_nothing() {
    type Expected = fn(&Error) -> bool;
    let cases: [(&str, Expected); 4] = [
        ("mkdir -p $target/nvidia/cu13/lib; exit 1", |e| matches!(e, Error::Pip { .. })),
        ("echo 'ERROR: No matching distribution found for x' >&2; exit 1", |e| {
            matches!(e, Error::NotOffered { .. })
        }),
        ("mkdir -p $target/nvidia", |e| matches!(e, Error::Incomplete)),
        ("kill -9 $$", |e| matches!(e, Error::Pip { .. })),
    ];
    for (script, expected) in cases {
        let setup = Setup::with_pip(script);
        let error = setup.install().0.expect_err(script);
        assert!(expected(&error), "{script}: {error:?}");
        assert_eq!(setup.left(), Vec::<String>::new(), "{script}");
        assert_eq!(search::find_all(&setup.environment), []);
    }
}

/// Programs without their executable bit are noticed during the installation, and not in the first
/// exercise with host code.
#[test]
fn programs_must_start() {
    let setup = Setup::with_pip(&format!("{GOOD}\nchmod -x $target/nvidia/cu13/bin/ptxas"));
    let error = setup.install().0.expect_err("ptxas does not start");
    assert!(
        matches!(&error, Error::NotExecutable { program, .. } if program.ends_with("ptxas")),
        "{error:?}"
    );
    assert_eq!(setup.left(), Vec::<String>::new());
}

/// Folders of a killed installation are removed, and a damaged compiler is replaced.
#[test]
fn leftovers_and_damage_are_replaced() {
    let setup = Setup::with_pip(GOOD);
    let cache = &setup.environment.cache;
    fs::create_dir_all(cache.join("installing-dead/target/nvidia/cu13/lib")).expect("folder");
    fs::create_dir_all(cache.join(CUDA_13.folder()).join("nvidia/cu13/bin")).expect("folder");
    let toolchain = setup.install().0.expect("installs");
    assert!(toolchain.nvrtc.is_file());
    assert_eq!(setup.left(), [CUDA_13.folder()]);
}

/// Of two processes at the same time, one installs, and the other waits for it and uses the result.
#[test]
fn two_at_once() {
    let setup =
        Setup::with_pip(&format!("echo run >> $TMPDIR/../../../pip.log; sleep 0.5; {GOOD}"));
    let (one, two) = thread::scope(|scope| {
        let one = scope.spawn(|| setup.install());
        let two = scope.spawn(|| setup.install());
        (one.join().expect("one"), two.join().expect("two"))
    });
    assert_eq!(one.0.expect("installs"), two.0.expect("installs"));
    let log = fs::read_to_string(setup.folder.path().join("pip.log")).expect("pip ran");
    assert_eq!(log, "run\n");
    assert!([one.1, two.1].iter().any(|seen| seen.contains(&Progress::Waiting)));
}

/// A pip that writes much is not blocked, and its output is not kept in memory.
#[test]
fn a_pip_with_much_output() {
    let setup = Setup::with_pip("yes 'WARNING: again' | head -n 200000 >&2; exit 3");
    let error = setup.install().0.expect_err("fails");
    assert!(error.to_string().len() < 2000);
}

/// When the cache is a file, or inside one, the message says what to do.
#[test]
fn an_unusable_cache_says_what_to_do() {
    let mut setup = Setup::with_pip(GOOD);
    let file = setup.folder.path().join("file");
    fs::write(&file, "").expect("writes");
    setup.environment.cache = file.join("cache");
    let error = setup.install().0.expect_err("cannot write").to_string();
    assert!(error.contains("export CUDA_WORKBOOK_CACHE="), "{error}");
}

/// Makes what pip makes of the wheels of CUDA 12.4: each has a folder of its own.
const GOOD_12: &str = r#"
for part in cuda_nvrtc cuda_nvcc cuda_runtime cu13; do
    mkdir -p $target/nvidia/$part/include; touch $target/nvidia/$part/include/__init__.py
done
cd $target/nvidia; mkdir -p cuda_nvrtc/lib cuda_nvcc/bin cuda_nvcc/include/crt cu13/include/cccl/cub
touch cuda_nvrtc/lib/libnvrtc.so.12 cuda_nvrtc/lib/libnvrtc-builtins.so.12.4
touch cuda_runtime/include/cuda_fp16.h cuda_nvcc/include/crt/mma.h cu13/include/cccl/cub/cub.cuh
printf '#!/bin/sh\necho 12.4\n' > cuda_nvcc/bin/ptxas; chmod +x cuda_nvcc/bin/ptxas
"#;

/// The wheels of CUDA 12 become one toolkit without nvcc, beside that of CUDA 13.
#[test]
fn the_wheels_of_cuda_12_become_one_toolkit() {
    let setup = Setup::with_pip(GOOD_12);
    let toolchain = setup.install_pins(&CUDA_12).0.expect("installs");
    assert_eq!((toolchain.version.as_str(), &toolchain.nvcc), (CUDA_12.version, &None));
    assert_eq!(toolchain.release(), CUDA_12.release);
    let include = toolchain.include.as_ref().expect("headers");
    for header in ["cuda_fp16.h", "crt/mma.h", "cccl/cub/cub.cuh"] {
        assert!(include.join(header).is_file(), "{header}");
    }
    assert_eq!(setup.left(), [CUDA_12.folder()]);
    assert_eq!(search::find_all(&setup.environment), [toolchain]);

    // A wheel that is missing is noticed.
    let setup = Setup::with_pip(&format!("{GOOD_12}\nrm -r cuda_nvrtc"));
    let error = setup.install_pins(&CUDA_12).0.expect_err("no NVRTC");
    assert!(matches!(error, Error::Incomplete), "{error:?}");
    assert_eq!(setup.left(), Vec::<String>::new());
}

/// A learner with an older driver gets NVRTC of CUDA 12 and nvcc of CUDA 13, each installed once,
/// and a requested version is installed without a GPU.
#[test]
fn two_compilers_are_installed_where_one_does_not_serve() {
    use crate::toolchain::{Device, Version, found, install_missing};
    let script = format!(
        "echo >> $TMPDIR/../../../pip.log; if grep -q cu12 $(dirname $target)/requirements.txt; then {GOOD_12} else {GOOD} fi"
    );
    let mut setup = Setup::with_pip(&script);
    let device = Some(Device { driver: Version::new(12, 4), capability: (7, 5) });
    assert_eq!(found(&setup.environment, device).expect("a choice"), None);
    let compilers = install_missing(&setup.environment, device, &mut |_| ()).expect("installs");
    assert_eq!(compilers.kernels.release(), Version::new(12, 4));
    assert_eq!(compilers.programs.release(), Version::new(13, 0));
    assert!(compilers.programs_off_gpu.is_some());
    let again = found(&setup.environment, device).expect("a choice").expect("found");
    assert_eq!((&again.kernels, &again.programs), (&compilers.kernels, &compilers.programs));

    let without_gpu = found(&setup.environment, None).expect("a choice").expect("found");
    assert_eq!(without_gpu.kernels.release(), Version::new(13, 0));
    setup.environment.wanted = Some("12.4".to_owned());
    let wanted = install_missing(&setup.environment, None, &mut |_| ()).expect("is there");
    assert_eq!(wanted.kernels, compilers.kernels);
    assert_eq!(wanted.programs, compilers.programs);
    assert_eq!(wanted.programs_off_gpu, None);
    let log = fs::read_to_string(setup.folder.path().join("pip.log")).expect("pip ran");
    assert_eq!(log.lines().count(), 2);

    setup.environment.wanted = Some("newest".to_owned());
    let error = found(&setup.environment, None).expect_err("no version").to_string();
    assert!(error.starts_with("CUDA_WORKBOOK_CUDA=newest cannot be used"), "{error}");
}

/// A variable that names a folder without a compiler is reported, and the search goes on.
#[test]
fn a_variable_without_a_compiler() {
    let mut setup = Setup::with_pip(GOOD);
    setup.install().0.expect("installs");
    setup.environment.variables = vec![("CUDA_HOME".to_owned(), "/opt/none".into())];
    let found = crate::toolchain::found(&setup.environment, None).expect("a choice");
    let compilers = found.expect("the installed one");
    assert_eq!(compilers.passed_over, ["CUDA_HOME=/opt/none contains no CUDA compiler with NVRTC"]);

    let root = setup.environment.cache.join(CUDA_13.folder()).join(CUDA_13.root);
    setup.environment.variables = vec![("CUDA_HOME".to_owned(), root)];
    let found = crate::toolchain::found(&setup.environment, None).expect("a choice");
    assert_eq!(found.expect("that of the variable").passed_over, Vec::<String>::new());
}

/// What pip writes to its log reaches the message.
#[test]
fn the_log_of_pip_names_the_cause() {
    let setup = Setup::with_pip(
        "echo 'Could not fetch URL https://index.example/simple/x/: connection error: (Caused by \
         ProxyError(\"Cannot connect to proxy.\"))' > $(dirname $target)/pip.log\n\
         echo 'ERROR: No matching distribution found for x' >&2; exit 1",
    );
    let error = setup.install().0.expect_err("no proxy");
    assert!(matches!(error, Error::Proxy { .. }), "{error:?}");
    assert_eq!(setup.left(), Vec::<String>::new());
}
