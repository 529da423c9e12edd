//! The workbook's preprocessor as a program, for a plain `mdbook build book`. It reads a book as
//! JSON and writes it with its markers replaced. All of the logic is in `checker_tools::book`.

use std::io::{self, Write};
use std::process::ExitCode;

use checker_tools::book::Workbook;
use mdbook_preprocessor::Preprocessor;

fn main() -> ExitCode {
    // mdBook asks `supports RENDERER` first; the markers become Markdown and HTML, which every
    // renderer takes.
    if std::env::args().nth(1).as_deref() == Some("supports") {
        return ExitCode::SUCCESS;
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let (context, book) = mdbook_preprocessor::parse_input(io::stdin())?;
    let book = Workbook::default().run(&context, book)?;
    serde_json::to_writer(io::stdout().lock(), &book)?;
    io::stdout().flush()?;
    Ok(())
}
