//! Numbers and memory accesses as a page shows them.

use ptxsim::trace::{Kind, MemoryAccess, Value};
use ptxsim::{Action, Space};

/// A value as text: a number in decimal, an address as what it points at.
pub fn shown(value: &Value) -> String {
    match (value.kind, &value.points_at) {
        (Kind::Pointer, Some((array, 0))) => format!("&{array}[0]"),
        (Kind::Pointer, Some((array, index))) => format!("&{array}[{index}]"),
        (Kind::Bool, _) => (value.bits != 0).to_string(),
        (Kind::Float, _) if value.bytes == 4 => number(f32::from_bits(value.bits as u32)),
        (Kind::Float, _) if value.bytes == 8 => number(f64::from_bits(value.bits)),
        _ => value.integer().map_or_else(|| format!("{:#x}", value.bits), |n| n.to_string()),
    }
}

/// A floating-point number: in scientific notation where it is very large or small.
pub fn number(value: impl Into<f64> + std::fmt::Display + std::fmt::LowerExp + Copy) -> String {
    let magnitude: f64 = value.into().abs();
    if magnitude == 0.0 || !magnitude.is_finite() || (1e-4..1e9).contains(&magnitude) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// The element of an access: `tile[3][4]`, or `in[7]`.
pub fn element(access: &MemoryAccess) -> String {
    let at = &access.access;
    let name = at.array.as_deref().unwrap_or(match at.space {
        Some(Space::Local) => "local memory",
        _ => "memory",
    });
    if !access.subscripts.is_empty() {
        let parts: String = access.subscripts.iter().map(|index| format!("[{index}]")).collect();
        return format!("{name}{parts}");
    }
    at.index.map_or_else(|| name.to_owned(), |index| format!("{name}[{index}]"))
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
    fn values_are_numbers_of_their_type() {
        let value = |kind, bytes, bits| shown(&Value { kind, bytes, bits, points_at: None });
        assert_eq!(value(Kind::Signed, 4, 0xffff_fff9), "-7");
        assert_eq!(value(Kind::Float, 4, f32::to_bits(0.1).into()), "0.1");
        assert_eq!(value(Kind::Float, 4, f32::to_bits(3e12).into()), "3e12");
        assert_eq!(value(Kind::Float, 8, f64::NAN.to_bits()), "NaN");
        assert_eq!(value(Kind::Bool, 1, 1), "true");
        let points_at = Some(("in".to_owned(), 4));
        let pointer = Value { kind: Kind::Pointer, bytes: 8, bits: 0, points_at };
        assert_eq!(shown(&pointer), "&in[4]");
    }
}
