//! Memberships, for display on the account page.

use super::MyAccountData;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_engine::accounts::memberships::OwnMembership;
use sinete_screens::accounts::my_account::{MembershipItem, MembershipState};
use sinete_screens::language::UiLanguage;

/// A membership, for display.
pub(super) struct MembershipText {
    organization: String,
    roles: String,
    state: MembershipState,
}

impl MyAccountData {
    pub(super) fn membership_items(&self, language: UiLanguage) -> Vec<MembershipText> {
        self.memberships
            .iter()
            .map(|belonging| MembershipText::from_membership(belonging, language))
            .collect()
    }
}

impl MembershipText {
    fn from_membership(belonging: &OwnMembership, language: UiLanguage) -> Self {
        let OwnMembership { organization, member } = belonging;
        let roles = language.phrases().role_names.join(member.roles.iter().map(|role| role.role.name()));
        Self {
            organization: organization.name.clone(),
            roles,
            state: match (organization.condition, member.membership.condition) {
                (LifecycleCondition::Enabled, LifecycleCondition::Enabled) => MembershipState::Usable,
                (LifecycleCondition::Suspended | LifecycleCondition::Ended, _) => MembershipState::Suspended,
                (LifecycleCondition::Enabled, LifecycleCondition::Suspended | LifecycleCondition::Ended) => {
                    MembershipState::Disabled
                }
            },
        }
    }

    pub(super) fn to_item(&self) -> MembershipItem<'_> {
        MembershipItem { organization: &self.organization, roles: &self.roles, state: self.state }
    }
}
