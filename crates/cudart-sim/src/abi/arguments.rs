//! What the arguments of a call say besides where its data and its results are.
//!
//! A kernel can find out some of these numbers, for example the width of an array or the size of
//! its heap. So [`super::call`] takes them from every function, and the runtime records them
//! (`runtime/dataflow.rs`).

use std::ffi::c_void;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::graph_memory::AllocationParams;
use super::launch::{Attribute, CLUSTER, COOPERATIVE, Configuration, Dim3, PREFERRED_CLUSTER};
use super::managed::Location;
use super::pool::PoolProperties;
use super::shaped::SizeTriple;
use crate::runtime::{
    ChannelFormat, ExecHandle, GraphHandle, NodeHandle, PitchedPointer, RecordedArgument,
};
use RecordedArgument::{Address, Number};

/// An argument of a call.
pub trait Argument {
    /// Adds what it says.
    fn record(&self, to: &mut Vec<RecordedArgument>);
}

/// What the arguments of a call say.
pub(super) fn recorded(arguments: &[&dyn Argument]) -> Vec<RecordedArgument> {
    let mut all = vec![];
    arguments.iter().for_each(|argument| argument.record(&mut all));
    all
}

macro_rules! numbers {
    ($($type:ty)+) => {
        $(impl Argument for $type {
            fn record(&self, to: &mut Vec<RecordedArgument>) {
                to.push(Number(*self as u64));
            }
        })+
    };
}

// `usize` is also the type of the handles of streams and events, which are the same in every run.
numbers! { i32 u32 usize }

/// An address, or the handle of an array, a pool or a texture.
impl Argument for u64 {
    fn record(&self, to: &mut Vec<RecordedArgument>) {
        to.push(Address(*self));
    }
}

macro_rules! structures {
    ($($type:ident { $($field:ident)+ })+) => {
        $(impl Argument for $type {
            fn record(&self, to: &mut Vec<RecordedArgument>) {
                let Self { $($field,)+ .. } = self;
                $($field.record(to);)+
            }
        })+
    };
}

structures! {
    Dim3 { x y z }
    SizeTriple { x y z }
    Location { kind }
    PitchedPointer { address pitch width height }
    ChannelFormat { bits kind }
    PoolProperties { allocation handles location device }
    AllocationParams { kind handles location device bytes }
}

/// Only what the attribute uses of the value, because the program may leave the rest uninitialised.
impl Argument for Attribute {
    fn record(&self, to: &mut Vec<RecordedArgument>) {
        let used = match self.number {
            COOPERATIVE => 1,
            CLUSTER | PREFERRED_CLUSTER => 3,
            _ => 0,
        };
        self.number.record(to);
        self.value.iter().take(used).for_each(|number| number.record(to));
    }
}

macro_rules! handles {
    ($($type:ident)+) => {
        $(impl Argument for $type {
            fn record(&self, to: &mut Vec<RecordedArgument>) {
                to.push(Number(self.0));
            }
        })+
    };
}

handles! { GraphHandle NodeHandle ExecHandle }

impl<T: Argument, const N: usize> Argument for [T; N] {
    fn record(&self, to: &mut Vec<RecordedArgument>) {
        self.iter().for_each(|element| element.record(to));
    }
}

/// Text, for example the code of a kernel.
impl Argument for &str {
    fn record(&self, to: &mut Vec<RecordedArgument>) {
        let mut digest = DefaultHasher::new();
        self.hash(&mut digest);
        to.push(Number(digest.finish()));
    }
}

/// An array of so many elements.
impl<T: Argument> Argument for (*const T, usize) {
    fn record(&self, to: &mut Vec<RecordedArgument>) {
        let (first, count) = *self;
        to.push(Number(count as u64));
        if !first.is_null() && count > 0 {
            // SAFETY: the program passes an array of this length, as CUDA demands.
            let all = unsafe { std::slice::from_raw_parts(first, count) };
            all.iter().for_each(|element| element.record(to));
        }
    }
}

/// A structure that the program passes by pointer.
macro_rules! pointers {
    ($($type:ty)+) => {
        $(impl Argument for *const $type {
            fn record(&self, to: &mut Vec<RecordedArgument>) {
                if !self.is_null() {
                    // SAFETY: the program passes a pointer to a whole structure, as CUDA demands.
                    unsafe { self.read_unaligned() }.record(to);
                }
            }
        })+
    };
}

pointers! { u64 ChannelFormat PoolProperties AllocationParams }

impl Argument for *const Configuration {
    fn record(&self, to: &mut Vec<RecordedArgument>) {
        if self.is_null() {
            return;
        }
        // SAFETY: the program passes a pointer to a whole structure, as CUDA demands.
        let Configuration { grid, block, shared, stream, attributes, count } =
            unsafe { self.read() };
        let arguments: [&dyn Argument; 5] =
            [&grid, &block, &shared, &stream, &(attributes, count as usize)];
        arguments.iter().for_each(|argument| argument.record(to));
    }
}

/// The value of an attribute, whose type is known later. Both types have these bytes.
impl Argument for *const c_void {
    fn record(&self, to: &mut Vec<RecordedArgument>) {
        if !self.is_null() {
            // SAFETY: the program passes a pointer to four or eight bytes, as CUDA demands.
            to.push(Number(u64::from(unsafe { self.cast::<u32>().read_unaligned() })));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Address, Number, recorded};
    use crate::runtime::ChannelFormat;

    #[test]
    fn numbers_and_structures_are_recorded() {
        let format = ChannelFormat { bits: [32, 0, 0, 0], kind: 2 };
        let (width, flags, array) = (7_usize, 1_u32, 0x00ca_f000_0000_0000_u64);
        let all = recorded(&[&(&raw const format), &width, &flags, &array]);
        let numbers = [32, 0, 0, 0, 2, 7, 1].map(Number);
        assert_eq!(all, [&numbers[..], &[Address(array)]].concat());
    }

    #[test]
    fn missing_structures_are_nothing() {
        let nothing: *const ChannelFormat = std::ptr::null();
        assert_eq!(recorded(&[&nothing]), []);
        let list: (*const u32, usize) = (std::ptr::null(), 3);
        assert_eq!(recorded(&[&list]), [Number(3)]);
    }

    /// Kernels that are built while the program runs.
    #[test]
    fn texts_are_recorded() {
        let of = |text: &str| recorded(&[&text]);
        assert_eq!(of("mov.u32 %r1, 1;"), of("mov.u32 %r1, 1;"));
        assert_ne!(of("mov.u32 %r1, 1;"), of("mov.u32 %r1, 2;"));
    }
}
