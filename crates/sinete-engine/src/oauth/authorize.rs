//! The authorization endpoint: what a request still needs before it is granted, and the grant itself.
//!
//! A request is received and validated once ([`receive_request`]). From then on, [`next_step()`] determines
//! from the current facts what is missing: sign-in, organization choice, step-up, consent, or nothing. The
//! flow only collects answers; [`complete_authorization`] then creates the grant with its code in one
//! transaction.

mod channel;
mod consent_prompt;
mod context;
pub(crate) mod deferred;
mod error;
mod grant;
pub(crate) mod id_token_hint;
mod next_step;
mod refused_requests;
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
pub(crate) use refused_requests::RefusedRequestLog;
pub use refused_requests::{
    FoundRefusedRequest, RefusedRequest, RefusedRequestCause, find_refused_client, find_refused_request,
    list_refused_requests, record_refused_request,
};
pub use request::{ReceivedRequest, receive_request};
pub use resume::{ResumedRequest, resume_request};
pub use scope_description::ScopeDescription;
pub use sinete_core::oauth::authorize::pending_authorization::{
    AuthorizationChannel, ConsentDecision, ConsentRequest, InteractionAnswers, PendingAuthorization,
    SignInRelativeToRequest,
};
pub use sinete_core::oauth::authorize::prompt_check::LoginRequiredReason;

pub(crate) use error::AuthorizationError;
pub(crate) use requested_scopes::RequestedAudience;
pub use requesting_client::{find_client_interaction, find_request_branding};

pub(crate) use request::REQUEST_URI_PREFIX;
pub(crate) use request_object::{open_request_object, require_request_object};
pub(crate) use requested_scopes::check_client_request;
pub(crate) use requesting_client::{ActiveClient, client_trust};

use serde::Serialize;
use sinete_core::assurance::AssuranceLevel;
use sinete_core::assurance::credential_kind::CredentialKind;
use sinete_core::id::OrganizationId;
use sinete_core::oauth::authorize::raw_params::UnredirectableError;
use sinete_core::oauth::authorize::response::{
    AuthorizationErrorDelivery, AuthorizationRefusal, RedirectedError,
};
use sinete_core::sign_in::credentials::enrollment::EnrollableFactor;
use std::collections::BTreeSet;

/// The next step of an authorization request.
#[derive(Debug)]
pub enum AuthorizationStep {
    /// The user must sign in.
    SignIn(SignInRequirement),
    /// The user must step up.
    StepUp(StepUpRequirement),
    /// The user must set up one of these second factors, because they have none that reaches the level.
    Enroll(Vec<EnrollableFactor>),
    /// The user must choose one of these organizations.
    ChooseOrganization(Vec<OrganizationOption>),
    /// The user must consent.
    Consent(Box<ConsentPrompt>),
    /// Nothing is missing.
    Grant(Box<grant::GrantDraft>),
    /// The client receives an error response.
    Refuse(Box<RefusedAuthorization>),
    /// The waiting device or CIBA client is denied, for this reason.
    Deny(AuthorizationRefusal),
    /// The client or redirect URI is no longer valid: only the user sees the error.
    ShowError(UnredirectableError),
}

/// A required sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInRequirement {
    /// The reason.
    pub reason: LoginRequiredReason,
    /// Whether the client wants the user to create an account (`prompt=create`).
    pub creates_account: bool,
    /// The `login_hint`. It proves nothing.
    pub login_hint: Option<String>,
    /// The credentials that the organization accepts; `None` if all, or if the organization is not known yet.
    pub allowed: Option<BTreeSet<CredentialKind>>,
}

/// A required step-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepUpRequirement {
    /// The required level.
    pub required: AssuranceLevel,
    /// The credentials that the organization accepts; `None` if all.
    pub allowed: Option<BTreeSet<CredentialKind>>,
}

/// An organization to choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrganizationOption {
    /// Its id.
    pub id: OrganizationId,
    /// The slug.
    pub slug: String,
    /// The display name.
    pub name: String,
}

/// A refused request with the error response for its client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedAuthorization {
    /// The response.
    pub response: RedirectedError,
    /// Whether the user must confirm the redirect.
    pub delivery: AuthorizationErrorDelivery,
    /// The client's name.
    pub client_name: String,
}
