use super::*;

/// A class of `n` in a folder whose name is as bad as names get, within what plans take.
fn plan(engine: Engine, n: usize) -> Plan {
    let grade = Grade {
        program: "/opt/check er/checker".into(),
        submissions: vec!["hand-ins/week 1; $(touch pwned)".into(), "-x".into()],
        roster: Some("roster's.csv".into()),
        policy: Some("grading.toml".into()),
        seed_file: Some("/home/ada/secret.txt".into()),
        out: "out 100%".into(),
        options: vec!["--backend=sim".into()],
    };
    let students = (0..n).map(|n| format!("student {n} $(id)")).collect();
    Plan {
        image: Some("ghcr.io/uni/checker:1".into()),
        ..Plan::new(engine, "/srv/CUDA 'α' & co", grade, students)
    }
}

fn shown(planned: &Planned) -> String {
    let mut text = String::new();
    for file in planned.files.iter().filter(|file| file.path != PLAN) {
        let mode = if file.executable { "755" } else { "644" };
        text += &format!("==== {} ({mode})\n{}", file.path, file.contents);
    }
    text + "==== next\n" + &planned.next
}

/// The files of each engine as they are, for a reader who knows the engine; the shell, Slurm, GNU
/// parallel, kubectl and schemas read them in `tests/validate/plans.sh`.
#[test]
fn files_are_as_they_were() {
    for engine in Engine::ALL {
        let mut plan = plan(engine, 35);
        insta::assert_snapshot!(format!("{}", engine.as_str()), shown(&plan.files().unwrap()));
        plan.gpus = 1;
        plan.at_once = Some(4);
        plan.partition = Some("gpu".into());
        plan.account = Some("cs149".into());
        let name = format!("{}_gpu_again", engine.as_str());
        let again = plan.again(&[3, 1, 2, 3, 99]).unwrap();
        let both = shown(&plan.files().unwrap()) + &shown(&again);
        // The differences from the first.
        let base = shown(&Plan { gpus: 0, ..self::plan(engine, 35) }.files().unwrap());
        let lines: Vec<&str> =
            both.lines().filter(|line| !base.lines().any(|l| l == *line)).collect();
        insta::assert_snapshot!(name, lines.join("\n"));
    }
}

/// Ids come from learners' platforms and file names: none is in any script.
#[test]
fn no_student_is_in_a_script() {
    for engine in Engine::ALL {
        let plan = plan(engine, 35);
        let files = [plan.files().unwrap().files, plan.again(&[1]).unwrap().files].concat();
        assert!(
            files.iter().filter(|file| file.path != PLAN).all(|f| !f.contents.contains("student "))
        );
    }
}

/// A plan that exceeds its engine's limit on tasks is refused when it is made, not at night when it
/// runs.
#[test]
fn limits_are_kept() {
    for engine in Engine::ALL {
        let mut big = plan(engine, 20);
        big.seconds_per_student = 1;
        big.shards = engine.limit();
        assert!(big.files().is_ok(), "{engine:?}");
        big.shards += 1;
        let error = big.files().unwrap_err().to_string();
        assert!(error.contains(&format!("takes 1 to {} shards", engine.limit())), "{error}");
        big.shards = 0;
        assert!(big.files().is_err());
    }
    let shards = |n| Engine::ALL.map(|engine| engine.shards(n));
    assert_eq!(shards(0), [1; 4]);
    assert_eq!(shards(500), [100, 100, 25, 100]);
    assert_eq!(shards(50_000), [1000, 1000, 256, 1000]);

    let mut slow = plan(Engine::Actions, 500);
    slow.seconds_per_student = 7200;
    let error = slow.files().unwrap_err();
    assert!(matches!(error, Error::Long { most: 360, .. }), "{error}");
    slow.gpus = 1;
    assert!(slow.files().is_ok());
}

/// No index passes `MaxArraySize`, every shard is submitted once, and what runs at a time is shared
/// by the arrays.
#[test]
fn large_classes_have_several_arrays() {
    let mut plan = plan(Engine::Slurm, 30_000);
    plan.shards = 2500;
    plan.at_once = Some(30);
    let submits = |planned: &Planned, name: &str| -> Vec<String> {
        let file = planned.files.iter().find(|file| file.path == name).unwrap();
        file.contents
            .lines()
            .filter_map(|line| line.strip_prefix("submit "))
            .map(Into::into)
            .collect()
    };
    let files = plan.files().unwrap();
    assert_eq!(submits(&files, "submit.sh"), ["1-1000%10 0", "1-1000%10 1000", "1-500%10 2000"]);
    let again = plan.again(&[1000, 1001, 1, 2, 2500]).unwrap();
    assert_eq!(submits(&again, "retry.sh"), ["1-2,1000%10 0", "1%10 1000", "500%10 2000"]);
}

/// A shard's time holds its largest share of students, in whole minutes, with each job's share.
#[test]
fn a_shard_has_time_for_its_students() {
    let mut plan = plan(Engine::Slurm, 100);
    (plan.shards, plan.jobs, plan.seconds_per_student) = (1, 3, 90);
    assert_eq!(plan.minutes(), 34 * 90 / 60 + 5);
    plan.jobs = 0;
    assert_eq!(plan.minutes(), 155);
    plan.seconds_per_student = u32::MAX;
    assert!(plan.minutes() > 1_000_000);
}

/// Paths that cannot stand in a script or manifest are refused with the reason, and shown escaped.
#[test]
fn bad_paths_are_refused() {
    type Change = fn(&mut Plan);
    let changes: [(Engine, Change, &str); 11] = [
        (Engine::Slurm, |p| p.students.clear(), "no student"),
        (Engine::Slurm, |p| p.grade.out = "a\nb".into(), "line break"),
        (Engine::Parallel, |p| p.grade.submissions[0] = "\u{1b}[31m".into(), r"\u{1b}[31m"),
        (Engine::Slurm, |p| p.grade.out = "a\\b".into(), "backslash"),
        (Engine::Slurm, |p| p.partition = Some("a b".into()), "letters, digits"),
        (Engine::Slurm, |p| p.account = Some("-x".into()), "letters, digits"),
        (Engine::Actions, |p| p.grade.roster = Some("${{ secrets.X }}".into()), "evaluate"),
        (Engine::Actions, |p| p.grade.roster = Some("/etc/passwd".into()), "lies outside"),
        (Engine::Actions, |p| p.grade.submissions[0] = "a/../../b".into(), "lies outside"),
        (
            Engine::Kubernetes,
            |p| p.grade.policy = Some("/srv/CUDA 'α' & cow/p".into()),
            "lies outside",
        ),
        (Engine::Kubernetes, |p| p.image = None, "--image"),
    ];
    for (engine, change, expected) in changes {
        let mut plan = plan(engine, 5);
        change(&mut plan);
        let error = plan.files().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains('\u{1b}'));
    }
}

/// Engines that copy or check out the class's folder get paths relative to it, however they were
/// given.
#[test]
fn paths_follow_the_folder() {
    let plan = plan(Engine::Kubernetes, 5);
    for (path, expected) in [
        ("roster.csv", "roster.csv"),
        ("./a//b/", "a/b"),
        ("a/../b", "b"),
        ("/srv/CUDA 'α' & co/a/b", "a/b"),
        ("/srv/CUDA 'α' & co/", "."),
        ("../CUDA 'α' & co/x", "x"),
    ] {
        assert_eq!(inside("the path", path, &plan).as_deref(), Ok(expected));
    }
}

/// Settings reach their fields, and a mistyped one is not ignored.
#[test]
fn settings_are_taken_or_refused() {
    let mut changed = plan(Engine::Slurm, 5);
    for setting in [
        "shards=9",
        "jobs=8",
        "seconds=70",
        "memory=900",
        "gpus=2",
        "at-once=6",
        "partition=p",
        "account=a",
        "image=i=j",
    ] {
        let before = changed.clone();
        changed.set(setting).unwrap();
        assert_ne!(before, changed, "{setting}");
    }
    let known = Plan {
        shards: 9,
        jobs: 8,
        seconds_per_student: 70,
        memory_mib: Some(900),
        gpus: 2,
        at_once: Some(6),
        partition: Some("p".into()),
        account: Some("a".into()),
        image: Some("i=j".into()),
        ..plan(Engine::Slurm, 5)
    };
    assert_eq!(changed, known);
    for setting in ["shard=9", "shards", "shards=-1", "shards=x", "=", "shards= 9"] {
        assert!(changed.set(setting).unwrap_err().to_string().contains("shards=N"), "{setting}");
    }
    assert_eq!("slurm".parse(), Ok(Engine::Slurm));
    assert!("Slurm".parse::<Engine>().unwrap_err().to_string().contains("kubernetes"));
}
