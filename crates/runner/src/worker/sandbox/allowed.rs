//! The system calls that a computation may make, with the reason for each. `SYSTEM_CALLS.md` is
//! this table as text.

use seccompiler::{SeccompCmpOp as Compare, SeccompCondition as Condition};

use super::calls::{int, is, own_id};

/// Calls that are allowed for one reason, with the same arguments.
#[cfg_attr(not(test), expect(dead_code, reason = "a test writes the page with the reasons"))]
pub(super) struct Group {
    /// Their names and numbers.
    pub calls: &'static [(&'static str, i64)],
    /// The arguments that are allowed, in words; empty if all of them are.
    pub only: &'static str,
    /// The same as conditions: all conditions of at least one list hold. No list means any
    /// arguments.
    pub conditions: fn() -> Result<Vec<Vec<Condition>>, String>,
    /// Why honest code needs them, and what keeps them from doing harm.
    pub why: &'static str,
}

/// The names and numbers of calls.
macro_rules! calls {
    ($($name:ident)*) => {
        &[$((stringify!($name), libc::$name)),*]
    };
}

/// Any arguments.
#[expect(clippy::unnecessary_wraps, reason = "the type of `Group::conditions`")]
const fn any() -> Result<Vec<Vec<Condition>>, String> {
    Ok(vec![])
}

/// The first argument is 0 or this process, and not another one.
fn of_this_process() -> Result<Vec<Vec<Condition>>, String> {
    Ok(vec![vec![int(0, Compare::Eq, 0)?], vec![int(0, Compare::Eq, own_id())?]])
}

/// The flags in `argument` have none of these bits.
fn without(argument: u8, bits: i32) -> Result<Vec<Vec<Condition>>, String> {
    Ok(vec![vec![int(argument, Compare::MaskedEq(u64::from(bits as u32)), 0)?]])
}

/// Flags of an open file that let it be used without the right to read or write it, or that make
/// the kernel send signals.
const OPEN_FLAGS: i32 = libc::O_PATH | libc::O_ASYNC;

/// The clocks of all processes have positive numbers up to this, and those of other threads and
/// processes are negative (clock_getcpuclockid(3)).
const LAST_CLOCK: u64 = libc::CLOCK_TAI as u64;

fn clocks() -> Result<Vec<Vec<Condition>>, String> {
    Ok(vec![vec![int(0, Compare::Le, LAST_CLOCK)?]])
}

/// The table, in the order in which it is printed.
pub(super) const GROUPS: &[Group] = &[
    Group {
        calls: calls! {
            SYS_read SYS_write SYS_readv SYS_writev SYS_pread64 SYS_pwrite64 SYS_lseek SYS_close
            SYS_dup SYS_fsync SYS_ftruncate
        },
        only: "",
        conditions: any,
        why: "the work with open files: the pipes to the checker, the file for the output, and files that `openat` allows. A forged reply lacks the token of its call.",
    },
    Group {
        calls: calls! { SYS_dup3 },
        only: "",
        conditions: any,
        why: "moving descriptors. Their number is limited.",
    },
    Group {
        calls: calls! { SYS_fcntl },
        only: "F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, and F_SETFL without O_ASYNC",
        conditions: || {
            let commands =
                [libc::F_DUPFD, libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL];
            let mut any = vec![];
            for command in commands {
                any.push(vec![int(1, Compare::Eq, command as u64)?]);
            }
            let no_signals = Compare::MaskedEq(libc::O_ASYNC as u64);
            any.push(vec![int(1, Compare::Eq, libc::F_SETFL as u64)?, int(2, no_signals, 0)?]);
            Ok(any)
        },
        why: "streams of the C library. F_SETOWN, F_SETSIG, F_NOTIFY and F_SETLEASE make the kernel send signals, even to other processes, and locks would stop other processes.",
    },
    Group {
        calls: calls! { SYS_pipe2 },
        only: "flags O_CLOEXEC and O_NONBLOCK",
        conditions: || without(1, !(libc::O_CLOEXEC | libc::O_NONBLOCK)),
        why: "the thread that reports a crash.",
    },
    Group {
        calls: calls! {
            SYS_ppoll SYS_pselect6 SYS_eventfd2 SYS_epoll_create1 SYS_epoll_ctl SYS_epoll_pwait
        },
        only: "",
        conditions: any,
        why: "waiting for one's own descriptors.",
    },
    Group {
        calls: calls! { SYS_openat },
        only: "flags without O_PATH and O_ASYNC",
        conditions: || without(2, OPEN_FLAGS),
        why: "the compiled program, for its lines in reports, and `/dev/null`. Landlock decides which files, but it does not check O_PATH, which is enough for the size of a file. Whether a file exists shows in the error.",
    },
    Group {
        calls: calls! { SYS_fstat SYS_fstatfs SYS_getdents64 },
        only: "",
        conditions: any,
        why: "what is known about an open file, which landlock has allowed.",
    },
    Group {
        calls: calls! { SYS_newfstatat },
        only: "an empty path, so that it is about an open file: a signal handler takes its place and calls `fstat`",
        conditions: any,
        why: "`fstat` of the C library until version 2.38. With a path it would tell the size and the times of every file.",
    },
    Group {
        calls: calls! { SYS_statx },
        only: "it appears not to exist",
        conditions: any,
        why: "its callers use `fstat` then.",
    },
    Group {
        calls: calls! { SYS_getcwd },
        only: "",
        conditions: any,
        why: "the answer is always `/`.",
    },
    Group {
        calls: calls! { SYS_mmap SYS_mprotect SYS_munmap SYS_mremap SYS_msync SYS_brk },
        only: "",
        conditions: any,
        why: "memory, and code of libraries. The checker measures how much memory is used.",
    },
    Group {
        calls: calls! { SYS_madvise },
        only: "advice below MADV_COLD",
        conditions: || Ok(vec![vec![int(2, Compare::Lt, libc::MADV_COLD as u64)?]]),
        why: "allocators. MADV_COLD and MADV_PAGEOUT would choose which pages of a file stay in memory, where a later process could find out. MADV_HWPOISON and MADV_SOFT_OFFLINE would let root take memory out of use.",
    },
    Group {
        calls: calls! { SYS_membarrier },
        only: "",
        conditions: any,
        why: "memory order among one's own threads.",
    },
    Group {
        calls: calls! { SYS_clone },
        only: "flag CLONE_THREAD",
        conditions: || {
            let thread = libc::CLONE_THREAD as u64;
            Ok(vec![vec![is(0, Compare::MaskedEq(thread), thread)?]])
        },
        why: "threads, but no processes. The kernel asks the checker before each thread (`thread_limit.rs`).",
    },
    Group {
        calls: calls! { SYS_clone3 },
        only: "it appears not to exist",
        conditions: any,
        why: "the C library tries it first and then uses `clone`, whose flags a filter can see.",
    },
    Group {
        calls: calls! {
            SYS_futex SYS_set_robust_list SYS_rseq SYS_set_tid_address SYS_gettid SYS_sched_yield
            SYS_getcpu SYS_exit SYS_exit_group
        },
        only: "",
        conditions: any,
        why: "the life of threads. Other processes share no memory in which a futex could be.",
    },
    Group {
        calls: calls! { SYS_sched_setaffinity SYS_get_robust_list },
        only: "process 0 (the calling thread) or this process",
        conditions: of_this_process,
        why: "where a thread may run. For another process it would pin the checker to one processor.",
    },
    Group {
        calls: calls! {
            SYS_sched_getaffinity SYS_sched_getparam SYS_sched_getscheduler
            SYS_sched_get_priority_max SYS_sched_get_priority_min
        },
        only: "",
        conditions: any,
        why: "attributes of threads, which the C library asks for by the number of a thread. Of other processes they tell which processors they may use.",
    },
    Group {
        calls: calls! { SYS_rt_sigaction },
        only: "in the process of a program, no new handler of SIGSYS or SIGSEGV",
        conditions: any,
        why: "the handling of one's own signals. With these two handlers, a program could hide that calls are refused.",
    },
    Group {
        calls: calls! {
            SYS_rt_sigprocmask SYS_rt_sigreturn SYS_rt_sigtimedwait
            SYS_rt_sigpending SYS_rt_sigsuspend SYS_sigaltstack SYS_restart_syscall
        },
        only: "",
        conditions: any,
        why: "the handling of one's own signals. The checker ends a process with SIGKILL.",
    },
    Group {
        calls: calls! { SYS_tgkill },
        only: "this process",
        conditions: || Ok(vec![vec![int(0, Compare::Eq, own_id())?]]),
        why: "`abort` and `raise`.",
    },
    Group {
        calls: calls! { SYS_clock_gettime SYS_clock_getres SYS_clock_nanosleep },
        only: "clocks from CLOCK_REALTIME to CLOCK_TAI",
        conditions: clocks,
        why: "time. The other clocks show how much processor time another process has used.",
    },
    Group {
        calls: calls! { SYS_nanosleep SYS_gettimeofday SYS_times },
        only: "",
        conditions: any,
        why: "time, and one's own use of the processor. `getrusage` would also count the page faults, which show whether a page of a file was in memory.",
    },
    Group {
        calls: calls! {
            SYS_getpid SYS_getppid SYS_getuid SYS_geteuid SYS_getgid SYS_getegid SYS_uname
            SYS_sysinfo SYS_getrandom
        },
        only: "",
        conditions: any,
        why: "information about the process and the machine that is no secret.",
    },
    Group {
        calls: calls! { SYS_prlimit64 },
        only: "process 0 or this process, and no new limit",
        conditions: || {
            let keep = is(2, Compare::Eq, 0)?;
            Ok(vec![
                vec![int(0, Compare::Eq, 0)?, keep.clone()],
                vec![int(0, Compare::Eq, own_id())?, keep],
            ])
        },
        why: "the size of the stack. Limits may be read, but not set.",
    },
    Group {
        calls: calls! { SYS_ioctl },
        only: "TCGETS, FIONREAD",
        conditions: || {
            Ok(vec![
                vec![int(1, Compare::Eq, libc::TCGETS)?],
                vec![int(1, Compare::Eq, libc::FIONREAD)?],
            ])
        },
        why: "whether a stream is a terminal, and how much a pipe holds.",
    },
    Group {
        calls: calls! { SYS_prctl },
        only: "PR_SET_NAME, PR_GET_NAME, PR_SET_VMA",
        conditions: || {
            let mut any = vec![];
            for option in [libc::PR_SET_NAME, libc::PR_GET_NAME, libc::PR_SET_VMA] {
                any.push(vec![int(0, Compare::Eq, option as u64)?]);
            }
            Ok(any)
        },
        why: "names of threads, and of memory that the C library allocates.",
    },
    #[cfg(target_arch = "x86_64")]
    Group {
        calls: calls! { SYS_open },
        only: "flags without O_PATH and O_ASYNC",
        conditions: || without(1, OPEN_FLAGS),
        why: "as `openat`.",
    },
    #[cfg(target_arch = "x86_64")]
    Group {
        calls: calls! {
            SYS_poll SYS_select SYS_dup2 SYS_pipe SYS_time SYS_getrlimit SYS_pause SYS_arch_prctl
        },
        only: "",
        conditions: any,
        why: "older forms of calls above, and the registers for thread-local variables.",
    },
];
