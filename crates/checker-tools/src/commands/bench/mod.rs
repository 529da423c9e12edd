//! `checker bench`: times a learner's file on a real GPU, beside the original and the solution. Where
//! there is none, it shows the least time that the file can take on one.

mod bound;
mod history;
mod roofline;
mod table;

use std::io::IsTerminal;

use anyhow::{Context, anyhow};

use crate::bound::CARDS;
use crate::timing::{self, Library, Limits};
use checker::cli::{Backend, Bench, Format};
use checker::engine::Engine;
use checker::error::Usage;
use checker::exit::Exit;
use checker::report::terminal;
use checker::session::{self, Session};
use checker::spec::{Spec, Start};
use checker::verdict::Verdict;
use checker::{course, exercises, progress, say, source};

use bound::Bounds;
use history::{Entry, LibraryTime, Measured};
use roofline::Roofline;

/// Times the file, prints the times, and records or compares them.
pub fn run(args: &Bench) -> anyhow::Result<Exit> {
    let Some(name) = &args.name else { return Ok(list()) };
    let spec = exercises::find(name)?;
    let Some(large) = spec.with_large_case() else {
        return Err(Usage(format!("{name} has no large case to time: {}", can_be_timed())).into());
    };
    let operations = large.cases.first().and_then(|case| exercises::operations(spec, case));
    if args.svg.is_some() && operations.is_none() {
        let why = format!("there is no roofline for {name}, because its operations aren't counted");
        return Err(Usage(why).into());
    }
    // A file that can't be read is a reason to measure nothing.
    let earlier = args.compare.as_deref().map(history::read).transpose()?;
    let session = Session::open()?;
    let path = args.file.clone().unwrap_or_else(|| session.workbook.exercise(spec));
    let text = match source::read(&path) {
        Ok(text) => text,
        Err(unreadable) => {
            return refuse(&session, spec, args, &Verdict::UnreadableSource(unreadable));
        }
    };
    if let Some(gpu) = &args.gpu {
        return least(&session, large, &text, args, gpu);
    }
    let mut engine = session::engine(Backend::Gpu)?;
    let gpu = match engine.gpu() {
        Ok(gpu) => gpu,
        Err(no_gpu) if args.records_times() => {
            return Err(anyhow!(
                "only a GPU has times to record, compare or draw, and there is none here: {}",
                no_gpu.why
            ));
        }
        Err(no_gpu) => {
            eprintln!("There is no GPU here ({}), so the simulator counts.", no_gpu.why);
            return least(&session, large, &text, args, CARDS[0].name);
        }
    };
    eprintln!("Timing your file and the course's. This can take a minute.");
    let clocks = history::clocks();
    let limits = Limits::measure(&mut engine)?;
    let seed = getrandom::u64().map_err(|error| anyhow!("no random numbers: {error}"))?;
    // What a program's kernels do isn't seen in the time of a call, which contains its copies.
    let timed = Timed { spec: large, kernels: operations.is_some(), seed };
    let yours = match timed.measure(&text, &mut engine)? {
        Ok(measured) => measured,
        Err(verdict) => return refuse(&session, spec, args, &verdict),
    };
    let original = match spec.start {
        Start::Optimise => Some(timed.reference(course::skeleton(spec), &mut engine)?),
        Start::Write | Start::Fix => None,
    };
    let solution = timed.reference(course::solution(spec), &mut engine)?;
    let library = timed.library(&mut engine);
    let entry = Entry {
        at: jiff::Timestamp::now(),
        exercise: spec.id.to_owned(),
        sizes: timing::sizes(large),
        file: progress::hash(text.as_bytes()),
        gpu: gpu.name,
        driver: format!("{}.{}", gpu.driver.0, gpu.driver.1),
        compiler: engine.compilers().kernels.version.clone(),
        clocks,
        limits,
        bytes: (!spec.kind.has_host_code() || timed.kernels)
            .then(|| timing::bytes(large, seed))
            .transpose()?,
        operations,
        yours,
        original,
        solution,
        library,
    };
    match args.format {
        Format::Term => say!("{}", table::text(&entry, earlier.as_deref())),
        Format::Json => say!("{}", serde_json::to_string_pretty(&entry)?),
    }
    if let Some(file) = &args.record {
        history::add(file, &entry)?;
    }
    if let Some(file) = &args.svg {
        let title = format!("{name} on {}", entry.gpu);
        let svg = Roofline::of(&entry).map(|roofline| roofline.svg(&title));
        std::fs::write(file, svg.unwrap_or_default())
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(Exit::Passed)
}

/// Shows the least times of a file, and what limits it on one of the cards.
fn least(
    session: &Session,
    large: &'static Spec,
    text: &str,
    args: &Bench,
    gpu: &str,
) -> anyhow::Result<Exit> {
    let known = CARDS.iter().find(|card| card.name.eq_ignore_ascii_case(gpu));
    let Some(card) = known else {
        let names = CARDS.map(|card| card.name).join(" and ");
        return Err(
            Usage(format!("the least time on {gpu} isn't known, only those on {names}")).into()
        );
    };
    if args.records_times() {
        let why = "`--gpu` times nothing, so there is nothing to record, compare or draw";
        return Err(Usage(why.into()).into());
    }
    if std::io::stderr().is_terminal() {
        eprintln!("The simulator counts a part of the work. This can take some seconds.\n");
    }
    let mut engine = session::engine(Backend::Sim)?;
    let work = match crate::bound::work(large, text, &mut engine)? {
        Ok(work) => work,
        Err(verdict) => return refuse(session, large, args, &verdict),
    };
    let bounds = Bounds::new(large, &work)?;
    match args.format {
        Format::Term => say!("{}", bounds.text(card.name, terminal::width())),
        Format::Json => say!("{}", serde_json::to_string_pretty(&bounds)?),
    }
    Ok(Exit::Passed)
}

/// What is timed.
struct Timed {
    /// The exercise with its large case only.
    spec: &'static Spec,
    /// Whether the kernels of a program are timed, too.
    kernels: bool,
    seed: u64,
}

impl Timed {
    /// Times a file. The inner error is what is wrong with it.
    fn measure(
        &self,
        source: &str,
        engine: &mut Engine,
    ) -> anyhow::Result<Result<Measured, Verdict>> {
        let mut measured: Measured = match timing::time(self.spec, source, self.seed, engine)? {
            Ok(times) => times.into(),
            Err(verdict) => return Ok(Err(verdict)),
        };
        if self.kernels && self.spec.kind.has_host_code() {
            match timing::time_kernels(self.spec, source, self.seed, engine)? {
                Ok(times) => measured.kernels = Some(times.warm),
                Err(verdict) => return Ok(Err(verdict)),
            }
        }
        Ok(Ok(measured))
    }

    /// Times a file of the course, which must be right.
    fn reference(&self, source: Option<&str>, engine: &mut Engine) -> anyhow::Result<Measured> {
        let source = source.context("a file of the course is missing")?;
        self.measure(source, engine)?.map_err(|verdict| {
            anyhow!("a file of the course is wrong on this GPU: {}", verdict.slug())
        })
    }

    /// Times the library for this exercise. A machine may lack it, so an error is only reported.
    fn library(&self, engine: &mut Engine) -> Option<LibraryTime> {
        let library = Library::of(self.spec)?;
        match library.time(self.spec, self.seed, engine) {
            Ok(time) => Some(LibraryTime { name: library.name.into(), time }),
            Err(error) => {
                eprintln!("{} isn't timed: {error:#}", library.name);
                None
            }
        }
    }
}

/// Says that a file can't be timed, and how to find out why.
fn refuse(session: &Session, spec: &Spec, args: &Bench, verdict: &Verdict) -> anyhow::Result<Exit> {
    let file =
        args.file.as_ref().map_or(String::new(), |file| format!(" --file {}", file.display()));
    let check = format!("{} check {}{file}", session.command, spec.id);
    if args.format == Format::Json {
        say!("{}", serde_json::json!({ "exercise": spec.id, "wrong": verdict.slug().to_string() }));
    }
    eprintln!(
        "Nothing was measured, because the code isn't right with the large case ({}). `{check}` says \
         why, if that happens with small cases, too.",
        verdict.slug()
    );
    Ok(Exit::NotYet)
}

fn timed() -> impl Iterator<Item = &'static Spec> {
    exercises::all().iter().copied().filter(|spec| spec.large.is_some())
}

fn list() -> Exit {
    say!("These exercises can be timed on a GPU, or have a least time without one:\n");
    for spec in timed() {
        say!("  {:<18} {}", spec.id, spec.goal);
    }
    Exit::Passed
}

fn can_be_timed() -> &'static str {
    "`checker bench` without a name lists the exercises that have one"
}
