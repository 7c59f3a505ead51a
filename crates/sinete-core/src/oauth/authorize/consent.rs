//! Decides whether the user must be asked for consent, and for what. Consent is given to all of it or none.

use super::params::{PromptParameter, PromptValue};
use super::pending_authorization::{ConsentDecision, ConsentRequest, InteractionAnswers};
use super::response::{AuthorizationErrorCode, AuthorizationRefusal};
use crate::access_control::scope::{IdentityScope, Scope, ScopeSet};
use crate::id::SessionId;
use crate::oauth::claims::IndividualClaims;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who trusts a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientTrust {
    /// An operator owns or verified it.
    Operator,
    /// The organization it belongs to trusts it.
    Organization,
    /// Not trusted: the client registered itself.
    SelfRegistered,
}

/// Whether users are asked for consent before a client gets tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ClientConsentMode {
    /// Users are asked.
    #[default]
    Ask,
    /// Users are asked for permissions and `offline_access`, but not for the scopes that release their own
    /// profile, because the application belongs to the organization or instance that has the profile. Applies
    /// only to trusted clients.
    AskForPermissions,
    /// Users are not asked for scopes, because the client and the API have the same owner. Applies only to
    /// trusted clients. Authorization details and individually requested claims still need consent.
    Implied,
}

impl ClientConsentMode {
    /// Whether this is the default mode.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// A remembered consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RememberedConsent {
    /// The scopes the user consented to.
    pub scope: ScopeSet,
    /// The individually requested claims the user consented to.
    pub claims: IndividualClaims,
    /// What the consent is bound to if the client is not trusted; otherwise `None`.
    pub binding: Option<ConsentBinding>,
}

/// What a consent to an untrusted client is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsentBinding {
    /// The session in which the consent was given.
    pub session: SessionId,
    /// The host of the redirect URI.
    pub redirect_host: String,
}

/// Input for the consent decision.
#[derive(Clone, Copy, Debug)]
pub struct ConsentContext<'a> {
    /// What the client requests.
    pub request: &'a ConsentRequest,
    /// The client's consent mode.
    pub mode: ClientConsentMode,
    /// Who trusts the client.
    pub client_trust: ClientTrust,
    /// The current session and redirect host.
    pub current_binding: &'a ConsentBinding,
    /// The consent remembered from before, if any.
    pub remembered: Option<&'a RememberedConsent>,
    /// The `prompt` parameter.
    pub prompt: &'a PromptParameter,
    /// Whether the user is asked even if consent is remembered or implied, because nothing says which
    /// application receives the response.
    pub requires_consent_each_time: bool,
}

/// The result of the consent decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsentOutcome {
    /// Consent exists or is not needed; nothing is stored.
    Satisfied,
    /// The user has just consented; store this.
    Granted(RememberedConsent),
    /// The user must be asked. If `new` is empty, the question is about the authorization details.
    Required {
        /// What the user has not consented to before.
        new: NewConsentItems,
    },
}

/// What the user has not consented to before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewConsentItems {
    /// The new scopes.
    pub scopes: ScopeSet,
    /// The new individually requested claims.
    pub claims: IndividualClaims,
}

/// Decides whether consent exists, was just given, or must be asked for.
pub fn decide_consent(
    circumstances: &ConsentContext<'_>,
    answers: &InteractionAnswers,
) -> Result<ConsentOutcome, AuthorizationRefusal> {
    let ConsentContext {
        request: question,
        mode,
        client_trust,
        current_binding: consent_binding,
        remembered,
        prompt,
        requires_consent_each_time: asks_each_time,
    } = *circumstances;
    let counts = remembered.filter(|remembered| match (&remembered.binding, client_trust) {
        (None, ClientTrust::Operator | ClientTrust::Organization) => true,
        // A consent given before the client was trusted stays bound; one given after does not count once
        // the trust ends.
        (Some(within), _) => within == consent_binding,
        (None, ClientTrust::SelfRegistered) => false,
    });
    match &answers.consent {
        Some(ConsentDecision::Denied) => {
            return Err((AuthorizationErrorCode::AccessDenied, "The user denied the request.".into()));
        }
        Some(ConsentDecision::Agreed(agreement)) if agreement == question => {
            return Ok(ConsentOutcome::Granted(merge_consent(
                question,
                counts,
                client_trust,
                consent_binding,
            )));
        }
        Some(ConsentDecision::Agreed(_)) | None => {}
    }
    let is_implied = mode == ClientConsentMode::Implied && client_trust != ClientTrust::SelfRegistered;
    let scopes = counts.map(|remembered| remembered.scope.clone()).unwrap_or_default();
    let known_claims = counts.map(|remembered| remembered.claims.clone()).unwrap_or_default();
    let new = NewConsentItems {
        scopes: question.scopes.difference(&scopes),
        claims: find_unconsented_claims(&question.claims, &scopes, &known_claims),
    };
    let requested_scopes = scopes_requiring_consent(question, mode, client_trust);
    let has_scopes =
        is_implied || requested_scopes.is_empty() || counts.is_some() && requested_scopes.is_within(&scopes);
    // Authorization details concern one occasion, so consent to them is never remembered (RFC 9396 §7.1).
    // Individually requested claims follow from no registered scope. Implied consent covers neither.
    let is_settled = has_scopes && new.claims.is_empty() && question.details.is_empty();
    if is_settled && !asks_each_time && !prompt.requires(PromptValue::Consent) {
        return Ok(ConsentOutcome::Satisfied);
    }
    if *prompt == PromptParameter::Silent {
        return Err((
            AuthorizationErrorCode::ConsentRequired,
            "The user must consent, which prompt=none does \
            not allow. Send the request without prompt=none."
                .into(),
        ));
    }
    Ok(ConsentOutcome::Required { new })
}

/// The requested scopes that need consent.
fn scopes_requiring_consent(
    question: &ConsentRequest,
    mode: ClientConsentMode,
    client_trust: ClientTrust,
) -> ScopeSet {
    let is_own = mode == ClientConsentMode::AskForPermissions && client_trust != ClientTrust::SelfRegistered;
    let is_covered = |scope: &&Scope| match scope {
        Scope::Identity(IdentityScope::OfflineAccess) | Scope::Permission(_) => false,
        Scope::Identity(_) => is_own,
    };
    question.scopes.iter().filter(|scope| !is_covered(scope)).cloned().collect()
}

/// Finds the claims covered neither by an individual consent nor by a consented scope.
fn find_unconsented_claims(
    claims: &IndividualClaims,
    scopes: &ScopeSet,
    known_claims: &IndividualClaims,
) -> IndividualClaims {
    let covered = claims.iter().filter(|claim| claim.is_released_by(scopes)).map(|claim| claim.name);
    claims.difference(known_claims).difference(&IndividualClaims::from_names(covered))
}

/// Merges the new consent with the remembered one.
fn merge_consent(
    question: &ConsentRequest,
    before: Option<&RememberedConsent>,
    client_trust: ClientTrust,
    consent_binding: &ConsentBinding,
) -> RememberedConsent {
    let claims = before.map(|before| before.claims.clone()).unwrap_or_default();
    let before = before.map(|before| before.scope.clone()).unwrap_or_default();
    RememberedConsent {
        scope: before.iter().chain(question.scopes.iter()).cloned().collect(),
        claims: claims.union(&question.claims),
        binding: (client_trust == ClientTrust::SelfRegistered).then(|| consent_binding.clone()),
    }
}

#[cfg(test)]
mod tests;
