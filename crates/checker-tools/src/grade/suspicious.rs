//! Words in a program's source that no exercise needs, and that code uses to attack its grader.
//!
//! A program shares its process with what counts its calls ([`checker::program`]), so it could
//! change counts, though never results. A finding never changes a grade; the record mentions it,
//! and an instructor decides. A student can hide such a word from the scan, so the sandbox does not
//! depend on it.

use checker::spec::Kind;

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspicion {
    /// One-based line.
    pub line: u32,
    /// The word as it stands in the source.
    pub word: String,
    /// What it does: "calls the system by numbers".
    pub why: &'static str,
}

impl std::fmt::Display for Suspicion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: `{}` {}", self.line, self.word, self.why)
    }
}

/// Identifiers, and what they do.
const WORDS: [(&[&str], &str); 6] = [
    (&["asm", "__asm", "__asm__"], "is assembly, or gives a function another name for the linker"),
    (&["syscall", "__NR_write", "SYS_write"], "calls the system by numbers"),
    (
        &["dlopen", "dlmopen", "dlsym", "dlvsym", "dladdr", "dl_iterate_phdr"],
        "looks for functions of the process",
    ),
    (
        &[
            "constructor",
            "__constructor__",
            "destructor",
            "__destructor__",
            "ifunc",
            "init_priority",
            "init_array",
        ],
        "runs code before or after the function is called",
    ),
    (
        &["mprotect", "process_vm_readv", "process_vm_writev", "ptrace"],
        "reaches into memory that is not its own",
    ),
    (&["sigaction", "siglongjmp", "sigaltstack"], "handles signals, such as its own crash"),
];

/// Parts of strings and names, and what they do.
const PARTS: [(&str, &str); 3] = [
    ("/proc/", "reads what the system reveals about processes"),
    ("__cuda", "names the insides of the CUDA runtime"),
    ("cwk1", "names the checker's own messages"),
];

/// The suspicious words by line, each once. Kernels have none, because none of their code runs
/// outside the simulator or the GPU.
pub fn suspicious(kind: Kind, source: &str) -> Vec<Suspicion> {
    let mut found: Vec<Suspicion> = vec![];
    if !kind.has_host_code() {
        return found;
    }
    for (line, text) in (1..).zip(without_comments(source).lines()) {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let named = words.filter_map(|word| {
            let (_, why) = WORDS.iter().find(|(words, _)| words.contains(&word))?;
            Some((word, *why))
        });
        let parts = PARTS.iter().filter(|(part, _)| text.contains(part)).copied();
        for (word, why) in named.chain(parts) {
            if !found.iter().any(|seen| seen.word == word) {
                found.push(Suspicion { line, word: word.to_owned(), why });
            }
        }
    }
    found
}

/// The source with spaces for comments, line by line as it was. Texts stay: what looks like a
/// comment in them is none.
fn without_comments(source: &str) -> String {
    #[derive(PartialEq)]
    enum In {
        Code,
        Text(char),
        Line,
        Block,
    }
    let mut out = String::with_capacity(source.len());
    let (mut inside, mut rest) = (In::Code, source.chars().peekable());
    while let Some(c) = rest.next() {
        match inside {
            In::Code if c == '/' && rest.peek() == Some(&'/') => inside = In::Line,
            In::Code if c == '/' && rest.peek() == Some(&'*') => {
                rest.next();
                inside = In::Block;
            }
            In::Code if c == '"' || c == '\'' => {
                out.push(c);
                inside = In::Text(c);
            }
            In::Text(_) if c == '\\' => {
                out.push(c);
                out.extend(rest.next());
            }
            // a line end closes an unclosed literal, which is no valid C++
            In::Text(quote) if c == quote || c == '\n' => {
                out.push(c);
                inside = In::Code;
            }
            In::Code | In::Text(_) => out.push(c),
            In::Line | In::Block if c == '\n' => {
                out.push(c);
                if inside == In::Line {
                    inside = In::Code;
                }
            }
            In::Block if c == '*' && rest.peek() == Some(&'/') => {
                rest.next();
                out.push(' ');
                inside = In::Code;
            }
            In::Line | In::Block => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use checker::spec::HostPart;

    use super::*;
    use checker::exercises;

    fn words(source: &str) -> Vec<(u32, String)> {
        suspicious(Kind::Program(HostPart::Copies), source)
            .into_iter()
            .map(|s| (s.line, s.word))
            .collect()
    }

    /// False alarms cost an instructor's time, so comments and longer names are ignored, and a word
    /// is reported once.
    #[test]
    fn words_are_found_where_they_mean_something() {
        let source = "// asm syscall /proc/self\nint assembly; /* dlsym\n ptrace */ syscall(1); syscall(2);\n\
                      open(\"/proc/self/maps\"); // fine\nconst char* a = \"// \\\" asm\"; asm(\"\");\n";
        assert_eq!(
            words(source),
            [(3, "syscall".to_owned()), (4, "/proc/".to_owned()), (5, "asm".to_owned())]
        );
        assert_eq!(
            suspicious(Kind::Program(HostPart::Copies), "asm(\"\");")[0].to_string(),
            "line 1: `asm` is assembly, or gives a function another name for the linker"
        );
    }

    /// The course's own files are what honest files look like.
    #[test]
    fn the_course_has_none() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut read = 0;
        for spec in exercises::all() {
            for folder in ["solutions", "exercises"] {
                let path = root.join(folder).join(spec.chapter).join(format!("{}.cu", spec.id));
                let source = std::fs::read_to_string(&path).unwrap();
                assert_eq!(suspicious(spec.kind, &source), [], "{}", path.display());
                read += 1;
            }
        }
        assert!(read >= 90, "{read}");
    }

    proptest! {
        /// Whatever is handed in, lines keep their numbers, and nothing panics.
        #[test]
        fn lines_stay(source in "[a-z/*\"'\\\\\n ]{0,200}") {
            let _ = suspicious(Kind::Program(HostPart::Copies), &source);
            let breaks = |text: &str| text.matches('\n').count();
            prop_assert_eq!(breaks(&without_comments(&source)), breaks(&source));
        }
    }
}
