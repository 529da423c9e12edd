//! Chapter 5: finding what is wrong.

pub mod nan_hunt;
pub mod oob_uninit_hunt;
