//! The cause of an event.

use sinete_core::events::security_event::{RequestOrigin, SecurityEventActor};

/// The actor and origin of an event.
#[derive(Clone, Debug)]
pub struct EventCause {
    /// The actor.
    pub actor: SecurityEventActor,
    /// The origin.
    pub origin: RequestOrigin,
}

impl EventCause {
    /// The program itself, or its command line.
    pub fn system() -> Self {
        Self { actor: SecurityEventActor::System, origin: RequestOrigin::default() }
    }
}
