//! Each instruction against the bit-by-bit definition that the PTX ISA gives for it.

use super::*;
use proptest::prelude::*;

fn bit(x: u64, i: u32) -> u64 {
    x >> i & 1
}

/// Position and length of a field in a type whose top bit is `msb`: with 32 bits they are bytes,
/// with 64 bits more than 255 is the same as 255.
fn field(pos: u32, len: u32, msb: u32) -> (u32, u32) {
    if msb == 63 { (pos.min(0xff), len.min(0xff)) } else { (pos & 0xff, len & 0xff) }
}

fn bfe(a: u64, b: u32, c: u32, msb: u32, signed: bool) -> u64 {
    let (pos, len) = field(b, c, msb);
    let sign = if !signed || len == 0 { 0 } else { bit(a, (pos + len - 1).min(msb)) };
    (0..=msb)
        .fold(0, |d, i| d | (if i < len && pos + i <= msb { bit(a, pos + i) } else { sign }) << i)
}

fn bfi(a: u64, b: u64, c: u32, d: u32, msb: u32) -> u64 {
    let (pos, len) = field(c, d, msb);
    (0..len)
        .filter(|i| pos + i <= msb)
        .fold(b, |f, i| f & !(1 << (pos + i)) | bit(a, i) << (pos + i))
}

fn bfind(a: u64, msb: u32, signed: bool) -> u32 {
    let a = if signed && bit(a, msb) == 1 { !a } else { a };
    (0..=msb).rev().find(|&i| bit(a, i) == 1).unwrap_or(u32::MAX)
}

fn fns_defined(mask: u32, base: u32, offset: i32) -> u32 {
    if offset == 0 {
        return if mask >> base & 1 == 1 { base } else { u32::MAX };
    }
    let (mut pos, mut count) = (i64::from(base), i64::from(offset).abs() - 1);
    while (0..32).contains(&pos) {
        if mask >> pos & 1 == 1 {
            if count == 0 {
                return pos as u32;
            }
            count -= 1;
        }
        pos += i64::from(offset).signum();
    }
    u32::MAX
}

fn bmsk_defined(a: u32, b: u32, clamp: bool) -> u32 {
    let (a1, b1) = (a & 31, b & 31);
    let mut mask0 = u32::MAX << a1;
    let mut overflow = a1 + b1 >= 32;
    if clamp && a >= 32 {
        (overflow, mask0) = (true, 0);
    }
    overflow |= clamp && b >= 32;
    let mask1 = if overflow {
        0
    } else if b1 == 0 {
        u32::MAX
    } else {
        u32::MAX << (a1 + b1)
    };
    mask0 & !mask1
}

fn szext_defined(a: u32, b: u32, clamp: bool, signed: bool) -> u32 {
    let (b1, large) = (b & 31, b >= 32 && clamp);
    let mask = if large { 0 } else { u32::MAX << b1 };
    let sign = b1 != 0 && !large && signed && a >> (b1 - 1) & 1 == 1;
    a & !mask | if sign { mask } else { 0 }
}

/// Amounts around every boundary, and beyond all of them.
fn amount() -> impl Strategy<Value = u32> {
    prop_oneof![0u32..70, 250u32..262, any::<u32>()]
}

proptest! {
    #[test]
    fn fields_follow_the_definition(a: u64, b: u64, start in amount(), length in amount()) {
        prop_assert_eq!(u64::from(bfe_u32(a as u32, start, length)), bfe(a, start, length, 31, false));
        prop_assert_eq!(bfe_u64(a, start, length), bfe(a, start, length, 63, false));
        prop_assert_eq!(bfe_s32(a as i32, start, length) as u32, bfe(a, start, length, 31, true) as u32);
        prop_assert_eq!(bfe_s64(a as i64, start, length) as u64, bfe(a, start, length, 63, true));
        let expected = bfi(a, b & 0xffff_ffff, start, length, 31);
        prop_assert_eq!(u64::from(bfi_b32(a as u32, b as u32, start, length)), expected);
        prop_assert_eq!(bfi_b64(a, b, start, length), bfi(a, b, start, length, 63));
    }

    #[test]
    fn the_highest_bit_is_found(a: u64, drop in 0u32..64) {
        let a = a >> drop;
        for a in [a, !a, 0, u64::MAX] {
            prop_assert_eq!(bfind_u32(a as u32), bfind(a & 0xffff_ffff, 31, false));
            prop_assert_eq!(bfind_s32(a as i32), bfind(a & 0xffff_ffff, 31, true));
            prop_assert_eq!(bfind_u64(a), bfind(a, 63, false));
            prop_assert_eq!(bfind_s64(a as i64), bfind(a, 63, true));
        }
        let found = bfind_u64(a);
        if found != u32::MAX {
            prop_assert_eq!(a << bfind_shift(found, 63) >> 63, 1);
        }
    }

    #[test]
    fn shifts_clamp(a: u64, by in amount()) {
        let wide = by.min(127);
        prop_assert_eq!(u128::from(shl_b32(a as u32, by)), (u128::from(a as u32) << wide.min(64)) & 0xffff_ffff);
        prop_assert_eq!(u128::from(shr_u64(a, by)), u128::from(a) >> wide);
        prop_assert_eq!(i128::from(shr_s64(a as i64, by)), i128::from(a as i64) >> wide);
        prop_assert_eq!(i128::from(shr_s16(a as i16, by)), i128::from(a as i16) >> wide);
        prop_assert_eq!(u128::from(shr_u16(a as u16, by)), u128::from(a as u16) >> wide);
        prop_assert_eq!(u128::from(shl_b16(a as u16, by)), (u128::from(a as u16) << wide.min(64)) & 0xffff);
    }

    #[test]
    fn funnel_shifts_follow_the_definition(a: u32, b: u32, by in amount()) {
        for (mode, n) in [(Overshoot::Wrap, by & 31), (Overshoot::Clamp, by.min(32))] {
            let (up, down) = (|x: u32, n| shl_b32(x, n), |x: u32, n| shr_u32(x, n));
            prop_assert_eq!(shf_l(a, b, by, mode), up(b, n) | down(a, 32 - n));
            prop_assert_eq!(shf_r(a, b, by, mode), up(b, 32 - n) | down(a, n));
        }
    }

    #[test]
    fn lop3_computes_any_function_of_three_bits(a: u32, b: u32, c: u32, table: u8) {
        let expected = (0..32).fold(0, |d, i| {
            let index = (a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1;
            d | (u32::from(table) >> index & 1) << i
        });
        prop_assert_eq!(lop3(a, b, c, table), expected);
    }

    #[test]
    fn masks_and_extensions_follow_the_definition(a: u32, b in amount(), c in amount()) {
        for (mode, clamp) in [(Overshoot::Clamp, true), (Overshoot::Wrap, false)] {
            prop_assert_eq!(bmsk(b, c, mode), bmsk_defined(b, c, clamp), "{} {} {:?}", b, c, mode);
            prop_assert_eq!(szext_u32(a, b, mode), szext_defined(a, b, clamp, false));
            prop_assert_eq!(szext_s32(a as i32, b, mode) as u32, szext_defined(a, b, clamp, true));
        }
    }

    #[test]
    fn the_nth_set_bit(mask: u32, base in 0u32..32, offset in -40i32..40) {
        prop_assert_eq!(fns(mask, base, offset), fns_defined(mask, base, offset));
    }

    #[test]
    fn generic_permute_copies_or_spreads(a: u32, b: u32, control: u32) {
        let bytes = [a.to_le_bytes(), b.to_le_bytes()].concat();
        let expected: [u8; 4] = std::array::from_fn(|i| {
            let s = (control >> (4 * i) & 15) as usize;
            let byte = bytes[s & 7];
            if s < 8 { byte } else if byte >= 128 { 255 } else { 0 }
        });
        prop_assert_eq!(prmt(a, b, control, Permute::Generic).to_le_bytes(), expected);
    }
}

#[test]
fn permute_modes_follow_the_table() {
    // Bytes numbered as the manual numbers them: {b, a} = 7 6 5 4 3 2 1 0. Rows are d.b3 .. d.b0.
    let table = [
        (Permute::Forward4, ["3210", "4321", "5432", "6543"]),
        (Permute::Backward4, ["5670", "6701", "7012", "0123"]),
        (Permute::Replicate8, ["0000", "1111", "2222", "3333"]),
        (Permute::EdgeLeft, ["3210", "3211", "3222", "3333"]),
        (Permute::EdgeRight, ["0000", "1110", "2210", "3210"]),
        (Permute::Replicate16, ["1010", "3232", "1010", "3232"]),
    ];
    for (mode, rows) in table {
        for (control, row) in (0..).zip(rows) {
            let digits = row.bytes().fold(0, |word, d| word << 8 | u32::from(d - b'0'));
            assert_eq!(prmt(0x0302_0100, 0x0706_0504, control | 0xfffc, mode), digits, "{mode:?}");
        }
    }
}

#[test]
fn fns_examples_of_the_manual() {
    for (base, offset, found) in [(3, 1, 3), (3, -1, 3), (2, 1, 3), (2, -1, 1)] {
        assert_eq!(fns(0xaaaa_aaaa, base, offset), found);
    }
    assert_eq!(fns(u32::MAX, 32, 1), u32::MAX);
    assert_eq!(fns(u32::MAX, 31, i32::MIN), u32::MAX);
}
