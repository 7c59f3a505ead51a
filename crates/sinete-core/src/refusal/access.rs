//! Reasons to refuse a request whose token, API key or session does not allow it.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why a request whose token, API key or session does not allow it is refused.
    AccessRefusal {
        CredentialInvalid = InvalidToken, "credential_invalid",
            "The access token or API key is unknown, revoked, expired or meant for another API. Get a \
             new one for this API; the log of the server has the cause.";
        PermissionMissing(permission: &'static str, r#"members:manage"#) = InsufficientScope, "permission_missing",
            "This operation needs the permission {permission}, which none of your roles in the organization \
             has. Ask an owner of the organization for a role that has it.";
        OperatorPermissionMissing(permission: &'static str, r#"instance:operate"#) = InsufficientScope, "operator_permission_missing",
            "This operation needs the permission {permission} in the operators' organization, which you do not \
             have. Use the token of an operator who has it.";
        ApiKeyScopeMissing(permission: &'static str, r#"members:manage"#) = InsufficientScope, "api_key_scope_missing",
            "The scope of this API key does not contain {permission}. Create an API key whose scope contains \
             it.";
        TokenScopeMissing(permission: &'static str, r#"members:manage"#) = InsufficientScope, "token_scope_missing",
            "The access token was issued without the scope {permission}. Request a token with that scope.";
        AssuranceTooLow = InsufficientAuthentication, "assurance_too_low",
            "The organization requires a higher authentication assurance than that of this token. \
             Authorize again with the acr_values that WWW-Authenticate names.";
        OrganizationSuspended = OrganizationSuspended, "organization_suspended",
            "The organization is suspended: it can be read but not changed. Ask an operator of the \
             instance to resume it.";
        SessionMissing = Unauthenticated, "session_missing",
            "This operation needs a session. Sign in first.";
        SessionInvalid = Unauthenticated, "session_invalid",
            "The session is unknown, expired or was ended. Sign in again.";
        SessionEnded = Unauthenticated, "session_ended",
            "The session has ended. Sign in again.";
        ReauthenticationNeeded = InsufficientAuthentication, "reauthentication_needed",
            "This operation needs a recent authentication. Authenticate again and repeat the request.";
        FlowTokenMissing = Unauthenticated, "flow_token_missing",
            "This operation needs the token of the flow. Send it in the header Authorization: Flow, \
             or continue in the browser that has its cookie.";
    }
}
