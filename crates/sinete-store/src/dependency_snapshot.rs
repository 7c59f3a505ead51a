//! The version at which facts about clients and members were read.

use sinete_core::time::Timestamp;

/// Snapshot of everything a service's own token depends on, except time. It covers the authentication of
/// every client, and the permissions of members who opened a grant before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DependencySnapshot {
    /// Changes whenever any dependency changes, on any node.
    pub version: i64,
    /// When its organization or the presented secret expires, whichever is first; `None` if neither does.
    pub until: Option<Timestamp>,
}
