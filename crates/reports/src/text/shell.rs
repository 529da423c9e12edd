//! Words for a POSIX shell.

/// Quotes `word` as one word of a POSIX shell's command line, whatever it contains (a NUL cannot be
/// part of an argument).
pub fn quote(word: &str) -> String {
    // `=` turns the first word of a command into an assignment, unless the word is an option.
    let more = if word.starts_with('-') { "=" } else { "" };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:@%+,-".contains(c) || more.contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    /// Runs a script with `sh` and returns what it printed.
    fn sh(script: &str) -> Vec<u8> {
        let out = Command::new("sh").args(["-c", script]).output().unwrap();
        assert!(out.status.success(), "{script}: {}", String::from_utf8_lossy(&out.stderr));
        out.stdout
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        /// The name of a folder never becomes a command: every word survives a real shell, anywhere
        /// in a line.
        #[test]
        fn words_survive_a_shell(
            words in prop::collection::vec("[^\\x00]*|[ '\"$`\\\\!*?~#&;|<>(){}=\n-]*", 1..6)
        ) {
            let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
            let printed = sh(&format!("printf '%s\\0' {}", quoted.join(" ")));
            let expected: Vec<u8> = words.iter().flat_map(|w| [w.as_bytes(), b"\0"].concat()).collect();
            prop_assert_eq!(printed, expected);
        }

        /// A program may have any name: the first word is not read as an assignment or a pattern.
        #[test]
        fn a_program_keeps_its_name(name in "[a-z]{1,3}[ =*~][a-z'\"$~!*]{0,5}") {
            let printed = String::from_utf8(sh(&format!("({}) 2>&1 || true", quote(&name)))).unwrap();
            prop_assert!(printed.contains(&format!("{name}: not found")), "{}", printed);
        }
    }
}
