//! What a provider that speaks SAML says about itself, put in the place of what would have to be typed.

use super::Wanted;
use crate::Engine;
use sinete_core::fault::Faults;
use sinete_core::provider::connection::Protocol;
use sinete_core::provider::saml::metadata::Described;

/// Puts the address and the certificates that a provider says are its own into what is wanted, and gives back who it says it
/// is. The text itself is not kept.
pub(super) fn describe(engine: &Engine, wanted: &mut Wanted, faults: &mut Faults) -> Option<String> {
    let text = wanted.metadata.take()?;
    let Protocol::Saml(saml) = &mut wanted.chosen.protocol else {
        faults.add("/metadata", "only a provider that speaks SAML describes itself so");
        return None;
    };
    match Described::read(&text, engine.now()) {
        Ok(described) => {
            saml.sso_url = described.sso_url;
            saml.certificates = described.certificates;
            Some(described.entity_id)
        }
        Err(why) => {
            faults.add("/metadata", why.to_string());
            None
        }
    }
}
