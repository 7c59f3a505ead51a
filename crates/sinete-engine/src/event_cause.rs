//! Who caused something.

use sinete_core::events::security_event::{RequestOrigin, SecurityEventActor};

/// Who caused something, and from where.
#[derive(Clone, Debug)]
pub struct EventCause {
    /// Who.
    pub actor: SecurityEventActor,
    /// From where.
    pub origin: RequestOrigin,
}

impl EventCause {
    /// The program itself, or whoever holds its command line.
    pub fn system() -> Self {
        Self { actor: SecurityEventActor::System, origin: RequestOrigin::default() }
    }
}
