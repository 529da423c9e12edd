//! The system calls that a child may make (seccomp(2)).
//!
//! Several filters apply at once, and the strictest result counts. A child that only computes (the
//! simulator, or the process of a program) has a list of allowed calls, and all others are refused.
//! A program makes some calls only by malice or by a misunderstanding. These end its process with
//! `SIGSYS`, so that they can be reported with their line. The calls of a compiler or of a driver
//! cannot be listed, so for them only the dangerous ones are refused.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Compare,
    SeccompCondition as Condition, SeccompFilter, SeccompRule, TargetArch,
};

use super::Role;

/// The calls that a filter lists, by number, each with the arguments for which the filter applies.
/// No arguments mean any.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Installs the filters for a role.
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
                filters.push((reported()?, SeccompAction::Allow, SeccompAction::Trap));
            }
            // this comes last, because it does not allow installing more filters
            filters.push((allowed()?, refused, SeccompAction::Allow));
        }
        Role::Gpu | Role::GpuProgram => {
            let mut rules = dangerous();
            rules.extend(processes()?);
            // landlock restricts signals only since its version 6
            rules.extend(all(&[
                libc::SYS_kill,
                libc::SYS_tkill,
                libc::SYS_rt_sigqueueinfo,
                libc::SYS_rt_tgsigqueueinfo,
            ]));
            rules
                .insert(libc::SYS_tgkill, self::rules(vec![vec![int(0, Compare::Ne, own_id())?]])?);
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

/// `clone3`, whose arguments are in memory, where a filter cannot read them. Without it, the C
/// library uses `clone`, whose arguments are in registers.
fn clone3() -> Rules {
    all(&[libc::SYS_clone3])
}

/// These calls, with any arguments.
fn all(calls: &[i64]) -> Rules {
    calls.iter().map(|call| (*call, vec![])).collect()
}

/// The rules for a call whose arguments fulfil all conditions of at least one of these lists.
fn rules(any: Vec<Vec<Condition>>) -> Result<Vec<SeccompRule>, String> {
    any.into_iter().map(|all| SeccompRule::new(all).map_err(|error| error.to_string())).collect()
}

/// A condition on a 64-bit argument.
fn is(argument: u8, compare: Compare, value: u64) -> Result<Condition, String> {
    Condition::new(argument, Length::Qword, compare, value).map_err(|error| error.to_string())
}

/// A condition on an `int`, for which the upper half of the register has no meaning.
fn int(argument: u8, compare: Compare, value: u64) -> Result<Condition, String> {
    Condition::new(argument, Length::Dword, compare, value).map_err(|error| error.to_string())
}

/// The id of this process.
fn own_id() -> u64 {
    u64::from(std::process::id())
}

/// Calls that create processes, but not those that create threads. This includes the calls of the
/// x32 interface, which a 64-bit process may use if the kernel has it.
fn processes() -> Result<Rules, String> {
    let thread = libc::CLONE_THREAD as u64;
    let mut rules = all(&[libc::SYS_execve, libc::SYS_execveat]);
    #[cfg(target_arch = "x86_64")]
    {
        rules.extend(all(&[libc::SYS_fork, libc::SYS_vfork]));
        // the x32 interface has bit 30 set, and other numbers for execve and execveat
        rules.extend(all(&[X32 | 520, X32 | 545, X32 | 56, X32 | 57, X32 | 58]));
    }
    rules.insert(libc::SYS_clone, self::rules(vec![vec![is(0, Compare::MaskedEq(thread), 0)?]])?);
    Ok(rules)
}

/// The bit that marks a call of the x32 interface.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

/// Calls that no child needs, because they affect other processes, the kernel or the network.
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
    // sockets of every family but AF_UNIX, which drivers use among their threads
    if let Ok(families) = int(0, Compare::Ne, libc::AF_UNIX as u64)
        && let Ok(sockets) = self::rules(vec![vec![families]])
    {
        rules.insert(libc::SYS_socket, sockets);
    }
    rules
}

/// Calls that change the owner, mode, times or other attributes of a file, which landlock does not
/// restrict.
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
        // the same calls of the x32 interface
        let x32: Vec<i64> = rules.keys().map(|call| X32 | call).collect();
        rules.extend(all(&x32));
    }
    rules
}

/// Calls that no program makes by mistake. They are reported with their line.
fn reported() -> Result<Rules, String> {
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
    rules.insert(libc::SYS_tgkill, self::rules(vec![vec![int(0, Compare::Ne, own_id())?]])?);
    Ok(rules)
}

/// Calls that a computation needs: for memory, threads, time, its own signals, and files that it
/// may open.
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
        // files; landlock decides which ones
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
        // information about the process and the system
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
        (libc::SYS_tgkill, vec![vec![int(0, Compare::Eq, own_id())?]]),
        // limits may be read, but not set
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
                // the C library names its memory
                vec![int(0, Compare::Eq, libc::PR_SET_VMA as u64)?],
            ],
        ),
    ];
    for (call, any) in some {
        rules.insert(call, self::rules(any)?);
    }
    Ok(rules)
}
