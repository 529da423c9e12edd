//! Writes a made-up class in every format for platforms and people into a folder, to be looked at
//! or validated:
//!
//! ```text
//! cargo run --release -p grading --example platform_samples -- FOLDER [STUDENTS]
//! python3 crates/grading/tests/validate/platforms.py FOLDER
//! ```

#[path = "../tests/formats/common.rs"]
#[expect(dead_code, reason = "the tests need more of it")]
mod common;

use std::error::Error;
use std::path::Path;

use grading::formats::{
    Audience, Options, canvas, classroom50, csv, exercism, gradescope, html_class, html_student,
    prairielearn,
};
use grading::record::{Record, Status};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which folder?")?;
    let students: u64 = arguments.next().map_or(Ok(200), |number| number.parse())?;
    let folder = Path::new(&folder);
    let class = common::class(students, 7);

    let student = Options::new(common::now());
    let mut grader = Options { audience: Audience::Instructor, ..student.clone() };
    grader.assignment = Some("CUDA workbook (48213)".into());
    write(folder, "canvas.csv", &canvas::FORMAT.render(&class, &grader)?)?;
    write(folder, "class.csv", &csv::FORMAT.render(&class, &grader)?)?;
    write(folder, "class.html", &html_class::FORMAT.render(&class, &grader)?)?;
    for file in html_student::files(&class, &student)? {
        write(&folder.join("students"), &file.path, &file.contents)?;
    }

    let (one, broken) = (common::small(), common::does_not_compile());
    let complete = class.iter().filter(|record| record.score.complete).cloned();
    for (i, record) in complete.chain([one, broken]).enumerate() {
        platforms(&folder.join(format!("platforms/{i:04}")), &record)?;
    }
    Ok(())
}

/// One record, as each platform takes it, with the record itself for the rules that compare.
fn platforms(folder: &Path, record: &Record) -> Result<(), Box<dyn Error>> {
    let options = common::platform_options();
    let records = std::slice::from_ref(record);
    write(folder, "record.json", &serde_json::to_string(record)?)?;
    write(folder, "gradescope.json", &gradescope::FORMAT.render(records, &options)?)?;
    write(folder, "classroom50.json", &classroom50::FORMAT.render(records, &options)?)?;
    write(folder, "prairielearn.json", &prairielearn::FORMAT.render(records, &options)?)?;
    write(folder, "exercism.json", &exercism::FORMAT.render(records, &options)?)?;
    debug_assert!(record.exercises.iter().all(|exercise| exercise.status != Status::NotGraded));
    Ok(())
}

fn write(folder: &Path, name: &str, contents: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(name), contents)
}
