//! Chapter 2: memory transfer and the host.

pub mod cleanup;
pub mod error_checking;
pub mod in_out_inout;
pub mod pitched_2d;
pub mod roundtrip;
pub mod stay_on_device;
pub mod volume_3d;
