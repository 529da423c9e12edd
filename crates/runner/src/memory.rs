//! What the allocator of a long-running process keeps.

/// Arrays of this many bytes or more go back to the system as soon as they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const RETURNED_BYTES: libc::c_int = 256 << 10;

/// Lets a process that handles one large array after the other keep none of them.
///
/// glibc raises this limit up to 32 MiB each time such an array is freed (`mallopt(3)`,
/// `M_MMAP_THRESHOLD`), and then keeps freed arrays for each thread. A grading process with four
/// jobs has nearly a gigabyte after a few exercises, which the runs of hostile code need more.
pub fn return_large_arrays() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #[expect(unsafe_code, reason = "an option of the C library")]
        // SAFETY: the function has no pointers, and it locks the allocator while it changes it.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, RETURNED_BYTES);
        }
    }
}
