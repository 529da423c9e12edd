//! Reports for people and for platforms, made from records of made-up classes.

mod common;
mod pages;
mod platforms;
mod tables;
