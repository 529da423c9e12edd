//! What records become for people and for platforms, with classes that nobody attended.

mod common;
mod pages;
mod platforms;
mod tables;
