//! Changes that must be committed because a request was refused, such as revoking a grant on reuse.

use crate::oauth::grants;
use crate::write_batch::WriteBatch;
use sinete_core::refusal::RefusalConsequence;
use sinete_core::time::Timestamp;

impl WriteBatch {
    /// The changes that follow from a refusal, with the reason to store beside what they revoke. An empty
    /// batch commits without a database round trip.
    pub fn from_consequences(
        mut consequences: Vec<RefusalConsequence>,
        because: &str,
        now: Timestamp,
    ) -> Self {
        // Every transaction takes its locks in this order, which prevents deadlocks.
        consequences.sort_by_key(|consequence| match consequence {
            RefusalConsequence::RevokeGrant(_) => 0,
            RefusalConsequence::Record(_) => 1,
        });
        consequences.into_iter().fold(Self::new(), |batch, consequence| match consequence {
            RefusalConsequence::RevokeGrant(grant) => {
                batch.with_statement(grants::revoke_grant(grant, because, now))
            }
            RefusalConsequence::Record(event) => batch.with_event(&event),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::entropy::DangerouslySeededEntropy;
    use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
    use sinete_core::id::GrantId;

    #[test]
    fn refusal_consequences_are_applied_from_the_grant_to_the_log() {
        let now = Timestamp::from_seconds(1);
        let event = SecurityEvent::new(
            EventKind::CodeReplayed,
            SecurityEventActor::Anonymous,
            now,
            &DangerouslySeededEntropy::new(1),
        );
        let consequences = vec![
            RefusalConsequence::Record(Box::new(event)),
            RefusalConsequence::RevokeGrant(GrantId::from_bytes([2; 16])),
        ];
        let batch = WriteBatch::from_consequences(consequences, "the code was presented twice", now);
        let names: Vec<_> = batch.statements().iter().map(|step| step.statement.name()).collect();
        assert_eq!(names, ["grants.revoke", "security_log.append"]);
        assert!(WriteBatch::from_consequences(Vec::new(), "", now).is_empty());
    }
}
