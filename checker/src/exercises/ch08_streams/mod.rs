//! Chapter 8: streams and events.

pub mod event_timing;
pub mod overlap;
pub mod stream_order;
