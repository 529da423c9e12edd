//! Helpers that launch a kernel with named buffers and scalars, and return the buffers' contents.

pub use ptx_cases::Random;
use ptxsim::trace::{Thread, Trace};
use ptxsim::{
    Diagnose, Error, Finding, FindingKind, Launch, Memory, Module, Observations, Options, run,
    trace,
};

/// Numbers that buffers and parameters are made of.
pub trait Plain: Copy {
    const BYTES: usize;
    fn put(self, to: &mut Vec<u8>);
    fn get(from: &[u8]) -> Self;
}

macro_rules! plain {
    ($($t:ty),*) => { $(
        impl Plain for $t {
            const BYTES: usize = size_of::<$t>();
            fn put(self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
            fn get(from: &[u8]) -> Self {
                Self::from_le_bytes(from.try_into().expect("as many bytes as the type has"))
            }
        }
    )* };
}
plain!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

pub fn bytes_of<T: Plain>(values: &[T]) -> Vec<u8> {
    let mut all = vec![];
    values.iter().for_each(|v| v.put(&mut all));
    all
}

pub fn values_of<T: Plain>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::BYTES).map(T::get).collect()
}

#[derive(Clone)]
enum Arg {
    /// The address of a buffer, preceded by the other fields of a struct if there are any.
    Buffer {
        fields: Vec<u8>,
        name: String,
        bytes: u64,
        element: u32,
        contents: Option<Vec<u8>>,
    },
    Scalar(Vec<u8>),
}

/// A launch that is being set up.
#[derive(Clone)]
pub struct Kernel {
    module: std::sync::Arc<Module>,
    entry: String,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    shared_allowed: Option<u32>,
    cooperative: bool,
    args: Vec<Arg>,
    snapshots: Option<std::sync::Arc<ptxsim::Snapshots>>,
}

/// The result of a launch.
pub struct Ran {
    pub seen: Observations,
    buffers: Vec<(String, Vec<u8>)>,
}

/// The settings at which the kernels are compiled (`kernels/README.md`). A kernel that has no file
/// at a setting is the same as at the setting named beside it.
pub const SETTINGS: [(&str, Option<&str>); 10] = [
    ("sm75", None),
    ("sm80", Some("sm75")),
    ("sm90", Some("sm80")),
    ("fast75", Some("sm75")),
    ("fast80", Some("fast75")),
    ("fast90", Some("fast80")),
    ("debug75", Some("sm75")),
    ("nvrtc75", Some("sm75")),
    ("nvrtc80", Some("nvrtc75")),
    ("nvrtc90", Some("nvrtc80")),
];

/// The text of a kernel file: `01_vadd` by nvcc for `compute_75`, `nvrtc/01_vadd` by NVRTC. The PTX
/// of a kernel in a subfolder, such as `objects/grid`, is beside its source.
pub fn ptx(name: &str) -> String {
    let path = match name.strip_prefix("nvrtc/") {
        Some(own) if own.contains('/') => format!("tests/kernels/{name}.ptx"),
        None if name.contains('/') => format!("tests/kernels/{name}.ptx"),
        None => format!("tests/kernels/ptx/sm75/{name}.ptx"),
        // NVRTC's output has no file of its own where it equals nvcc's
        Some(name) => Some(format!("tests/kernels/ptx/nvrtc75/{name}.ptx"))
            .filter(|p| std::fs::exists(p).is_ok_and(|there| there))
            .unwrap_or(format!("tests/kernels/ptx/sm75/{name}.ptx")),
    };
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The line of `kernels/<file>.cu`, or `kernels/planted/<file>.cu`, with the comment `@mark`.
pub fn line(file: &str, mark: &str) -> u32 {
    let folder = if file.contains('/') { "" } else { "planted/" };
    let path = format!("tests/kernels/{folder}{file}.cu");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let suffix = format!("// @{mark}");
    let at = text.lines().position(|l| l.ends_with(&suffix));
    at.unwrap_or_else(|| panic!("no {suffix} in {path}")) as u32 + 1
}

/// A kernel file at one setting.
pub struct Build {
    pub setting: &'static str,
    pub text: String,
    module: std::sync::Arc<Module>,
}

impl std::ops::Deref for Build {
    type Target = std::sync::Arc<Module>;

    fn deref(&self) -> &Self::Target {
        &self.module
    }
}

/// A kernel file at every setting at which it differs from the others.
pub fn all_settings(name: &str) -> Vec<Build> {
    let builds: Vec<Build> = SETTINGS
        .iter()
        .filter_map(|(setting, _)| {
            let path = format!("tests/kernels/ptx/{setting}/{name}.ptx");
            let text = std::fs::read_to_string(path).ok()?;
            Some(Build { setting, module: module(&text), text })
        })
        .collect();
    assert!(!builds.is_empty(), "no file of {name}");
    builds
}

impl Build {
    /// Compiled with `-use_fast_math`: contracted, subnormals flushed, approximate functions.
    pub fn fast(&self) -> bool {
        self.setting.starts_with("fast")
    }

    /// Asserts equality bit for bit; with fast math, equality within a few units in the last place
    /// of a number of at least 1.
    #[track_caller]
    pub fn same(&self, got: &[f32], wanted: &[f32]) {
        if self.fast() {
            let wanted: Vec<f64> = wanted.iter().map(|w| f64::from(*w)).collect();
            close(got, &wanted, 8.0, 1e-6);
        } else {
            same(got, wanted);
        }
    }

    /// The same for `f64`, which fast math contracts as well.
    #[track_caller]
    pub fn same64(&self, got: &[f64], wanted: &[f64]) {
        assert_eq!(got.len(), wanted.len());
        for (i, (g, w)) in got.iter().zip(wanted).enumerate() {
            let near = self.fast() && (g - w).abs() <= 8.0 * f64::EPSILON * w.abs().max(1.0);
            let equal = g.to_bits() == w.to_bits() || g.is_nan() && w.is_nan();
            assert!(near || equal, "{} at {i}: {g} is not {w}", self.setting);
        }
    }
}

/// Both compilers' PTX of one kernel file, parsed.
pub fn both_compilers(name: &str) -> Vec<std::sync::Arc<Module>> {
    [name.to_owned(), format!("nvrtc/{name}")].iter().map(|n| module(&ptx(n))).collect()
}

pub fn module(text: &str) -> std::sync::Arc<Module> {
    Module::parse(text).unwrap_or_else(|e| panic!("{e}")).into()
}

impl Kernel {
    pub fn new(module: &std::sync::Arc<Module>, entry: &str) -> Self {
        Self {
            module: module.clone(),
            entry: entry.to_owned(),
            grid: [1; 3],
            block: [32, 1, 1],
            shared: 0,
            shared_allowed: None,
            cooperative: false,
            args: vec![],
            snapshots: None,
        }
    }

    /// A launch that is data.
    pub fn of(module: &std::sync::Arc<Module>, launch: &ptx_cases::Launch) -> Self {
        let args = launch.args.iter().zip(0..).map(|(arg, n)| match arg {
            ptx_cases::Arg::Buffer { contents, element } => Arg::Buffer {
                fields: vec![],
                name: n.to_string(),
                bytes: contents.len() as u64,
                element: *element,
                contents: Some(contents.clone()),
            },
            ptx_cases::Arg::Scalar(bytes) => Arg::Scalar(bytes.clone()),
        });
        Self {
            module: module.clone(),
            entry: launch.kernel.clone(),
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared,
            shared_allowed: None,
            cooperative: false,
            args: args.collect(),
            snapshots: None,
        }
    }

    pub fn grid(mut self, x: u32, y: u32, z: u32) -> Self {
        self.grid = [x, y, z];
        self
    }

    pub fn block(mut self, x: u32, y: u32, z: u32) -> Self {
        self.block = [x, y, z];
        self
    }

    pub fn shared(mut self, bytes: u32) -> Self {
        self.shared = bytes;
        self
    }

    /// What shared memory had in another launch.
    pub fn snapshots(mut self, snapshots: Option<Box<ptxsim::Snapshots>>) -> Self {
        self.snapshots = snapshots.map(|snapshots| (*snapshots).into());
        self
    }

    /// Dynamic shared memory that the program allows the kernel.
    pub fn allow_shared(mut self, bytes: u32) -> Self {
        self.shared_allowed = Some(bytes);
        self
    }

    /// A cooperative launch.
    pub fn cooperative(mut self) -> Self {
        self.cooperative = true;
        self
    }

    /// A buffer with contents.
    pub fn buffer<T: Plain>(mut self, name: &str, values: &[T]) -> Self {
        let contents = bytes_of(values);
        self.args.push(Arg::Buffer {
            fields: vec![],
            name: name.to_owned(),
            bytes: contents.len() as u64,
            element: T::BYTES as u32,
            contents: Some(contents),
        });
        self
    }

    /// A buffer of which only the first elements have contents.
    pub fn partly_initialised<T: Plain>(
        mut self,
        name: &str,
        values: &[T],
        elements: usize,
    ) -> Self {
        self = self.buffer(name, values);
        if let Some(Arg::Buffer { bytes, .. }) = self.args.last_mut() {
            *bytes = (elements * T::BYTES) as u64;
        }
        self
    }

    /// An uninitialised buffer.
    pub fn uninitialised<T: Plain>(mut self, name: &str, elements: usize) -> Self {
        self.args.push(Arg::Buffer {
            fields: vec![],
            name: name.to_owned(),
            bytes: (elements * T::BYTES) as u64,
            element: T::BYTES as u32,
            contents: None,
        });
        self
    }

    pub fn scalar<T: Plain>(mut self, value: T) -> Self {
        self.args.push(Arg::Scalar(bytes_of(&[value])));
        self
    }

    /// A struct by value that ends with a pointer to a buffer.
    pub fn struct_with_buffer<T: Plain>(
        mut self,
        before: Vec<u8>,
        name: &str,
        values: &[T],
    ) -> Self {
        self = self.buffer(name, values);
        if let Some(Arg::Buffer { fields, .. }) = self.args.last_mut() {
            *fields = before;
        }
        self
    }

    /// A struct by value.
    pub fn bytes(mut self, value: Vec<u8>) -> Self {
        self.args.push(Arg::Scalar(value));
        self
    }

    /// Runs the kernel. A fully diagnosed launch on one host thread is also run on several threads
    /// and must have the same result, so that every test covers both.
    pub fn try_run(&self, options: &Options) -> Result<Ran, Error> {
        let ran = self.run_once(options)?;
        let blocks: u32 = self.grid.iter().product();
        let short = ran.seen.totals.instructions < 1_000_000;
        if options.diagnose == Diagnose::Full && options.threads == 1 && blocks > 1 && short {
            let threads = [2, 4, 8][(options.seed as usize + blocks as usize) % 3];
            let again = self.run_once(&Options { threads, ..*options })?;
            assert_eq!(ran.seen, again.seen, "{} on {threads} threads", self.entry);
            assert!(ran.buffers == again.buffers, "{} on {threads} threads", self.entry);
        }
        Ok(ran)
    }

    fn run_once(&self, options: &Options) -> Result<Ran, Error> {
        let mut memory = Memory::new();
        let (launch, places) = self.launch(&mut memory)?;
        let seen = run(&self.module, &mut memory, &launch, options)?;
        let mut buffers = vec![];
        for (name, address, bytes) in places {
            buffers.push((name, memory.read(address, bytes)?));
        }
        Ok(Ran { seen, buffers })
    }

    /// Runs with everything diagnosed, and traces one thread.
    pub fn try_trace(&self, thread: &Thread) -> Result<(Observations, Trace), Error> {
        let mut memory = Memory::new();
        let (launch, _) = self.launch(&mut memory)?;
        let options = Options { budget: 1_000_000, ..Options::default() };
        trace(&self.module, &mut memory, &launch, &options, thread)
    }

    pub fn trace(&self, thread: &Thread) -> (Observations, Trace) {
        self.try_trace(thread).unwrap_or_else(|e| panic!("{}: {e}", self.entry))
    }

    /// Allocates the buffers; returns the launch and their addresses.
    #[expect(clippy::type_complexity, reason = "name, address and bytes of each buffer")]
    fn launch(&self, memory: &mut Memory) -> Result<(Launch, Vec<(String, u64, u64)>), Error> {
        let (mut args, mut places) = (vec![], vec![]);
        for arg in &self.args {
            let data = match arg {
                Arg::Buffer { fields, name, bytes, element, contents } => {
                    let address = memory.alloc(name, *bytes, *element, contents.as_deref())?;
                    if contents.as_ref().is_none_or(|c| (c.len() as u64) < *bytes) {
                        memory.fill_uninitialised(address, [0xcd; 4])?;
                    }
                    places.push((name.clone(), address, *bytes));
                    [fields.clone(), bytes_of(&[address])].concat()
                }
                Arg::Scalar(data) => data.clone(),
            };
            args.push(data);
        }
        let launch = Launch {
            entry: self.entry.clone(),
            grid: self.grid,
            block: self.block,
            shared: self.shared,
            shared_allowed: self.shared_allowed,
            cooperative: self.cooperative,
            args,
            snapshots: self.snapshots.clone(),
        };
        Ok((launch, places))
    }

    pub fn run(&self, options: &Options) -> Ran {
        self.try_run(options).unwrap_or_else(|e| panic!("{}: {e}", self.entry))
    }

    /// Runs with everything diagnosed.
    pub fn full(&self) -> Ran {
        self.run(&Options::default())
    }

    /// As [`Self::assert_clean`]. With `-G` the library's headers copy uninitialised bytes of
    /// structs, which would be a finding, so such builds run without the level that reports
    /// uninitialised reads.
    pub fn assert_clean_at(&self, build: &Build, check: impl Fn(&Ran)) {
        if !build.setting.starts_with("debug") {
            return self.assert_clean(check);
        }
        for diagnose in [Diagnose::Bounds, Diagnose::Count] {
            let ran = self.run(&Options { diagnose, ..Options::default() });
            assert_eq!((ran.seen.findings.as_slice(), ran.seen.completed), ([].as_slice(), true));
            check(&ran);
        }
    }

    /// Runs at every level of diagnosis and in several orders. `check` must hold each time, and the
    /// level that finds races must find one, and nothing else.
    pub fn assert_races(&self, check: impl Fn(&Ran)) {
        for diagnose in [Diagnose::Bounds, Diagnose::Count] {
            let ran = self.run(&Options { diagnose, ..Options::default() });
            assert_eq!(ran.seen.findings, [], "{} at {diagnose:?}", self.entry);
            check(&ran);
        }
        for seed in 0..6 {
            let ran = self.run(&Options { seed, ..Options::default() });
            let is_race = |finding: &Finding| {
                matches!(finding.what, FindingKind::SharedRace | FindingKind::GlobalRace)
            };
            let findings = &ran.seen.findings;
            assert!(!findings.is_empty(), "{}, seed {seed}", self.entry);
            assert!(findings.iter().all(is_race), "{}, seed {seed}: {findings:?}", self.entry);
            check(&ran);
        }
    }

    /// Runs at every level of diagnosis and in several orders; each time the kernel must finish
    /// without a finding, and `check` must hold.
    pub fn assert_clean(&self, check: impl Fn(&Ran)) {
        for diagnose in [Diagnose::Bounds, Diagnose::Count, Diagnose::Full] {
            let seeds = if diagnose == Diagnose::Full { 0..6 } else { 0..1 };
            for seed in seeds {
                let ran = self.run(&Options { diagnose, seed, ..Options::default() });
                assert_eq!(ran.seen.findings, [], "{} at {diagnose:?}, seed {seed}", self.entry);
                assert!(ran.seen.completed, "{} at {diagnose:?}, seed {seed}", self.entry);
                check(&ran);
                for threads in [2, 4] {
                    let again =
                        self.run(&Options { diagnose, seed, threads, ..Options::default() });
                    assert_eq!(ran.seen, again.seen, "{} on {threads} threads", self.entry);
                    check(&again);
                }
            }
        }
    }
}

impl Ran {
    pub fn get<T: Plain>(&self, name: &str) -> Vec<T> {
        let (_, bytes) = self.buffers.iter().find(|b| b.0 == name).expect("a buffer of that name");
        values_of(bytes)
    }

    /// The only finding; panics if there is none or more than one.
    pub fn only_finding(&self) -> &Finding {
        let [finding] = self.seen.findings.as_slice() else {
            panic!("one finding expected, not {:#?}", self.seen.findings)
        };
        finding
    }
}

/// Equal bit for bit; NaN equals NaN.
#[track_caller]
pub fn same(got: &[f32], wanted: &[f32]) {
    assert_eq!(got.len(), wanted.len());
    for (i, (g, w)) in got.iter().zip(wanted).enumerate() {
        assert!(g.to_bits() == w.to_bits() || g.is_nan() && w.is_nan(), "at {i}: {g} is not {w}");
    }
}

/// Within `ulps` units in the last place of `wanted`, or `tiny`.
#[track_caller]
pub fn close(got: &[f32], wanted: &[f64], ulps: f64, tiny: f64) {
    assert_eq!(got.len(), wanted.len());
    for (i, (g, w)) in got.iter().zip(wanted).enumerate() {
        let limit = (w.abs() * f64::from(f32::EPSILON) * ulps).max(tiny);
        assert!((f64::from(*g) - w).abs() <= limit, "at {i}: {g} is not {w}");
    }
}
