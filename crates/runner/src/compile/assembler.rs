//! Errors of the assembler ptxas in inline assembly, which nvcc copies into PTX without reading it.

use std::fs;
use std::path::Path;

use super::{Message, Severity};

/// The first error of ptxas in the log of nvcc.
#[derive(Debug, PartialEq, Eq)]
pub struct AssemblerError<'a> {
    /// One-based line of the PTX.
    line: usize,
    text: &'a str,
}

impl<'a> AssemblerError<'a> {
    /// Finds `ptxas /tmp/x.ptx, line 30; error   : Arguments mismatch for instruction 'add'`.
    pub fn find(log: &'a str) -> Option<Self> {
        log.lines().find_map(|line| {
            let (place, text) = line.strip_prefix("ptxas ")?.split_once("; error")?;
            let (_, number) = place.rsplit_once(", line ")?;
            let text = text.trim_start_matches([' ', ':']);
            Some(Self { line: number.trim().parse().ok()?, text })
        })
    }

    /// The message, at the inline assembly that the line comes from. `folder` has the PTX, and
    /// `unit` is the name of the compiled file.
    pub fn message(&self, folder: &Path, unit: &str) -> Option<Message> {
        let files = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        let mut texts = files
            .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
            .filter_map(|path| fs::read_to_string(path).ok());
        let at = texts.find_map(|text| ptxsim::source_of_inline_assembly(&text, self.line))?;
        let own = Path::new(&at.file).file_name().is_some_and(|name| name == unit);
        Some(Message {
            file: (!own).then_some(at.file),
            severity: Severity::Error,
            line: at.line,
            column: at.column,
            length: 1,
            text: format!("inline assembly: {}", self.text),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_has_a_line() {
        let log = "a.cu(1): warning\nptxas /tmp/a.ptx, line 30; error   : Arguments mismatch for instruction 'add'\n\
                   ptxas fatal   : Ptx assembly aborted due to errors\n";
        let text = "Arguments mismatch for instruction 'add'";
        assert_eq!(AssemblerError::find(log), Some(AssemblerError { line: 30, text }));
        assert_eq!(AssemblerError::find("ptxas fatal   : Ptx assembly aborted"), None);
    }
}
