//! The work that bounds are computed from.

use checker::cli::Backend;
use checker::session;
use checker_tools::bound;
use checker_tools::bound::record::{self, Kernels, Record};

/// The record of the repository has what the simulator counts today, for kernels of three kinds:
/// with lines far apart, with atomics, and a program.
#[test]
fn the_record_is_what_the_simulator_counts() {
    let known = Record::load().expect("the record");
    let mut engine = session::engine(Backend::Sim).expect("a compiler");
    let chosen = ["matrix_add_2d", "histogram", "overlap"];
    let mut compared = 0;
    for spec in record::large_exercises().filter(|spec| chosen.contains(&spec.id)) {
        for (file, text) in record::files(spec) {
            let work = bound::work(spec, text, &mut engine).expect("it runs").expect("it is right");
            let now = Kernels::new(spec, file, text, &work);
            assert_eq!(Some(&now), known.find(spec, file), "run `checker dev bound --record`");
            compared += 1;
        }
    }
    assert_eq!(compared, 6);
}
