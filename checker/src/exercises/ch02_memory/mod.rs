//! Memory transfer and the host.

pub mod roundtrip;
