//! The `act` claim (RFC 8693 §4.1), outermost actor first.

use crate::client_id::{ClientId, ClientKind};
use crate::id::MembershipId;
use crate::limits::ACTORS_MAX;
use serde::{Deserialize, Serialize};

/// A chain of actors: the client that holds the token, then the actors it received the token from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActorClaim {
    /// The actor: a client, or an operator by membership id. The two kinds of id never collide.
    pub sub: ClientId,
    /// The kind of actor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_profile: Option<ActorProfile>,
    /// The previous actor; `None` at the end of the chain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<Box<Self>>,
}

/// The kind of actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorProfile {
    /// An AI agent.
    AiAgent,
    /// Any other machine.
    Service,
    /// An operator of the instance who impersonates a user.
    Operator,
}

/// The actor chain would exceed its maximum length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at most {ACTORS_MAX} clients may act for one another")]
pub struct TooManyActors;

impl ActorClaim {
    /// The chain of a user's token that is issued to the client directly: it names an agent, and no other kind of
    /// client, which `client_id` names.
    pub fn for_agent(client: &ClientId, kind: ClientKind) -> Option<Self> {
        match kind {
            ClientKind::Agent => {
                Some(Self { sub: client.clone(), sub_profile: Some(ActorProfile::AiAgent), act: None })
            }
            ClientKind::Application | ClientKind::Service => None,
        }
    }

    /// The chain that an exchange by this client extends. A token that was issued to the client directly names it
    /// already; one that was exchanged before counts as a step, also by the same client, so that chains are bounded.
    pub fn before_exchange(
        current_actor: Option<Self>,
        client: &ClientId,
        was_exchanged: bool,
    ) -> Option<Self> {
        current_actor.filter(|actor| was_exchanged || actor.sub != *client)
    }

    /// Adds an actor at the head of the chain and keeps all earlier actors.
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

    /// The chain of an operator who impersonates the subject.
    pub fn for_impersonation(operator: MembershipId) -> Option<Self> {
        let sub = operator.to_string().parse().ok()?;
        Some(Self { sub, sub_profile: Some(ActorProfile::Operator), act: None })
    }

    /// The number of actors in the chain.
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
    fn act_claim_of_a_directly_issued_token_names_agents_only_and_each_once() {
        let agent = client("agent");
        let direct = ActorClaim::for_agent(&agent, ClientKind::Agent).unwrap();
        assert_eq!(
            serde_json::to_value(&direct).unwrap(),
            serde_json::json!({"sub": "agent", "sub_profile": "ai_agent"})
        );
        for kind in [ClientKind::Application, ClientKind::Service] {
            assert_eq!(ActorClaim::for_agent(&agent, kind), None);
        }
        let before = ActorClaim::before_exchange(Some(direct.clone()), &agent, false);
        let once = ActorClaim::append_actor(agent.clone(), ClientKind::Agent, before).unwrap();
        assert_eq!(once, direct);
        let other = ActorClaim::append_actor(client("other"), ClientKind::Agent, Some(direct)).unwrap();
        assert_eq!(other.length(), 2);
    }

    #[test]
    fn act_claim_of_a_client_that_exchanges_its_own_exchanged_token_is_bounded() {
        let agent = client("agent");
        let mut chain = None;
        for _ in 0..ACTORS_MAX {
            let before = ActorClaim::before_exchange(chain, &agent, true);
            chain = Some(ActorClaim::append_actor(agent.clone(), ClientKind::Agent, before).unwrap());
        }
        let before = ActorClaim::before_exchange(chain, &agent, true);
        assert_eq!(ActorClaim::append_actor(agent, ClientKind::Agent, before), Err(TooManyActors));
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
        for index in 0..ACTORS_MAX {
            chain = Some(
                ActorClaim::append_actor(client(&format!("a{index}")), ClientKind::Agent, chain).unwrap(),
            );
        }
        assert_eq!(
            ActorClaim::append_actor(client("one-more"), ClientKind::Agent, chain),
            Err(TooManyActors)
        );
    }
}
