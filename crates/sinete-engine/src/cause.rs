//! Who caused something.

use sinete_core::security::event::{Actor, Origin};

/// Who caused something, and from where.
#[derive(Clone, Debug)]
pub struct Cause {
    /// Who.
    pub actor: Actor,
    /// From where.
    pub origin: Origin,
}

impl Cause {
    /// The program itself, or whoever holds its command line.
    pub fn system() -> Self {
        Self { actor: Actor::System, origin: Origin::default() }
    }
}
