//! A CSV file with the speeds of right files: for each exercise whose policy gives points for
//! speed, the students in the order of their speed.
//!
//! | column | what |
//! | --- | --- |
//! | `exercise`, `rank` | files of the same speed, to three digits, share a rank |
//! | `student`, `name` | as the roster has them |
//! | `milliseconds` | the time of the kernels; without a GPU, the least time |
//! | `of_solution`, `of_copy` | the speed as a share of the solution's and of a copy's |
//! | `measured_on`, `least_time_on` | the GPU; one of the two is empty |

use super::{Audience, Error, Format, Options, Write, sheet};
use crate::record::{Exercise, Record, Speed};

/// This format, for any number of students.
pub static FORMAT: Format = Format {
    name: "csv-speed",
    file_name: "speed.csv",
    audience: Audience::Instructor,
    write: Write::Class(write),
};

const HEADER: [&str; 9] = [
    "exercise",
    "rank",
    "student",
    "name",
    "milliseconds",
    "of_solution",
    "of_copy",
    "measured_on",
    "least_time_on",
];

/// The speed of the file that counts.
fn speed(exercise: &Exercise) -> Option<&Speed> {
    exercise.items.iter().find_map(|item| item.speed.as_ref())
}

fn write(records: &[Record], _: &Options) -> Result<String, Error> {
    let mut rows = vec![HEADER.map(str::to_owned).to_vec()];
    for exercise in super::platform::exercises(records) {
        let of = |record: &'_ Record| -> Option<Speed> {
            speed(record.exercises.iter().find(|one| one.id == exercise.id)?).cloned()
        };
        let mut all: Vec<(Speed, &Record)> =
            records.iter().filter_map(|record| Some((of(record)?, record))).collect();
        all.sort_by(|(a, _), (b, _)| b.of_solution.total_cmp(&a.of_solution));
        let shown = |speed: &Speed| format!("{:.3}", speed.of_solution);
        let mut rank = 0;
        let mut before = String::new();
        for (place, (speed, record)) in all.iter().enumerate() {
            if shown(speed) != before {
                (rank, before) = (place + 1, shown(speed));
            }
            let gpu = sheet::text(&speed.gpu);
            let (measured, least) =
                if speed.measured { (gpu, String::new()) } else { (String::new(), gpu) };
            rows.push(vec![
                sheet::text(&exercise.id),
                rank.to_string(),
                sheet::text(&record.student.id),
                record.student.name.as_deref().map(sheet::text).unwrap_or_default(),
                format!("{:.4}", speed.seconds * 1e3),
                shown(speed),
                format!("{:.3}", speed.of_copy),
                measured,
                least,
            ]);
        }
    }
    sheet::write(rows).map_err(|reason| Error::Write { format: FORMAT.name, reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::fixture;
    use crate::record::{Item, Kind};

    /// Faster files come first, equal ones share a rank, and students without a speed have no row.
    #[test]
    fn students_are_in_the_order_of_their_speed() {
        let mut records: Vec<Record> = fixture::class().into_iter().cycle().take(4).collect();
        let with = |record: &mut Record, of_solution| {
            let Some(exercise) = record.exercises.first_mut() else { return };
            let speed = Speed {
                seconds: 0.0001 / of_solution,
                measured: true,
                gpu: "NVIDIA H200".into(),
                of_solution,
                of_copy: of_solution / 2.0,
            };
            let Some(like) = exercise.items.first().cloned() else { return };
            exercise.items.push(Item { kind: Kind::Speed, speed: Some(speed), ..like });
        };
        let shares = [0.5, 0.98, 0.5001];
        for (record, share) in records.iter_mut().zip(shares) {
            with(record, share);
        }
        let text = FORMAT.render(&records, &Options::new(fixture::now())).expect("a table");
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), 4, "{text}");
        let ranks: Vec<&str> = rows.iter().skip(1).map(|row| row[1]).collect();
        assert_eq!(ranks, ["1", "2", "2"], "{text}");
        assert!(text.contains("0.1020,0.980,0.490,NVIDIA H200,"), "{text}");
    }
}
