//! The terminal while watching: single keys in, text out, and everything as it was on every way out.

use std::io::{self, IsTerminal, Write};

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::{cursor, execute, terminal};

use super::state::Key;
use crate::console;

/// The terminal. Dropping it gives the terminal back.
#[derive(Debug)]
pub struct Screen {
    raw: bool,
    clear: bool,
}

impl Screen {
    /// Takes the terminal for single keys, when there is one on both sides.
    pub fn take() -> Self {
        let both = io::stdin().is_terminal() && io::stdout().is_terminal();
        let raw = both && terminal::enable_raw_mode().is_ok();
        if raw {
            // A panic prints before anything is dropped: its text needs a terminal that breaks lines.
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                let _ = terminal::disable_raw_mode();
                before(info);
            }));
        }
        Self { raw, clear: raw && !console::wants_plain_text() }
    }

    /// True when keys can be read.
    pub fn has_keys(&self) -> bool {
        self.raw
    }

    /// Begins a new page: an empty screen where that is possible, else an empty line.
    pub fn page(&self) {
        if self.clear {
            let all = terminal::Clear(terminal::ClearType::All);
            let _ = execute!(io::stdout(), all, cursor::MoveTo(0, 0));
        } else {
            self.print("");
        }
    }

    /// Prints text and a line break. A terminal that has gone away is no error here: its keys will say so.
    pub fn print(&self, text: &str) {
        let mut out = io::stdout().lock();
        // Raw terminals do not return to the first column by themselves.
        let text = if self.raw { text.replace('\n', "\r\n") + "\r" } else { text.to_owned() };
        let _ = writeln!(out, "{text}").and_then(|()| out.flush());
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        if self.raw {
            let _ = terminal::disable_raw_mode();
        }
    }
}

/// Waits for a key that does something; `None` when the terminal has gone away.
pub fn key() -> Option<Key> {
    loop {
        let Event::Key(event) = crossterm::event::read().ok()? else { continue };
        if event.kind == KeyEventKind::Release {
            continue;
        }
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        return Some(match event.code {
            // Raw mode turns the signal into a key.
            KeyCode::Char('c' | 'd') if control => Key::Quit,
            KeyCode::Char('n') => Key::Next,
            KeyCode::Char('h') => Key::Hint,
            KeyCode::Char('l') => Key::List,
            KeyCode::Char('r') | KeyCode::Enter => Key::Again,
            KeyCode::Char('q') | KeyCode::Esc => Key::Quit,
            _ => continue,
        });
    }
}
