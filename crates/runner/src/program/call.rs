//! Calls a function of a loaded program whose parameters are known only at run time.
//!
//! Both calling conventions that matter here pass integers (and pointers) and floats in separate
//! registers, each class in the order of the parameters (System V ABI for AMD64, section 3.2.3;
//! AAPCS64, section 6.8.2). So every function with few enough parameters can be called like a
//! function that takes all integers first, and then all floats. Registers and stack words that the
//! function does not read may have any value.

#![expect(unsafe_code, reason = "a call into the program")]

use std::ffi::c_void;

/// The most integers that a call can pass. Those beyond the registers are on the stack, in order,
/// one word each.
const MAX_INTEGERS: usize = 12;
/// The most floats that a call can pass. There is a register for each, so that none of them is on
/// the stack among the integers.
const MAX_FLOATS: usize = 8;

/// An argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Argument {
    /// A pointer, or an integer that is extended to 64 bits according to its sign.
    Integer(u64),
    /// A `float`.
    F32(f32),
    /// A `double`.
    F64(f64),
}

#[rustfmt::skip]
type AnyFunction = unsafe extern "C-unwind" fn(
    u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, f64, f64, f64, f64, f64, f64, f64, f64,
);

/// Calls `function`. Returns `None` without a call if there are too many arguments.
///
/// # Safety
/// `function` must be a C function whose parameters have exactly the types of `arguments`, and
/// pointers must point to what it expects.
pub unsafe fn call(function: *const c_void, arguments: &[Argument]) -> Option<()> {
    let (mut integers, mut floats) = ([0_u64; MAX_INTEGERS], [0_f64; MAX_FLOATS]);
    let (mut i, mut f) = (0, 0);
    for argument in arguments {
        match *argument {
            Argument::Integer(value) => {
                *integers.get_mut(i)? = value;
                i += 1;
            }
            // a float is in the low half of its register
            Argument::F32(value) => {
                *floats.get_mut(f)? = f64::from_bits(u64::from(value.to_bits()));
                f += 1;
            }
            Argument::F64(value) => {
                *floats.get_mut(f)? = value;
                f += 1;
            }
        }
    }
    // SAFETY: the caller guarantees that this is a function.
    let function: AnyFunction = unsafe { std::mem::transmute(function) };
    let ([a, b, c, d, e, g, h, i, j, k, l, m], [p, q, r, s, t, u, v, w]) = (integers, floats);
    // SAFETY: the caller guarantees the types of the parameters, and by the conventions above each
    // argument is where the function reads it.
    unsafe { function(a, b, c, d, e, g, h, i, j, k, l, m, p, q, r, s, t, u, v, w) };
    Some(())
}

#[cfg(test)]
mod tests {
    use super::{Argument, call};

    static SEEN: std::sync::Mutex<String> = std::sync::Mutex::new(String::new());

    extern "C" fn mixed(
        a: *const f32,
        x: f32,
        n: i32,
        d: f64,
        m: u64,
        y: f32,
        i: i32,
        j: u32,
        k: i64,
        l: i32,
        o: u8,
    ) {
        // SAFETY: the test passes a pointer to one float.
        let first = unsafe { *a };
        *SEEN.lock().unwrap() = format!("{first} {x} {n} {d} {m} {y} {i} {j} {k} {l} {o}");
    }

    #[test]
    fn every_argument_arrives() {
        use Argument::{F32, F64, Integer};
        let a = [1.5_f32];
        let arguments = [
            Integer(a.as_ptr() as u64),
            F32(-2.25),
            Integer(-7_i64 as u64),
            F64(1e300),
            Integer(u64::MAX),
            F32(3.0),
            Integer(-1_i64 as u64),
            Integer(4_000_000_000),
            Integer(i64::MIN as u64),
            Integer(-9_i64 as u64),
            Integer(255),
        ];
        // SAFETY: the arguments have the types of the parameters of `mixed`.
        let called = unsafe { call(mixed as *const _, &arguments) };
        assert_eq!(called, Some(()));
        let expected =
            format!("1.5 -2.25 -7 {} {} 3 -1 4000000000 {} -9 255", 1e300, u64::MAX, i64::MIN);
        assert_eq!(*SEEN.lock().unwrap(), expected);
        // SAFETY: nothing is called.
        assert_eq!(unsafe { call(mixed as *const _, &[Integer(0); 13]) }, None);
    }
}
