//! Single use under races: exactly one use succeeds, on both engines, and with two processes.

#[cfg(test)]
#[path = "../contract/database.rs"]
#[expect(dead_code, reason = "the store's other both_engines use the rest of it")]
mod database;
#[cfg(test)]
mod one_process;
#[cfg(test)]
mod racers;
#[cfg(test)]
mod two_processes;

use sinete_core::time::Timestamp;

/// The number of racers.
const RACERS: usize = 16;
/// The number of rounds for each statement.
const ROUNDS: u64 = 200;
/// The time of all rounds.
const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);
