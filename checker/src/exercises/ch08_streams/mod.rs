//! Chapter 8: streams and events.

use super::Chapter;

mod concurrent_kernels;
mod event_timing;
mod overlap;
mod stream_order;

/// The chapter and its exercises, in teaching order.
pub static CHAPTER: Chapter = Chapter {
    id: "ch08_streams",
    number: 8,
    title: "Streams and events",
    exercises: &[
        &event_timing::SPEC,
        &overlap::SPEC,
        &stream_order::SPEC,
        &concurrent_kernels::SPEC,
    ],
};
