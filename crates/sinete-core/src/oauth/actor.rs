//! Who acts for whom: the `act` claim (RFC 8693 §4.1), outermost actor first.

use crate::client_id::{ClientId, ClientKind};
use crate::id::MembershipId;
use crate::limits::ACTORS_MAX;
use serde::{Deserialize, Serialize};

/// A chain of actors: the client that holds the token, and those it got it from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActorClaim {
    /// Who acts: a client, or an operator by their membership. Ids of both kinds are never the same.
    pub sub: ClientId,
    /// What kind of client it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_profile: Option<ActorProfile>,
    /// The one it acts through, if it is not the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<Box<Self>>,
}

/// What kind of client acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorProfile {
    /// A machine that acts with judgement.
    AiAgent,
    /// Any other machine.
    Service,
    /// A person who runs the instance and acts as somebody else.
    Operator,
}

/// The chain would grow longer than anybody could follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at most {ACTORS_MAX} clients may act for one another")]
pub struct TooManyActors;

impl ActorClaim {
    /// The chain with one more actor at its head. Whoever acted before stays named.
    pub fn append_actor(
        client: ClientId,
        kind: ClientKind,
        before: Option<Self>,
    ) -> Result<Self, TooManyActors> {
        let sub_profile = match kind {
            ClientKind::Agent => Some(ActorProfile::AiAgent),
            ClientKind::Service => Some(ActorProfile::Service),
            ClientKind::Application => None,
        };
        let actor = Self { sub: client, sub_profile, act: before.map(Box::new) };
        if actor.length() > ACTORS_MAX { Err(TooManyActors) } else { Ok(actor) }
    }

    /// An operator who acts as the subject.
    pub fn for_impersonation(operator: MembershipId) -> Option<Self> {
        let sub = operator.to_string().parse().ok()?;
        Some(Self { sub, sub_profile: Some(ActorProfile::Operator), act: None })
    }

    /// How many actors there are.
    pub fn length(&self) -> usize {
        1 + self.act.as_ref().map_or(0, |before| before.length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(name: &str) -> ClientId {
        name.parse().unwrap()
    }

    #[test]
    fn act_claim_lists_actors_newest_first() {
        let first = ActorClaim::append_actor(client("app"), ClientKind::Application, None).unwrap();
        let second = ActorClaim::append_actor(client("agent"), ClientKind::Agent, Some(first)).unwrap();
        let json = serde_json::to_value(&second).unwrap();
        assert_eq!(
            json,
            serde_json::json!({"sub": "agent", "sub_profile": "ai_agent", "act": {"sub": "app"}})
        );
        assert_eq!(serde_json::from_value::<ActorClaim>(json).unwrap(), second);
    }

    #[test]
    fn act_claim_of_an_impersonating_operator_has_profile_operator() {
        let operator = MembershipId::from_bytes([7; 16]);
        let json = serde_json::to_value(ActorClaim::for_impersonation(operator).unwrap()).unwrap();
        assert_eq!(json, serde_json::json!({"sub": operator.to_string(), "sub_profile": "operator"}));
    }

    #[test]
    fn act_claim_chain_is_bounded() {
        let mut chain = None;
        for place in 0..ACTORS_MAX {
            chain = Some(
                ActorClaim::append_actor(client(&format!("a{place}")), ClientKind::Agent, chain).unwrap(),
            );
        }
        assert_eq!(
            ActorClaim::append_actor(client("one-more"), ClientKind::Agent, chain),
            Err(TooManyActors)
        );
    }
}
