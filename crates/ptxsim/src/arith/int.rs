//! Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer
//! Arithmetic Instructions"). Everything wraps unless it says otherwise.

macro_rules! high_products {
    ($($name:ident: $int:ident in $wide:ident;)*) => { $(
        #[doc = concat!("`mul.hi` of `", stringify!($int), "`: the upper half of the double-width product.")]
        #[inline(always)]
        pub fn $name(a: $int, b: $int) -> $int {
            ((<$wide>::from(a) * <$wide>::from(b)) >> $int::BITS) as $int
        }
    )* };
}

high_products! {
    mul_hi_u16: u16 in u32;
    mul_hi_s16: i16 in i32;
    mul_hi_u32: u32 in u64;
    mul_hi_s32: i32 in i64;
    mul_hi_u64: u64 in u128;
    mul_hi_s64: i64 in i128;
}

macro_rules! divisions {
    ($($div:ident, $rem:ident: $int:ident;)*) => { $(
        #[doc = concat!("`div` of `", stringify!($int), "`, truncating.")]
        ///
        /// PTX: division by zero "yields an unspecified, machine-specific value". Compiled code of
        /// NVIDIA's ptxas returns all ones, and so does this. The least number over -1 wraps to
        /// itself.
        #[inline(always)]
        pub fn $div(a: $int, b: $int) -> $int {
            if b == 0 { !0 } else { a.wrapping_div(b) }
        }

        #[doc = concat!("`rem` of `", stringify!($int), "`; by zero all ones, like the quotient.")]
        #[inline(always)]
        pub fn $rem(a: $int, b: $int) -> $int {
            if b == 0 { !0 } else { a.wrapping_rem(b) }
        }
    )* };
}

divisions! {
    div_u16, rem_u16: u16;
    div_s16, rem_s16: i16;
    div_u32, rem_u32: u32;
    div_s32, rem_s32: i32;
    div_u64, rem_u64: u64;
    div_s64, rem_s64: i64;
}

/// The 48-bit product of the low 24 bits, taken as unsigned numbers.
#[inline(always)]
fn product24_u(a: u32, b: u32) -> u64 {
    u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)
}

/// The 48-bit product of the low 24 bits, taken as signed numbers.
#[inline(always)]
fn product24_s(a: i32, b: i32) -> i64 {
    i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)
}

/// `mul24.lo.u32`: bits 31..0 of the 48-bit product.
#[inline(always)]
pub fn mul24_lo_u32(a: u32, b: u32) -> u32 {
    product24_u(a, b) as u32
}

/// `mul24.hi.u32`: bits 47..16 of the 48-bit product.
#[inline(always)]
pub fn mul24_hi_u32(a: u32, b: u32) -> u32 {
    (product24_u(a, b) >> 16) as u32
}

/// `mul24.lo.s32`: bits 31..0 of the 48-bit product.
#[inline(always)]
pub fn mul24_lo_s32(a: i32, b: i32) -> i32 {
    product24_s(a, b) as i32
}

/// `mul24.hi.s32`: bits 47..16 of the 48-bit product.
#[inline(always)]
pub fn mul24_hi_s32(a: i32, b: i32) -> i32 {
    (product24_s(a, b) >> 16) as i32
}

/// `mad24.hi.sat.s32`: the sum clamps to the range of `.s32`. The other `mad24` are `mul24` and a
/// wrapping add.
#[inline(always)]
pub fn mad24_hi_sat_s32(a: i32, b: i32, c: i32) -> i32 {
    mul24_hi_s32(a, b).saturating_add(c)
}

/// `mad.hi.sat.s32`: the sum clamps to the range of `.s32`.
#[inline(always)]
pub fn mad_hi_sat_s32(a: i32, b: i32, c: i32) -> i32 {
    mul_hi_s32(a, b).saturating_add(c)
}

macro_rules! absolute_differences {
    ($($name:ident: $int:ident, $magnitude:ident;)*) => { $(
        #[doc = concat!("`sad` of `", stringify!($int), "`: `c + |a - b|`, the difference without overflow.")]
        #[inline(always)]
        pub fn $name(a: $int, b: $int, c: $int) -> $int {
            c.wrapping_add(a.abs_diff(b) as $int)
        }
    )* };
}

absolute_differences! {
    sad_u16: u16, u16;
    sad_s16: i16, u16;
    sad_u32: u32, u32;
    sad_s32: i32, u32;
    sad_u64: u64, u64;
    sad_s64: i64, u64;
}

macro_rules! carries {
    ($($add:ident, $sub:ident, $mad_lo:ident, $mad_hi_u:ident, $mad_hi_s:ident, $hi_u:ident, $hi_s:ident: $int:ident as $signed:ident;)*) => { $(
        /// `add.cc` (with `carry` false), `addc`, `addc.cc`: `a + b + carry` and the carry out.
        #[inline(always)]
        pub fn $add(a: $int, b: $int, carry: bool) -> ($int, bool) {
            let (partial, first) = a.overflowing_add(b);
            let (sum, second) = partial.overflowing_add($int::from(carry));
            (sum, first | second)
        }

        /// `sub.cc` (with `carry` true), `subc`, `subc.cc`: `a + !b + carry` and the carry out. The
        /// hardware subtracts by adding the complement, so the condition code holds the carry of
        /// that sum, which is clear after a borrow. An `addc` after a `sub.cc` shows it.
        #[inline(always)]
        pub fn $sub(a: $int, b: $int, carry: bool) -> ($int, bool) {
            $add(a, !b, carry)
        }

        /// `mad.lo.cc` (with `carry` false), `madc.lo`, `madc.lo.cc`, of either signedness.
        #[inline(always)]
        pub fn $mad_lo(a: $int, b: $int, c: $int, carry: bool) -> ($int, bool) {
            $add(a.wrapping_mul(b), c, carry)
        }

        /// `mad.hi.cc` (with `carry` false), `madc.hi`, `madc.hi.cc`, unsigned.
        #[inline(always)]
        pub fn $mad_hi_u(a: $int, b: $int, c: $int, carry: bool) -> ($int, bool) {
            $add($hi_u(a, b), c, carry)
        }

        /// `mad.hi.cc` (with `carry` false), `madc.hi`, `madc.hi.cc`, signed; the carry is still
        /// that of the bits.
        #[inline(always)]
        pub fn $mad_hi_s(a: $int, b: $int, c: $int, carry: bool) -> ($int, bool) {
            $add($hi_s(a as $signed, b as $signed) as $int, c, carry)
        }
    )* };
}

carries! {
    add_carry_32, sub_carry_32, mad_lo_carry_32, mad_hi_carry_u32, mad_hi_carry_s32, mul_hi_u32, mul_hi_s32: u32 as i32;
    add_carry_64, sub_carry_64, mad_lo_carry_64, mad_hi_carry_u64, mad_hi_carry_s64, mul_hi_u64, mul_hi_s64: u64 as i64;
}

/// Bits `from .. from + width` of `x` as a number of the given signedness.
#[inline(always)]
fn field(x: u32, from: u32, width: u32, signed: bool) -> i32 {
    let raised = x << (32 - width - from);
    if signed { raised as i32 >> (32 - width) } else { (raised >> (32 - width)) as i32 }
}

/// `dp4a.atype.btype`: `c` plus the dot product of four packed bytes.
#[inline(always)]
pub fn dp4a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..4).fold(c, |sum, i| {
        let product = field(a, 8 * i, 8, a_signed) * field(b, 8 * i, 8, b_signed);
        sum.wrapping_add(product as u32)
    })
}

/// `dp2a.mode.atype.btype`: `c` plus the dot product of two packed 16-bit numbers of `a` with the
/// lower (`high` false) or upper two bytes of `b`.
#[inline(always)]
pub fn dp2a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, high: bool) -> u32 {
    let base = if high { 16 } else { 0 };
    (0..2).fold(c, |sum, i| {
        let product = field(a, 16 * i, 16, a_signed) * field(b, base + 8 * i, 8, b_signed);
        sum.wrapping_add(product as u32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn divisions_that_rust_refuses() {
        assert_eq!(div_u32(7, 0), u32::MAX);
        assert_eq!(rem_u32(7, 0), u32::MAX);
        assert_eq!(div_s32(7, 0), -1);
        assert_eq!(rem_s64(7, 0), -1);
        assert_eq!(div_s32(i32::MIN, -1), i32::MIN);
        assert_eq!(rem_s32(i32::MIN, -1), 0);
        assert_eq!(div_s64(i64::MIN, -1), i64::MIN);
        assert_eq!(div_s16(-7, 2), -3);
        assert_eq!(rem_s16(-7, 2), -1);
    }

    #[test]
    fn products_of_24_bits() {
        assert_eq!(mul24_lo_u32(0xff00_0003, 5), 15);
        assert_eq!(mul24_hi_u32(0x00ff_ffff, 0x00ff_ffff), 0xffff_fe00);
        assert_eq!(mul24_lo_s32(0x00ff_ffff, 5), -5);
        assert_eq!(mul24_hi_s32(0x00ff_ffff, 1), -1);
        assert_eq!(mad24_hi_sat_s32(0x007f_ffff, 0x007f_ffff, i32::MAX), i32::MAX);
        assert_eq!(mad_hi_sat_s32(i32::MIN, i32::MAX, i32::MIN), i32::MIN);
    }

    #[test]
    fn dot_products_of_packed_bytes() {
        assert_eq!(dp4a(0x0102_0304, 0x0101_0101, 100, false, false), 110);
        assert_eq!(dp4a(0xffff_ffff, 0x0101_0101, 0, true, false) as i32, -4);
        assert_eq!(dp4a(0xffff_ffff, 0xffff_ffff, 0, false, true) as i32, -1020);
        assert_eq!(dp2a(0x0002_0003, 0x0a0b_0102, 1, false, false, false), 1 + 6 + 2);
        assert_eq!(dp2a(0x0002_ffff, 0x0a0b_0102, 0, true, false, true) as i32, -11 + 20);
    }

    #[test]
    fn absolute_differences_do_not_overflow() {
        assert_eq!(sad_s32(i32::MIN, i32::MAX, 1), 0);
        assert_eq!(sad_u32(3, 10, 5), 12);
        assert_eq!(sad_s16(-3, 4, 0), 7);
    }

    proptest! {
        #[test]
        fn high_halves(a: u64, b: u64) {
            // Schoolbook multiplication of 32-bit halves.
            let (a1, a0, b1, b0) = (a >> 32, a & 0xffff_ffff, b >> 32, b & 0xffff_ffff);
            let low = |x: u64| x & 0xffff_ffff;
            let middle = ((a0 * b0) >> 32) + low(a1 * b0) + low(a0 * b1);
            let high = a1 * b1 + ((a1 * b0) >> 32) + ((a0 * b1) >> 32) + (middle >> 32);
            prop_assert_eq!(mul_hi_u64(a, b), high);
            // Signed from unsigned: subtract b where a is negative, and a where b is.
            let correction = (a >> 63).wrapping_mul(b).wrapping_add((b >> 63).wrapping_mul(a));
            prop_assert_eq!(mul_hi_s64(a as i64, b as i64) as u64, high.wrapping_sub(correction));
            prop_assert_eq!(u64::from(mul_hi_u32(a as u32, b as u32)), (a0 * b0) >> 32);
        }

        #[test]
        fn carries_chain_to_wider_sums(a: u64, b: u64, c: u32) {
            let (low, carry) = add_carry_32(a as u32, b as u32, false);
            let (high, _) = add_carry_32((a >> 32) as u32, (b >> 32) as u32, carry);
            prop_assert_eq!(u64::from(high) << 32 | u64::from(low), a.wrapping_add(b));
            let (low, carry) = sub_carry_32(a as u32, b as u32, true);
            prop_assert_eq!(carry, a as u32 >= b as u32);
            let (high, _) = sub_carry_32((a >> 32) as u32, (b >> 32) as u32, carry);
            prop_assert_eq!(u64::from(high) << 32 | u64::from(low), a.wrapping_sub(b));
            let (low, carry) = mad_lo_carry_32(a as u32, b as u32, c, false);
            let (high, _) = mad_hi_carry_u32(a as u32, b as u32, 0, carry);
            let expected = u64::from(a as u32) * u64::from(b as u32) + u64::from(c);
            prop_assert_eq!(u64::from(high) << 32 | u64::from(low), expected);
            let (sum, carry) = add_carry_64(a, b, true);
            prop_assert_eq!(u128::from(carry) << 64 | u128::from(sum), u128::from(a) + u128::from(b) + 1);
        }

        #[test]
        fn nothing_panics(a: u64, b: u64, c: u64) {
            let (x, y, z) = (a as u32, b as u32, c as u32);
            for (s, t) in [(false, false), (false, true), (true, false), (true, true)] {
                dp4a(x, y, z, s, t);
                dp2a(x, y, z, s, t, s);
            }
            sad_s64(a as i64, b as i64, c as i64);
            mad_hi_carry_s64(a, b, c, true);
            mad24_hi_sat_s32(x as i32, y as i32, z as i32);
            div_s16(a as i16, b as i16);
        }
    }
}
