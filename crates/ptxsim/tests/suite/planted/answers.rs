//! The expected output of the fixed kernels.

use crate::common::Ran;

/// Checks the buffers after the fixed kernel `name`.
pub fn check(name: &str, ran: &Ran) -> Result<(), String> {
    let Some((_, buffer, wanted)) = ANSWERS.iter().find(|a| a.0 == name) else {
        return Err("there is no expected output for it".to_owned());
    };
    match wanted {
        Ints(f) => compare(&ran.get::<i32>(buffer), *f),
        Floats(f) => compare(&ran.get::<f32>(buffer), *f),
        Doubles(f) => compare(&ran.get::<f64>(buffer), *f),
        Bytes(f) => compare(&ran.get::<u8>(buffer), *f),
        AnyOf(lists) => {
            let got = ran.get::<i32>(buffer);
            let listed = lists.iter().any(|l| *l == *got);
            if listed { Ok(()) } else { Err(format!("{got:?} is none of {lists:?}")) }
        }
    }
}

/// Element `i` of the buffer.
enum Wanted {
    Ints(fn(usize) -> i32),
    Floats(fn(usize) -> f32),
    Doubles(fn(usize) -> f64),
    Bytes(fn(usize) -> u8),
    /// One of these values, depending on the order.
    AnyOf(&'static [[i32; 2]]),
}
use Wanted::{AnyOf, Bytes, Doubles, Floats, Ints};

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

/// The kernel, a buffer, and its contents afterwards.
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
    ("local_window_fixed", "out", Ints(window)),
    ("struct_of_arrays_fixed", "out", Floats(|i| squares(i) + squares(i + 32) + squares(i + 64))),
    ("two_at_a_time_fixed", "out", Ints(|i| (i + if i + 64 < 100 { i + 64 } else { 0 }) as i32)),
    ("constant_filter_fixed", "out", Floats(|i| i as f32 + 2.0)),
    ("written_constant_fixed", "own", Ints(|_| 5)),
    ("terminator_fixed", "text", Bytes(|i| if i < 63 { b'A' } else { 0 })),
    ("endless_list_fixed", "out", Ints(|_| 4)),
    ("used_after_free_fixed", "out", Ints(|i| (16 * i + i * 7 % 16) as i32)),
    ("freed_by_all_fixed", "out", Ints(|i| 31 - i as i32)),
    ("heap_overrun_fixed", "out", Ints(|i| (9 * i * i) as i32)),
    ("accumulated_fixed", "out", Floats(|i| (16 * i + 6) as f32)),
    ("last_tile_fixed", "out", Ints(|i| [496, 1520, 1144][i])),
    ("halo_fixed", "out", Floats(|i| [1.0, 3.0 * i as f32, 125.0][i.min(1) + i / 63])),
    ("half_a_tile_fixed", "out", Ints(|i| (i % 8 * 16 + i / 8) as i32)),
    ("local_bins_fixed", "out", Ints(|_| 2)),
    ("dynamic_bins_fixed", "out", Ints(|_| 4)),
    ("best_of_block_fixed", "out", Ints(|_| 95)),
    ("padding_fixed", "out", Ints(checksum)),
    ("three_of_four_bytes_fixed", "out", Ints(|i| ((31 - i as i32) * 0x03_02_01) | (255 << 24))),
    ("counted_on_the_heap_fixed", "out", Ints(|i| i as i32 + 1)),
    ("skipped_by_a_branch_fixed", "out", Ints(|i| [0, 100, 50][(63 - i) % 3])),
    ("tail_of_the_input_fixed", "out", Ints(|_| 8128)),
    ("wrong_half_fixed", "out", Floats(|i| i as f32 + 3.0)),
    ("longer_than_the_queue_fixed", "out", Ints(|i| if i < 16 { 0 } else { -1 })),
    ("massless_fixed", "out", Doubles(|i| 94.0 - 3.0 * i as f64)),
    ("first_of_the_scan_fixed", "out", Ints(below)),
    ("first_round_fixed", "out", Ints(|_| 2016)),
    ("between_rounds_fixed", "out", Ints(|_| 8128)),
    ("smoothed_in_place_fixed", "out", Floats(|i| if i < 63 { 1.0 } else { -63.0 })),
    ("without_syncwarp_fixed", "out", Ints(|i| 31 - i as i32)),
    ("left_out_of_the_mask_fixed", "out", Ints(|i| 2 * i as i32 + 16)),
    ("one_byte_for_two_fixed", "letters", Bytes(|i| b'a' + i as u8 % 26)),
    ("neighbours_byte_fixed", "out", Bytes(|i| (i * i) as u8)),
    ("plain_bins_fixed", "out", Ints(|_| 8)),
    ("ping_pong_fixed", "out", Ints(|i| i as i32 + 1)),
    ("wrong_pair_fixed", "out", Ints(|i| i as i32 ^ 32)),
    ("next_slice_fixed", "out", Floats(product)),
    ("half_in_use_fixed", "out", Floats(|i| (4 * (i % 16 * 16 + i / 16) + 1536) as f32)),
    ("overlapping_parts_fixed", "out", Floats(|i| 2.0 * i as f32)),
    ("early_total_fixed", "out", Ints(|i| i as i32 - 95)),
    ("copies_on_their_way_fixed", "out", Ints(|i| 63 - i as i32)),
    ("last_stage_fixed", "out", Ints(|i| 192 + 4 * (31 - i as i32))),
    ("global_bins_fixed", "bins", Ints(|_| 16)),
    ("where_blocks_meet_fixed", "out", Floats(|i| (i + 1) as f32 * 0.5)),
    ("atomics_of_a_block_fixed", "count", Ints(|_| 128)),
    ("flag_without_fence_fixed", "out", Ints(|_| 42)),
    ("fence_of_a_block_fixed", "out", Ints(|_| 42)),
    ("plain_flag_fixed", "out", Ints(|_| 42)),
    ("unlock_without_fence_fixed", "sum", Ints(|_| 20)),
    ("lock_without_fence_fixed", "sum", Ints(|_| 20)),
    ("last_block_sums_fixed", "out", Ints(|_| 8128)),
    ("look_back_fixed", "out", Ints(|i| i as i32 + 1)),
    ("zeroed_meanwhile_fixed", "count", Ints(|_| 64)),
    ("lost_nodes_fixed", "next", AnyOf(&[[-1, 0], [1, -1]])),
    ("bits_of_a_byte_fixed", "bits", Bytes(|_| 255)),
    ("homemade_barrier_fixed", "out", Ints(|i| 127 - i as i32)),
    ("half_warp_fixed", "out", Ints(|i| (if i % 32 < 16 { i ^ 1 } else { i }) as i32)),
    ("one_warp_of_three_fixed", "out", Ints(|i| (if i < 32 { 31 - i } else { i }) as i32)),
    ("early_leave_fixed", "out", Ints(|i| if i % 64 > 0 { i as i32 - 1 } else { 0 })),
    ("rows_of_any_length_fixed", "out", Floats(|i| [3.0, 3.0, 30.0, 19.0][i])),
    ("even_and_odd_fixed", "out", Ints(|i| if i % 2 == 0 { i as i32 + 1 } else { 1 - i as i32 })),
    ("shuffle_in_a_branch_fixed", "out", Ints(|i| (if i < 24 { 2 * i + 1 } else { i }) as i32)),
    ("sum_of_the_left_fixed", "out", Ints(|_| 190)),
    ("own_lane_left_out_fixed", "out", Ints(|i| i as i32 ^ 1)),
    ("outside_the_mask_fixed", "out", Ints(|i| if i < 16 { (i as i32 + 8) % 16 } else { 0 })),
    ("syncwarp_of_some_fixed", "out", Ints(|i| some(63 - i))),
    ("vote_in_a_loop_fixed", "out", Ints(|_| 48)),
    ("count_too_large_fixed", "out", Ints(|i| (if i < 64 { 63 - i } else { i }) as i32)),
    ("crossed_barriers_fixed", "out", Ints(|i| i as i32)),
    ("counted_on_the_left_fixed", "out", Ints(|i| 63 - i as i32)),
    ("count_of_48_fixed", "out", Ints(|i| 63 - i as i32)),
    ("barrier_too_many_fixed", "out", Ints(|i| 15 * (63 - i as i32) + 120)),
    ("flag_behind_the_barrier_fixed", "out", Ints(|_| 1)),
    ("locked_twice_fixed", "balance", Ints(|i| [40, 60][i])),
    ("group_in_a_branch_fixed", "out", Ints(|i| if i < 40 { 39 - i as i32 } else { -1 })),
    ("half_a_group_fixed", "out", Ints(|i| (if i % 16 < 8 { i + (i ^ 1) } else { i }) as i32)),
];

fn squares(i: usize) -> f32 {
    (i * i) as f32
}

/// `local_window_fixed`: of the nine elements the last two in one slot.
fn window(t: usize) -> i32 {
    (16 * t + (0..9).rfind(|i| i * 5 % 8 == t).unwrap_or_default()) as i32
}

/// The sum of the numbers below `i`.
fn below(i: usize) -> i32 {
    (0..i as i32).sum()
}

/// `padding_fixed`: the tag and the bytes of the value.
fn checksum(i: usize) -> i32 {
    let tag = i32::from(b'a') + i as i32;
    (1000 * i as i32).to_le_bytes().iter().fold(tag, |sum, b| sum.wrapping_mul(31) + i32::from(*b))
}

/// `next_slice_fixed`: a row of the matrix times the vector.
fn product(row: usize) -> f32 {
    (0..128).map(|c| (row * 128 + c) % 3 * (c % 5)).sum::<usize>() as f32
}

/// `syncwarp_of_some_fixed`.
fn some(i: usize) -> i32 {
    (if i % 32 < 8 { i + (i ^ 1) } else { i }) as i32
}
