//! The book, classes and hostile submissions. It is one test program because each test program
//! links everything.

#[cfg(target_os = "linux")]
mod attacks;
mod book;
#[cfg(target_os = "linux")]
mod grade;
mod listings;
mod numbers;
