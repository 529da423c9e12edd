//! Which system calls a child may make (seccomp(2)).
//!
//! Several filters apply at once, and the strictest answer counts. What computes (the simulator, a program's own process) has
//! a list of what it may call; what is not on it fails as if the system did not have it. Calls that only mischief or a
//! misunderstanding makes are told with their line: they end a program's process with `SIGSYS`. What starts other programs
//! (the compiler) or talks to a driver cannot be listed, so there only what is dangerous is taken away.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Compare,
    SeccompCondition as Condition, SeccompFilter, SeccompRule, TargetArch,
};

use super::Role;

/// What a filter lists: numbers of calls, each with the arguments for which it applies; none means all.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Installs the filters of a role.
pub(super) fn filter(role: Role) -> Result<(), String> {
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let missing = SeccompAction::Errno(libc::ENOSYS as u32);
    let mut filters = vec![];
    match role {
        Role::Compiler => {
            filters.push((dangerous(), SeccompAction::Allow, refused));
        }
        Role::Simulator | Role::Program => {
            filters.push((clone3(), SeccompAction::Allow, missing));
            if role == Role::Program {
                filters.push((told()?, SeccompAction::Allow, SeccompAction::Trap));
            }
            // the last one, because it does not allow any more filters
            filters.push((allowed()?, refused, SeccompAction::Allow));
        }
        Role::Gpu | Role::GpuProgram => {
            let mut rules = dangerous();
            rules.extend(processes()?);
            // landlock keeps signals in only since its version 6
            rules.extend(all(&[
                libc::SYS_kill,
                libc::SYS_tkill,
                libc::SYS_rt_sigqueueinfo,
                libc::SYS_rt_tgsigqueueinfo,
            ]));
            rules.insert(libc::SYS_tgkill, self::rules(vec![vec![int(0, Compare::Ne, own())?]])?);
            rules.extend(attributes());
            filters.push((clone3(), SeccompAction::Allow, missing));
            filters.push((rules, SeccompAction::Allow, refused));
        }
    }
    for (rules, otherwise, listed) in filters {
        install(rules, otherwise, listed).map_err(|error| format!("seccomp: {error}"))?;
    }
    Ok(())
}

fn install(
    rules: Rules,
    otherwise: SeccompAction,
    listed: SeccompAction,
) -> Result<(), Box<dyn std::error::Error>> {
    let target = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter: BpfProgram = SeccompFilter::new(rules, otherwise, listed, target)?.try_into()?;
    Ok(seccompiler::apply_filter(&filter)?)
}

/// The call whose arguments are in memory, where a filter cannot look. The C library then uses clone, whose are not.
fn clone3() -> Rules {
    all(&[libc::SYS_clone3])
}

/// These calls, whatever their arguments.
fn all(calls: &[i64]) -> Rules {
    calls.iter().map(|call| (*call, vec![])).collect()
}

/// A call for which one of these holds.
fn rules(any: Vec<Vec<Condition>>) -> Result<Vec<SeccompRule>, String> {
    any.into_iter().map(|all| SeccompRule::new(all).map_err(|error| error.to_string())).collect()
}

fn is(argument: u8, compare: Compare, value: u64) -> Result<Condition, String> {
    Condition::new(argument, Length::Qword, compare, value).map_err(|error| error.to_string())
}

/// The same for an `int`, of which the upper half of the register says nothing.
fn int(argument: u8, compare: Compare, value: u64) -> Result<Condition, String> {
    Condition::new(argument, Length::Dword, compare, value).map_err(|error| error.to_string())
}

/// This process, as it knows itself.
fn own() -> u64 {
    u64::from(std::process::id())
}

/// New processes; threads are none. In an old kernel's numbers, too, which a 64-bit process may use where they exist.
fn processes() -> Result<Rules, String> {
    let thread = libc::CLONE_THREAD as u64;
    let mut rules = all(&[libc::SYS_execve, libc::SYS_execveat]);
    #[cfg(target_arch = "x86_64")]
    {
        rules.extend(all(&[libc::SYS_fork, libc::SYS_vfork]));
        // the x32 interface: bit 30, and numbers of its own for execve and execveat
        rules.extend(all(&[X32 | 520, X32 | 545, X32 | 56, X32 | 57, X32 | 58]));
    }
    rules.insert(libc::SYS_clone, self::rules(vec![vec![is(0, Compare::MaskedEq(thread), 0)?]])?);
    Ok(rules)
}

#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

/// What nothing here needs, and what reaches other processes, the kernel's insides or the network.
fn dangerous() -> Rules {
    let mut rules = all(&[
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_open,
        libc::SYS_pidfd_getfd,
        libc::SYS_pidfd_send_signal,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_move_mount,
        libc::SYS_open_tree,
        libc::SYS_fsopen,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_keyctl,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_userfaultfd,
        libc::SYS_kexec_load,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_delete_module,
        libc::SYS_reboot,
        libc::SYS_swapon,
        libc::SYS_swapoff,
        libc::SYS_acct,
        libc::SYS_sethostname,
        libc::SYS_settimeofday,
        libc::SYS_clock_settime,
        libc::SYS_clock_adjtime,
        libc::SYS_adjtimex,
        libc::SYS_quotactl,
        libc::SYS_open_by_handle_at,
        libc::SYS_personality,
        libc::SYS_mknodat,
        libc::SYS_setuid,
        libc::SYS_setgid,
        libc::SYS_setgroups,
    ]);
    #[cfg(target_arch = "x86_64")]
    {
        rules.extend(all(&[
            libc::SYS_mknod,
            libc::SYS_iopl,
            libc::SYS_ioperm,
            libc::SYS_modify_ldt,
            X32 | 521, // ptrace
            X32 | 539, // process_vm_readv
            X32 | 540, // process_vm_writev
            X32 | libc::SYS_socket,
        ]));
    }
    // every family of sockets but the machine's own, which drivers use among their threads
    if let Ok(families) = int(0, Compare::Ne, libc::AF_UNIX as u64)
        && let Ok(sockets) = self::rules(vec![vec![families]])
    {
        rules.insert(libc::SYS_socket, sockets);
    }
    rules
}

/// What changes a file's owner, mode, times and the like, of which landlock says nothing.
fn attributes() -> Rules {
    /// Linux 6.6; the number is the same on every machine.
    const FCHMODAT2: i64 = 452;
    let mut rules = all(&[
        libc::SYS_fchmod,
        libc::SYS_fchmodat,
        FCHMODAT2,
        libc::SYS_fchown,
        libc::SYS_fchownat,
        libc::SYS_utimensat,
        libc::SYS_setxattr,
        libc::SYS_lsetxattr,
        libc::SYS_fsetxattr,
        libc::SYS_removexattr,
        libc::SYS_lremovexattr,
        libc::SYS_fremovexattr,
    ]);
    #[cfg(target_arch = "x86_64")]
    {
        rules.extend(all(&[
            libc::SYS_chmod,
            libc::SYS_chown,
            libc::SYS_lchown,
            libc::SYS_utime,
            libc::SYS_utimes,
            libc::SYS_futimesat,
        ]));
        // the x32 interface has the same ones
        let x32: Vec<i64> = rules.keys().map(|call| X32 | call).collect();
        rules.extend(all(&x32));
    }
    rules
}

/// What nobody makes by mistake: told with the line.
fn told() -> Result<Rules, String> {
    let mut rules = processes()?;
    rules.extend(dangerous());
    rules.extend(all(&[
        libc::SYS_socket,
        libc::SYS_socketpair,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_memfd_create,
        libc::SYS_kill,
        libc::SYS_tkill,
    ]));
    rules.insert(libc::SYS_tgkill, self::rules(vec![vec![int(0, Compare::Ne, own())?]])?);
    Ok(rules)
}

/// What a computation needs: memory, threads, time, its own signals, files that are already its.
fn allowed() -> Result<Rules, String> {
    let mut rules = all(&[
        // data
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_readv,
        libc::SYS_writev,
        libc::SYS_pread64,
        libc::SYS_pwrite64,
        libc::SYS_lseek,
        libc::SYS_close,
        libc::SYS_dup,
        libc::SYS_dup3,
        libc::SYS_fcntl,
        libc::SYS_ftruncate,
        libc::SYS_fsync,
        libc::SYS_pipe2,
        libc::SYS_ppoll,
        libc::SYS_pselect6,
        libc::SYS_eventfd2,
        libc::SYS_epoll_create1,
        libc::SYS_epoll_ctl,
        libc::SYS_epoll_pwait,
        // files: which ones is landlock's business
        libc::SYS_openat,
        libc::SYS_fstat,
        libc::SYS_newfstatat,
        libc::SYS_statx,
        libc::SYS_statfs,
        libc::SYS_fstatfs,
        libc::SYS_faccessat,
        libc::SYS_faccessat2,
        libc::SYS_readlinkat,
        libc::SYS_getdents64,
        libc::SYS_getcwd,
        // memory
        libc::SYS_mmap,
        libc::SYS_mprotect,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_madvise,
        libc::SYS_mincore,
        libc::SYS_msync,
        libc::SYS_brk,
        libc::SYS_membarrier,
        // threads
        libc::SYS_clone3,
        libc::SYS_futex,
        libc::SYS_set_robust_list,
        libc::SYS_get_robust_list,
        libc::SYS_rseq,
        libc::SYS_set_tid_address,
        libc::SYS_gettid,
        libc::SYS_sched_yield,
        libc::SYS_sched_getaffinity,
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_getparam,
        libc::SYS_sched_getscheduler,
        libc::SYS_sched_get_priority_max,
        libc::SYS_sched_get_priority_min,
        libc::SYS_getcpu,
        libc::SYS_exit,
        libc::SYS_exit_group,
        // its own signals
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_rt_sigtimedwait,
        libc::SYS_rt_sigpending,
        libc::SYS_rt_sigsuspend,
        libc::SYS_sigaltstack,
        libc::SYS_restart_syscall,
        // time
        libc::SYS_clock_gettime,
        libc::SYS_clock_getres,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_gettimeofday,
        libc::SYS_times,
        libc::SYS_getrusage,
        // who and where it is
        libc::SYS_getpid,
        libc::SYS_getppid,
        libc::SYS_getuid,
        libc::SYS_geteuid,
        libc::SYS_getgid,
        libc::SYS_getegid,
        libc::SYS_uname,
        libc::SYS_sysinfo,
        libc::SYS_getrandom,
    ]);
    #[cfg(target_arch = "x86_64")]
    rules.extend(all(&[
        libc::SYS_open,
        libc::SYS_stat,
        libc::SYS_lstat,
        libc::SYS_access,
        libc::SYS_readlink,
        libc::SYS_poll,
        libc::SYS_select,
        libc::SYS_dup2,
        libc::SYS_pipe,
        libc::SYS_time,
        libc::SYS_arch_prctl,
        libc::SYS_getrlimit,
        libc::SYS_pause,
    ]));
    let thread = libc::CLONE_THREAD as u64;
    let some = [
        (libc::SYS_clone, vec![vec![is(0, Compare::MaskedEq(thread), thread)?]]),
        (libc::SYS_tgkill, vec![vec![int(0, Compare::Eq, own())?]]),
        // limits may be asked for and not set
        (libc::SYS_prlimit64, vec![vec![is(2, Compare::Eq, 0)?]]),
        (
            libc::SYS_ioctl,
            vec![
                vec![int(1, Compare::Eq, libc::TCGETS)?],
                vec![int(1, Compare::Eq, libc::FIONREAD)?],
            ],
        ),
        (
            libc::SYS_prctl,
            vec![
                vec![int(0, Compare::Eq, libc::PR_SET_NAME as u64)?],
                vec![int(0, Compare::Eq, libc::PR_GET_NAME as u64)?],
                // names of memory that the C library gives
                vec![int(0, Compare::Eq, libc::PR_SET_VMA as u64)?],
            ],
        ),
    ];
    for (call, any) in some {
        rules.insert(call, self::rules(any)?);
    }
    Ok(rules)
}
