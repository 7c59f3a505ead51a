//! What can be spent once is spent once, however many try: raced on both engines, and by two processes.

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

/// How many race for each thing.
const RACERS: usize = 16;
/// How many things are raced for, for each verb.
const ROUNDS: u64 = 200;
/// When all of it happens.
const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);
