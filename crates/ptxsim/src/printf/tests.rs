//! The expected texts are the C library's for the same directives.

use super::*;
use proptest::prelude::*;

enum Arg {
    Int(i32),
    Wide(u64),
    Double(f64),
}
use Arg::*;

/// Packs arguments as the compiler does.
fn pack(args: &[Arg]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for arg in args {
        let (data, size) = match arg {
            Int(x) => (x.to_le_bytes().to_vec(), 4),
            Wide(x) => (x.to_le_bytes().to_vec(), 8),
            Double(x) => (x.to_le_bytes().to_vec(), 8),
        };
        bytes.resize(bytes.len().next_multiple_of(size), 0xee);
        bytes.extend(data);
    }
    bytes
}

fn show(text: &str, args: &[Arg]) -> String {
    format(text.as_bytes(), &pack(args), &|address| (address == 64).then(|| b"tile".to_vec())).0
}

#[test]
fn integers() {
    for (text, value, expected) in [
        ("%d", -42, "-42"),
        ("%5d|", 42, "   42|"),
        ("%-5d|", 42, "42   |"),
        ("%05d", -42, "-0042"),
        ("%+d", 42, "+42"),
        ("% d", 42, " 42"),
        ("%.4d", -7, "-0007"),
        ("%6.3d|", 7, "   007|"),
        ("%06.3d|", 7, "   007|"),
        ("%.0d|", 0, "|"),
        ("%u", -1, "4294967295"),
        ("%x", 255, "ff"),
        ("%#X", 255, "0XFF"),
        ("%#010x", 255, "0x000000ff"),
        ("%#o", 8, "010"),
        ("%#x", 0, "0"),
        ("%hhd", 300, "44"),
        ("%hu", -1, "65535"),
        ("%c", 65, "A"),
        ("%3c|", 65, "  A|"),
        ("100%%", 0, "100%"),
    ] {
        assert_eq!(show(text, &[Int(value)]), expected, "{text}");
    }
    assert_eq!(
        show("%lld %llu %zu", &[Wide(u64::MAX), Wide(u64::MAX), Wide(7)]),
        "-1 18446744073709551615 7"
    );
    assert_eq!(show("%*d|%-*d|", &[Int(4), Int(7), Int(3), Int(8)]), "   7|8  |");
    assert_eq!(show("%*d|", &[Int(-4), Int(7)]), "7   |");
    assert_eq!(show("%.*f", &[Int(2), Double(1.005)]), "1.00");
}

#[test]
fn floats() {
    for (text, value, expected) in [
        ("%f", 1.5, "1.500000"),
        ("%.2f", -2.675, "-2.67"),
        ("%8.3f|", 9.87654, "   9.877|"),
        ("%-8.1f|", 0.25, "0.2     |"),
        ("%08.2f", -1.5, "-0001.50"),
        ("%.0f", 2.5, "2"),
        ("%#.0f", 2.5, "2."),
        ("%f", f64::INFINITY, "inf"),
        ("%06f", f64::NEG_INFINITY, "  -inf"),
        ("%F", f64::NAN, "NAN"),
        ("%e", 12345.678, "1.234568e+04"),
        ("%.3E", 1e-300, "1.000E-300"),
        ("%e", 0.0, "0.000000e+00"),
        ("%g", 0.0001, "0.0001"),
        ("%g", 0.00001, "1e-05"),
        ("%g", 1e6, "1e+06"),
        ("%g", 123456.0, "123456"),
        ("%g", 100.0, "100"),
        ("%#g", 1.0, "1.00000"),
        ("%.3g", 1234.5, "1.23e+03"),
        ("%g", 0.0, "0"),
        ("%G", 1e-10, "1E-10"),
        ("%a", 1.0, "0x1p+0"),
        ("%a", -0.15625, "-0x1.4p-3"),
        ("%a", 0.0, "0x0p+0"),
        ("%a", f64::from_bits(1), "0x0.0000000000001p-1022"),
        ("%.1a", 1.96875, "0x2.0p+0"),
        ("%.3A", 1.0, "0X1.000P+0"),
        ("%lf", 0.1, "0.100000"),
    ] {
        assert_eq!(show(text, &[Double(value)]), expected, "{text} of {value}");
    }
}

#[test]
fn strings_pointers_and_alignment() {
    assert_eq!(
        show("[%s] [%6s] [%-6s] [%.2s]", &[Wide(64), Wide(64), Wide(64), Wide(64)]),
        "[tile] [  tile] [tile  ] [ti]"
    );
    assert_eq!(show("%s", &[Wide(1)]), "(null)");
    assert_eq!(show("%p %p", &[Wide(0x7f00), Wide(0)]), "0x7f00 (nil)");
    assert_eq!(
        show("%d %f %d %d %lld", &[Int(1), Double(2.0), Int(3), Int(4), Wide(5)]),
        "1 2.000000 3 4 5"
    );
}

#[test]
fn malformed_directives_are_printed_as_written() {
    assert_eq!(show("%d %d", &[Int(1)]), "1 %d", "an argument is missing");
    assert_eq!(show("%y 5%", &[]), "%y 5%", "an unknown conversion, and none");
    assert_eq!(show("%5.2q|", &[]), "%5.2q|");
    assert_eq!(format(b"a\0b", &[], &|_| None).0, "a", "ends at the zero");
    assert_eq!(format(b"\xff", &[], &|_| None).0, "\u{fffd}");
    let many: Vec<Arg> = (0..40).map(Int).collect();
    assert!(
        show(&"%d ".repeat(40), &many).ends_with("30 31 %d %d %d %d %d %d %d %d "),
        "32 arguments at most"
    );
    assert_eq!(show("%999999999d", &[Int(1)]).len(), MAX_FIELD_WIDTH);
}

proptest! {
    #[test]
    fn never_panics(text in "(%[-+ #0]{0,3}[0-9*]{0,12}(\\.[0-9*]{0,12})?[hlzjt]{0,3}[%a-zA-Z]|\\PC){0,8}", args: Vec<u8>) {
        format(text.as_bytes(), &args, &|address| Some(address.to_le_bytes().to_vec()));
    }

    #[test]
    fn never_panics_on_bytes(text: Vec<u8>, args: Vec<u8>) {
        format(&text, &args, &|_| None);
    }

    #[test]
    fn plain_numbers_print_as_rust_prints_them(n: i32, w: u64, x: f32) {
        let text = show("%d %llx %.9g", &[Int(n), Wide(w), Double(f64::from(x))]);
        let (integers, float) = text.rsplit_once(' ').unwrap_or_default();
        prop_assert_eq!(integers, format!("{n} {w:x}"));
        let back: f32 = float.parse().unwrap_or(f32::NAN);
        prop_assert!(back == x || x.is_nan(), "nine digits give the float back");
    }
}

/// CUDA C++ Programming Guide, "Formatted Output": unlike C's, the device's `printf` returns how
/// many arguments it has parsed.
#[test]
fn arguments_are_counted() {
    for (text, arguments) in [("none", 0), ("100%%", 0), ("%d %s", 2), ("%*.*f|%c", 4)] {
        assert_eq!(format(text.as_bytes(), &[0; 64], &|_| None).1, arguments, "{text}");
    }
}
