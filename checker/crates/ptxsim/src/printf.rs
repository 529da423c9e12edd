//! printf.
