//! Numbers and memory accesses as a page shows them.

use ptxsim::trace::MemoryAccess;
use ptxsim::{Action, Space};

/// A floating-point number: in scientific notation where it is very large or small.
pub fn number(value: impl Into<f64> + std::fmt::Display + std::fmt::LowerExp + Copy) -> String {
    let magnitude: f64 = value.into().abs();
    if magnitude == 0.0 || !magnitude.is_finite() || (1e-4..1e9).contains(&magnitude) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// What an access does: `read`, `write` or `atomic`.
pub fn action(access: &MemoryAccess) -> &'static str {
    match access.access.action {
        Action::Write => "write",
        Action::Atomic => "atomic",
        _ => "read",
    }
}

/// The space of an access.
pub fn space(access: &MemoryAccess) -> &'static str {
    match access.access.space {
        Some(Space::Shared) => "shared",
        Some(Space::Local) => "local",
        Some(Space::Constant) => "constant",
        _ => "global",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown = [number(0.1_f32), number(3e12_f32), number(-7.0), number(f64::NAN)];
        assert_eq!(shown, ["0.1", "3e12", "-7", "NaN"]);
        assert_eq!([number(0.0), number(1e-7)], ["0", "1e-7"]);
    }
}
