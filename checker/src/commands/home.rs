//! `checker` alone: where you are, what the next exercise says, and what to do now.

use colored::Colorize;

use super::session::{self, Session};
use super::{check, present};
use crate::attempt::Options;
use crate::cli::Backend;
use crate::exercises;
use crate::exit::Exit;
use crate::progress::Progress;

/// Greets, checks the first open exercise, and says what to do.
pub fn run() -> anyhow::Result<Exit> {
    let mut session = Session::open()?;
    let (done, all) = session.count();
    let chapters = exercises::chapters().len();
    let first_run = !session.workbook.state().join("progress.txt").exists();
    let heading = format!("{} in {}", plural(all, "exercise"), plural(chapters, "chapter"));
    say!(
        "{}: {heading}{}\n",
        "CUDA workbook".bold(),
        if first_run { "".into() } else { format!(", {done} done") }
    );

    let Some(spec) = session.next_open() else {
        say!("Everything is done. Well done!");
        say!("  Again    {} check --all", session.command);
        return Ok(Exit::Passed);
    };
    let mut engine = session::engine(Backend::Auto)?;
    if first_run {
        match engine.gpu() {
            Ok(gpu) => say!(
                "Kernels run on your {}, and the built-in simulator explains what goes wrong.\n",
                gpu.name
            ),
            Err(_) => say!(
                "No NVIDIA GPU here: exercises run on the built-in simulator. Everything works, and it sees more.\n"
            ),
        }
    }
    say!("  {}  {}  {} min   {}\n", chapter(spec.chapter), spec.id.bold(), spec.minutes, spec.goal);
    let (attempt, report) = check::attempt(&mut session, spec, &mut engine, &Options::default())?;
    // From now on it is no first run, whatever the verdict: the file itself remembers.
    session.change(Progress::touch);
    say!("{}", present::text(&report, &attempt).trim_end());
    if attempt.passed() {
        say!("  {}", check::progress_line(&session, spec));
    }
    let number =
        exercises::chapters().iter().find(|c| c.id == spec.chapter).map_or(1, |c| c.number);
    let (command, id) = (session.command, spec.id);
    say!();
    say!("  Read     {:30} the book, chapter {number}", format!("{command} book serve"));
    say!("  Work     {:30} checks again at every save", format!("{command} watch"));
    say!("  Stuck    {command} hint {id}");
    // The greeting has done its work, also when the exercise has not.
    Ok(Exit::Passed)
}

/// `ch01` of `ch01_threads`.
fn chapter(id: &str) -> &str {
    id.split('_').next().unwrap_or(id)
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
