//! `checker grade --plan`: writes the files that let an engine grade the class on many machines.

use std::path::Path;

use grading::plan::{Engine, Grade as Command, Plan};

use super::inputs::Inputs;
use checker::cli::{Backend, Grade, Sandbox};
use checker::error::Usage;
use checker::exit::Exit;
use checker::say;

use clap::ValueEnum as _;

/// Writes the plan into `OUT/plan` and says what to do with it.
pub fn write(args: &Grade, engine: &str, inputs: &Inputs) -> anyhow::Result<Exit> {
    let engine = Engine::ALL.into_iter().find(|e| e.as_str() == engine).ok_or_else(|| {
        let known = Engine::ALL.map(Engine::as_str).join(", ");
        Usage(format!("there is no engine `{engine}`; the engines are {known}"))
    })?;
    let here = std::env::current_dir()?.display().to_string();
    let handed_in = inputs.places.iter().map(|place| &place.id);
    let students: Vec<String> = handed_in.chain(&inputs.absent).cloned().collect();
    let gpus = u32::from(args.backend != Backend::Sim);
    let mut plan = Plan::new(engine, &here, command(args), students);
    plan.gpus = gpus;
    if let Some(jobs) = args.jobs {
        plan.jobs = jobs.into();
    }
    plan.image.clone_from(&args.image);
    plan.partition.clone_from(&args.partition);
    plan.account.clone_from(&args.account);
    if let Some(shards) = args.shards {
        plan.shards = shards;
    }
    let planned = plan.files().map_err(|error| Usage(error.to_string()))?;
    planned.write_into(&args.out.join("plan"))?;
    for refused in &inputs.refused {
        eprintln!("warning: {}", checker::text::sanitise(&refused.line));
    }
    say!("{}", planned.next.trim_end());
    Ok(Exit::Passed)
}

/// The command of one shard.
fn command(args: &Grade) -> Command {
    let text = |path: &Path| path.display().to_string();
    let program = std::env::current_exe().map_or_else(|_| "checker".to_owned(), |exe| text(&exe));
    let mut options = vec![];
    let mut option = |name: &str, value: String| options.extend([format!("--{name}"), value]);
    match args.backend {
        Backend::Auto => option("backend", "auto".into()),
        Backend::Gpu => option("backend", "gpu".into()),
        Backend::Sim => option("backend", "sim".into()),
    }
    match args.sandbox {
        Sandbox::Require => option("sandbox", "require".into()),
        Sandbox::Try => option("sandbox", "try".into()),
        Sandbox::Off => option("sandbox", "off".into()),
    }
    option("memory", args.memory.to_string());
    let naming = args.from.and_then(|platform| platform.to_possible_value());
    if let Some(platform) = naming {
        option("from", platform.get_name().to_owned());
    }
    for (name, value) in [
        ("submitted-at", &args.submitted_at),
        ("id-pattern", &args.id_pattern),
        ("id-column", &args.id_column),
        ("by-hand", &args.by_hand.as_deref().map(text)),
        ("groups", &args.groups.as_deref().map(text)),
        ("group-column", &args.group_column),
    ] {
        if let Some(value) = value {
            option(name, value.clone());
        }
    }
    if args.assume_on_time {
        options.push("--assume-on-time".to_owned());
    }
    Command {
        program,
        submissions: args.submissions.iter().map(|path| text(path)).collect(),
        roster: args.roster.as_deref().map(text),
        policy: args.policy.as_deref().map(text),
        seed_file: args.seed_file.as_deref().map(text),
        out: text(&args.out),
        options,
    }
}
