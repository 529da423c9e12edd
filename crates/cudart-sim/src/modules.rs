//! Finds the program among the shared objects of the process.

#![cfg_attr(target_os = "linux", expect(unsafe_code, reason = "the dynamic linker"))]

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The start of the program's object; 0 until an address in it is known.
static PROGRAM: AtomicUsize = AtomicUsize::new(0);

/// Declares the object that contains this address to be the program.
pub fn set_program(address: usize) {
    if let Some((start, _)) = object(address) {
        PROGRAM.store(start, Relaxed);
    }
}

/// May this address be code of the program? It is not if it belongs to another object or to a
/// library of the system.
pub fn may_be_program(address: usize) -> bool {
    let program = PROGRAM.load(Relaxed);
    object(address).is_none_or(|(start, system)| match program {
        0 => !system,
        program => start == program,
    })
}

/// The start of the object that contains this address, and whether it is a library of the system.
#[cfg(target_os = "linux")]
fn object(address: usize) -> Option<(usize, bool)> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be passed. After a success all fields are set, and the name lives as
    // long as the object.
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
