//! Which of the process's shared objects is the program.

#![cfg_attr(target_os = "linux", expect(unsafe_code, reason = "the dynamic linker"))]

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Where the program's object begins; 0 as long as nothing of it was seen.
static PROGRAM: AtomicUsize = AtomicUsize::new(0);

/// This address is in the program.
pub fn is_in_program(address: usize) {
    if let Some((start, _)) = object(address) {
        PROGRAM.store(start, Relaxed);
    }
}

/// Can this address be code of the program? Not if it is another object's, or one of the system's libraries'.
pub fn may_be_program(address: usize) -> bool {
    let program = PROGRAM.load(Relaxed);
    object(address).is_none_or(|(start, system)| match program {
        0 => !system,
        program => start == program,
    })
}

/// Where the object with this address begins, and is it the system's?
#[cfg(target_os = "linux")]
fn object(address: usize) -> Option<(usize, bool)> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked about; a success has filled everything in, and the name lives as long as the object.
    unsafe {
        if libc::dladdr(address as *const libc::c_void, info.as_mut_ptr()) == 0 {
            return None;
        }
        let info = info.assume_init();
        let name = std::ffi::CStr::from_ptr(info.dli_fname).to_bytes();
        let system = [&b"/lib"[..], b"/usr/lib", b"linux-vdso"];
        Some((info.dli_fbase as usize, system.iter().any(|root| name.starts_with(root))))
    }
}

#[cfg(not(target_os = "linux"))]
fn object(_address: usize) -> Option<(usize, bool)> {
    None
}
