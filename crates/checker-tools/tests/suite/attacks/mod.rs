//! Hostile submissions, `checker/proof/attacks`: each gets the expected verdict, learns no secret,
//! and leaves nothing behind.
//!
//! The keys in the first lines of an attack:
//!
//! ```text
//! // attack: what it tries, and which careless grader it would fool
//! // exercise: the exercise that it is submitted for
//! // expect: the verdict, or several with "or" between them
//! // hidden: the verdict with secret inputs, if it differs
//! // prints-not: text that it must not be able to print
//! // terminal: yes, if the terminal's output is tested too
//! // idle: yes, for one that sleeps until the clock runs out
//! // graded: yes, if it runs only in a class, with the memory limit of `checker grade`
//! // limit: what nothing stops, so that instructors know
//! // gpu: yes, for one that `proof/attacks/gpu.sh` tries on a GPU as well; // expect-gpu: the verdict there
//! // stopped-by: what keeps it from working
//! ```
//!
//! `@CANARY@` stands for a folder with files that no submission may read, `@COURSE@` for the
//! checkout, `@CACHE@` for the checker's cache. Needs Linux with landlock and seccomp, a CUDA 13
//! compiler (`cargo checker setup` installs one), and the host's g++: if one is missing the tests
//! fail, because they would prove nothing.

mod archives;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

/// Wall time after which a run of the checker counts as endless. An attack that works never ends,
/// and any other takes seconds even on a very busy machine.
const ENDLESS: Duration = Duration::from_secs(1800);

/// A file of `checker/proof/attacks`.
struct Attack {
    name: String,
    text: String,
    keys: BTreeMap<String, String>,
}

impl Attack {
    fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checker/proof/attacks");
        let mut all: Vec<Self> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
            .map(|path| {
                let text = fs::read_to_string(&path).unwrap();
                let head =
                    text.lines().map_while(|line| line.strip_prefix("// ")?.split_once(": "));
                let keys = head.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
                Self { name: path.file_stem().unwrap().to_string_lossy().into_owned(), text, keys }
            })
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    fn key(&self, key: &str) -> &str {
        self.keys.get(key).unwrap_or_else(|| panic!("{}: no `// {key}: `", self.name))
    }

    fn is_set(&self, key: &str) -> bool {
        self.keys.get(key).is_some_and(|value| value == "yes")
    }

    /// Whether the verdict is one of those expected under `key`.
    fn expects(&self, key: &str, slug: &str) -> bool {
        self.key(key).split(" or ").any(|expected| expected == slug)
    }

    /// The source, with the test's folders in place of the marks.
    fn source(&self, scene: &Scene) -> String {
        let cached = scene.cached.display().to_string();
        let cache = checker::toolchain::cache_dir();
        self.text
            .replace("@CANARY@", &scene.root.display().to_string())
            .replace("@COURSE@", &course().display().to_string())
            .replace("@CACHE@/modules/canary.txt", &cached)
            .replace("@CACHE@", &cache.display().to_string())
    }
}

fn course() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// A folder as an instructor has it, with a secret in every file.
struct Scene {
    root: PathBuf,
    secret: String,
    /// A file in the checker's cache.
    cached: PathBuf,
    before: BTreeMap<PathBuf, (Vec<u8>, SystemTime)>,
    /// One scene at a time: the machine is not to be what stops an attack.
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());

impl Scene {
    /// The folder is always the same, so that what attacks compile to is the same, too, and
    /// compiled once.
    fn new(name: &str) -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&root);
        let random = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), name);
        let secret = format!("canary-{random:016x}");
        let cached = checker::toolchain::cache_dir()
            .join("modules")
            .join(format!("canary-{}.txt", std::process::id()));
        for file in [
            root.join("secret.txt"),
            root.join("results/grace.json"),
            root.join("submissions/grace/exercises/ch01_threads/blocks.cu"),
            root.join("submissions/grace/exercises/ch02_memory/roundtrip.cu"),
            cached.clone(),
        ] {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, format!("// {secret}\n")).unwrap();
        }
        // the checker itself writes to these folders, so they are watched separately
        for folder in ["tmp", "runs", "cwd"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root.join("fifo"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        let before = files(&root);
        Self { root, secret, cached, before, _alone: alone }
    }

    /// Runs the checker with the secret in a file, in its environment and on its standard input.
    fn run(&self, name: &str, args: &[&str]) -> (ExitStatus, String) {
        let said = self.root.join("runs").join(format!("{name}.said"));
        let out = File::create(&said).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_checker-tools"))
            .args(args)
            .current_dir(self.root.join("cwd"))
            .env("TMPDIR", self.root.join("tmp"))
            .env("NO_COLOR", "1")
            .env("WORKBOOK_SECRET", &self.secret)
            .stdin(File::open(self.root.join("secret.txt")).unwrap())
            .stdout(out.try_clone().unwrap())
            .stderr(out)
            .process_group(0)
            .spawn()
            .unwrap();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > ENDLESS {
                let _ = child.kill();
                break child.wait().unwrap();
            }
            thread::sleep(Duration::from_millis(10));
        };
        (status, String::from_utf8_lossy(&fs::read(said).unwrap()).into_owned())
    }

    /// What is wrong with the checker's output, whatever the verdict is.
    fn leak(&self, said: &str) -> Option<String> {
        let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let account = passwd.lines().next().unwrap_or("root:x:0:0:root:/root:/bin/bash");
        if said.contains(&self.secret) || said.contains(account) {
            return Some("it reveals a secret".into());
        }
        if said.contains("panicked") || said.contains("bug in the checker") {
            return Some("the checker itself failed".into());
        }
        // JSON contains texts as they were; a program that shows them sanitises them
        let json = said.trim_start().starts_with('{');
        let turns = |c: char| !json && ('\u{202a}'..='\u{202e}').contains(&c);
        let forbidden = |c: &char| (c.is_control() && *c != '\n') || turns(*c);
        if let Some(c) = said.chars().find(forbidden) {
            return Some(format!("it passes on {c:?}"));
        }
        let command = |line: &&str| line.starts_with("::") || line.starts_with("##");
        said.lines().find(command).map(|line| format!("it gives a command to CI: {line}"))
    }

    /// Files and processes that an attack left behind.
    fn remains(&self) -> Vec<String> {
        let mut remains = vec![];
        let after = files(&self.root);
        for path in self.before.keys().chain(after.keys()) {
            let runs = path.starts_with("runs") || path.starts_with("out");
            if !runs && self.before.get(path) != after.get(path) {
                remains.push(format!("{} changed", path.display()));
            }
        }
        let places = [
            "/tmp/made-by-an-attack",
            "/tmp/known",
            "/dev/shm/made",
            "/dev/shm/known",
            "/var/tmp/made",
        ];
        let mut places: Vec<PathBuf> = places.iter().map(PathBuf::from).collect();
        places.extend([course().join("made"), self.cached.with_file_name("made"), "/made".into()]);
        remains.extend(
            places.iter().filter(|p| p.exists()).map(|p| format!("{} is there", p.display())),
        );
        let cached = fs::read_to_string(&self.cached).unwrap_or_default();
        if !cached.contains(&self.secret) {
            remains.push("the cache was changed".into());
        }
        // every process that a worker started has the worker's folder in its environment
        let mark = self.root.join("tmp").display().to_string();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            if String::from_utf8_lossy(&environment).contains(&mark) {
                remains.push(format!("process {} is left", entry.file_name().to_string_lossy()));
            }
        }
        remains.sort();
        remains.dedup();
        remains
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.cached);
    }
}

/// Every file and folder below, with contents and times of files.
fn files(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let (mut all, mut left) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let (path, about) = (entry.path(), entry.metadata().unwrap());
            let inside = path.strip_prefix(root).unwrap().to_owned();
            if about.is_dir() {
                all.insert(inside, (vec![], SystemTime::UNIX_EPOCH));
                left.push(path);
            } else if about.is_file() {
                all.insert(inside, (fs::read(&path).unwrap(), about.modified().unwrap()));
            } else {
                all.insert(inside, (vec![], SystemTime::UNIX_EPOCH));
            }
        }
    }
    all
}

/// Checks that code can be confined here, because the tests below would prove nothing otherwise.
fn demand_sandbox(scene: &Scene) {
    let right = course().join("solutions/ch02_memory/roundtrip.cu").display().to_string();
    let (status, said) = scene.run(
        "honest",
        &["check", "roundtrip", "--file", &right, "--backend", "sim", "--sandbox", "require"],
    );
    assert!(
        status.success(),
        "an honest program does not pass here, so attacks prove nothing: {said}"
    );
}

/// Runs one attack and returns what is wrong, one line each.
fn run(attack: &Attack, scene: &Scene) -> Vec<String> {
    let file = scene.root.join("runs").join(format!("{}.cu", attack.name));
    fs::write(&file, attack.source(scene)).unwrap();
    let file = file.display().to_string();
    let check = |format: &str| {
        let name = format!("{}.{format}", attack.name);
        let args = ["check", attack.key("exercise"), "--file", &file, "--backend", "sim"];
        let args = [&args[..], &["--sandbox", "require", "--format", format]].concat();
        scene.run(&name, &args)
    };
    let mut wrong = vec![];
    let (status, said) = check("json");
    let document: Value = serde_json::from_str(&said).unwrap_or_default();
    let report = &document["reports"][0];
    let slug = report["slug"].as_str().unwrap_or_default();
    let printed = report["printed"].as_str().unwrap_or_default();
    if !attack.expects("expect", slug) {
        let start: String = said.chars().take(300).collect();
        wrong.push(format!("`{slug}` instead of `{}`: {start}", attack.key("expect")));
    }
    let code = if slug == "passed" { 0 } else { 1 };
    if status.code() != Some(code) {
        wrong.push(format!("the checker ended with {status}"));
    }
    if attack.keys.get("prints-not").is_some_and(|text| printed.contains(text)) {
        wrong.push(format!("it prints {printed}"));
    }
    wrong.extend(scene.leak(&said));
    if attack.is_set("terminal") {
        wrong.extend(scene.leak(&check("term").1));
    }
    wrong
}

/// Every attack is stopped with the right verdict, reveals no secret and leaves nothing behind.
#[test]
fn attacks_are_contained() {
    let attacks = Attack::all();
    assert!(attacks.len() >= 100, "{}", attacks.len());
    let scene = Scene::new("attacks");
    demand_sandbox(&scene);
    let wrong = Mutex::new(vec![]);
    let times = Mutex::new(vec![]);
    let one = |attack: &Attack| {
        let start = Instant::now();
        let lines = run(attack, &scene);
        times.lock().unwrap().push((start.elapsed(), attack.name.clone()));
        wrong.lock().unwrap().extend(lines.iter().map(|line| format!("{}: {line}", attack.name)));
    };
    // attacks that only wait run side by side; the others are queued
    let here = attacks.iter().filter(|attack| !attack.is_set("graded"));
    let (idle, busy): (Vec<_>, Vec<_>) = here.partition(|attack| attack.is_set("idle"));
    let queue = Mutex::new(busy);
    thread::scope(|scope| {
        for attack in idle {
            scope.spawn(move || one(attack));
        }
        for _ in 0..thread::available_parallelism().map_or(2, |n| n.get().min(4)) {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap().pop();
                    let Some(attack) = next else { return };
                    one(attack);
                }
            });
        }
    });
    let mut times = times.into_inner().unwrap();
    times.sort();
    for (time, name) in times.iter().rev().take(8) {
        println!("{:6.1} s  {name}", time.as_secs_f64());
    }
    let mut wrong = wrong.into_inner().unwrap();
    wrong.extend(scene.remains());
    wrong.sort();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// A class with attackers and an honest student: no attacker gets undeserved points, all other
/// files are graded as usual, and records reveal nothing and flag the attackers.
#[test]
fn a_class_is_graded_around_attackers() {
    let scene = Scene::new("attacked_class");
    let solution = |path: &str| fs::read_to_string(course().join("solutions").join(path)).unwrap();
    // one attack of each kind, and all that only secret inputs detect
    let chosen = [
        "affinity",
        "assert",
        "blocked_signal",
        "by_heart_codes",
        "exit_early",
        "file_signals",
        "file_sizes",
        "forged_no_gpu",
        "forged_result",
        "forged_thread",
        "gate_assembly",
        "gate_async_copies",
        "gate_atomic_column",
        "gate_atomic_or",
        "gate_called_loop",
        "gate_constant",
        "gate_memory_barriers",
        "gate_pad_stores",
        "gate_parameters",
        "gate_surface",
        "gate_texture",
        "incbin_host",
        "include_environment",
        "include_seed",
        "kill_parent",
        "leave_group",
        "own_handler",
        "printed_escapes",
        "raw_threads",
        "read_files",
        "replay",
        "write_files",
        "wild_address",
    ];
    let attacks = Attack::all();
    let class: Vec<&Attack> = attacks
        .iter()
        .filter(|a| {
            let always = a.is_set("graded") || a.keys.contains_key("hidden");
            always || chosen.contains(&a.name.as_str())
        })
        .collect();
    for name in chosen {
        assert!(class.iter().any(|attack| attack.name == name), "there is no {name} any more");
    }
    let folder = scene.root.join("runs/class");
    for attack in &class {
        let put = |path: &str, text: &str| {
            let path = folder.join(&attack.name).join("exercises").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let id = attack.key("exercise");
        let spec = checker::exercises::find(id).unwrap_or_else(|_| panic!("no exercise {id}"));
        let after = match spec.chapter {
            "ch01_threads" => "ch01_threads/guard.cu",
            _ => "ch02_memory/cleanup.cu",
        };
        put(&format!("{}/{id}.cu", spec.chapter), &attack.source(&scene));
        put(after, &solution(after));
    }
    // an honest student with the exercises that are attacked
    for attack in &class {
        let spec = checker::exercises::find(attack.key("exercise")).expect("an exercise");
        let path = format!("{}/{}.cu", spec.chapter, spec.id);
        let to = folder.join("honest/exercises").join(&path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, solution(&path)).unwrap();
    }
    fs::create_dir(scene.root.join("out")).unwrap();
    let (folder, out) =
        (folder.display().to_string(), scene.root.join("out").display().to_string());
    let seed = scene.root.join("secret.txt").display().to_string();
    let (status, said) =
        scene.run("grade", &["grade", &folder, "--seed-file", &seed, "--out", &out, "--jobs", "2"]);
    assert_eq!(status.code(), Some(0), "{said}");
    let mut wrong: Vec<String> = scene.leak(&said).into_iter().collect();
    for attack in &class {
        let path = scene.root.join("out/records").join(format!("{}.json", attack.name));
        let text =
            fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}: {said}", path.display()));
        let record: Value = serde_json::from_str(&text).unwrap();
        let mut say = |line: String| wrong.push(format!("{}: {line}", attack.name));
        if let Some(line) = scene.leak(&text) {
            say(line);
        }
        for exercise in record["exercises"].as_array().unwrap() {
            let (id, status) = (exercise["id"].as_str().unwrap(), &exercise["status"]);
            if id != attack.key("exercise") {
                if !exercise["file"].is_null() && status != "passed" {
                    say(format!(
                        "{id}, which is right, is {status}: {}",
                        exercise["report"]["title"]
                    ));
                }
                continue;
            }
            let slug = exercise["report"]["slug"].as_str().unwrap_or_default();
            let key = if attack.keys.contains_key("hidden") { "hidden" } else { "expect" };
            if !attack.expects(key, slug) {
                say(format!("`{slug}` instead of `{}`", attack.key(key)));
            }
            if (status == "passed") != (slug == "passed") {
                say(format!("{id} is {status}"));
            }
        }
        let flagged =
            |what: &str| record["flags"].as_array().unwrap().iter().any(|f| f["what"] == what);
        if [
            "blocked_signal",
            "forged_no_gpu",
            "forged_result",
            "incbin_host",
            "include_seed",
            "kill_parent",
            "own_handler",
        ]
        .contains(&attack.name.as_str())
            && !flagged("contained")
        {
            say(format!("it is not flagged: {}", record["flags"]));
        }
        if attack.name == "exit_early" && !flagged("look-at") {
            say("its constructor is not pointed at".into());
        }
        if attack.name == "hidden_characters" && !flagged("hidden-characters") {
            say("its hidden characters are not pointed at".into());
        }
    }
    let text = fs::read_to_string(scene.root.join("out/records/honest.json")).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    for exercise in record["exercises"].as_array().unwrap() {
        if !exercise["file"].is_null() && exercise["status"] != "passed" {
            wrong.push(format!("honest: {} is {}", exercise["id"], exercise["status"]));
        }
    }
    if record["flags"].as_array().is_none_or(|flags| !flags.is_empty()) {
        wrong.push(format!("honest: flagged {}", record["flags"]));
    }
    wrong.extend(scene.remains());
    assert!(wrong.is_empty(), "\n{}\n{said}", wrong.join("\n"));
}

/// `checker/proof/attacks/README.md` lists what stops each attack. `BLESS=1` writes the table
/// again.
#[test]
fn the_table_of_attacks_is_right() {
    let mut table = String::from(
        "| attack | what it tries | verdict | what stops it |\n| --- | --- | --- | --- |\n",
    );
    let cell = |text: &str| text.replace('|', "\\|");
    let mut limits = String::new();
    for attack in Attack::all() {
        let verdict = match attack.keys.get("hidden") {
            Some(hidden) => format!("`{}`, with secret inputs `{hidden}`", attack.key("expect")),
            None => format!("`{}`", attack.key("expect")),
        };
        let (tries, stops) = (cell(attack.key("attack")), cell(attack.key("stopped-by")));
        let (name, verdict) = (&attack.name, verdict.replace(" or ", "` or `"));
        writeln!(table, "| [{name}]({name}.cu) | {tries} | {verdict} | {stops} |").unwrap();
        if let Some(limit) = attack.keys.get("limit") {
            writeln!(limits, "* [{name}]({name}.cu): {limit}").unwrap();
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checker/proof/attacks/README.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut fresh = page.clone();
    for (name, text) in [("attacks", &table), ("limits", &limits)] {
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->\n"));
        let (before, rest) = fresh.split_once(&begin).unwrap_or_else(|| panic!("no {begin}"));
        let (_, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no {end}"));
        fresh = format!("{before}{begin}{text}{end}{after}");
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, fresh).unwrap();
    } else {
        assert!(
            page == fresh,
            "checker/proof/attacks/README.md is not what the attacks say: BLESS=1 cargo test -p checker-tools --release --test suite attacks"
        );
    }
}
