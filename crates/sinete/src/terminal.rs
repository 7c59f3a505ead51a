//! Terminal output: results on standard output, errors on standard error, colors and progress only on a
//! terminal.

use crate::config::environment::Environment;
use crate::exit::CommandError;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

/// The meaning of a text, shown as a color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextTone {
    /// Success.
    Good,
    /// A warning.
    Warning,
    /// An error.
    Bad,
    /// Less important.
    Faint,
    /// More important.
    Strong,
}

/// The output streams, and whether they support colors.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    colors: bool,
    progress: bool,
}

impl Terminal {
    /// The terminal of this process. `NO_COLOR` with any value disables colors (no-color.org).
    pub fn from_process(environment: &Environment) -> Self {
        let can_use_colors = environment.get("NO_COLOR").is_none() && environment.get("TERM") != Some("dumb");
        Self {
            colors: can_use_colors && std::io::stdout().is_terminal(),
            progress: std::io::stderr().is_terminal(),
        }
    }

    /// A terminal without colors.
    pub const fn plain() -> Self {
        Self { colors: false, progress: false }
    }

    /// The text in its color, if colors are enabled.
    pub fn paint(&self, tone: TextTone, text: &str) -> String {
        let code = match tone {
            TextTone::Good => "32",
            TextTone::Warning => "33",
            TextTone::Bad => "31",
            TextTone::Faint => "2",
            TextTone::Strong => "1",
        };
        if self.colors { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Prints to standard output. A closed pipe is not an error.
    pub fn print(&self, text: &str) -> Result<(), CommandError> {
        let mut out = std::io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(CommandError::failed(format!("the output cannot be written: {error}")))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Prints to standard error. Failures are ignored.
    pub fn print_error(&self, message: &str) {
        let _ = writeln!(std::io::stderr().lock(), "sinete: {message}");
    }

    /// Asks for confirmation. Fails if there is no terminal.
    pub fn confirm(&self, question: &str) -> Result<bool, CommandError> {
        let stdin = std::io::stdin();
        if !stdin.is_terminal() {
            return Err(CommandError::invalid_usage(
                "nothing was changed: there is no terminal to ask on; add --yes to continue",
            ));
        }
        self.print(&format!("{question} [y/N] "))?;
        let mut answer = String::new();
        let read = stdin.read_line(&mut answer);
        read.map_err(|error| CommandError::failed(format!("the answer cannot be read: {error}")))?;
        Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
    }

    /// Whether standard input is a terminal, so that questions can be asked.
    pub fn can_ask(&self) -> bool {
        std::io::stdin().is_terminal()
    }

    /// Asks a question and reads a line, without surrounding spaces. The default is shown but not returned.
    pub fn ask(&self, question: &str, default: Option<&str>) -> Result<String, CommandError> {
        let default_hint = default.filter(|text| !text.is_empty()).map(|text| format!(" [{text}]"));
        self.print(&format!("{question}{}: ", default_hint.unwrap_or_default()))?;
        let mut answer = String::new();
        match std::io::stdin().read_line(&mut answer) {
            Ok(0) => Err(CommandError::invalid_usage("the answers ended; nothing was written")),
            Ok(_) => Ok(answer.trim().to_owned()),
            Err(error) => Err(CommandError::failed(format!("the answer cannot be read: {error}"))),
        }
    }

    /// Creates a progress bar with this many steps. It is shown only on a terminal, after one second.
    pub fn progress(&self, doing: &'static str, steps: u64) -> ProgressReporter {
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{msg} [{bar:30}] {percent}% {eta} left");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        bar.set_message(doing);
        ProgressReporter { bar, is_enabled: self.progress }
    }
}

/// A progress bar.
#[derive(Debug)]
pub struct ProgressReporter {
    bar: ProgressBar,
    is_enabled: bool,
}

impl ProgressReporter {
    /// Sets the position and the total.
    pub fn set_position(&self, position: u64, of: u64) {
        self.show_when_due();
        self.bar.set_length(of);
        self.bar.set_position(position);
    }

    /// Shows activity without a known position.
    pub fn tick(&self) {
        self.show_when_due();
        self.bar.tick();
    }

    /// Prints while the bar is hidden.
    pub fn suspend(&self, say: impl FnOnce()) {
        self.bar.suspend(say);
    }

    fn show_when_due(&self) {
        if self.is_enabled && self.bar.is_hidden() && self.bar.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for ProgressReporter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_without_tty_prints_no_colors() {
        assert_eq!(Terminal::plain().paint(TextTone::Bad, "no"), "no");
        let terminal = Terminal { colors: true, progress: false };
        assert_eq!(terminal.paint(TextTone::Bad, "no"), "\u{1b}[31mno\u{1b}[0m");
    }
}
