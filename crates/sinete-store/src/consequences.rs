//! What must be committed because a request was refused.

use crate::act::Act;
use crate::grants;
use sinete_core::refusal::Consequence;
use sinete_core::time::Timestamp;

impl Act {
    /// The consequences of a refusal, with the reason that is kept beside what they revoke. An act of no
    /// consequences commits without asking the database.
    pub fn of(mut consequences: Vec<Consequence>, because: &str, now: Timestamp) -> Self {
        // Every act takes its locks in this order, so that no two wait for each other.
        consequences.sort_by_key(|consequence| match consequence {
            Consequence::RevokeGrant(_) => 0,
            Consequence::Record(_) => 1,
        });
        consequences.into_iter().fold(Self::new(), |act, consequence| match consequence {
            Consequence::RevokeGrant(grant) => act.with(grants::revoke(grant, because, now)),
            Consequence::Record(event) => act.record(&event),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::entropy::DangerouslySeeded;
    use sinete_core::id::GrantId;
    use sinete_core::security::event::{Actor, Event, EventKind};

    #[test]
    fn consequences_are_carried_out_from_the_grant_down_to_the_log() {
        let now = Timestamp::from_seconds(1);
        let event = Event::new(EventKind::CodeReplayed, Actor::Anonymous, now, &DangerouslySeeded::new(1));
        let consequences = vec![
            Consequence::Record(Box::new(event)),
            Consequence::RevokeGrant(GrantId::from_bytes([2; 16])),
        ];
        let act = Act::of(consequences, "the code was presented twice", now);
        let names: Vec<_> = act.steps().iter().map(|step| step.statement.name()).collect();
        assert_eq!(names, ["grants.revoke", "security_log.append"]);
        assert!(Act::of(Vec::new(), "", now).is_empty());
    }
}
