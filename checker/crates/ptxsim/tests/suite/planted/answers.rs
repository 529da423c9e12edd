//! What the repaired kernels must compute.

use crate::common::Ran;

/// Whether the buffers are as the repaired kernel `name` must leave them.
pub fn check(name: &str, ran: &Ran) -> Result<(), String> {
    let Some((_, buffer, wanted)) = ANSWERS.iter().find(|a| a.0 == name) else {
        return Err("nobody says what it must compute".to_owned());
    };
    match wanted {
        Ints(f) => compare(&ran.get::<i32>(buffer), *f),
        Floats(f) => compare(&ran.get::<f32>(buffer), *f),
        Doubles(f) => compare(&ran.get::<f64>(buffer), *f),
        Bytes(f) => compare(&ran.get::<u8>(buffer), *f),
    }
}

/// Element `i` of the buffer.
enum Wanted {
    Ints(fn(usize) -> i32),
    Floats(fn(usize) -> f32),
    Doubles(fn(usize) -> f64),
    Bytes(fn(usize) -> u8),
}
use Wanted::{Bytes, Doubles, Floats, Ints};

fn compare<T: PartialEq + std::fmt::Debug>(
    got: &[T],
    wanted: fn(usize) -> T,
) -> Result<(), String> {
    for (i, g) in got.iter().enumerate() {
        let w = wanted(i);
        if *g != w {
            return Err(format!("[{i}] is {g:?}, not {w:?}"));
        }
    }
    Ok(())
}

/// The kernel, a buffer, and what is in it afterwards.
const ANSWERS: &[(&str, &str, Wanted)] = &[
    ("last_element_fixed", "out", Floats(|i| 2.0 * i as f32)),
    ("before_start_fixed", "out", Floats(|i| if i > 0 { 1.0 } else { 0.0 })),
    ("swapped_guard_fixed", "out", Ints(|i| i as i32 + 1)),
    ("negative_hash_fixed", "bins", Ints(|_| 2)),
    ("misaligned_rows_fixed", "out", Floats(|i| (4 * 33 * i + 6) as f32)),
    ("misaligned_record_fixed", "file", Doubles(|i| if i > 0 { 1.5 } else { 0.0 })),
    ("null_output_fixed", "squares", Floats(|i| (i * i) as f32)),
    ("host_pointer_fixed", "out", Floats(|i| i as f32)),
    ("truncated_pointer_fixed", "out", Floats(|i| 32.0 + i as f32)),
    ("shared_next_door_fixed", "out", Ints(|i| (i * i.max(1).abs_diff(1) / 2) as i32)),
    ("shared_far_away_fixed", "out", Floats(|_| 4.0)),
    ("dynamic_bytes_fixed", "out", Floats(|i| 63.0 - i as f32)),
    ("local_window_fixed", "out", Ints(|i| window(i))),
    ("struct_of_arrays_fixed", "out", Floats(|i| squares(i) + squares(i + 32) + squares(i + 64))),
    ("two_at_a_time_fixed", "out", Ints(|i| (i + if i + 64 < 100 { i + 64 } else { 0 }) as i32)),
    ("constant_filter_fixed", "out", Floats(|i| i as f32 + 2.0)),
    ("written_constant_fixed", "own", Ints(|_| 5)),
    ("terminator_fixed", "text", Bytes(|i| if i < 63 { b'A' } else { 0 })),
    ("endless_list_fixed", "out", Ints(|_| 4)),
    ("used_after_free_fixed", "out", Ints(|i| (16 * i + i * 7 % 16) as i32)),
    ("freed_by_all_fixed", "out", Ints(|i| 31 - i as i32)),
    ("heap_overrun_fixed", "out", Ints(|i| (9 * i * i) as i32)),
];

fn squares(i: usize) -> f32 {
    (i * i) as f32
}

/// `local_window_fixed`: of the nine elements the last two in one slot.
fn window(t: usize) -> i32 {
    (16 * t + (0..9).rfind(|i| i * 5 % 8 == t).unwrap_or_default()) as i32
}
