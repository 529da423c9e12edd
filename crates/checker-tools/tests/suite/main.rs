//! The book, classes and hostile submissions. It is one test program because each test program
//! links everything.

#[cfg(target_os = "linux")]
mod attacks;
mod book;
mod bound;
#[cfg(target_os = "linux")]
mod common;
#[cfg(target_os = "linux")]
mod grade;
#[cfg(target_os = "linux")]
mod handed_in;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod instructors;
#[cfg(target_os = "linux")]
mod intake;
mod listings;
#[cfg(target_os = "linux")]
mod live;
mod numbers;
