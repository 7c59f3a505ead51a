//! Which organization a request is about, where the person belongs to several.

use super::response::{AuthorizationError, Wrong};
use super::wish::{Ask, Prompt};
use crate::id::{MembershipId, OrganizationId};

/// An organization the person belongs to, that is enabled, and that the client serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The organization.
    pub organization: OrganizationId,
    /// The person's membership in it.
    pub membership: MembershipId,
}

/// What speaks for one organization, the strongest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signs {
    /// The request names one.
    pub named: Named,
    /// The person chose it in this flow.
    pub chosen: Option<OrganizationId>,
    /// The ID token that came as a hint is of it.
    pub hinted: Option<OrganizationId>,
    /// This session gave this client a grant in it that still lives.
    pub granted: Option<OrganizationId>,
}

/// Whether the request names an organization.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Named {
    /// It does not.
    #[default]
    None,
    /// It names this one.
    Known(OrganizationId),
    /// It names one that does not exist.
    Unknown,
}

/// Where a request goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// There.
    At(Candidate),
    /// The person has to choose.
    Choose,
}

/// Which organization it is. One that the person does not belong to, that is suspended or that does not exist
/// are refused alike.
pub fn settle(signs: &Signs, candidates: &[Candidate], prompt: &Prompt) -> Result<Place, Wrong> {
    let denied = (AuthorizationError::AccessDenied, "there is no organization this could be for");
    let at = |wanted: OrganizationId| {
        let found = candidates.iter().find(|candidate| candidate.organization == wanted);
        found.copied().map(Place::At).ok_or(denied)
    };
    match (signs.named, signs.chosen) {
        (Named::Unknown, _) => return Err(denied),
        (Named::Known(named), _) => return at(named),
        (Named::None, Some(chosen)) => return at(chosen),
        (Named::None, None) => {}
    }
    if candidates.is_empty() {
        return Err(denied);
    }
    if prompt.asks(Ask::Choice) {
        return Ok(Place::Choose);
    }
    match (signs.hinted.or(signs.granted), candidates) {
        (Some(wanted), _) => at(wanted),
        (None, [only]) => Ok(Place::At(*only)),
        (None, _) if *prompt == Prompt::Silent => {
            Err((AuthorizationError::AccountSelectionRequired, "the person has to choose an organization"))
        }
        (None, _) => Ok(Place::Choose),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn organization(number: u8) -> OrganizationId {
        OrganizationId::from_bytes([number; 16])
    }

    fn candidates(numbers: &[u8]) -> Vec<Candidate> {
        let candidate = |number: &u8| Candidate {
            organization: organization(*number),
            membership: MembershipId::from_bytes([number + 100; 16]),
        };
        numbers.iter().map(candidate).collect()
    }

    fn settled(
        signs: Signs,
        of: &[u8],
        prompt: &Prompt,
    ) -> Result<Option<OrganizationId>, AuthorizationError> {
        let place = settle(&signs, &candidates(of), prompt).map_err(|(error, _)| error)?;
        Ok(match place {
            Place::At(candidate) => Some(candidate.organization),
            Place::Choose => None,
        })
    }

    #[test]
    fn the_strongest_sign_decides() {
        let all = Signs {
            named: Named::Known(organization(1)),
            chosen: Some(organization(2)),
            hinted: Some(organization(3)),
            granted: Some(organization(4)),
        };
        let of = [1, 2, 3, 4];
        let at = |signs, number| {
            assert_eq!(settled(signs, &of, &Prompt::AsNeeded), Ok(Some(organization(number))))
        };
        at(all, 1);
        at(Signs { named: Named::None, ..all }, 2);
        at(Signs { named: Named::None, chosen: None, ..all }, 3);
        at(Signs { named: Named::None, chosen: None, hinted: None, ..all }, 4);
        assert_eq!(settled(Signs::default(), &of, &Prompt::AsNeeded), Ok(None));
        assert_eq!(settled(Signs::default(), &[5], &Prompt::AsNeeded), Ok(Some(organization(5))));
    }

    #[test]
    fn what_the_person_cannot_use_is_refused_alike() {
        for signs in [
            Signs { named: Named::Unknown, ..Signs::default() },
            Signs { named: Named::Known(organization(9)), ..Signs::default() },
            Signs { chosen: Some(organization(9)), ..Signs::default() },
            Signs { hinted: Some(organization(9)), ..Signs::default() },
        ] {
            assert_eq!(settled(signs, &[1, 2], &Prompt::AsNeeded), Err(AuthorizationError::AccessDenied));
        }
        for prompt in [Prompt::AsNeeded, Prompt::Silent] {
            assert_eq!(settled(Signs::default(), &[], &prompt), Err(AuthorizationError::AccessDenied));
        }
    }

    #[test]
    fn a_choice_is_asked_for_where_it_is_wanted_and_never_where_nobody_may_be_asked() {
        let choice = Prompt::AtLeast([Ask::Choice].into());
        let granted = Signs { granted: Some(organization(1)), ..Signs::default() };
        assert_eq!(settled(granted, &[1], &choice), Ok(None));
        let chosen = Signs { chosen: Some(organization(1)), ..granted };
        assert_eq!(settled(chosen, &[1], &choice), Ok(Some(organization(1))));
        let refused = settled(Signs::default(), &[1, 2], &Prompt::Silent);
        assert_eq!(refused, Err(AuthorizationError::AccountSelectionRequired));
        assert_eq!(settled(granted, &[1, 2], &Prompt::Silent), Ok(Some(organization(1))));
    }
}
