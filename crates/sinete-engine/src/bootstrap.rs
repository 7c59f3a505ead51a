//! The one-time link that makes an operator where there is none who could invite one. Only whoever holds the
//! command line is given it.

use crate::operating::Operating;
use crate::{Engine, Failed};
use sinete_core::limits::BOOTSTRAP_LIFETIME;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::{BootstrapToken, Secret};
use sinete_core::security::event::{Actor, EventKind};
use sinete_core::time::Timestamp;
use sinete_store::{Act, bootstrap_links};

/// A link, shown this once.
pub struct Link {
    /// Where it leads.
    pub address: String,
    /// When it stops working.
    pub expires_at: Timestamp,
}

/// Makes a link. It works once and for a short time; an earlier one is not ended by it.
pub async fn invite_operator(
    engine: &Engine,
    operating: &Operating,
) -> Result<Result<Link, Refusal>, Failed> {
    if operating.cause().actor != Actor::System {
        let public = "the credential does not allow this";
        return Ok(Err(Refusal::new(RefusalCode::InsufficientScope, public, "not the command line")));
    }
    let (token, now) = (Secret::<BootstrapToken>::mint(engine.entropy()), operating.now());
    let expires_at = now.plus(BOOTSTRAP_LIFETIME);
    let event = operating
        .event(engine, EventKind::OperatorInvited, operating.operators())
        .with("expires_at", expires_at.to_string());
    let act = Act::new().with(bootstrap_links::issue(&token.digest(), now, expires_at));
    match engine.store().commit(operating.record(act, &event, "")?).await? {
        Ok(_) => {
            let issuer = &engine.settings().issuer;
            Ok(Ok(Link {
                address: format!("{issuer}/accept-invitation?token={}", token.reveal()),
                expires_at,
            }))
        }
        Err(_) => Err(Failed::Contended),
    }
}
