//! The data that a flow offers at a stage, for pages.

use crate::screens::access_choice;
use sinete_engine::sign_in::flows::{FlowOffers, TotpOffer};
use sinete_engine::sign_in::long_lived_access::LongLivedAccess;
use sinete_screens::long_lived_access::LongLivedAccessItem;

/// The data that a flow offers at a stage, for pages.
#[derive(Default)]
pub(super) struct FlowOfferText {
    pub(super) passkey_request: Option<String>,
    pub(super) passkey_creation: Option<String>,
    pub(super) totp: Option<TotpOffer>,
    pub(super) providers: Vec<(String, String)>,
    pub(super) provider_redirect: Option<String>,
    pub(super) access: Vec<LongLivedAccess>,
}

impl FlowOfferText {
    /// The lasting access, for selection.
    pub(super) fn access_choices(&self) -> Vec<LongLivedAccessItem<'_>> {
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
