//! Refusals: intended negative responses, with their consequences. A refusal is never an internal error.

pub mod access;
pub mod accounts;
pub mod administration;
pub mod authzen;
pub mod events;
pub mod identity_providers;
pub mod limit_kind;
pub mod oauth;
pub mod organizations;
mod reason;
pub mod request;
pub mod scim;
pub mod sign_in;

pub use reason::RefusalReason;

use crate::assurance::AssuranceLevel;
use crate::events::security_event::SecurityEvent;
use crate::id::GrantId;
use crate::time::Lifetime;
use crate::validation::ValidationErrors;
use limit_kind::LimitKind;
use request::RequestRefusal;
use std::borrow::Cow;
use std::fmt;

/// A request that was understood and rejected.
///
/// The reason determines the public text; the detail is only logged.
#[derive(Debug)]
pub struct Refusal(Box<RefusalParts>);

#[derive(Debug)]
struct RefusalParts {
    reason: RefusalReason,
    detail: Box<str>,
    faults: ValidationErrors,
    subject: Option<Box<str>>,
    retry_after: Option<Lifetime>,
    limit: Option<LimitKind>,
    required_assurance: Option<AssuranceLevel>,
    sentence: Option<Cow<'static, str>>,
    consequences: Vec<RefusalConsequence>,
}

/// A change that a refusal causes, committed before the response. Nothing else may change: a rejected request
/// consumes nothing.
#[derive(Debug)]
pub enum RefusalConsequence {
    /// Revokes the grant with all its tokens and delegations.
    RevokeGrant(GrantId),
    /// Writes an event to the security log.
    Record(Box<SecurityEvent>),
}

macro_rules! refusal_codes {
    ($($(#[$doc:meta])* $code:ident = $name:literal, $status:literal;)*) => {
        /// The kinds of refusals, each with its public code and HTTP status.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum RefusalCode {
            $($(#[$doc])* $code,)*
        }

        impl RefusalCode {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$code),*];

            /// The name: an OAuth error code, or the last part of a problem type.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)*
                }
            }

            /// The HTTP status of the response.
            pub const fn status(self) -> u16 {
                match self {
                    $(Self::$code => $status,)*
                }
            }
        }
    };
}

refusal_codes! {
    /// The request is malformed, repeats a parameter or lacks one.
    InvalidRequest = "invalid_request", 400;
    /// Client authentication failed.
    InvalidClient = "invalid_client", 401;
    /// The DPoP proof is invalid (RFC 9449 §5).
    InvalidDpopProof = "invalid_dpop_proof", 400;
    /// The DPoP proof must contain the nonce that the response provides (RFC 9449 §8).
    UseDpopNonce = "use_dpop_nonce", 400;
    /// The code, refresh token or other grant is invalid.
    InvalidGrant = "invalid_grant", 400;
    /// The requested scope exceeds what is held.
    InvalidScope = "invalid_scope", 400;
    /// The requested resource is not allowed for this request.
    InvalidTarget = "invalid_target", 400;
    /// The authorization details are not accepted by the API.
    InvalidAuthorizationDetails = "invalid_authorization_details", 400;
    /// The request object is invalid.
    InvalidRequestObject = "invalid_request_object", 400;
    /// The binding message cannot be displayed.
    InvalidBindingMessage = "invalid_binding_message", 400;
    /// The `request_uri` does not exist, was already used, or belongs to another client.
    InvalidRequestUri = "invalid_request_uri", 400;
    /// Only the response type `code` is supported.
    UnsupportedResponseType = "unsupported_response_type", 400;
    /// A redirect URI cannot be registered.
    InvalidRedirectUri = "invalid_redirect_uri", 400;
    /// The client metadata is invalid.
    InvalidClientMetadata = "invalid_client_metadata", 400;
    /// The client may not use this grant type.
    UnauthorizedClient = "unauthorized_client", 400;
    /// The user denied the request.
    AccessDenied = "access_denied", 400;
    /// The user has not responded yet.
    AuthorizationPending = "authorization_pending", 400;
    /// The client polls too often.
    SlowDown = "slow_down", 400;
    /// The user did not respond in time.
    ExpiredToken = "expired_token", 400;
    /// The grant type is not supported.
    UnsupportedGrantType = "unsupported_grant_type", 400;
    /// Tokens of this type cannot be revoked.
    UnsupportedTokenType = "unsupported_token_type", 400;
    /// The access token is invalid.
    InvalidToken = "invalid_token", 401;
    /// The DPoP proof sent with an access token is invalid (RFC 9449 §7.1).
    InvalidKeyProof = "invalid_key_proof", 401;
    /// The DPoP proof sent with an access token must contain the nonce that the response provides (RFC 9449
    /// §9).
    KeyProofNonceNeeded = "key_proof_nonce_needed", 401;
    /// The access token lacks a required scope.
    InsufficientScope = "insufficient_scope", 403;
    /// The caller may not make this request.
    Forbidden = "forbidden", 403;
    /// The authentication of the session or token is not strong or recent enough (RFC 9470).
    InsufficientAuthentication = "insufficient_user_authentication", 401;
    /// The request is not authenticated.
    Unauthenticated = "unauthenticated", 401;
    /// The resource does not exist, or belongs to another organization or account.
    NotFound = "not_found", 404;
    /// The resource does not support the method.
    MethodNotAllowed = "method_not_allowed", 405;
    /// The resource existed but has ended.
    Gone = "gone", 410;
    /// The request conflicts with the current state.
    Conflict = "conflict", 409;
    /// The organization is suspended and cannot be changed.
    OrganizationSuspended = "organization_suspended", 409;
    /// The resource was already created under the same idempotency key; its secret is shown only once.
    AlreadyCreated = "already_created", 409;
    /// The resource has changed since it was read.
    PreconditionFailed = "precondition_failed", 412;
    /// The request must be conditional (`If-Match`).
    PreconditionRequired = "precondition_required", 428;
    /// The request body is too large.
    TooLarge = "content_too_large", 413;
    /// The request target is too long.
    UriTooLong = "uri_too_long", 414;
    /// The header block is too large or has too many headers.
    HeadersTooLarge = "headers_too_large", 431;
    /// The media type of the body is not supported.
    UnsupportedMediaType = "unsupported_media_type", 415;
    /// The request is well-formed but semantically invalid.
    Unprocessable = "unprocessable", 422;
    /// The rate limit was exceeded.
    TooManyRequests = "too_many_requests", 429;
    /// The request took too long to arrive.
    RequestTimeout = "request_timeout", 408;
    /// The service is overloaded, or the database is unavailable or full.
    TemporarilyUnavailable = "temporarily_unavailable", 503;
    /// The change may or may not have been made: the database connection was lost before the commit was
    /// confirmed, and the outcome could not be determined in time.
    OutcomeUnknown = "outcome_unknown", 504;
    /// The filter is invalid (this and the following: RFC 7644 §3.12).
    InvalidFilter = "invalidFilter", 400;
    /// The query would have to scan too many resources.
    TooMany = "tooMany", 400;
    /// A unique value is already in use.
    Uniqueness = "uniqueness", 409;
    /// The attribute cannot be changed by the caller.
    Mutability = "mutability", 400;
    /// The body is malformed.
    InvalidSyntax = "invalidSyntax", 400;
    /// The path of a patch operation is invalid.
    InvalidPath = "invalidPath", 400;
    /// A patch operation has no target.
    NoTarget = "noTarget", 400;
    /// A value is missing or invalid.
    InvalidValue = "invalidValue", 400;
    /// An internal error.
    ServerError = "server_error", 500;
}

impl Refusal {
    /// A refusal for a reason, with a detail that only the log contains.
    pub fn because(reason: impl Into<RefusalReason>, detail: impl Into<String>) -> Self {
        Self(Box::new(RefusalParts {
            reason: reason.into(),
            detail: detail.into().into(),
            faults: ValidationErrors::default(),
            subject: None,
            retry_after: None,
            limit: None,
            required_assurance: None,
            sentence: None,
            consequences: Vec::new(),
        }))
    }

    /// A refusal of a submitted document, with all validation errors.
    pub fn from_validation_errors(errors: ValidationErrors) -> Self {
        let reason = errors.iter().map(|fault| format!("{} ", fault.pointer)).collect::<String>();
        Self::because(RequestRefusal::ValidationFailed, reason.trim_end()).with_validation_errors(errors)
    }

    /// Replaces the public text with one that names what was refused. It must be ASCII and reveal nothing that
    /// the reason does not.
    #[must_use]
    pub fn with_public_text(mut self, sentence: impl Into<Cow<'static, str>>) -> Self {
        self.0.sentence = Some(sentence.into());
        self
    }

    /// Adds the validation errors of a submitted document.
    #[must_use]
    pub fn with_validation_errors(mut self, errors: ValidationErrors) -> Self {
        self.0.faults = errors;
        self
    }

    /// Sets the id of the affected resource, which the caller may know.
    #[must_use]
    pub fn with_subject(mut self, id: impl fmt::Display) -> Self {
        self.0.subject = Some(id.to_string().into());
        self
    }

    /// Sets how long to wait before retrying.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Lifetime) -> Self {
        self.0.retry_after = Some(wait);
        self
    }

    /// Sets the limit that refused the request, where the reason does not determine it.
    #[must_use]
    pub fn with_limit(mut self, limit: LimitKind) -> Self {
        self.0.limit = Some(limit);
        self
    }

    /// Sets the assurance level that the user must reach before retrying (RFC 9470).
    #[must_use]
    pub fn with_required_assurance(mut self, assurance: AssuranceLevel) -> Self {
        self.0.required_assurance = Some(assurance);
        self
    }

    /// Adds a consequence.
    #[must_use]
    pub fn with_consequence(mut self, consequence: RefusalConsequence) -> Self {
        self.0.consequences.push(consequence);
        self
    }

    /// The general error code.
    pub fn code(&self) -> RefusalCode {
        self.0.reason.code()
    }

    /// The public text: ASCII, identical for all causes that must be indistinguishable.
    pub fn public_text(&self) -> Cow<'static, str> {
        self.0.sentence.clone().unwrap_or_else(|| self.0.reason.sentence())
    }

    /// The reason.
    pub fn reason(&self) -> RefusalReason {
        self.0.reason
    }

    /// The private detail, for the log.
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// The validation errors of a submitted document. Public.
    pub fn validation_errors(&self) -> &ValidationErrors {
        &self.0.faults
    }

    /// The id of the affected resource. Public.
    pub fn subject(&self) -> Option<&str> {
        self.0.subject.as_deref()
    }

    /// The assurance level that the user must reach, if a step-up helps. Public.
    pub fn required_assurance(&self) -> Option<AssuranceLevel> {
        self.0.required_assurance
    }

    /// The limit that refused the request, if one did.
    pub fn limit(&self) -> Option<LimitKind> {
        self.0.limit.or_else(|| LimitKind::from_reason(self.0.reason))
    }

    /// How long to wait, if waiting helps.
    pub fn retry_after(&self) -> Option<Lifetime> {
        self.0.retry_after
    }

    /// Takes the consequences, which must be committed before the response.
    #[must_use]
    pub fn take_consequences(&mut self) -> Vec<RefusalConsequence> {
        std::mem::take(&mut self.0.consequences)
    }

    /// The consequences, which must be committed before the response.
    pub fn into_consequences(self) -> Vec<RefusalConsequence> {
        self.0.consequences
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::oauth::OAuthRefusal;

    #[test]
    fn refusal_codes_have_unique_names_and_error_statuses() {
        let mut names: Vec<_> = RefusalCode::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RefusalCode::ALL.len());
        assert!(RefusalCode::ALL.iter().all(|code| (400..600).contains(&code.status())));
    }

    #[test]
    fn invalid_document_is_refused_with_every_fault_and_its_location() {
        let mut errors = ValidationErrors::default();
        errors.add("/name", "is required");
        errors.add("/roles/1", "it is no id");
        let refusal = Refusal::from_validation_errors(errors.clone());
        assert_eq!((refusal.code().status(), refusal.validation_errors()), (422, &errors));
        assert_eq!(refusal.detail(), "/name /roles/1");
        assert_eq!(refusal.with_subject(7).subject(), Some("7"));
    }

    #[test]
    fn refusal_reason_is_not_part_of_its_public_text() {
        let refusal = Refusal::because(OAuthRefusal::GrantInvalid, "spent at noon")
            .with_consequence(RefusalConsequence::RevokeGrant(GrantId::from_bytes([1; 16])));
        assert!(!refusal.public_text().contains(refusal.detail()));
        assert!(matches!(refusal.into_consequences()[..], [RefusalConsequence::RevokeGrant(_)]));
    }
}
