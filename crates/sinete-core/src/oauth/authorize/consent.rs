//! Whether the person has to be asked, and what for. An agreement is whole: there are no boxes to tick.

use super::params::{PromptParameter, PromptValue};
use super::pending_authorization::{ConsentDecision, ConsentRequest, InteractionAnswers};
use super::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::access_control::scope::ScopeSet;
use crate::id::SessionId;
use crate::oauth::claims::IndividualClaims;
use serde::{Deserialize, Serialize};

/// Who says that a client is what it pretends to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientTrust {
    /// An operator: it is theirs, or they verified it.
    Operator,
    /// The one organization whose it is.
    Organization,
    /// Nobody: it registered itself.
    Nobody,
}

/// Whether people are asked before a client gets something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientConsentMode {
    /// They are.
    #[default]
    Ask,
    /// They are not asked for scopes: whoever runs the client runs what it reaches. It counts only where somebody vouches.
    /// Details of one occasion and claims asked for by name are asked for in any case.
    Implied,
}

impl ClientConsentMode {
    /// Whether it is what it is when nobody says anything.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// An agreement that is remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RememberedConsent {
    /// What was agreed to.
    pub scope: ScopeSet,
    /// The claims that were agreed to by their names.
    pub claims: IndividualClaims,
    /// What it counts within, where nobody vouches for the client.
    pub within: Option<ConsentBinding>,
}

/// What an agreement with a client that nobody vouches for is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsentBinding {
    /// The session it was given in.
    pub session: SessionId,
    /// The host the answer goes to.
    pub redirect_host: String,
}

/// Everything the question of consent hangs on.
#[derive(Clone, Copy, Debug)]
pub struct ConsentContext<'a> {
    /// What is asked for.
    pub question: &'a ConsentRequest,
    /// Whether this client's people are asked.
    pub mode: ClientConsentMode,
    /// Who vouches for it.
    pub vouching: ClientTrust,
    /// Where the answer would count.
    pub here: &'a ConsentBinding,
    /// What was agreed to before.
    pub remembered: Option<&'a RememberedConsent>,
    /// What the client wants asked, or not.
    pub prompt: &'a PromptParameter,
}

/// What becomes of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsentOutcome {
    /// It was answered before, or need not be asked: nothing changes.
    Settled,
    /// It was answered just now: this is to be remembered.
    Given(RememberedConsent),
    /// The person has to be asked. This is new to them; where nothing is, the details are.
    Needed {
        /// What was not agreed to before.
        new: NewConsentItems,
    },
}

/// What was not agreed to before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewConsentItems {
    /// The scopes.
    pub scopes: ScopeSet,
    /// The claims that are asked for by their names.
    pub claims: IndividualClaims,
}

/// Whether there is consent.
pub fn decide_consent(
    circumstances: &ConsentContext<'_>,
    answers: &InteractionAnswers,
) -> Result<ConsentOutcome, AuthorizationRefusal> {
    let ConsentContext { question, mode, vouching, here, remembered, prompt } = *circumstances;
    let counts = remembered.filter(|remembered| match (&remembered.within, vouching) {
        (None, ClientTrust::Operator | ClientTrust::Organization) => true,
        // An agreement from before somebody vouched stays bound; one from after does not count once they no
        // longer do.
        (Some(within), _) => within == here,
        (None, ClientTrust::Nobody) => false,
    });
    match &answers.consent {
        Some(ConsentDecision::Denied) => {
            return Err((AuthorizationErrorCode::AccessDenied, "the person did not agree"));
        }
        Some(ConsentDecision::Agreed(agreement)) if agreement == question => {
            return Ok(ConsentOutcome::Given(merge_consent(question, counts, vouching, here)));
        }
        Some(ConsentDecision::Agreed(_)) | None => {}
    }
    let is_implied = mode == ClientConsentMode::Implied && vouching != ClientTrust::Nobody;
    let known = counts.map(|remembered| remembered.scope.clone()).unwrap_or_default();
    let known_claims = counts.map(|remembered| remembered.claims.clone()).unwrap_or_default();
    let new = NewConsentItems {
        scopes: question.scopes.difference(&known),
        claims: find_unconsented_claims(&question.claims, &known, &known_claims),
    };
    let has_scopes = is_implied || counts.is_some() && question.scopes.is_within(&known);
    // Details are about this one occasion, so agreeing to them is never remembered (RFC 9396 §7.1), and what a person is
    // asked for by the name of a claim follows from no registered scope: whoever implied the rest implied neither.
    let is_settled = has_scopes && new.claims.is_empty() && question.details.is_empty();
    if is_settled && !prompt.requires(PromptValue::Consent) {
        return Ok(ConsentOutcome::Settled);
    }
    if *prompt == PromptParameter::Silent {
        return Err((AuthorizationErrorCode::ConsentRequired, "the person has to agree"));
    }
    Ok(ConsentOutcome::Needed { new })
}

/// The claims that were agreed to neither by their names nor with a scope that releases them.
fn find_unconsented_claims(
    asked: &IndividualClaims,
    known: &ScopeSet,
    known_claims: &IndividualClaims,
) -> IndividualClaims {
    let covered = asked.iter().filter(|claim| claim.is_released_by(known)).map(|claim| claim.name);
    asked.difference(known_claims).difference(&IndividualClaims::from_names(covered))
}

/// What is remembered from now on: what was agreed to just now beside what was agreed to before.
fn merge_consent(
    question: &ConsentRequest,
    before: Option<&RememberedConsent>,
    vouching: ClientTrust,
    here: &ConsentBinding,
) -> RememberedConsent {
    let claims = before.map(|before| before.claims.clone()).unwrap_or_default();
    let before = before.map(|before| before.scope.clone()).unwrap_or_default();
    RememberedConsent {
        scope: before.iter().chain(question.scopes.iter()).cloned().collect(),
        claims: claims.union(&question.claims),
        within: (vouching == ClientTrust::Nobody).then(|| here.clone()),
    }
}

#[cfg(test)]
mod tests;
