//! The lines of the program that call the runtime.
//!
//! A call is identified by the return addresses on the stack. When the report is made, the
//! program's debug information turns them into a file and a line. All calls from one place in a
//! loop are the same site.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::LazyLock;

use ptxsim::Source;

use crate::graph::Stream;
use crate::modules;
use crate::report::CallSite;

/// How many return addresses are kept. They are enough to get past a few templates and wrappers in
/// the system's headers.
pub const MAX_FRAMES: usize = 12;

/// A call site, by its number. Site 0 is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct SiteId(u32);

/// All call sites of a program.
#[derive(Debug)]
pub(in crate::runtime) struct Sites {
    all: Vec<Call>,
    ids: HashMap<Call, SiteId>,
    /// The lines of sites that were resolved before.
    lines: RefCell<HashMap<SiteId, [Option<Source>; 2]>>,
}

/// A called function of the runtime, and the return addresses of the call.
type Call = (&'static str, Frames);

/// Return addresses in the program, beginning with the innermost. Unused entries are 0.
pub type Frames = [usize; MAX_FRAMES];

impl Default for Sites {
    fn default() -> Self {
        let unknown = ("", Frames::default());
        let ids = HashMap::from([(unknown, SiteId(0))]);
        Self { all: vec![unknown], ids, lines: RefCell::default() }
    }
}

impl Sites {
    /// The site that is calling `function` on this thread's stack.
    pub fn current(&mut self, function: &'static str) -> SiteId {
        let call = (function, frames());
        let next = SiteId(self.all.len() as u32);
        *self.ids.entry(call).or_insert_with(|| {
            self.all.push(call);
            next
        })
    }

    /// The call site with its line, for a call that names this stream; `None` for the unknown site.
    pub fn resolve(&self, site: SiteId, stream: Option<Stream>) -> Option<CallSite> {
        let (call, frames) = self.all.get(site.0 as usize)?;
        if call.is_empty() {
            return None;
        }
        let mut lines = self.lines.borrow_mut();
        let [source, called_from] =
            lines.entry(site).or_insert_with(|| innermost_lines(frames)).clone();
        let stream = stream.map(|s| s.0);
        Some(CallSite { call: (*call).to_owned(), stream, source, called_from })
    }

    /// Is the call itself written in a header of CUDA, and not in a file of the program?
    pub fn is_in_library(&self, site: SiteId) -> bool {
        let Some((_, frames)) = self.all.get(site.0 as usize) else { return false };
        let mut innermost = None;
        backtrace::resolve(frames[0] as *mut std::ffi::c_void, |symbol| {
            if innermost.is_none() {
                innermost = symbol.filename().map(Path::to_owned);
            }
        });
        innermost.is_some_and(|file| file.ancestors().skip(1).any(is_cuda))
    }
}

/// Is this the folder of CUDA's headers? A confined process can neither read them nor ask about
/// them, but a file that may not be opened exists.
fn is_cuda(folder: &Path) -> bool {
    match File::open(folder.join("cuda_runtime_api.h")) {
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::PermissionDenied,
    }
}

/// Finds out where the code of this executable is, before the process gives up the right to ask.
pub fn find_own_code() {
    LazyLock::force(&OWN_CODE);
}

/// The range of addresses of this executable.
static OWN_CODE: LazyLock<(usize, usize)> = LazyLock::new(|| {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let exe = std::env::current_exe().unwrap_or_default();
    let range = |line: &str| {
        let (addresses, rest) = line.split_once(' ')?;
        let (from, to) = addresses.split_once('-')?;
        let of_exe = rest.ends_with(exe.to_str()?);
        let parse = |text| usize::from_str_radix(text, 16).ok();
        of_exe.then_some((parse(from)?, parse(to)?))
    };
    let mut all = maps.lines().filter_map(range);
    let first = all.next().unwrap_or_default();
    all.fold(first, |(from, to), next| (from.min(next.0), to.max(next.1)))
});

/// The return addresses in the program: those between this executable's innermost frames, which the
/// program called, and its outer frames, which called the program.
fn frames() -> Frames {
    let mut program = ProgramFrames::default();
    backtrace::trace(|frame| {
        let more = program.add(frame.ip() as usize);
        more && !(program.left && program.length > 0)
    });
    program.found
}

/// The return addresses that lie in the program, of those on a stack.
#[derive(Debug, Default)]
pub(crate) struct ProgramFrames {
    pub found: Frames,
    length: usize,
    /// Was the last address one of this executable?
    left: bool,
}

impl ProgramFrames {
    /// Adds the next outer address. Returns whether there is room for another one.
    pub fn add(&mut self, address: usize) -> bool {
        let (from, to) = *OWN_CODE;
        self.left = (from..to).contains(&address);
        if !self.left {
            self.found[self.length] = address;
            self.length += 1;
        }
        self.length < MAX_FRAMES
    }
}

/// The innermost line in the program's own files, which are not headers of the system or of CUDA.
pub fn innermost_line(frames: &Frames) -> Option<Source> {
    own_lines(frames).next()
}

/// The innermost line in the program's own files, and the one that called its function.
fn innermost_lines(frames: &Frames) -> [Option<Source>; 2] {
    let mut lines = own_lines(frames);
    [lines.next(), lines.next()]
}

/// The lines in the program's own files before these return addresses, from the innermost on.
fn own_lines(frames: &Frames) -> impl Iterator<Item = Source> {
    let used = frames.iter().filter(|address| **address != 0);
    used.flat_map(|address| own_lines_at(*address))
}

/// The lines before a return address that are in the program's own files: several where the
/// compiler has inlined calls.
fn own_lines_at(address: usize) -> Vec<Source> {
    let mut own = vec![];
    if !modules::may_be_program(address) {
        return own;
    }
    backtrace::resolve(address as *mut std::ffi::c_void, |symbol| {
        if let (Some(file), Some(line)) = (symbol.filename(), symbol.lineno())
            && line > 0
            && is_own(file)
        {
            let column = symbol.colno().unwrap_or(0);
            own.push(Source { file: file.to_string_lossy().into_owned(), line, column });
        }
    });
    own
}

/// Is this a file of the program, and not of the system, of CUDA, of Rust, or an intermediate file
/// of nvcc?
fn is_own(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let intermediate = name.contains(".cudafe") || name == "crt" || name.ends_with(".stub.c");
    let system = ["/usr/include", "/usr/lib", "/rustc"].iter().any(|root| file.starts_with(root));
    !intermediate && !system && !file.ancestors().skip(1).any(is_cuda)
}
