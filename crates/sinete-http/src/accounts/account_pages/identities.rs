//! Linked and linkable identity providers, for display on the account page.

use sinete_engine::accounts::linked_identities::{LinkableProvider, LinkedIdentity};
use sinete_screens::accounts::my_account::{ProviderItem, ProviderLinkState};
use sinete_screens::display_time::DisplayTime;

/// An identity provider, for display.
pub(super) enum ProviderText {
    /// Linked.
    Linked { id: String, name: String, since: DisplayTime, is_usable: bool },
    /// Not linked, but can be.
    Linkable { connection: String, name: String, organization: String },
}

/// The linked providers, then the linkable ones.
pub(super) fn list_providers(linked: &[LinkedIdentity], linkable: &[LinkableProvider]) -> Vec<ProviderText> {
    let provider_texts = linked.iter().map(|linked_identity| ProviderText::Linked {
        id: linked_identity.id.clone(),
        name: issuer_host(&linked_identity.issuer).to_owned(),
        since: DisplayTime(linked_identity.created_at.seconds()),
        is_usable: linked_identity.is_usable,
    });
    let possible = linkable.iter().map(|linkable| ProviderText::Linkable {
        connection: linkable.connection.id.to_string(),
        name: linkable.connection.settings.name.clone(),
        organization: linkable.organization.clone(),
    });
    provider_texts.chain(possible).collect()
}

/// The host of an issuer.
fn issuer_host(issuer: &str) -> &str {
    issuer.split_once("://").map_or(issuer, |(_, rest)| rest).trim_end_matches('/')
}

impl ProviderText {
    pub(super) fn to_item(&self) -> ProviderItem<'_> {
        match self {
            Self::Linked { id, name, since, is_usable: true } => {
                ProviderItem { name, link: ProviderLinkState::Linked { id, since: *since } }
            }
            Self::Linked { id, name, since, is_usable: false } => {
                ProviderItem { name, link: ProviderLinkState::Unusable { id, since: *since } }
            }
            Self::Linkable { connection, name, organization } => {
                ProviderItem { name, link: ProviderLinkState::Linkable { connection, organization } }
            }
        }
    }
}
