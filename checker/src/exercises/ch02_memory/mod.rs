//! Chapter 2: memory transfer and the host.

use super::Chapter;

mod cleanup;
mod error_checking;
mod in_out_inout;
mod mapped_memory;
mod pitched_2d;
mod roundtrip;
mod stay_on_device;
mod volume_3d;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch02_memory",
    number: 2,
    title: "Memory transfer and the host",
    exercises: &[
        &roundtrip::SPEC,
        &in_out_inout::SPEC,
        &stay_on_device::SPEC,
        &error_checking::SPEC,
        &cleanup::SPEC,
        &pitched_2d::SPEC,
        &volume_3d::SPEC,
        &mapped_memory::SPEC,
    ],
};
