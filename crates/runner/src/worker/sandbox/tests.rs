//! Tests that a confined process cannot do what landlock does not restrict. For each role, this
//! test binary starts itself as a process that confines itself and then tries.

#![expect(unsafe_code, reason = "system calls as a program makes them")]

use std::ffi::CString;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, mpsc};

use super::allowed::{GROUPS, Group};
use super::{Role, confine};
use crate::worker::process::ChildEvent;
use crate::worker::thread_limit;
use crate::worker::watchdog::MAX_THREADS;

/// The variable with "ROLE PATH" for the child.
const CHILD_VARIABLE: &str = "CUDA_WORKBOOK_TEST_ATTRIBUTES";

/// The roles whose processes run code of learners.
const RUNNING: [Role; 4] = [Role::Simulator, Role::Program, Role::Gpu, Role::GpuProgram];

/// Runs the test `child` in a process of its own, which confines itself as `role` does. Returns how
/// it ended and what it printed.
fn confined(child: &str, role: Role, path: &Path) -> (ExitStatus, String) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("worker::sandbox::tests::{child}"), "--nocapture"])
        .env(CHILD_VARIABLE, format!("{} {}", role.as_str(), path.display()))
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (output.status, String::from_utf8_lossy(&printed).into_owned())
}

/// In a child: its role, and the path for it. `None` in the process that runs all tests.
fn child() -> Option<(Role, CString)> {
    let wanted = std::env::var(CHILD_VARIABLE).ok()?;
    let (role, path) = wanted.split_once(' ').unwrap();
    let path = CString::new(Path::new(path).as_os_str().as_bytes()).unwrap();
    Some((Role::parse(role).unwrap(), path))
}

fn demand_filter(role: Role) {
    let confined = confine(role, &[], None, None);
    assert!(confined.seccomp, "{confined}: {:?}", confined.missing);
}

/// The error of the last call, where it failed with `result`.
fn error(result: i64) -> i32 {
    if result >= 0 { 0 } else { std::io::Error::last_os_error().raw_os_error().unwrap_or(0) }
}

/// A hostile program must not deny a teacher access to a file, or change the date of a submission.
#[test]
fn no_role_that_runs_code_changes_a_files_attributes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("grades.json");
    std::fs::write(&file, "{}").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let before = std::fs::metadata(&file).unwrap();
    for role in RUNNING {
        let (status, printed) = confined("change_attributes", role, &file);
        assert!(status.success() && printed.contains("all refused"), "{role:?}: {printed}");
        let after = std::fs::metadata(&file).unwrap();
        assert_eq!(after.permissions(), before.permissions(), "{role:?}");
        assert_eq!(after.modified().unwrap(), before.modified().unwrap(), "{role:?}");
    }
}

/// The child of the test above, and not a test.
#[test]
fn change_attributes() {
    let Some((role, path)) = child() else { return };
    let open = File::open(path.to_str().unwrap()).unwrap();
    demand_filter(role);
    let (fd, name) = (open.as_raw_fd(), path.as_ptr());
    let (here, value) = (libc::AT_FDCWD, c"user.note".as_ptr());
    // SAFETY: the names end with a zero byte, the descriptor is open, and a null pointer for the
    // times means now.
    let results = unsafe {
        [
            libc::chmod(name, 0o777),
            libc::fchmod(fd, 0o777),
            libc::syscall(452, here, name, 0o777, 0) as i32,
            libc::chown(name, 0, 0),
            libc::fchown(fd, 0, 0),
            libc::utimes(name, std::ptr::null()),
            libc::futimens(fd, std::ptr::null()),
            libc::fsetxattr(fd, value, value.cast(), 4, 0),
        ]
    };
    assert_eq!(results, [-1; 8]);
    println!("all refused");
}

/// A hostile program must not pin the checker to a processor, or make the kernel send it signals.
#[test]
fn no_role_that_runs_code_affects_another_process() {
    for role in RUNNING {
        let (status, printed) = confined("affect_the_parent", role, Path::new("/"));
        assert!(status.success() && printed.contains("all refused"), "{role:?}: {printed}");
    }
}

/// The child of the test above, and not a test.
#[test]
fn affect_the_parent() {
    let Some((role, _)) = child() else { return };
    let (pipe, _other_end) = std::io::pipe().unwrap();
    demand_filter(role);
    let fd = pipe.as_raw_fd();
    // SAFETY: a set of zeros is valid, and so is a set with one processor. The limits and the owner
    // are valid, and each call refuses or reads them.
    let results = unsafe {
        let parent = libc::getppid();
        let mut set = std::mem::zeroed::<libc::cpu_set_t>();
        libc::CPU_SET(0, &mut set);
        let limit = libc::rlimit { rlim_cur: 1, rlim_max: 1 };
        let size = size_of::<libc::cpu_set_t>();
        let pages: [*mut libc::c_void; 1] = [std::ptr::null_mut()];
        [
            error(libc::sched_setaffinity(parent, size, &raw const set).into()),
            error(
                libc::prlimit(parent, libc::RLIMIT_FSIZE, &raw const limit, std::ptr::null_mut())
                    .into(),
            ),
            error(libc::syscall(libc::SYS_setpriority, libc::PRIO_PROCESS, parent, 19)),
            error(libc::syscall(libc::SYS_ioprio_set, 1, parent, 3 << 13)),
            error(libc::syscall(libc::SYS_move_pages, parent, 1, pages.as_ptr(), 0, 0, 0)),
            error(libc::setpgid(0, 0).into()),
            error(libc::fcntl(fd, libc::F_SETOWN, parent).into()),
            // F_SETSIG
            error(libc::fcntl(fd, 10, libc::SIGTERM).into()),
            error(libc::fcntl(fd, libc::F_SETFL, libc::O_ASYNC | libc::O_NONBLOCK).into()),
            error(libc::fcntl(fd, libc::F_NOTIFY, 1).into()),
            error(libc::fcntl(fd, libc::F_SETLEASE, libc::F_RDLCK).into()),
            // FIOASYNC
            error(libc::ioctl(fd, 0x5452, &raw const limit).into()),
            error(libc::madvise(std::ptr::null_mut(), 4096, libc::MADV_HWPOISON).into()),
            error(libc::madvise(std::ptr::null_mut(), 4096, libc::MADV_SOFT_OFFLINE).into()),
        ]
    };
    assert_eq!(results, [libc::EPERM; 14]);
    // SAFETY: as above. These are what honest code does with itself.
    let own = unsafe {
        let mut set = std::mem::zeroed::<libc::cpu_set_t>();
        let size = size_of::<libc::cpu_set_t>();
        [
            libc::sched_getaffinity(0, size, &raw mut set),
            libc::sched_setaffinity(0, size, &raw const set),
            libc::sched_setaffinity(std::process::id() as i32, size, &raw const set),
            libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK),
        ]
    };
    assert_eq!(own, [0; 4]);
    println!("all refused");
}

/// The sizes and the times of an instructor's files tell how much others have written, and when.
/// Landlock does not hide them.
#[test]
fn a_computation_learns_nothing_about_a_file_by_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("grace.json");
    std::fs::write(&file, "12345").unwrap();
    for role in [Role::Simulator, Role::Program] {
        let (status, printed) = confined("ask_about_a_file", role, &file);
        assert!(status.success() && printed.contains("nothing learnt"), "{role:?}: {printed}");
    }
}

/// The child of the test above, and not a test.
#[test]
fn ask_about_a_file() {
    let Some((role, path)) = child() else { return };
    let mut open = File::open(path.to_str().unwrap()).unwrap();
    demand_filter(role);
    let (here, name) = (libc::AT_FDCWD, path.as_ptr());
    // SAFETY: the names end with a zero byte, and the buffers are large enough for what the calls
    // would write.
    let results = unsafe {
        let mut status = std::mem::zeroed::<libc::stat>();
        let mut system = std::mem::zeroed::<libc::statfs>();
        let mut buffer = [0_u8; 512];
        let into = buffer.as_mut_ptr();
        vec![
            error(libc::stat(name, &raw mut status).into()),
            error(libc::lstat(name, &raw mut status).into()),
            error(libc::fstatat(here, name, &raw mut status, 0).into()),
            // the flag for an open file, and yet a path
            error(libc::fstatat(here, name, &raw mut status, libc::AT_EMPTY_PATH).into()),
            #[cfg(target_arch = "x86_64")]
            error(libc::syscall(libc::SYS_stat, name, into)),
            error(libc::syscall(libc::SYS_statfs, name, &raw mut system)),
            error(libc::access(name, libc::F_OK).into()),
            error(libc::faccessat(here, name, libc::F_OK, 0).into()),
            error(libc::readlink(name, into.cast(), 512) as i64),
            error(libc::open(name, libc::O_PATH).into()),
            error(libc::openat(here, name, libc::O_PATH | libc::O_CLOEXEC).into()),
            error(libc::syscall(libc::SYS_name_to_handle_at, here, name, into, into, 0)),
            error(libc::inotify_init1(0).into()),
        ]
    };
    assert!(results.iter().all(|result| *result == libc::EPERM), "{results:?}");
    // SAFETY: as above.
    let by_statx = unsafe {
        error(libc::syscall(libc::SYS_statx, here, name, 0, 0x7ff, [0_u8; 512].as_mut_ptr()))
    };
    assert_eq!(by_statx, libc::ENOSYS, "the callers of `statx` use `fstat` then");
    // what is known about an open file stays known, however the C library asks
    assert_eq!(open.metadata().unwrap().len(), 5);
    let mut text = String::new();
    open.read_to_string(&mut text).unwrap();
    assert_eq!(text, "12345");
    // SAFETY: the descriptor is open, and the buffer has the size of the structure.
    let (failed, size) = unsafe {
        let mut status = std::mem::zeroed::<libc::stat>();
        let empty = c"".as_ptr();
        let fd = open.as_raw_fd();
        let failed = libc::fstatat(fd, empty, &raw mut status, libc::AT_EMPTY_PATH);
        (failed, status.st_size)
    };
    assert_eq!((failed, size), (0, 5));
    println!("nothing learnt");
}

/// What a program does to its own handling of signals before it makes a refused call, and the
/// signal that ends it nevertheless.
const WITHOUT_A_HANDLER: [(&str, i32); 6] = [
    ("replace", libc::SIGSYS),
    ("block", libc::SIGSYS),
    ("bad-stack", libc::SIGSEGV),
    ("raise", libc::SIGSYS),
    ("crash", libc::SIGSEGV),
    ("raise-crash", libc::SIGSEGV),
];

/// A program that replaces, ignores or blocks the signal of a refused call, or leaves its handler
/// no stack, hides nothing: the signal ends the process all the same. A crash keeps its own signal.
#[test]
fn a_program_cannot_hide_that_a_call_is_refused() {
    use std::os::unix::process::ExitStatusExt as _;
    for (how, signal) in WITHOUT_A_HANDLER {
        let (status, printed) = confined("hide_a_refused_call", Role::Program, Path::new(how));
        assert_eq!(status.signal(), Some(signal), "{how}: {status} {printed}");
        assert!(!printed.contains("survived"), "{how}: {printed}");
    }
}

/// The child of the test above, and not a test.
#[test]
fn hide_a_refused_call() {
    extern "C" fn nothing(_: i32) {}
    let Some((role, how)) = child() else { return };
    demand_filter(role);
    // SAFETY: the handler does nothing, sets of signals are filled before they are used, and the
    // stack for signals is an address that nothing has.
    unsafe {
        match how.to_str().unwrap() {
            "replace" => {
                for signal in [libc::SIGSYS, libc::SIGSEGV] {
                    let own = nothing as *const () as usize;
                    for handler in [own, libc::SIG_IGN, libc::SIG_DFL] {
                        assert_eq!(libc::signal(signal, handler), libc::SIG_ERR);
                    }
                    let mut now = std::mem::zeroed::<libc::sigaction>();
                    assert_eq!(libc::sigaction(signal, std::ptr::null(), &raw mut now), 0);
                }
                assert_ne!(libc::signal(libc::SIGUSR1, libc::SIG_IGN), libc::SIG_ERR);
            }
            "block" => {
                let mut all = std::mem::zeroed::<libc::sigset_t>();
                libc::sigfillset(&raw mut all);
                libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut());
            }
            "bad-stack" => {
                let ss_sp = std::ptr::without_provenance_mut(64);
                let stack = libc::stack_t { ss_sp, ss_flags: 0, ss_size: 1 << 20 };
                assert_eq!(libc::sigaltstack(&raw const stack, std::ptr::null_mut()), 0);
            }
            "raise" => drop(libc::raise(libc::SIGSYS)),
            "raise-crash" => drop(libc::raise(libc::SIGSEGV)),
            _ => std::ptr::without_provenance_mut::<u8>(64).write_volatile(1),
        }
        libc::syscall(libc::SYS_kill, libc::getpid(), 0);
    }
    println!("survived");
}

/// The page cache outlives a process. A program with secret inputs must not leave a message there,
/// nor a later program read it, so a program opens no file of the system and learns nothing about
/// page faults.
#[test]
fn a_program_learns_nothing_about_the_page_cache() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("program-0.so"), "12345").unwrap();
    let (status, printed) = confined("look_for_pages", Role::Program, folder.path());
    assert!(status.success() && printed.contains("only its own file"), "{printed}");
}

/// The child of the test above, and not a test.
#[test]
fn look_for_pages() {
    let Some((role, path)) = child() else { return };
    let scratch = Path::new(path.to_str().unwrap());
    let libraries: Vec<String> = std::fs::read_to_string("/proc/self/maps")
        .unwrap()
        .lines()
        .filter_map(|line| Some(line.get(line.find('/')?..)?.to_owned()))
        .collect();
    assert!(libraries.iter().any(|path| path.contains("libc.so")), "{libraries:?}");
    let confined = confine(role, &[], Some(scratch), None);
    assert!(confined.is_complete(), "{confined}: {:?}", confined.missing);
    let files = ["/usr/bin/env", "/usr/lib", "/etc/ld.so.cache", "/etc/localtime", "/dev/urandom"];
    let of_process = ["maps", "stat", "smaps", "pagemap", "status", "exe", "environ"];
    let of_process = of_process.map(|name| format!("/proc/self/{name}"));
    for path in files.into_iter().chain(libraries.iter().chain(&of_process).map(String::as_str)) {
        assert!(File::open(path).is_err(), "{path} can be opened");
    }
    let own = File::open(scratch.join("program-0.so")).unwrap();
    assert!(File::options().write(true).open("/dev/null").is_ok());
    // SAFETY: the structures are valid, and the page is mapped here.
    let refused = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        let mut byte = 0_u8;
        let part = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        let (fd, anywhere) = (own.as_raw_fd(), std::ptr::null_mut());
        let page = libc::mmap(anywhere, 4096, libc::PROT_READ, libc::MAP_PRIVATE, fd, 0);
        assert_ne!(page, libc::MAP_FAILED);
        [
            error(libc::getrusage(libc::RUSAGE_SELF, &raw mut usage).into()),
            error(libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage).into()),
            error(libc::mincore(page, 4096, &raw mut byte).into()),
            error(libc::preadv2(fd, &raw const part, 1, 0, libc::RWF_NOWAIT) as i64),
            error(libc::syscall(libc::SYS_readahead, fd, 0, 4096)),
            error(libc::syscall(libc::SYS_fadvise64, fd, 0, 0, libc::POSIX_FADV_DONTNEED)),
            error(libc::madvise(page, 4096, libc::MADV_COLD).into()),
            error(libc::madvise(page, 4096, libc::MADV_PAGEOUT).into()),
        ]
    };
    assert_eq!(refused, [libc::EPERM; 8]);
    // libraries that programs need are there without a file
    // SAFETY: the library is loaded already.
    let loaded = unsafe { libc::dlopen(c"libstdc++.so.6".as_ptr(), libc::RTLD_NOW) };
    assert!(!loaded.is_null(), "libstdc++ is not loaded");
    println!("only its own file");
}

/// A program whose threads start threads must not use up what the machine has before the checker
/// looks. So the kernel asks at each thread, and the first one too many fails.
#[test]
fn a_program_has_no_thread_beyond_the_limit() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "worker::sandbox::tests::start_threads", "--nocapture"])
        .env(CHILD_VARIABLE, format!("{} /", Role::Program.as_str()))
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (events, received) = mpsc::channel();
    thread_limit::supervise(child.id(), &ours, &events);
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}");
    let most = format!("{MAX_THREADS} threads, then error {}", libc::EAGAIN);
    assert!(printed.contains(&most), "{printed}");
    let events: Vec<_> = received.try_iter().collect();
    assert!(matches!(events[..], [ChildEvent::TooManyThreads]), "{events:?}");
}

/// The child of the test above, and not a test.
#[test]
fn start_threads() {
    let Some((role, _)) = child() else { return };
    let confined = confine(role, &[], None, Some(std::io::stdin().as_fd()));
    assert!(confined.seccomp, "{confined}: {:?}", confined.missing);
    let held = Mutex::new(());
    let mut error = None;
    std::thread::scope(|scope| {
        let hold = held.lock();
        let mut threads = 0;
        while error.is_none() && threads < 2 * MAX_THREADS {
            let thread = std::thread::Builder::new().stack_size(64 << 10);
            match thread.spawn_scoped(scope, || drop(held.lock())) {
                Ok(_) => threads += 1,
                Err(refused) => error = refused.raw_os_error(),
            }
        }
        // libtest runs this in a thread beside the first one
        println!("{} threads, then error {}", threads + 2, error.unwrap_or(0));
        drop(hold);
    });
}

/// Times of other processes are a way to watch the checker.
#[test]
fn a_computation_reads_no_clock_of_another_process() {
    let (status, printed) = confined("read_clocks", Role::Program, Path::new("/"));
    assert!(status.success() && printed.contains("only its own"), "{printed}");
}

/// The child of the test above, and not a test.
#[test]
fn read_clocks() {
    let Some((role, _)) = child() else { return };
    demand_filter(role);
    // SAFETY: the structure is valid.
    let results = unsafe {
        let mut time = std::mem::zeroed::<libc::timespec>();
        let of_parent = !libc::getppid() << 3 | 2;
        [libc::CLOCK_MONOTONIC, libc::CLOCK_PROCESS_CPUTIME_ID, of_parent]
            .map(|clock| error(libc::syscall(libc::SYS_clock_gettime, clock, &raw mut time)))
    };
    assert_eq!(results, [0, 0, libc::EPERM]);
    println!("only its own");
}

/// `SYSTEM_CALLS.md` is the table in the code. `BLESS=1` writes it again.
#[test]
fn the_list_of_system_calls_is_right() {
    let mut page = String::from(
        "# System calls of a computation\n\n\
         These are the calls that a process may make which simulates kernels or runs a learner's program \
         (`src/worker/sandbox/allowed.rs`, which this page is made from). All others are refused. Those \
         that no program makes by mistake end the process, so that they are reported with their line.\n\n\
         | calls | arguments | why |\n| --- | --- | --- |\n",
    );
    let mut seen = std::collections::BTreeSet::new();
    for Group { calls, only, why, .. } in GROUPS {
        let names: Vec<String> = calls
            .iter()
            .map(|(name, _)| format!("`{}`", name.trim_start_matches("SYS_")))
            .collect();
        let only = if only.is_empty() { "any" } else { only };
        writeln!(page, "| {} | {only} | {why} |", names.join(" ")).unwrap();
        for (name, number) in *calls {
            assert!(seen.insert(number), "{name} is listed twice");
        }
    }
    if !cfg!(target_arch = "x86_64") {
        return; // Other architectures lack the older forms of some calls.
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("SYSTEM_CALLS.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let bless = "BLESS=1 cargo test --release -p runner -- the_list_of_system_calls";
    assert!(std::fs::read_to_string(&path).is_ok_and(|old| old == page), "{bless}");
}

/// No part of a compiler needs a file in `/proc`. An `#include` could read one, and a message could
/// then show a student the instructor's folders and limits.
#[test]
fn a_compiler_opens_nothing_of_its_process() {
    let folder = tempfile::tempdir().unwrap();
    let (status, printed) = confined("look_into_proc", Role::Compiler, folder.path());
    assert!(status.success() && printed.contains("nothing in /proc"), "{printed}");
}

/// The child of the test above, and not a test.
#[test]
fn look_into_proc() {
    let Some((role, path)) = child() else { return };
    let process = std::process::id();
    let names = [
        "environ",
        "cmdline",
        "maps",
        "mountinfo",
        "cgroup",
        "status",
        "limits",
        "net/unix",
        "exe",
        "fd",
    ];
    let folders = ["self".to_owned(), "thread-self".to_owned(), process.to_string()];
    let files =
        folders.iter().flat_map(|folder| names.map(|name| format!("/proc/{folder}/{name}")));
    let files: Vec<String> =
        files.filter(|path| File::open(path).is_ok()).chain(["/proc/cpuinfo".to_owned()]).collect();
    assert!(files.len() > names.len(), "they can be opened without the sandbox: {files:?}");
    let confined = confine(role, &[], Some(Path::new(path.to_str().unwrap())), None);
    assert!(confined.is_complete(), "{confined}: {:?}", confined.missing);
    for path in &files {
        assert!(File::open(path).is_err(), "{path} can be opened");
    }
    assert!(File::open("/etc/ld.so.cache").is_ok());
    println!("nothing in /proc");
}
