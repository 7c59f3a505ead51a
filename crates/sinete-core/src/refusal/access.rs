//! Reasons to refuse a request whose token, API key or session does not allow it.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why a request whose token, API key or session does not allow it is refused.
    AccessRefusal {
        CredentialInvalid = InvalidToken, "credential_invalid",
            "The access token or API key is unknown, revoked or expired.";
        PermissionMissing = InsufficientScope, "permission_missing",
            "The access token or API key does not have the permission that this operation needs.";
        AssuranceTooLow = InsufficientAuthentication, "assurance_too_low",
            "The organization requires a higher authentication assurance than the one with which this \
             token was issued.";
        OrganizationSuspended = OrganizationSuspended, "organization_suspended",
            "The organization is suspended. It can be read but not changed.";
        SessionMissing = Unauthenticated, "session_missing",
            "This operation needs a session. Sign in first.";
        SessionInvalid = Unauthenticated, "session_invalid",
            "The session is unknown, expired or was ended. Sign in again.";
        SessionEnded = Unauthenticated, "session_ended",
            "The session has ended. Sign in again.";
        ReauthenticationNeeded = InsufficientAuthentication, "reauthentication_needed",
            "This operation needs a recent authentication. Authenticate again and repeat the request.";
        FlowTokenMissing = Unauthenticated, "flow_token_missing",
            "This operation needs the token of the flow, in its cookie or in the header \
             Authorization: Flow.";
    }
}
