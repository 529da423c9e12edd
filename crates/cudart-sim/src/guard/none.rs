//! The same functions for systems other than Linux, where programs cannot run. Nothing calls them.

/// As on Linux.
pub const PAGE: u64 = 4096;

/// As on Linux.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the Linux version has the documentation")]
pub struct Guard {
    pub number: u64,
    pub from: u64,
    pub to: u64,
    pub writes: bool,
}

/// As on Linux.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the Linux version has the documentation")]
pub struct Hit {
    pub number: u64,
    pub address: u64,
    pub write: bool,
    pub access: u64,
    pub after_work: bool,
    pub frames: crate::runtime::Frames,
}

pub fn map(_address: u64, _bytes: u64) -> Option<u64> {
    None
}

pub fn unmap(_address: u64, _bytes: u64) {}

pub fn own_pages(_from: u64, _to: u64) {}

pub fn are_own_pages(_from: u64, _to: u64) -> bool {
    false
}

pub fn close(_guard: Guard) {}

pub fn end(_ended: impl Fn(u64) -> bool) {}

pub fn opened<T>(_from: u64, _to: u64, f: impl FnOnce() -> T) -> T {
    f()
}

pub fn all_opened<T>(f: impl FnOnce() -> T) -> T {
    f()
}

pub fn work_done(_number: u64) {}

pub fn take_hits(_known: impl Fn(u64) -> bool) -> Vec<Hit> {
    vec![]
}
