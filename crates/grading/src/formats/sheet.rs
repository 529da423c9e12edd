//! Cells of CSV files that people open in a spreadsheet.

use crate::text;

/// First characters that make a spreadsheet read a cell as a formula (OWASP, "CSV Injection"); the
/// wide forms are read like the plain ones by some of them.
const STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Whether a spreadsheet may read the text as a formula: quotes and white space before the mark do
/// not help, because a reader that takes the file apart in its own way may drop them.
pub fn is_formula(text: &str) -> bool {
    let skipped = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '\u{fffd}');
    text.trim_start_matches(skipped).starts_with(STARTS) || text.starts_with(['\t', '\r', '\n'])
}

/// Text in one line that no spreadsheet runs: a `'` comes before what would be a formula.
pub fn text(text: &str) -> String {
    let line = text::line(text);
    if is_formula(&line) || is_formula(text) { format!("'{line}") } else { line }
}

/// Rows as a CSV file (RFC 4180, but with `\n` between the rows).
///
/// # Errors
/// The library's reason, when it refuses.
pub fn write(rows: impl IntoIterator<Item = Vec<String>>) -> Result<String, String> {
    let mut writer = csv::WriterBuilder::new().flexible(false).from_writer(vec![]);
    for row in rows {
        writer.write_record(&row).map_err(|error| error.to_string())?;
    }
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Each way in which a formula may begin is disarmed, and names that look a little like one
    /// stay as they are.
    #[test]
    fn formulas_are_disarmed() {
        for formula in [
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            " =1",
            "\"=1",
            "'=1",
            "\0=1",
            "＝1",
            "\u{feff}=1",
        ] {
            assert!(text(formula).starts_with('\''), "{formula:?} became {:?}", text(formula));
        }
        for name in ["Lovelace, Ada", "O'Neill", "u1042", "a=b", "Jean-Luc", "é", "", "l-1"] {
            assert_eq!(text(name), name);
        }
    }

    proptest! {
        /// Whatever goes into cells is read back from the file, in the rows and columns where it
        /// was put.
        #[test]
        fn tables_read_back(rows in prop::collection::vec(prop::collection::vec(any::<String>(), 3), 1..8)) {
            let rows: Vec<Vec<String>> =
                rows.into_iter().map(|row| row.iter().map(|cell| text(cell)).collect()).collect();
            let file = write(rows.clone()).unwrap();
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(file.as_bytes());
            let read: Vec<Vec<String>> = reader
                .records()
                .map(|row| row.unwrap().iter().map(str::to_owned).collect())
                .collect();
            prop_assert_eq!(read, rows);
        }

        /// No cell can be a formula, whatever it was, and nothing breaks the line.
        #[test]
        fn no_cell_is_a_formula(start in "[\t\r\n '\"=+@-]{0,3}", rest in any::<String>()) {
            let cell = text(&format!("{start}{rest}"));
            prop_assert!(!cell.starts_with(STARTS));
            prop_assert!(!cell.contains(['\n', '\r', '\t', '\0']));
            prop_assert!(cell.starts_with('\'') || !is_formula(&cell));
        }
    }
}
