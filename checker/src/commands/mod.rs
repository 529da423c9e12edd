//! One command, one room.

pub mod doctor;
pub mod setup;
