//! The authorization endpoint: what a request still needs before it is granted, and the grant itself.
//!
//! A request is received once and proven ([`receive`]); from then on [`next`] says again and again, from what is
//! true at that moment, what is missing: a sign-in, a choice, a step-up, consent, or nothing. Whoever walks
//! through these steps only answers questions; [`complete`] then opens the grant and hands out its code in one
//! act.

mod channel;
pub(crate) mod ciba;
mod consent_prompt;
mod context;
pub(crate) mod device_authorization;
mod grant;
pub(crate) mod id_token_hint;
mod next_step;
mod request;
mod request_object;
mod requested_scopes;
mod requesting_client;
mod resume;
mod scope_description;
mod target;

pub use consent_prompt::{
    CibaClient, ConsentClaim, ConsentClient, ConsentDevice, ConsentPrompt, ConsentScope,
};
pub use context::{AuthorizeContext, AuthorizingUser, load_context};
pub use grant::{AuthorizationAttempt, AuthorizationOutcome, IssuedCode, complete_authorization};
pub use next_step::next_step;
pub use request::{ReceivedRequest, receive_request};
pub use resume::{ResumedRequest, resume_request};
pub use scope_description::ScopeDescription;
pub use sinete_core::oauth::authorize::pending_authorization::{
    AuthorizationChannel, ConsentDecision, ConsentRequest, InteractionAnswers, PendingAuthorization,
    SignInTiming,
};
pub use sinete_core::oauth::authorize::prompt_check::LoginRequiredReason;

pub(crate) use requested_scopes::RequestedAudience;
pub use requesting_client::find_client_interaction;

pub(crate) use request::REQUEST_URI_PREFIX;
pub(crate) use request_object::{open_request_object, require_request_object};
pub(crate) use requested_scopes::check_client_request;
pub(crate) use requesting_client::{RequestingClient, client_trust};

use serde::Serialize;
use sinete_core::assurance::AssuranceLevel;
use sinete_core::id::OrganizationId;
use sinete_core::oauth::authorize::raw_params::UnredirectableError;
use sinete_core::oauth::authorize::response::{
    AuthorizationErrorDelivery, AuthorizationRefusal, RedirectedError,
};
use sinete_core::organizations::settings::CredentialKind;
use std::collections::BTreeSet;

/// What happens next with a request.
#[derive(Debug)]
pub enum AuthorizationStep {
    /// Somebody has to sign in.
    SignIn(SignInRequirement),
    /// Whoever is signed in has to prove more.
    StepUp(StepUpRequirement),
    /// They have to choose one of these organizations.
    ChooseOrganization(Vec<OrganizationOption>),
    /// They have to agree.
    Consent(Box<ConsentPrompt>),
    /// Nothing is missing.
    Grant(Box<grant::GrantDraft>),
    /// The client is told why not.
    Refuse(Box<RefusedAuthorization>),
    /// Whoever waits elsewhere is told no, for this reason.
    Deny(AuthorizationRefusal),
    /// The client, or the address for the answer, is not proven any more: nobody is told but the person.
    Show(UnredirectableError),
}

/// Somebody has to sign in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInRequirement {
    /// Why.
    pub reason: LoginRequiredReason,
    /// Whom the client expects, in its words. It proves nothing.
    pub login_hint: Option<String>,
    /// The credentials that count where the request is for; where that is not known yet, or all do, nothing.
    pub allowed: Option<BTreeSet<CredentialKind>>,
}

/// Whoever is signed in has to prove more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepUpRequirement {
    /// What must be reached.
    pub required: AssuranceLevel,
    /// The credentials that count where the request is for; where all do, nothing.
    pub allowed: Option<BTreeSet<CredentialKind>>,
}

/// An organization to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrganizationOption {
    /// Its id.
    pub id: OrganizationId,
    /// Its short name.
    pub slug: String,
    /// The display name.
    pub name: String,
}

/// A request that was turned down, with the answer for its client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedAuthorization {
    /// The answer.
    pub response: RedirectedError,
    /// Whether the person is shown where it goes before it does.
    pub delivery: AuthorizationErrorDelivery,
    /// What the client calls itself.
    pub client_name: String,
}
