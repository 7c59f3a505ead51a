//! How the program ends: a code scripts can act on, and one line for the person.

use crate::config::problem::Problems;
use sinete_engine::NotStarted;
use sinete_engine::instance_key::WrongInstanceKey;
use sinete_engine::security_log::LogFailed;
use sinete_store::Failed;
use std::fmt;

/// How the program ended. The numbers are part of our interface: they never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked.
    Done = 0,
    /// It could not do what was asked, and somebody has to look why.
    Failed = 1,
    /// It was asked wrongly: unknown arguments, or a configuration that cannot be understood.
    Wrong = 2,
    /// It refused because going on would be unsafe.
    Unsafe = 3,
    /// It found data that was damaged or tampered with.
    Damaged = 4,
}

impl Exit {
    /// Every way to end, with its meaning.
    pub const MEANINGS: [(Self, &'static str); 5] = [
        (Self::Done, "done"),
        (Self::Failed, "failed; the message says why"),
        (Self::Wrong, "wrong usage or configuration; nothing was changed"),
        (Self::Unsafe, "refused because it would be unsafe"),
        (Self::Damaged, "data is damaged or was tampered with"),
    ];
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// How the program ends because of it.
    pub exit: Exit,
    /// What to tell the person; lines after the first are a list.
    pub message: String,
}

impl Stop {
    /// A stop with its message.
    pub fn new(exit: Exit, message: impl fmt::Display) -> Self {
        Self { exit, message: message.to_string() }
    }

    /// A stop because something could not be done.
    pub fn failed(message: impl fmt::Display) -> Self {
        Self::new(Exit::Failed, message)
    }

    /// A stop because it was asked wrongly.
    pub fn wrong(message: impl fmt::Display) -> Self {
        Self::new(Exit::Wrong, message)
    }

    /// A stop because going on would be unsafe.
    pub fn refused(message: impl fmt::Display) -> Self {
        Self::new(Exit::Unsafe, message)
    }

    /// A stop because data is not what it was.
    pub fn damaged(message: impl fmt::Display) -> Self {
        Self::new(Exit::Damaged, message)
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Stop {}

impl From<Problems> for Stop {
    fn from(problems: Problems) -> Self {
        Self::wrong(problems)
    }
}

impl From<Failed> for Stop {
    fn from(failed: Failed) -> Self {
        let exit = match failed {
            Failed::Damaged(_) => Exit::Damaged,
            Failed::TooNew { .. } => Exit::Unsafe,
            Failed::Unreachable
            | Failed::OutcomeUnknown
            | Failed::Locked
            | Failed::Full
            | Failed::ReadOnly
            | Failed::Overloaded
            | Failed::Unstorable(_)
            | Failed::Other(_) => Exit::Failed,
        };
        Self::new(exit, failed)
    }
}

impl From<sinete_engine::Failed> for Stop {
    fn from(failed: sinete_engine::Failed) -> Self {
        match failed {
            sinete_engine::Failed::Store(failed) => failed.into(),
            other => Self::failed(other),
        }
    }
}

impl From<NotStarted> for Stop {
    fn from(not_started: NotStarted) -> Self {
        match not_started {
            NotStarted::Failed(failed) => failed.into(),
            NotStarted::WrongInstanceKey(wrong @ WrongInstanceKey::Altered) => Self::damaged(wrong),
            NotStarted::WrongInstanceKey(wrong @ WrongInstanceKey::Another { .. }) => Self::refused(wrong),
            NotStarted::ConfiguredTwice(twice) => Self::wrong(twice),
            NotStarted::Passkeys(unusable) => Self::wrong(unusable),
        }
    }
}

impl From<LogFailed> for Stop {
    fn from(failed: LogFailed) -> Self {
        match failed {
            LogFailed::Store(failed) => failed.into(),
            LogFailed::Tampered(_) => Self::damaged(failed),
            LogFailed::BeyondHead { .. } => Self::wrong(failed),
            LogFailed::KeySealed(_) => Self::refused(failed),
            LogFailed::NoInstance
            | LogFailed::NoKey
            | LogFailed::NotSigned
            | LogFailed::Busy
            | LogFailed::NotAnExport
            | LogFailed::LineTooLong { .. }
            | LogFailed::Write(_) => Self::failed(failed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_scripts_rely_on() {
        let numbers = Exit::MEANINGS.map(|(exit, _)| exit as u8);
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_damaged_database_and_a_newer_schema_have_codes_of_their_own() {
        assert_eq!(Stop::from(Failed::Damaged("page 3".to_owned())).exit, Exit::Damaged);
        assert_eq!(Stop::from(Failed::TooNew { found: 9, known: 8 }).exit, Exit::Unsafe);
        assert_eq!(Stop::from(Failed::Unreachable).exit, Exit::Failed);
    }
}
