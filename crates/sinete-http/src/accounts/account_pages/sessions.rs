//! Sessions, for display on the account page.

use super::MyAccountData;
use sinete_engine::sign_in::account_holder::AccountHolder;
use sinete_screens::accounts::my_account::SessionItem;
use sinete_screens::display_time::DisplayTime;
use sinete_screens::language::UiLanguage;

/// A session, for display.
pub(super) struct SessionText {
    id: String,
    device: String,
    location: String,
    last_used: DisplayTime,
    is_current: bool,
}

impl MyAccountData {
    pub(super) fn session_items(
        &self,
        account_holder: &AccountHolder,
        language: UiLanguage,
    ) -> Vec<SessionText> {
        let current = account_holder.signed_in.session.id;
        self.sessions
            .iter()
            .map(|session| SessionText {
                id: session.id.to_string(),
                device: session.description.localize_device(language).unwrap_or_default(),
                location: session.description.location.clone().unwrap_or_default(),
                last_used: DisplayTime(session.used_at.seconds()),
                is_current: session.id == current,
            })
            .collect()
    }
}

impl SessionText {
    pub(super) fn to_item(&self) -> SessionItem<'_> {
        let Self { id, device, location, last_used: time, is_current } = self;
        SessionItem { id, device, location, last_used: *time, current: *is_current }
    }
}
