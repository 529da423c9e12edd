//! `checker` without a command: how far the learner is, the report of the next exercise, and what
//! to do next.

use colored::Colorize;

use crate::attempt::Options;
use crate::backend::NoGpu;
use crate::cli::Backend;
use crate::exercises;
use crate::exit::Exit;
use crate::present;
use crate::progress::Progress;
use crate::session::{self, Session};

/// Greets the learner, checks the first open exercise, and lists the commands to use next.
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
            Err(NoGpu { why, has_card: true, .. }) => say!(
                "Kernels can't run on your GPU yet, because {why}. `{} doctor` shows how to fix it.\n\
                 Until then, exercises run on the built-in simulator, and all of them work there.\n",
                session.command
            ),
            Err(_) => say!(
                "This machine has no NVIDIA GPU, so exercises run on the built-in simulator.\n\
                 All of them work there, and the simulator finds more bugs than a GPU does.\n"
            ),
        }
    }
    say!("  {}  {}  {} min   {}\n", chapter(spec.chapter), spec.id.bold(), spec.minutes, spec.goal);
    let (attempt, report) = present::check(&mut session, spec, &mut engine, &Options::default())?;
    // The progress file marks that the first run is over, whatever the verdict.
    session.change(Progress::touch);
    say!("{}", present::text(&report, &attempt));
    if attempt.passed() {
        say!("  {}", present::progress_line(&session, spec));
    }
    // After a pass, the commands are for the exercise that comes next.
    let spec = session.next_after(spec).filter(|_| attempt.passed()).unwrap_or(spec);
    let number =
        exercises::chapters().iter().find(|c| c.id == spec.chapter).map_or(1, |c| c.number);
    let (command, id) = (session.command, spec.id);
    say!();
    if command == session::IN_NOTEBOOK {
        say!("  Work     {:30} checks it each time you run the cell", format!("%%exercise {id}"));
        say!("  Stuck    %hint {id}");
        return Ok(Exit::Passed);
    }
    say!("  Read     {:30} the book, chapter {number}", format!("{command} book serve"));
    say!("  Work     {:30} checks again at every save", format!("{command} watch"));
    say!("  Stuck    {command} hint {id}");
    // This screen is a greeting: an exercise that fails is no reason for a failing exit code.
    Ok(Exit::Passed)
}

/// `ch01` of `ch01_threads`.
fn chapter(id: &str) -> &str {
    id.split('_').next().unwrap_or(id)
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
