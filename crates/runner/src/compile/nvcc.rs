//! nvcc: from a program's source to a shared object.
//!
//! One run compiles each source file, another links. The device code is plain PTX, which the
//! simulator can read and any driver can compile. The host code has line tables for a debugger,
//! from which faults get their lines. For the simulator the object is linked without a CUDA
//! runtime, because the process that loads it exports one; for a GPU it is linked with NVIDIA's.
//!
//! Only a worker child calls this.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::{fs, io};

use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

use cudart_sim::{fatbin, link};

use super::assembler::AssemblerError;
use super::errors::{self, Included};
use super::functions;
use super::interface::clipped;
use super::project::Unit;
use super::resources::Assembling;
use super::{Message, Outcome, Program, ProgramOptions, Project, Severity, Target};
use crate::start;
use crate::toolchain::{self, NoHostCompiler, Toolchain};

/// Compiles a program.
pub fn compile(
    toolchain: &Toolchain,
    source: &str,
    file: &str,
    options: &ProgramOptions,
) -> Outcome<Program> {
    let Some(nvcc) = &toolchain.nvcc else {
        return Outcome::Unavailable(
            "the CUDA compiler that was found has no nvcc, which host code needs: `checker setup` installs one"
                .into(),
        );
    };
    match run(nvcc, toolchain, source, file, options) {
        Ok(outcome) => outcome,
        Err(error) => Outcome::Unavailable(format!("nvcc could not be run: {error}")),
    }
}

fn run(
    nvcc: &Path,
    toolchain: &Toolchain,
    source: &str,
    file: &str,
    options: &ProgramOptions,
) -> io::Result<Outcome<Program>> {
    let folder = tempfile::tempdir()?;
    let units = match units(source, file, options) {
        Ok(units) => units,
        Err(why) => return Ok(Outcome::Stopped(why)),
    };
    let included = if options.project.is_some() { Included::Shown } else { Included::Hidden };
    let host_compiler = Cell::new(None);
    let job = Job { nvcc, toolchain, options, included, folder: folder.path(), host_compiler };
    let mut messages = vec![];
    let mut objects = vec![];
    for (number, unit) in units.iter().enumerate() {
        let (ok, more, log) = job.compile(number, unit)?;
        messages.extend(more);
        if !ok {
            return Ok(failure(toolchain, messages, &log));
        }
        objects.push(format!("{number}.o"));
    }
    let modules = device_code(folder.path(), &objects)?;
    let undefined = undefined_device_code(&modules, job.relocatable());
    if let Some(name) = undefined.first() {
        return Ok(Outcome::Rejected(vec![undefined_message(name, job.relocatable())]));
    }
    if job.relocatable() {
        let (ok, more, log) =
            job.run(folder.path(), device_link_arguments(options, &objects), &units[0])?;
        messages.extend(more);
        if !ok {
            return Ok(failure(toolchain, messages, &log));
        }
        objects.push(DEVICE_LINK.to_owned());
    }
    // The assembler runs beside the linker, which takes longer.
    let assembling = job.assembling(&modules);
    // A second link takes a tenth of the time of the compilation.
    let mut linked = vec![];
    for target in options.target.links() {
        let arguments = link_arguments(nvcc, toolchain, *target, options, &objects);
        let (ok, more, log) = job.run(folder.path(), arguments, &units[0])?;
        messages.extend(more);
        if !ok {
            return Ok(failure(toolchain, messages, &log));
        }
        linked.push(fs::read(folder.path().join(OBJECT))?);
    }
    let mut linked = linked.into_iter();
    let (object, gpu) = (linked.next().unwrap_or_default(), linked.next());
    if object.len().max(gpu.as_ref().map_or(0, Vec::len)) > MAX_OBJECT_BYTES {
        let most = MAX_OBJECT_BYTES >> 20;
        return Ok(Outcome::Stopped(format!("the compiled program has more than {most} MiB")));
    }
    let missing = match options.target {
        Target::Simulator | Target::Both => missing_functions(&object),
        Target::Gpu | Target::TimedGpu => Ok(vec![]),
    };
    // only exercises have a function that is compared with others
    let functions = match &options.project {
        None => functions::of_object(&object).map_err(|error| clipped(&error.to_string())),
        Some(_) => Ok(vec![]),
    };
    Ok(match missing {
        Ok(missing) => {
            let resources = assembling.and_then(Assembling::finish);
            Outcome::Compiled(Program {
                object,
                gpu,
                missing,
                warnings: messages,
                resources,
                functions,
            })
        }
        Err(error) => {
            Outcome::Stopped(format!("nvcc wrote an object that cannot be read: {error}"))
        }
    })
}

/// The source files of a program, or why one cannot be read.
fn units(source: &str, file: &str, options: &ProgramOptions) -> Result<Vec<Unit>, String> {
    let name = Path::new(file).file_name().unwrap_or("program.cu".as_ref());
    let project = options.project.as_ref();
    let folder = project.map(|project| project.folder.clone());
    let main = Unit {
        // Messages name the file by this.
        name: name.to_string_lossy().into_owned(),
        path: None,
        text: source.to_owned(),
        folder: folder.filter(|folder| !folder.as_os_str().is_empty()),
    };
    let further = project.map_or(&[][..], |project| &project.sources).iter().map(|path| {
        Unit::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))
    });
    std::iter::once(Ok(main)).chain(further).collect()
}

/// One program that is compiled in a temporary folder.
struct Job<'a> {
    nvcc: &'a Path,
    toolchain: &'a Toolchain,
    options: &'a ProgramOptions,
    included: Included,
    folder: &'a Path,
    /// The version of the g++ that compiles host code, if the usual one is too new for nvcc.
    host_compiler: Cell<Option<u32>>,
}

impl Job<'_> {
    fn relocatable(&self) -> bool {
        self.options.project.as_ref().is_some_and(|project| project.relocatable)
    }

    /// Starts to assemble the kernels, or says why their resources stay unknown.
    fn assembling(&self, modules: &[String]) -> Result<Assembling, String> {
        if self.relocatable() {
            return Err("device code of several files is only assembled when it is linked".into());
        }
        if self.options.debug {
            return Err("a debug build has more registers than the usual one".into());
        }
        let modules = modules.iter().map(String::as_str);
        Assembling::start(self.toolchain, modules, &self.options.assembly())
    }

    /// Compiles one source file in a folder of its own, because two files may have the same name.
    fn compile(&self, number: usize, unit: &Unit) -> io::Result<(bool, Vec<Message>, String)> {
        let folder = self.folder.join(number.to_string());
        fs::create_dir(&folder)?;
        fs::write(folder.join(&unit.name), &unit.text)?;
        let output = format!("../{number}.o");
        let arguments =
            |headers| compile_arguments(self.options, self.toolchain, unit, &output, headers);
        let mut headers = match self.options.project {
            None => Headers::Few,
            Some(_) => Headers::Usual,
        };
        let (mut ok, mut messages, mut log) = self.run(&folder, arguments(headers), unit)?;
        while !ok && headers < Headers::needed(&log) {
            headers = Headers::needed(&log);
            (ok, messages, log) = self.run(&folder, arguments(headers), unit)?;
        }
        let mut arguments = arguments(headers);
        if !ok && let Some(error) = AssemblerError::find(&log) {
            // it names a line of its own input, which nvcc keeps if it is asked to
            let kept = folder.join("kept");
            fs::create_dir(&kept)?;
            arguments.extend(["-keep".into(), "--keep-dir".into(), kept.clone().into()]);
            self.run(&folder, arguments, unit)?;
            let path = unit.path.as_ref().map(|path| path.display().to_string());
            messages.extend(error.message(&kept, &unit.name).map(|message| {
                let file = message.file.clone().or(path);
                Message { file, ..message }
            }));
        }
        Ok((ok, messages, log))
    }

    /// Runs nvcc. Returns whether it succeeded, what it says about `unit`, and its log.
    fn run(
        &self,
        folder: &Path,
        arguments: Vec<OsString>,
        unit: &Unit,
    ) -> io::Result<(bool, Vec<Message>, String)> {
        let environment = self.options.project.iter().flat_map(|project| &project.environment);
        let host_compiler = self.host_compiler.get().map(|version| format!("-ccbin=g++-{version}"));
        let mut command = Command::new(self.nvcc);
        command
            .args(host_compiler)
            .args(&arguments)
            .envs(environment.map(|(name, value)| (name, value)))
            .current_dir(folder)
            .env("TMPDIR", self.folder);
        let output = start::driver(&mut command)?;
        let log = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        let newest = newest_host_compiler(&log).filter(|_| self.host_compiler.get().is_none());
        if let Some(version) = newest.and_then(toolchain::installed_up_to) {
            self.host_compiler.set(Some(version));
            return self.run(folder, arguments, unit);
        }
        let include = self.toolchain.include.as_deref();
        let mut messages = errors::parse(&log, &unit.name, &unit.text, include, self.included);
        if let Some(path) = &unit.path {
            for message in messages.iter_mut().filter(|message| message.file.is_none()) {
                message.file = Some(path.display().to_string());
            }
        }
        Ok((output.status.success(), messages, log.into_owned()))
    }
}

impl Target {
    /// The targets of its objects.
    const fn links(self) -> &'static [Self] {
        match self {
            Self::Simulator => &[Self::Simulator],
            Self::Gpu => &[Self::Gpu],
            Self::TimedGpu => &[Self::TimedGpu],
            Self::Both => &[Self::Simulator, Self::Gpu],
        }
    }
}

/// The option with which nvcc accepts lambdas for the device.
const LAMBDA_OPTION: &str = "--extended-lambda";

/// The headers that nvcc and the host's library include by themselves.
///
/// Two parts of them take more than half of the time of a compilation, and nearly no exercise needs
/// them: the declarations for extended lambdas, which come with `--extended-lambda`, and the
/// special functions of C++17 (`std::riemann_zeta`), which come with `<cmath>`. A program that uses
/// one does not compile without it, so an exercise is compiled without both first, and with more
/// headers when that fails. What the compiler says then is what counts.
///
/// The declarations for extended lambdas include `<functional>`, and with it `<vector>` and others,
/// so they would hide that a program forgets these. They are there only for programs with such
/// lambdas, for which nvcc asks for its option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Headers {
    Few,
    Usual,
    All,
}

impl Headers {
    fn arguments(self) -> &'static [&'static str] {
        match self {
            // The header's own guard: it is then as if it had been included before.
            Self::Few => &["-D_GLIBCXX_BITS_SPECFUN_H"],
            Self::Usual => &[],
            Self::All => &[LAMBDA_OPTION],
        }
    }

    /// What a program needs that does not compile, after what nvcc said.
    fn needed(log: &str) -> Self {
        if log.contains(LAMBDA_OPTION) { Self::All } else { Self::Usual }
    }
}

/// Arguments of all steps.
fn common_arguments(options: &ProgramOptions) -> Vec<OsString> {
    let arch = options.arch.as_str();
    // nvcc links device code of several files only as machine code. The simulator links it itself.
    let links = options.project.as_ref().is_some_and(|project| project.relocatable);
    let on_gpu = options.target != Target::Simulator;
    let code = match (&options.machine, links && options.target != Target::Both && on_gpu) {
        (Some(machine), true) => machine.clone(),
        (None, true) => arch.replace("compute", "sm"),
        (Some(machine), false) if on_gpu => format!("[{arch},{machine}]"),
        (_, false) => arch.to_owned(),
    };
    let code = format!("arch={arch},code={code}");
    ["-Xcompiler", "-fPIC,-g", "--no-compress", "-gencode", &code].map(OsString::from).into()
}

/// The output of the device link.
const DEVICE_LINK: &str = "device.o";
/// The output of the link.
const OBJECT: &str = "program.so";

fn compile_arguments(
    options: &ProgramOptions,
    toolchain: &Toolchain,
    unit: &Unit,
    output: &str,
    headers: Headers,
) -> Vec<OsString> {
    let mut all = common_arguments(options);
    all.extend(headers.arguments().iter().map(OsString::from));
    let project = options.project.as_ref();
    let lines = if options.debug { "-G" } else { "-lineinfo" };
    all.extend([lines, "-c", "-o", output].map(OsString::from));
    if !project.is_some_and(Project::has_fmad) {
        all.push(if options.fmad { "--fmad=true" } else { "--fmad=false" }.into());
    }
    if !project.is_some_and(Project::has_standard) {
        all.push("-std=c++17".into());
    }
    if let Some(project) = project {
        all.extend(project.compile.iter().map(OsString::from));
        if project.relocatable {
            all.push("-rdc=true".into());
        }
    }
    // `-iquote` is for `#include "..."` only, because files in <> belong to the system and do not
    // change.
    if let Some(folder) = &unit.folder {
        for part in
            ["-Xcompiler".as_ref(), "-iquote".as_ref(), "-Xcompiler".as_ref(), folder.as_os_str()]
        {
            all.push(part.into());
        }
    }
    for headers in &toolchain.headers {
        all.extend(["-isystem".into(), headers.as_os_str().to_owned()]);
    }
    all.push((&unit.name).into());
    all
}

/// Links the device code. For the simulator, this only makes the code that registers all modules.
fn device_link_arguments(options: &ProgramOptions, objects: &[String]) -> Vec<OsString> {
    let mut all = common_arguments(options);
    all.extend(["-dlink", "-o", DEVICE_LINK].map(OsString::from));
    if options.target.links().contains(&Target::Simulator) {
        // The library of device-side launches is machine code.
        all.push("-cudadevrt=none".into());
    }
    all.extend(objects.iter().map(OsString::from));
    all
}

fn link_arguments(
    nvcc: &Path,
    toolchain: &Toolchain,
    target: Target,
    options: &ProgramOptions,
    objects: &[String],
) -> Vec<OsString> {
    let mut all = common_arguments(options);
    all.extend(["-shared", "-o", OBJECT].map(OsString::from));
    all.extend(objects.iter().map(OsString::from));
    all.extend(options.project.iter().flat_map(|project| &project.link).map(OsString::from));
    if target == Target::Simulator {
        all.extend(["-cudart=none", "-cudadevrt=none"].map(OsString::from));
        if toolchain.release().major < 13 {
            for name in cudart_sim::abi::CHANGED_SINCE_CUDA_12 {
                all.extend(["-Xlinker".into(), format!("--wrap={name}").into()]);
            }
        }
        return all;
    }
    all.push("-cudart=static".into());
    if target == Target::TimedGpu {
        all.extend(["-Xlinker", "--wrap=__cudaLaunchKernel"].map(OsString::from));
    }
    // nvcc does not look for the static runtime in this folder, where the wheels have it.
    if let Some(root) = nvcc.parent().and_then(Path::parent) {
        all.extend(["-L".into(), root.join("lib").into_os_string()]);
    }
    all
}

/// The PTX in these objects.
fn device_code(folder: &Path, objects: &[String]) -> io::Result<Vec<String>> {
    let mut modules = vec![];
    for object in objects {
        let bytes = fs::read(folder.join(object))?;
        let Ok(file) = object::File::parse(&*bytes) else { continue };
        for section in [".nv_fatbin", "__nv_relfatbin"] {
            let data = file.section_by_name(section).and_then(|section| section.data().ok());
            modules.extend(data.map(fatbin::in_section).unwrap_or_default());
        }
    }
    Ok(modules)
}

/// The functions and variables of the device that kernels use and that no file defines. ptxas and
/// nvlink would report them, but the driver compiles the PTX only when the program runs.
fn undefined_device_code(modules: &[String], relocatable: bool) -> Vec<String> {
    let undefined = if relocatable {
        link::undefined(modules)
    } else {
        modules.chunks(1).flat_map(link::undefined).collect()
    };
    // Kernels that launch kernels are reported with the other functions that the simulator lacks.
    undefined.into_iter().filter(|name| !is_device_runtime(name)).collect()
}

/// Whether this is a function of the runtime that kernels call to launch kernels.
fn is_device_runtime(name: &str) -> bool {
    name.starts_with("cuda") || name.starts_with("__cuda")
}

fn undefined_message(name: &str, relocatable: bool) -> Message {
    let why = if relocatable { "in any file" } else { "in the same file" };
    Message {
        file: None,
        severity: Severity::Error,
        line: 0,
        column: 0,
        length: 1,
        text: format!("unresolved device symbol \"{name}\" is not defined {why}"),
    }
}

/// The newest g++ that nvcc takes, if it has refused a newer one: "unsupported GNU version! gcc
/// versions later than 13 are not supported!"
fn newest_host_compiler(log: &str) -> Option<u32> {
    let (_, text) = log.split_once("unsupported GNU version")?;
    let (_, number) = text.split_once("later than ")?;
    let digits: String = number.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Why there is no object: usually errors in the learner's code, else a problem of the machine.
fn failure(toolchain: &Toolchain, messages: Vec<Message>, log: &str) -> Outcome<Program> {
    if messages.iter().any(|message| message.severity == Severity::Error && message.line > 0) {
        return Outcome::Rejected(messages);
    }
    let no_compiler = ["host compiler properties", "g++: No such file", "gcc: No such file"];
    if let Some(newest) = newest_host_compiler(log) {
        let too_new = NoHostCompiler::TooNew { nvcc: toolchain.release(), newest };
        return Outcome::Unavailable(too_new.to_string());
    }
    if no_compiler.iter().any(|text| log.contains(text)) {
        return Outcome::Unavailable(NoHostCompiler::Missing.to_string());
    }
    if messages.iter().any(|message| message.severity == Severity::Error) {
        return Outcome::Rejected(messages);
    }
    // ptxas checks inline assembly, and names only a line of its own input.
    let rejected = log.lines().find_map(|line| {
        let (_, text) = line.strip_prefix("ptxas ")?.split_once("; error")?;
        Some(text.trim_start_matches([' ', ':']).to_owned())
    });
    if let Some(text) = rejected {
        let text = format!("inline assembly: {text}");
        let severity = Severity::Error;
        let message = Message { file: None, severity, line: 0, column: 0, length: 1, text };
        return Outcome::Rejected(vec![message]);
    }
    Outcome::Stopped(format!("nvcc gave up: {}", errors::first_line(log)))
}

/// The function by which a kernel launches a kernel.
pub const DEVICE_LAUNCH: &str = "cudaLaunchDevice";

/// The most bytes of a compiled program. One with NVIDIA's runtime has 1 MiB.
const MAX_OBJECT_BYTES: usize = 128 << 20;

/// The most missing functions that are named.
const MAX_MISSING: usize = 64;

/// The functions of CUDA that an object calls and that the simulator does not have, in order.
fn missing_functions(bytes: &[u8]) -> Result<Vec<String>, object::Error> {
    let file = object::File::parse(bytes)?;
    let exported = exported_functions();
    let cuda = |name: &str| name.starts_with("cuda") || name.starts_with("__cuda");
    let undefined = file.dynamic_symbols().filter(|s| s.is_undefined());
    let mut missing: Vec<String> = undefined
        .filter_map(|symbol| symbol.name().ok())
        .filter(|name| cuda(name) && !exported.contains(name))
        .map(ToOwned::to_owned)
        .collect();
    missing.sort();
    missing.truncate(MAX_MISSING);
    missing.iter_mut().for_each(|name| *name = clipped(name));
    // A kernel that launches kernels calls this, and nvcc would link it from a library of its own.
    let launches = [DEVICE_LAUNCH, "cudaCDP2LaunchDevice"];
    let named = |name: &&str| bytes.windows(name.len()).any(|window| window == name.as_bytes());
    if launches.iter().any(named) {
        missing.insert(0, DEVICE_LAUNCH.to_owned());
    }
    Ok(missing)
}

/// The names of the runtime's functions that this process exports.
#[cfg(target_os = "linux")]
pub(super) fn exported_functions() -> Vec<&'static str> {
    cudart_sim::abi::exports().map(|(name, _)| name).collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn exported_functions() -> Vec<&'static str> {
    vec![]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolchain::Origin;

    /// The message of `crt/host_config.h` becomes a command that a learner can run.
    #[test]
    fn a_compiler_that_is_too_new() {
        let toolchain = Toolchain {
            nvrtc: "/opt/cuda/lib64/libnvrtc.so.12".into(),
            builtins: None,
            include: None,
            headers: vec![],
            nvcc: None,
            version: "12.4.131".to_owned(),
            origin: Origin::Usual,
        };
        let log = "/opt/cuda/include/crt/host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions \
                   later than 13 are not supported! The nvcc flag '-allow-unsupported-compiler' can be used";
        let Outcome::Unavailable(why) = failure(&toolchain, vec![], log) else {
            panic!("a problem of the machine")
        };
        let start =
            "the g++ of this machine is too new for nvcc 12.4, which takes g++ 13 and older: ";
        assert!(why.starts_with(start), "{why}");
        assert!(why.contains("g++-13") || why.contains("gcc13-c++"), "{why}");
    }
}
