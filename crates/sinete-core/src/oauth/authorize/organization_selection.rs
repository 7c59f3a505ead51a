//! Selects the organization of a request if the user belongs to several.

use super::params::{PromptParameter, PromptValue};
use super::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::id::{MembershipId, OrganizationId};
use crate::oauth::client_metadata::ServedUsers;

/// An enabled organization that the user belongs to and the client serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrganizationCandidate {
    /// The organization.
    pub organization: OrganizationId,
    /// The user's membership in it.
    pub membership: MembershipId,
    /// Whether it is the home organization.
    pub is_home: bool,
}

/// Hints for selecting an organization, strongest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrganizationHints {
    /// The `organization` parameter.
    pub requested: RequestedOrganization,
    /// The organization the user chose in this flow.
    pub selected: Option<OrganizationId>,
    /// The organization of the `id_token_hint`.
    pub hinted: Option<OrganizationId>,
    /// The organization in which this session holds an active grant for this client.
    pub granted: Option<OrganizationId>,
}

/// The organization named by the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestedOrganization {
    /// The request names none.
    #[default]
    None,
    /// The request names this one.
    Existing(OrganizationId),
    /// The request names one that does not exist.
    Unknown,
}

/// The result of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrganizationSelection {
    /// This organization.
    Selected(OrganizationCandidate),
    /// The user must choose.
    Choose,
}

/// Selects the organization. Not a member, suspended and nonexistent are rejected with the same error.
pub fn select_organization(
    signs: &OrganizationHints,
    candidates: &[OrganizationCandidate],
    serves: ServedUsers,
    prompt: &PromptParameter,
) -> Result<OrganizationSelection, AuthorizationRefusal> {
    let denied = || {
        (
            AuthorizationErrorCode::AccessDenied,
            "The user has no organization that can use this client with \
            this scope."
                .into(),
        )
    };
    let at = |organization: OrganizationId| {
        let organization_candidate =
            candidates.iter().find(|candidate| candidate.organization == organization);
        organization_candidate.copied().map(OrganizationSelection::Selected).ok_or_else(denied)
    };
    match (signs.requested, signs.selected) {
        (RequestedOrganization::Unknown, _) => return Err(denied()),
        (RequestedOrganization::Existing(organization), _) => return at(organization),
        (RequestedOrganization::None, Some(organization)) => return at(organization),
        (RequestedOrganization::None, None) => {}
    }
    if candidates.is_empty() {
        return Err(denied());
    }
    if prompt.requires(PromptValue::SelectAccount) {
        return Ok(OrganizationSelection::Choose);
    }
    // If the client serves all users, the home organization is the default and no choice is needed.
    let home = candidates.iter().find(|it| it.is_home && serves == ServedUsers::Everyone);
    match (signs.hinted.or(signs.granted), home, candidates) {
        (Some(organization), _, _) => at(organization),
        (None, Some(candidate), _) | (None, None, [candidate]) => {
            Ok(OrganizationSelection::Selected(*candidate))
        }
        (None, None, _) if *prompt == PromptParameter::Silent => Err((
            AuthorizationErrorCode::AccountSelectionRequired,
            "The user must choose an organization, which prompt=none does not allow. Send the parameter \
             organization, or the request without prompt=none."
                .into(),
        )),
        (None, None, _) => Ok(OrganizationSelection::Choose),
    }
}

/// Whether users of a client act in an organization. No customer is served in the home organization.
pub fn is_served(serves: ServedUsers, is_home: bool) -> bool {
    match serves {
        ServedUsers::Any | ServedUsers::Everyone => true,
        ServedUsers::Organizations => !is_home,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of the home organization.
    const HOME: u8 = 7;

    fn organization(number: u8) -> OrganizationId {
        OrganizationId::from_bytes([number; 16])
    }

    fn candidates(numbers: &[u8]) -> Vec<OrganizationCandidate> {
        let candidate = |number: &u8| OrganizationCandidate {
            organization: organization(*number),
            membership: MembershipId::from_bytes([number + 100; 16]),
            is_home: *number == HOME,
        };
        numbers.iter().map(candidate).collect()
    }

    fn settled(
        signs: OrganizationHints,
        of: &[u8],
        prompt: &PromptParameter,
    ) -> Result<Option<OrganizationId>, AuthorizationErrorCode> {
        serving(ServedUsers::Any, signs, of, prompt)
    }

    fn serving(
        serves: ServedUsers,
        signs: OrganizationHints,
        of: &[u8],
        prompt: &PromptParameter,
    ) -> Result<Option<OrganizationId>, AuthorizationErrorCode> {
        let selection =
            select_organization(&signs, &candidates(of), serves, prompt).map_err(|(error, _)| error)?;
        Ok(match selection {
            OrganizationSelection::Selected(candidate) => Some(candidate.organization),
            OrganizationSelection::Choose => None,
        })
    }

    #[test]
    fn organization_selection_follows_the_order_named_chosen_hinted_granted() {
        let all = OrganizationHints {
            requested: RequestedOrganization::Existing(organization(1)),
            selected: Some(organization(2)),
            hinted: Some(organization(3)),
            granted: Some(organization(4)),
        };
        let of = [1, 2, 3, 4];
        let at = |signs, number| {
            assert_eq!(settled(signs, &of, &PromptParameter::AsNeeded), Ok(Some(organization(number))))
        };
        at(all, 1);
        at(OrganizationHints { requested: RequestedOrganization::None, ..all }, 2);
        at(OrganizationHints { requested: RequestedOrganization::None, selected: None, ..all }, 3);
        at(
            OrganizationHints { requested: RequestedOrganization::None, selected: None, hinted: None, ..all },
            4,
        );
        assert_eq!(settled(OrganizationHints::default(), &of, &PromptParameter::AsNeeded), Ok(None));
        assert_eq!(
            settled(OrganizationHints::default(), &[5], &PromptParameter::AsNeeded),
            Ok(Some(organization(5)))
        );
    }

    #[test]
    fn organization_selection_outside_the_memberships_is_refused_uniformly() {
        for signs in [
            OrganizationHints { requested: RequestedOrganization::Unknown, ..OrganizationHints::default() },
            OrganizationHints {
                requested: RequestedOrganization::Existing(organization(9)),
                ..OrganizationHints::default()
            },
            OrganizationHints { selected: Some(organization(9)), ..OrganizationHints::default() },
            OrganizationHints { hinted: Some(organization(9)), ..OrganizationHints::default() },
        ] {
            assert_eq!(
                settled(signs, &[1, 2], &PromptParameter::AsNeeded),
                Err(AuthorizationErrorCode::AccessDenied)
            );
        }
        for prompt in [PromptParameter::AsNeeded, PromptParameter::Silent] {
            assert_eq!(
                settled(OrganizationHints::default(), &[], &prompt),
                Err(AuthorizationErrorCode::AccessDenied)
            );
        }
    }

    #[test]
    fn organization_selection_is_displayed_on_request_and_never_with_prompt_none() {
        let choice = PromptParameter::AtLeast([PromptValue::SelectAccount].into());
        let granted = OrganizationHints { granted: Some(organization(1)), ..OrganizationHints::default() };
        assert_eq!(settled(granted, &[1], &choice), Ok(None));
        let organization_hints = OrganizationHints { selected: Some(organization(1)), ..granted };
        assert_eq!(settled(organization_hints, &[1], &choice), Ok(Some(organization(1))));
        let refused = settled(OrganizationHints::default(), &[1, 2], &PromptParameter::Silent);
        assert_eq!(refused, Err(AuthorizationErrorCode::AccountSelectionRequired));
        assert_eq!(settled(granted, &[1, 2], &PromptParameter::Silent), Ok(Some(organization(1))));
    }

    #[test]
    fn organization_selection_defaults_to_home_for_a_client_that_serves_everyone() {
        let everyone =
            |signs, of: &[u8], prompt: &PromptParameter| serving(ServedUsers::Everyone, signs, of, prompt);
        let home = Ok(Some(organization(HOME)));
        for prompt in [PromptParameter::AsNeeded, PromptParameter::Silent] {
            assert_eq!(everyone(OrganizationHints::default(), &[1, HOME], &prompt), home);
            assert_eq!(everyone(OrganizationHints::default(), &[1], &prompt), Ok(Some(organization(1))));
        }
        let as_needed = &PromptParameter::AsNeeded;
        assert_eq!(everyone(OrganizationHints::default(), &[1, 2], as_needed), Ok(None));
        let granted = OrganizationHints { granted: Some(organization(1)), ..OrganizationHints::default() };
        assert_eq!(everyone(granted, &[1, HOME], as_needed), Ok(Some(organization(1))));
        let choice = PromptParameter::AtLeast([PromptValue::SelectAccount].into());
        assert_eq!(everyone(OrganizationHints::default(), &[1, HOME], &choice), Ok(None));
        assert_eq!(settled(OrganizationHints::default(), &[1, HOME], as_needed), Ok(None));
        assert!(is_served(ServedUsers::Organizations, false) && !is_served(ServedUsers::Organizations, true));
        assert!(is_served(ServedUsers::Any, true) && is_served(ServedUsers::Everyone, true));
    }
}
