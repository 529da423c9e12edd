//! Writes plans of every kind for `tests/validate/plans.sh`: `plans DIR CHECKER`.
//!
//! Each plan lies in a folder of its own, below a name that a shell, Slurm, YAML and Kubernetes
//! would all like to read as something else: `DIR/ENGINE/it's 100% "$(touch pwned)" ...`.

use std::{error::Error, fs, path::Path};

use grading::plan::{Engine, Grade, Plan, PlannedFile};

/// A name that must stay one.
const NAME: &str = "it's 100% \"$(touch pwned)\" `id` $HOME %j: # - α";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(dir), Some(checker)) = (arguments.next(), arguments.next()) else {
        return Err("usage: plans DIR CHECKER".into());
    };
    for engine in Engine::ALL {
        for gpus in [0, 1] {
            let kind = if gpus == 0 { "" } else { "-gpu" };
            let folder = Path::new(&dir).join(format!("{}{kind}", engine.as_str())).join(NAME);
            let students = (0..40).map(|n| format!("student{n:02}")).collect();
            let mut plan = Plan::new(engine, &folder.to_string_lossy(), grade(&checker), students);
            plan.shards = 7;
            plan.at_once = Some(3);
            plan.gpus = gpus;
            let takes_image = engine == Engine::Kubernetes || gpus > 0;
            plan.image = takes_image.then(|| "ghcr.io/university/checker:1".into());
            let planned = [plan.files()?.files, plan.again(&[2, 3, 5])?.files].concat();
            write(&folder.join("out $x").join("plan"), &planned)?;
        }
    }
    Ok(())
}

fn grade(checker: &str) -> Grade {
    Grade {
        program: checker.into(),
        submissions: vec!["hand-ins of 'week 1'; $(touch pwned)".into(), "-n".into()],
        roster: Some("roster \\ $(touch pwned).csv".into()),
        policy: Some("grading.toml".into()),
        seed_file: Some("secret's.txt".into()),
        out: "out $x".into(),
        options: vec!["--backend=sim".into()],
    }
}

fn write(folder: &Path, files: &[PlannedFile]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    for file in files {
        let path = folder.join(&file.path);
        fs::write(&path, &file.contents)?;
        #[cfg(unix)]
        if file.executable {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}
