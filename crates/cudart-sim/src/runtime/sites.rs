//! Which line of the program calls the runtime.
//!
//! A call is known by the return addresses on its stack; they become a file and a line when the report is made, from the
//! debug information of the program. Calls in a loop are one site.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

use ptxsim::Source;

use crate::graph::Stream;
use crate::modules;
use crate::report::CallSite;

/// Return addresses that are kept: enough to leave a few templates and wrappers of the system's headers.
const FRAMES: usize = 12;

/// One call in the program, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Site(u32);

/// All sites of a program. The first is the unknown one.
#[derive(Debug)]
pub(super) struct Sites {
    all: Vec<(&'static str, Frames)>,
    numbers: HashMap<(&'static str, Frames), Site>,
    lines: RefCell<HashMap<Site, Option<Source>>>,
}

/// Return addresses in the program, the innermost first; 0 where there are none.
pub type Frames = [usize; FRAMES];

impl Default for Sites {
    fn default() -> Self {
        let none = ("", Frames::default());
        let numbers = HashMap::from([(none, Site(0))]);
        Self { all: vec![none], numbers, lines: RefCell::default() }
    }
}

impl Sites {
    /// The site that calls `function` now, on this thread's stack.
    pub fn here(&mut self, function: &'static str) -> Site {
        let key = (function, frames(false));
        let next = Site(self.all.len() as u32);
        *self.numbers.entry(key).or_insert_with(|| {
            self.all.push(key);
            next
        })
    }

    /// The place of a site that names this stream; `None` for the unknown one.
    pub fn place(&self, site: Site, stream: Option<Stream>) -> Option<CallSite> {
        let (call, frames) = self.all.get(site.0 as usize)?;
        if call.is_empty() {
            return None;
        }
        let mut lines = self.lines.borrow_mut();
        let source = lines.entry(site).or_insert_with(|| line(frames)).clone();
        Some(CallSite { call: (*call).to_owned(), stream: stream.map(|s| s.0), source })
    }
}

/// The addresses at which this executable is.
static OWN: LazyLock<(usize, usize)> = LazyLock::new(|| {
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

/// The return addresses of the code at `at`, which a signal has stopped.
pub fn frames_at(at: usize) -> Frames {
    let mut found = Frames::default();
    let all = frames(true);
    // a function of the runtime that was given a wrong address is not among them
    let stopped = all.iter().position(|address| *address == at);
    let outer = all.iter().skip(stopped.map_or(0, |stopped| stopped + 1));
    // what has not been executed is not behind a call
    found.iter_mut().zip([at + 1].iter().chain(outer)).for_each(|(to, from)| *to = *from);
    found
}

/// The return addresses between this executable, which was called, and itself, which called the program.
/// With `through`, also what lies behind that.
fn frames(through: bool) -> Frames {
    let mut found = Frames::default();
    let mut n = 0;
    let (from, to) = *OWN;
    backtrace::trace(|frame| {
        let address = frame.ip() as usize;
        if address < from || address >= to {
            found[n] = address;
            n += 1;
            n < FRAMES
        } else {
            through || n == 0
        }
    });
    found
}

/// The line of the program that a signal has stopped.
pub fn stopped(frames: &Frames) -> Option<Source> {
    line(frames)
}

/// The innermost line that is the program's own, and not a header's of the system or of CUDA.
fn line(frames: &Frames) -> Option<Source> {
    frames.iter().filter(|address| **address != 0).find_map(|address| own_line(*address))
}

/// The line of code at this return address, if the program's own files have it.
pub(super) fn own_line(address: usize) -> Option<Source> {
    if !modules::may_be_program(address) {
        return None;
    }
    let mut own = None;
    backtrace::resolve(address as *mut std::ffi::c_void, |symbol| {
        if own.is_none()
            && let (Some(file), Some(line)) = (symbol.filename(), symbol.lineno())
            && line > 0
            && is_own(file)
        {
            let column = symbol.colno().unwrap_or(0);
            own = Some(Source { file: file.to_string_lossy().into_owned(), line, column });
        }
    });
    own
}

/// Sources that people write: not those of the system, of CUDA, of Rust, nor what nvcc makes in between.
fn is_own(file: &Path) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let made = name.contains(".cudafe") || name == "crt" || name.ends_with(".stub.c");
    let system = ["/usr/include", "/usr/lib", "/rustc"].iter().any(|root| file.starts_with(root));
    let cuda = |folder: &Path| folder.join("cuda_runtime_api.h").is_file();
    !made && !system && !file.ancestors().skip(1).any(cuda)
}
