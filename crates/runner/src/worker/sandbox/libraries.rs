//! What a program's process reads of the system, before it gives up the right to read it.
//!
//! The page cache is shared by all processes and outlives them. A program that may read a file of
//! the system could bring some of its pages into the cache, and a later program could find out
//! which ones they are. So a program's libraries are loaded before, and no file of the system can
//! be opened afterwards. The pages of the files that stay mapped are all brought into the cache.

#![expect(unsafe_code, reason = "the dynamic linker, and mapped files")]

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

/// The libraries that compiled programs need. Some systems have fewer of them.
const LIBRARIES: [&CStr; 7] = [
    c"libstdc++.so.6",
    c"libm.so.6",
    c"libgcc_s.so.1",
    c"libpthread.so.0",
    c"libdl.so.2",
    c"librt.so.1",
    c"libatomic.so.1",
];

/// Loads the libraries, reads the time zone, and brings all mapped files into the page cache.
pub(super) fn load() {
    unsafe extern "C" {
        fn tzset();
    }
    for name in LIBRARIES {
        // SAFETY: the constructors of these libraries may run at any time. They stay loaded.
        unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    }
    // SAFETY: this process has one thread.
    unsafe { tzset() };
    mapped_files().into_iter().for_each(|path| cache(&path));
}

/// The files that are mapped into this process.
fn mapped_files() -> BTreeSet<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines().filter_map(|line| Some(line.get(line.find('/')?..)?.into())).collect()
}

/// Brings all pages of a file into the page cache, and waits for them.
fn cache(path: &Path) {
    let Ok(file) = File::open(path) else { return };
    let length = file.metadata().map_or(0, |about| about.len()) as usize;
    let (anywhere, flags) = (std::ptr::null_mut(), libc::MAP_PRIVATE | libc::MAP_POPULATE);
    // SAFETY: this maps the file at an address that nothing else has, and unmaps it. If it fails,
    // for example because the file is empty, there is nothing to unmap.
    unsafe {
        let pages = libc::mmap(anywhere, length, libc::PROT_READ, flags, file.as_raw_fd(), 0);
        if pages != libc::MAP_FAILED {
            libc::munmap(pages, length);
        }
    }
}
