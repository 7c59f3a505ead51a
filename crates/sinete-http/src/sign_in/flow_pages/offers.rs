//! The data that a flow offers at a stage, for pages.

use crate::screens::access_choice;
use sinete_engine::sign_in::flows::{FlowOffers, TotpOffer};
use sinete_engine::sign_in::lasting_access::LastingAccess;
use sinete_screens::lasting_access::AccessChoice;

/// The data that a flow offers at a stage, for pages.
#[derive(Default)]
pub(super) struct FlowOfferText {
    pub(super) passkey_request: Option<String>,
    pub(super) passkey_creation: Option<String>,
    pub(super) totp: Option<TotpOffer>,
    pub(super) providers: Vec<(String, String)>,
    pub(super) provider_redirect: Option<String>,
    pub(super) access: Vec<LastingAccess>,
}

impl FlowOfferText {
    /// The lasting access, for selection.
    pub(super) fn access_choices(&self) -> Vec<AccessChoice<'_>> {
        self.access.iter().map(access_choice).collect()
    }
}

impl From<FlowOffers> for FlowOfferText {
    fn from(offers: FlowOffers) -> Self {
        Self {
            passkey_request: offers.passkey_request.map(|options| options.to_string()),
            passkey_creation: offers.passkey_creation.map(|options| options.to_string()),
            totp: offers.totp,
            providers: offers.providers.into_iter().map(|it| (it.connection.to_string(), it.name)).collect(),
            provider_redirect: offers.provider_url,
            access: offers.access,
        }
    }
}
