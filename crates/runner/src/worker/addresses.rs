//! Gives the compiler the same addresses in every process.
//!
//! The optimiser of NVRTC 13.0.88 sorts some things by their address. For one kernel of the course,
//! it therefore made two different PTX texts of the same source, each in about half of the
//! processes. The counts of these texts differ, so a verdict would depend on chance. The checker
//! avoids that: the system doesn't randomise the addresses of the process that compiles, and each
//! compilation has a process of its own (`prefork.rs`), whose heap doesn't depend on earlier ones.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Says that this process has been started again already.
const AGAIN_VARIABLE: &str = "CUDA_WORKBOOK_AGAIN";

/// Starts this program again without randomised addresses. It returns in the program that has been
/// started again, and in a system that doesn't permit it, as in some containers.
///
/// See personality(2). A process keeps its addresses, so only a new program has others.
#[expect(unsafe_code, reason = "calls personality")]
pub(super) fn fix() {
    const ASK: libc::c_ulong = 0xffff_ffff;
    if std::env::var_os(AGAIN_VARIABLE).is_some() {
        return;
    }
    // SAFETY: it changes nothing.
    let now = unsafe { libc::personality(ASK) };
    let wanted = now | libc::ADDR_NO_RANDOMIZE;
    let Ok(program) = std::env::current_exe() else { return };
    // SAFETY: the flag concerns programs that are started from now on.
    if now >= 0 && wanted != now && unsafe { libc::personality(wanted as libc::c_ulong) } >= 0 {
        // It returns only if it fails, and then nothing has changed.
        let _ = Command::new(program).arg0("checker").env(AGAIN_VARIABLE, "1").exec();
    }
}
