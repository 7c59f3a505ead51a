//! What a flow offers beside its actions, as a page needs it.

use sinete_engine::flows::{Offers, TotpOffer};

/// What the flow offers beside its actions, as a page needs it.
#[derive(Default)]
pub(super) struct Offered {
    pub(super) request: Option<String>,
    pub(super) creation: Option<String>,
    pub(super) totp: Option<TotpOffer>,
    pub(super) providers: Vec<(String, String)>,
    pub(super) go_to: Option<String>,
}

impl From<Offers> for Offered {
    fn from(offers: Offers) -> Self {
        Self {
            request: offers.passkey_request.map(|options| options.to_string()),
            creation: offers.passkey_creation.map(|options| options.to_string()),
            totp: offers.totp,
            providers: offers.providers.into_iter().map(|it| (it.connection.to_string(), it.name)).collect(),
            go_to: offers.go_to,
        }
    }
}
