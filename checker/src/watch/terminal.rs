//! The terminal while watching. It reads single keys and prints text, and it is restored on every
//! way out.

use std::io::{self, IsTerminal, Write};

use crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use crossterm::{cursor, execute, terminal};

use super::state::Key;
use crate::console;

/// The terminal in raw mode. Dropping this value restores it.
#[derive(Debug)]
pub struct Screen {
    raw: bool,
    clear: bool,
}

impl Screen {
    /// Puts the terminal into raw mode when standard input and standard output are both a terminal.
    pub fn open() -> Self {
        let both = io::stdin().is_terminal() && io::stdout().is_terminal();
        let raw = both && terminal::enable_raw_mode().is_ok();
        if raw {
            // A panic prints its message before anything is dropped, and the message needs a
            // terminal that breaks lines.
            let before = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                let _ = terminal::disable_raw_mode();
                before(info);
            }));
        }
        Self { raw, clear: raw && !console::wants_plain_text() }
    }

    /// Whether keys can be read.
    pub fn has_keys(&self) -> bool {
        self.raw
    }

    /// Clears the screen if that is possible; otherwise prints an empty line.
    pub fn start_page(&self) {
        if self.clear {
            let all = terminal::Clear(terminal::ClearType::All);
            let _ = execute!(io::stdout(), all, cursor::MoveTo(0, 0));
        } else {
            self.print("");
        }
    }

    /// Prints text and a line break. A closed terminal is no error here, because reading a key
    /// reports it.
    pub fn print(&self, text: &str) {
        let mut out = io::stdout().lock();
        // In raw mode, a line feed does not return to the first column.
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

/// Waits for a key that has a meaning; `None` when the terminal is closed.
pub fn read_key() -> Option<Key> {
    loop {
        let Event::Key(event) = crossterm::event::read().ok()? else { continue };
        if event.kind == KeyEventKind::Release {
            continue;
        }
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        return Some(match event.code {
            // In raw mode, Ctrl-C is a key and not a signal.
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
