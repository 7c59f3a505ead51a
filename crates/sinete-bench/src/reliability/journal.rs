//! The client's own journal: what the server acknowledged, and what must therefore be true afterwards.

use crate::stopwatch::RunningStopwatch;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// The number of entries of one kind that a journal keeps; the oldest are dropped first.
const ENTRIES_MAX: usize = 400;
/// The number of unexpected answers that a journal keeps.
const VIOLATIONS_MAX: usize = 20;
/// Codes older than this are not checked, because they expire after a minute.
const CODE_AGE_MAX: Duration = Duration::from_secs(40);

/// An authorization code that the server issued.
#[derive(Clone, Debug)]
pub struct IssuedCode {
    /// The code.
    pub code: String,
    age: RunningStopwatch,
}

/// The newest refresh token of a grant, and the one before it, which is used up.
#[derive(Clone, Debug)]
pub struct RefreshTokenPair {
    /// The token that was rotated, if one was.
    pub rotated: Option<String>,
    /// The newest token.
    pub newest: String,
}

/// The journal of one client.
#[derive(Debug, Default)]
pub struct ClientJournal {
    /// Acknowledged operations.
    pub acknowledged: u64,
    /// Codes that were never presented, or whose presentation was answered 503: each must work once.
    pub unused_codes: VecDeque<IssuedCode>,
    /// Codes whose redemption was acknowledged: none may work again.
    pub redeemed_codes: VecDeque<String>,
    /// Codes that were presented without an answer: each works at most once more.
    pub uncertain_codes: VecDeque<IssuedCode>,
    /// Refresh tokens: the newest must work, the rotated one must not.
    pub refresh_tokens: VecDeque<RefreshTokenPair>,
    /// Access tokens that were not revoked: each must be active.
    pub active_tokens: VecDeque<String>,
    /// Access tokens whose revocation was acknowledged: none may be active.
    pub revoked_tokens: VecDeque<String>,
    /// Answers other than success, with their count.
    pub failures: BTreeMap<&'static str, u64>,
    /// Answers that a server must never give.
    pub violations: Vec<String>,
}

/// Adds an entry and drops the oldest beyond the limit.
pub fn push_bounded<T>(entries: &mut VecDeque<T>, entry: T) {
    if entries.len() >= ENTRIES_MAX {
        entries.pop_front();
    }
    entries.push_back(entry);
}

impl IssuedCode {
    /// A code that was issued just now.
    pub fn new(code: String) -> Self {
        Self { code, age: RunningStopwatch::start() }
    }

    /// Whether it cannot have expired yet.
    pub fn is_fresh(&self) -> bool {
        self.age.elapsed() < CODE_AGE_MAX
    }
}

impl ClientJournal {
    /// Counts an answer that is neither success nor a violation.
    pub fn count_failure(&mut self, kind: &'static str) {
        *self.failures.entry(kind).or_default() += 1;
    }

    /// Notes an answer that a server must never give.
    pub fn note_violation(&mut self, violation: String) {
        if self.violations.len() < VIOLATIONS_MAX {
            self.violations.push(violation);
        }
    }
}

/// The failures of all journals in one line.
pub fn describe_failures(journals: &[ClientJournal]) -> String {
    let mut all = BTreeMap::<&str, u64>::new();
    for (kind, count) in journals.iter().flat_map(|journal| &journal.failures) {
        *all.entry(kind).or_default() += count;
    }
    let each: Vec<_> = all.iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
    if each.is_empty() { "no failed request".to_owned() } else { each.join(", ") }
}

/// The acknowledged operations of all journals.
pub fn count_acknowledged(journals: &[ClientJournal]) -> u64 {
    journals.iter().map(|journal| journal.acknowledged).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn journal_keeps_the_newest_entries() {
        let mut entries = VecDeque::new();
        for entry in 0..ENTRIES_MAX + 5 {
            push_bounded(&mut entries, entry);
        }
        assert_eq!((entries.len(), entries.front()), (ENTRIES_MAX, Some(&5)));
    }

    #[test]
    fn journal_sums_the_failures_of_all_clients() {
        let mut journals = [ClientJournal::default(), ClientJournal::default()];
        assert_eq!(describe_failures(&journals), "no failed request");
        journals[0].count_failure("503");
        journals[1].count_failure("503");
        journals[1].count_failure("504");
        assert_eq!(describe_failures(&journals), "2 × 503, 1 × 504");
    }
}
