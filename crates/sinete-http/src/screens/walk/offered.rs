//! What a flow offers beside its actions, as a page needs it.

use crate::screens::access_choice;
use sinete_engine::flows::{Offers, TotpOffer};
use sinete_engine::lasting_access::LastingAccess;
use sinete_screens::access::AccessChoice;

/// What the flow offers beside its actions, as a page needs it.
#[derive(Default)]
pub(super) struct Offered {
    pub(super) request: Option<String>,
    pub(super) creation: Option<String>,
    pub(super) totp: Option<TotpOffer>,
    pub(super) providers: Vec<(String, String)>,
    pub(super) go_to: Option<String>,
    pub(super) access: Vec<LastingAccess>,
}

impl Offered {
    /// What acts for the person, to choose from what is kept.
    pub(super) fn choices(&self) -> Vec<AccessChoice<'_>> {
        self.access.iter().map(access_choice).collect()
    }
}

impl From<Offers> for Offered {
    fn from(offers: Offers) -> Self {
        Self {
            request: offers.passkey_request.map(|options| options.to_string()),
            creation: offers.passkey_creation.map(|options| options.to_string()),
            totp: offers.totp,
            providers: offers.providers.into_iter().map(|it| (it.connection.to_string(), it.name)).collect(),
            go_to: offers.go_to,
            access: offers.access,
        }
    }
}
