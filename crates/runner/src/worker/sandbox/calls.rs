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

use super::allowed::GROUPS;
use super::{Role, Socket, fstat, notify};

/// The calls that a filter lists, by number, each with the arguments for which the filter applies.
/// No arguments mean any.
pub(super) type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Installs the filters for a role.
pub(super) fn filter(role: Role, socket: Option<Socket<'_>>) -> Result<(), String> {
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let missing = SeccompAction::Errno(libc::ENOSYS as u32);
    let mut filters = vec![];
    match role {
        Role::Compiler => {
            filters.push((dangerous(), SeccompAction::Allow, refused));
        }
        Role::Simulator | Role::Program => {
            let absent = all(&[libc::SYS_clone3, libc::SYS_statx]);
            filters.push((absent, SeccompAction::Allow, missing));
            fstat::install()?;
            filters.push((fstat::replaced(), SeccompAction::Allow, SeccompAction::Trap));
            if role == Role::Program {
                if let Some(socket) = socket {
                    notify::new_threads(socket)?;
                }
                cudart_sim::crash::install_handlers()
                    .map_err(|error| format!("a signal handler: {error}"))?;
                filters.push((reported()?, SeccompAction::Allow, SeccompAction::Trap));
                filters.push((handlers()?, SeccompAction::Allow, refused.clone()));
            }
            // this comes last, because it does not allow installing more filters
            filters.push((allowed()?, refused, SeccompAction::Allow));
        }
        Role::Gpu | Role::GpuProgram => {
            if let (Role::GpuProgram, Some(socket)) = (role, socket) {
                notify::new_threads(socket)?;
            }
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
            rules.extend(other_processes()?);
            rules.extend(signals_of_files()?);
            filters.push((all(&[libc::SYS_clone3]), SeccompAction::Allow, missing));
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

/// These calls, with any arguments.
pub(super) fn all(calls: &[i64]) -> Rules {
    calls.iter().map(|call| (*call, vec![])).collect()
}

/// The rules for a call whose arguments fulfil all conditions of at least one of these lists.
fn rules(any: Vec<Vec<Condition>>) -> Result<Vec<SeccompRule>, String> {
    any.into_iter().map(|all| SeccompRule::new(all).map_err(|error| error.to_string())).collect()
}

/// A condition on a 64-bit argument.
pub(super) fn is(argument: u8, compare: Compare, value: u64) -> Result<Condition, String> {
    Condition::new(argument, Length::Qword, compare, value).map_err(|error| error.to_string())
}

/// A condition on an `int`, for which the upper half of the register has no meaning.
pub(super) fn int(argument: u8, compare: Compare, value: u64) -> Result<Condition, String> {
    Condition::new(argument, Length::Dword, compare, value).map_err(|error| error.to_string())
}

/// The id of this process.
pub(super) fn own_id() -> u64 {
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

/// Calls by which a process with a GPU could slow down, spy on or outlive the checker, if their
/// first argument is not 0 and not this process. A driver needs none of them for another process.
fn other_processes() -> Result<Rules, String> {
    let other =
        || Ok::<_, String>(vec![vec![int(0, Compare::Ne, 0)?, int(0, Compare::Ne, own_id())?]]);
    let mut rules = all(&[
        // they leave the process group, which the checker suspends and ends
        libc::SYS_setpgid,
        libc::SYS_setsid,
        libc::SYS_process_madvise,
        libc::SYS_process_madvise,
        libc::SYS_process_mrelease,
        libc::SYS_kcmp,
        libc::SYS_setpriority,
        libc::SYS_ioprio_set,
        // memory and queues that stay when the process has ended
        libc::SYS_shmget,
        libc::SYS_semget,
        libc::SYS_msgget,
        libc::SYS_mq_open,
    ]);
    for call in [
        libc::SYS_migrate_pages,
        libc::SYS_move_pages,
        libc::SYS_prlimit64,
        libc::SYS_sched_setscheduler,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setattr,
        libc::SYS_sched_setaffinity,
        libc::SYS_get_robust_list,
    ] {
        rules.insert(call, self::rules(other()?)?);
    }
    // taking the machine's memory out of use, which root can
    let poison = int(2, Compare::Ge, libc::MADV_HWPOISON as u64)?;
    let soft_offline = int(2, Compare::Le, libc::MADV_SOFT_OFFLINE as u64)?;
    rules.insert(libc::SYS_madvise, self::rules(vec![vec![poison, soft_offline]])?);
    Ok(rules)
}

/// Calls that make the kernel send a signal when something happens to a file, even to another
/// process.
fn signals_of_files() -> Result<Rules, String> {
    /// From asm-generic/fcntl.h, asm-generic/ioctls.h and asm-generic/sockios.h.
    const F_SETSIG: i32 = 10;
    const F_SETOWN_EX: i32 = 15;
    const FIOASYNC: u64 = 0x5452;
    const FIOSETOWN: u64 = 0x8901;
    const SIOCSPGRP: u64 = 0x8902;
    let commands = [libc::F_SETOWN, F_SETOWN_EX, F_SETSIG, libc::F_SETLEASE, libc::F_NOTIFY];
    let mut owners = vec![];
    for command in commands {
        owners.push(vec![int(1, Compare::Eq, command as u64)?]);
    }
    let flags = libc::O_ASYNC as u64;
    owners.push(vec![
        int(1, Compare::Eq, libc::F_SETFL as u64)?,
        int(2, Compare::MaskedEq(flags), flags)?,
    ]);
    let mut requests = vec![];
    for request in [FIOASYNC, FIOSETOWN, SIOCSPGRP, libc::TIOCSTI] {
        requests.push(vec![int(1, Compare::Eq, request)?]);
    }
    Ok([(libc::SYS_fcntl, rules(owners)?), (libc::SYS_ioctl, rules(requests)?)].into())
}

/// Calls that change the owner, mode, times or other attributes of a file, which landlock does not
/// restrict.
fn attributes() -> Rules {
    /// Linux 6.6; the number is the same on every machine.
    const FCHMODAT2: i64 = 452;
    let rules = all(&[
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
    let rules = with_older_forms(rules);
    rules
}

/// Adds the calls by path that other architectures do not have, and all of them in the x32
/// interface.
#[cfg(target_arch = "x86_64")]
fn with_older_forms(mut rules: Rules) -> Rules {
    rules.extend(all(&[
        libc::SYS_chmod,
        libc::SYS_chown,
        libc::SYS_lchown,
        libc::SYS_utime,
        libc::SYS_utimes,
        libc::SYS_futimesat,
    ]));
    let x32: Vec<i64> = rules.keys().map(|call| X32 | call).collect();
    rules.extend(all(&x32));
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

/// New handlers of `SIGSYS`, with which a program could hide that calls are refused, and of
/// `SIGSEGV`, which the kernel sends if it finds no stack for the handler of `SIGSYS`. The present
/// handlers may be asked for.
fn handlers() -> Result<Rules, String> {
    let mut any = vec![];
    for signal in [libc::SIGSYS, libc::SIGSEGV] {
        any.push(vec![int(0, Compare::Eq, signal as u64)?, is(1, Compare::Ne, 0)?]);
    }
    Ok([(libc::SYS_rt_sigaction, rules(any)?)].into())
}

/// Calls that a computation needs ([`GROUPS`]).
fn allowed() -> Result<Rules, String> {
    let mut rules = Rules::new();
    for group in GROUPS {
        for (_, call) in group.calls {
            rules.insert(*call, self::rules((group.conditions)()?)?);
        }
    }
    Ok(rules)
}
