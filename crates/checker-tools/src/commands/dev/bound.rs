//! prototype
use crate::bound;
use checker::cli::Backend;
use checker::exit::Exit;
use checker::{course, exercises, gains, say, session};

/// Prints.
pub fn run(name: Option<&str>) -> anyhow::Result<Exit> {
    let mut engine = session::engine(Backend::Sim)?;
    let record = gains::recorded()?;
    for gain in &record.exercises {
        if name.is_some_and(|n| n != gain.id) { continue; }
        let spec = exercises::find(&gain.id)?.with_large_case().unwrap();
                for (which, source, time) in [("start", course::skeleton(spec), gain.kernels.skeleton), ("solution", course::solution(spec), Some(gain.kernels.solution))] {
            let Some(time) = time else { continue };
            let start = std::time::Instant::now();
            match bound::probe(spec, source.unwrap_or_default(), &mut engine) {
                Ok(launches) => {
                    let ms = start.elapsed().as_millis() as u64;
                    say!("{}", serde_json::json!({"id": gain.id, "which": which, "time": time, "bytes": gain.bytes, "ms": ms, "launches": launches}));
                }
                Err(e) => eprintln!("{},{which},{time},ERROR {e:#}", gain.id),
            }
        }
    }
    Ok(Exit::Passed)
}
