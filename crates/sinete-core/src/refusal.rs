//! A refusal: an answer we meant to give, with what follows from it. It is never an error of ours.

use crate::assurance::AssuranceLevel;
use crate::events::security_event::SecurityEvent;
use crate::id::GrantId;
use crate::time::Lifetime;
use crate::validation::ValidationErrors;
use std::fmt;

/// A request that was understood and turned down.
///
/// What the outside reads and why we did it are two fields; the second one goes to the log only.
#[derive(Debug)]
pub struct Refusal {
    code: RefusalCode,
    public: &'static str,
    reason: Box<str>,
    faults: ValidationErrors,
    subject: Option<Box<str>>,
    retry_after: Option<Lifetime>,
    needs: Option<AssuranceLevel>,
    consequences: Vec<RefusalConsequence>,
}

/// What must happen because of a refusal, committed before it is answered. Nothing else may change: a
/// refused request consumes nothing.
#[derive(Debug)]
pub enum RefusalConsequence {
    /// The grant ends, with every token and delegation that hangs from it.
    RevokeGrant(GrantId),
    /// It is written into the security log.
    Record(Box<SecurityEvent>),
}

macro_rules! refusal_codes {
    ($($(#[$doc:meta])* $code:ident = $name:literal, $status:literal;)*) => {
        /// Every way we turn a request down, with the word the outside reads and the HTTP status.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum RefusalCode {
            $($(#[$doc])* $code,)*
        }

        impl RefusalCode {
            /// Every code there is.
            pub const ALL: &[Self] = &[$(Self::$code),*];

            /// The word for it: an OAuth error code, or the last part of a problem's type.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)*
                }
            }

            /// The HTTP status it is answered with.
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
    /// The client did not prove who it is.
    InvalidClient = "invalid_client", 401;
    /// The proof that the client holds a key does not count (RFC 9449 §5).
    InvalidDpopProof = "invalid_dpop_proof", 400;
    /// The proof must repeat a nonce that comes with the answer (RFC 9449 §8).
    UseDpopNonce = "use_dpop_nonce", 400;
    /// The code, token or other grant presented does not count.
    InvalidGrant = "invalid_grant", 400;
    /// More was asked for than is held.
    InvalidScope = "invalid_scope", 400;
    /// The resource named is not one this request may be for.
    InvalidTarget = "invalid_target", 400;
    /// The details asked for are not ones the API understands.
    InvalidAuthorizationDetails = "invalid_authorization_details", 400;
    /// The signed request does not count.
    InvalidRequestObject = "invalid_request_object", 400;
    /// The message that the person is to compare cannot be shown.
    InvalidBindingMessage = "invalid_binding_message", 400;
    /// The request referred to does not exist, was used before, or is somebody else's.
    InvalidRequestUri = "invalid_request_uri", 400;
    /// Only codes are issued.
    UnsupportedResponseType = "unsupported_response_type", 400;
    /// A redirect address cannot be registered.
    InvalidRedirectUri = "invalid_redirect_uri", 400;
    /// A client cannot be registered like this.
    InvalidClientMetadata = "invalid_client_metadata", 400;
    /// The client may not use this grant.
    UnauthorizedClient = "unauthorized_client", 400;
    /// The person said no.
    AccessDenied = "access_denied", 400;
    /// Nobody has answered yet.
    AuthorizationPending = "authorization_pending", 400;
    /// It is asked too often whether somebody has.
    SlowDown = "slow_down", 400;
    /// Nobody answered in time.
    ExpiredToken = "expired_token", 400;
    /// There is no such grant.
    UnsupportedGrantType = "unsupported_grant_type", 400;
    /// A token of this kind cannot be revoked there.
    UnsupportedTokenType = "unsupported_token_type", 400;
    /// The bearer token does not count.
    InvalidToken = "invalid_token", 401;
    /// The proof beside a token does not count (RFC 9449 §7.1).
    InvalidKeyProof = "invalid_key_proof", 401;
    /// The proof beside a token must repeat a nonce that comes with the answer (RFC 9449 §9).
    KeyProofNonceNeeded = "key_proof_nonce_needed", 401;
    /// The bearer token does not allow this.
    InsufficientScope = "insufficient_scope", 403;
    /// The request was not made by whoever it speaks for.
    Forbidden = "forbidden", 403;
    /// The session, or what the token was issued on, does not prove enough, or not recently enough (RFC 9470).
    InsufficientAuthentication = "insufficient_user_authentication", 401;
    /// Nobody said who is asking.
    Unauthenticated = "unauthenticated", 401;
    /// There is no such thing, or it belongs to somebody else.
    NotFound = "not_found", 404;
    /// The thing exists and cannot be used this way.
    MethodNotAllowed = "method_not_allowed", 405;
    /// What there was is over.
    Gone = "gone", 410;
    /// What is there now contradicts the request.
    Conflict = "conflict", 409;
    /// The organization is suspended and accepts no change.
    OrganizationSuspended = "organization_suspended", 409;
    /// What was made before under the same key, with a secret that is shown once.
    AlreadyCreated = "already_created", 409;
    /// The thing has changed since it was read.
    PreconditionFailed = "precondition_failed", 412;
    /// The request must say which state it changes.
    PreconditionRequired = "precondition_required", 428;
    /// The request is larger than we read.
    TooLarge = "content_too_large", 413;
    /// The target of the request is longer than we read.
    UriTooLong = "uri_too_long", 414;
    /// The header block is larger than we read, or has more lines.
    HeadersTooLarge = "headers_too_large", 431;
    /// The body is of a type we do not read here.
    UnsupportedMediaType = "unsupported_media_type", 415;
    /// The request is well-formed and says something that cannot be.
    Unprocessable = "unprocessable", 422;
    /// Too many requests.
    TooManyRequests = "too_many_requests", 429;
    /// The request took too long to arrive.
    RequestTimeout = "request_timeout", 408;
    /// We cannot do it right now: overloaded, or the database is away or full.
    TemporarilyUnavailable = "temporarily_unavailable", 503;
    /// It may have been done or not: the database was lost before it said which, and could not be asked again in time.
    OutcomeUnknown = "outcome_unknown", 504;
    /// A list cannot be filtered like this (RFC 7644 §3.12, as are those that follow).
    InvalidFilter = "invalidFilter", 400;
    /// There is more to look through than is looked through.
    TooMany = "tooMany", 400;
    /// Something else has what only one may have.
    Uniqueness = "uniqueness", 409;
    /// What was to be changed is not for whoever asks to change.
    Mutability = "mutability", 400;
    /// What was sent is not of the shape that is read.
    InvalidSyntax = "invalidSyntax", 400;
    /// The path of a change names nothing.
    InvalidPath = "invalidPath", 400;
    /// A change says not what it changes.
    NoTarget = "noTarget", 400;
    /// A value is missing, or can never be.
    InvalidValue = "invalidValue", 400;
    /// Our own fault.
    ServerError = "server_error", 500;
}

impl Refusal {
    /// A refusal with its public text and its private reason.
    pub fn new(code: RefusalCode, public: &'static str, reason: impl Into<String>) -> Self {
        Self {
            code,
            public,
            reason: reason.into().into(),
            faults: ValidationErrors::default(),
            subject: None,
            retry_after: None,
            needs: None,
            consequences: Vec::new(),
        }
    }

    /// A document that was handed in and cannot be, with everything that is wrong with it.
    pub fn from_validation_errors(faults: ValidationErrors) -> Self {
        let reason = faults.iter().map(|fault| format!("{} ", fault.pointer)).collect::<String>();
        let public = "the request says something that cannot be";
        Self { faults, ..Self::new(RefusalCode::Unprocessable, public, reason.trim_end()) }
    }

    /// What exactly is wrong with the document that was handed in.
    #[must_use]
    pub fn with_validation_errors(self, faults: ValidationErrors) -> Self {
        Self { faults, ..self }
    }

    /// The id of the thing it is about; whoever is refused may know it.
    #[must_use]
    pub fn with_subject(mut self, id: impl fmt::Display) -> Self {
        self.subject = Some(id.to_string().into());
        self
    }

    /// How long to wait before asking again.
    #[must_use]
    pub const fn with_retry_after(mut self, wait: Lifetime) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// The level that must be proven, just now, before it is asked again (RFC 9470).
    #[must_use]
    pub const fn with_required_assurance(mut self, assurance: AssuranceLevel) -> Self {
        self.needs = Some(assurance);
        self
    }

    /// One more thing that must happen because of it.
    #[must_use]
    pub fn with_consequence(mut self, consequence: RefusalConsequence) -> Self {
        self.consequences.push(consequence);
        self
    }

    /// What kind of refusal it is.
    pub const fn code(&self) -> RefusalCode {
        self.code
    }

    /// What the outside reads: plain ASCII, the same for every cause that must not be told apart.
    pub const fn public_text(&self) -> &'static str {
        self.public
    }

    /// Why, for the log.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// What exactly is wrong with the document that was handed in. Public.
    pub const fn validation_errors(&self) -> &ValidationErrors {
        &self.faults
    }

    /// The id of the thing it is about. Public.
    pub fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
    }

    /// The level that must be proven, just now, if that helps. Public.
    pub const fn required_assurance(&self) -> Option<AssuranceLevel> {
        self.needs
    }

    /// How long to wait, if waiting helps.
    pub const fn retry_after(&self) -> Option<Lifetime> {
        self.retry_after
    }

    /// What must be committed before the refusal is answered, taken out of it.
    #[must_use]
    pub fn take_consequences(&mut self) -> Vec<RefusalConsequence> {
        std::mem::take(&mut self.consequences)
    }

    /// What must be committed before the refusal is answered.
    pub fn into_consequences(self) -> Vec<RefusalConsequence> {
        self.consequences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut faults = ValidationErrors::default();
        faults.add("/name", "it is missing");
        faults.add("/roles/1", "it is no id");
        let refusal = Refusal::from_validation_errors(faults.clone());
        assert_eq!((refusal.code().status(), refusal.validation_errors()), (422, &faults));
        assert_eq!(refusal.reason(), "/name /roles/1");
        assert_eq!(refusal.with_subject(7).subject(), Some("7"));
    }

    #[test]
    fn refusal_reason_is_not_part_of_its_public_text() {
        let refusal = Refusal::new(RefusalCode::InvalidGrant, "the grant is not valid", "spent at noon")
            .with_consequence(RefusalConsequence::RevokeGrant(GrantId::from_bytes([1; 16])));
        assert!(!refusal.public_text().contains(refusal.reason()));
        assert!(matches!(refusal.into_consequences()[..], [RefusalConsequence::RevokeGrant(_)]));
    }
}
