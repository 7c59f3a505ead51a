//! Exit codes and error messages of the program.

use crate::config::problem::ConfigProblems;
use sinete_engine::EngineStartError;
use sinete_engine::events::security_log::SecurityLogError;
use sinete_engine::platform::instance_key::WrongInstanceKey;
use sinete_store::StoreFailure;
use std::fmt;

/// The exit codes. They are part of the public interface and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandExit {
    /// Success.
    Done = 0,
    /// The command failed.
    Failed = 1,
    /// Wrong arguments, or an invalid configuration.
    InvalidUsage = 2,
    /// Refused because continuing would be unsafe.
    Unsafe = 3,
    /// Data is damaged or was tampered with.
    Damaged = 4,
}

impl CommandExit {
    /// All exit codes with their meaning.
    pub const MEANINGS: [(Self, &'static str); 5] = [
        (Self::Done, "success"),
        (Self::Failed, "failure; the message says why"),
        (Self::InvalidUsage, "invalid usage or configuration; nothing was changed"),
        (Self::Unsafe, "refused because it would be unsafe"),
        (Self::Damaged, "data is damaged or was changed by someone else"),
    ];
}

impl From<CommandExit> for std::process::ExitCode {
    fn from(exit: CommandExit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandError {
    /// The exit code.
    pub exit: CommandExit,
    /// The message; lines after the first are a list.
    pub message: String,
}

impl CommandError {
    /// Creates an error with an exit code.
    pub fn new(exit: CommandExit, message: impl fmt::Display) -> Self {
        Self { exit, message: message.to_string() }
    }

    /// Creates an error for a failure.
    pub fn failed(message: impl fmt::Display) -> Self {
        Self::new(CommandExit::Failed, message)
    }

    /// Creates an error for wrong usage.
    pub fn invalid_usage(message: impl fmt::Display) -> Self {
        Self::new(CommandExit::InvalidUsage, message)
    }

    /// Creates an error for an unsafe state.
    pub fn refused(message: impl fmt::Display) -> Self {
        Self::new(CommandExit::Unsafe, message)
    }

    /// Creates an error for damaged data.
    pub fn damaged(message: impl fmt::Display) -> Self {
        Self::new(CommandExit::Damaged, message)
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for CommandError {}

impl From<ConfigProblems> for CommandError {
    fn from(problems: ConfigProblems) -> Self {
        Self::invalid_usage(problems)
    }
}

impl From<StoreFailure> for CommandError {
    fn from(failed: StoreFailure) -> Self {
        let exit = match failed {
            StoreFailure::Damaged(_) => CommandExit::Damaged,
            StoreFailure::TooNew { .. } => CommandExit::Unsafe,
            StoreFailure::Unreachable
            | StoreFailure::OutcomeUnknown
            | StoreFailure::Locked
            | StoreFailure::Full
            | StoreFailure::ReadOnly
            | StoreFailure::Overloaded
            | StoreFailure::Unstorable(_)
            | StoreFailure::Other(_) => CommandExit::Failed,
        };
        Self::new(exit, failed)
    }
}

impl From<sinete_engine::Failure> for CommandError {
    fn from(failed: sinete_engine::Failure) -> Self {
        match failed {
            sinete_engine::Failure::Store(failed) => failed.into(),
            other => Self::failed(other),
        }
    }
}

impl From<EngineStartError> for CommandError {
    fn from(not_started: EngineStartError) -> Self {
        match not_started {
            EngineStartError::Failed(failed) => failed.into(),
            EngineStartError::WrongInstanceKey(wrong @ WrongInstanceKey::AlteredCheck) => {
                Self::damaged(wrong)
            }
            EngineStartError::WrongInstanceKey(wrong @ WrongInstanceKey::DifferentKey { .. }) => {
                Self::refused(wrong)
            }
            EngineStartError::ConfiguredTwice(twice) => Self::invalid_usage(twice),
            EngineStartError::Passkeys(unusable) => Self::invalid_usage(unusable),
        }
    }
}

impl From<SecurityLogError> for CommandError {
    fn from(failed: SecurityLogError) -> Self {
        match failed {
            SecurityLogError::Store(failed) => failed.into(),
            SecurityLogError::Tampered(_) => Self::damaged(failed),
            SecurityLogError::BeyondHead { .. } => Self::invalid_usage(failed),
            SecurityLogError::KeyNotDecryptable(_) => Self::refused(failed),
            SecurityLogError::NoInstance
            | SecurityLogError::NoKey
            | SecurityLogError::SigningFailed
            | SecurityLogError::Busy
            | SecurityLogError::ArchiveClaimed { .. }
            | SecurityLogError::Archive(_)
            | SecurityLogError::NotAnExport
            | SecurityLogError::LineTooLong { .. }
            | SecurityLogError::Io(_) => Self::failed(failed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_stable() {
        let numbers = CommandExit::MEANINGS.map(|(exit, _)| exit as u8);
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn exit_codes_distinguish_damaged_database_and_newer_schema() {
        assert_eq!(CommandError::from(StoreFailure::Damaged("page 3".to_owned())).exit, CommandExit::Damaged);
        assert_eq!(
            CommandError::from(StoreFailure::TooNew { applied_version: 9, known_version: 8 }).exit,
            CommandExit::Unsafe
        );
        assert_eq!(CommandError::from(StoreFailure::Unreachable).exit, CommandExit::Failed);
    }
}
