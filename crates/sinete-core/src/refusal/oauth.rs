//! Reasons to refuse an OAuth 2.1 or OpenID Connect request.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why an OAuth 2.1 or OpenID Connect request is refused.
    OAuthRefusal {
        GrantTypeUnsupported = UnsupportedGrantType, "grant_type_unsupported",
            "The grant_type is not supported. The discovery document lists those that are \
             (grant_types_supported).";
        GrantInvalid = InvalidGrant, "grant_invalid",
            "The authorization code, refresh token or other grant is invalid, expired, used, revoked \
             or was issued to another client.";
        GrantTypeNotAllowed = UnauthorizedClient, "grant_type_not_allowed",
            "The client is not registered for this grant_type.";
        ClientNotAllowed = UnauthorizedClient, "client_not_allowed",
            "The client is not allowed to make this request.";
        TokenOfAnotherClient = UnauthorizedClient, "token_of_another_client",
            "The token was issued to another client.";
        TestNotPossible = Conflict, "test_not_possible",
            "This test sign-in is over, is not yours, or the application does not sign users in.";
        ClientAuthenticationFailed = InvalidClient, "client_authentication_failed",
            "Client authentication failed: unknown client, wrong credential, or an authentication \
             method that the client is not registered for.";
        ScopeNotGranted = InvalidScope, "scope_not_granted",
            "The scope contains a value that is unknown or was not granted. Nothing was issued.";
        ScopeInvalid = InvalidScope, "scope_invalid",
            "The scope contains a value that is unknown or exceeds what the client or user may be \
             granted. Nothing was issued.";
        ResourceInvalid = InvalidTarget, "resource_invalid",
            "The resource is unknown, or this request may not ask for a token for it.";
        OrganizationMismatch = InvalidTarget, "organization_mismatch",
            "The parameter organization is not the organization of the grant.";
        AuthorizationDetailsNotGranted = InvalidAuthorizationDetails, "authorization_details_not_granted",
            "The parameter authorization_details contains something that was not granted.";
        DpopKeyMismatch = InvalidDpopProof, "dpop_key_mismatch",
            "The parameter dpop_jkt is not the thumbprint of the key of the DPoP proof.";
        DpopNonceNeeded = UseDpopNonce, "dpop_nonce_needed",
            "The DPoP proof must contain the nonce from the header DPoP-Nonce of this response.";
        ResourceDpopNonceNeeded = KeyProofNonceNeeded, "resource_dpop_nonce_needed",
            "The DPoP proof must contain the nonce from the header DPoP-Nonce of this response.";
        DpopProofInvalid = InvalidDpopProof, "dpop_proof_invalid",
            "The DPoP proof is missing or invalid (RFC 9449 section 4.3).";
        ResourceDpopProofInvalid = InvalidKeyProof, "resource_dpop_proof_invalid",
            "The DPoP proof is missing or invalid (RFC 9449 section 4.3).";
        CertificateBindingMissing = InvalidRequest, "certificate_binding_missing",
            "The tokens of this client are bound to its certificate. Connect with the client \
             certificate (RFC 8705).";
        DpopBindingMissing = InvalidRequest, "dpop_binding_missing",
            "The tokens of this client are bound to a key. Send a DPoP proof (RFC 9449).";
        AccessTokenInvalid = InvalidToken, "access_token_invalid",
            "The access token is unknown, revoked or expired.";
        UserinfoScopeMissing = InsufficientScope, "userinfo_scope_missing",
            "The access token was issued without the scope openid.";
        TokenParameterMissing = InvalidRequest, "token_parameter_missing",
            "The parameter token is missing.";
        TokenTypeNotRevocable = UnsupportedTokenType, "token_type_not_revocable",
            "Only access tokens and refresh tokens can be revoked here.";
        DelegationChainTooLong = InvalidRequest, "delegation_chain_too_long",
            "The subject_token has been exchanged too often: its chain of actors is at its limit.";
        ImpersonationScopeInvalid = InvalidScope, "impersonation_scope_invalid",
            "The client does not serve that organization or scope, or it binds its tokens to a \
             certificate or key, which impersonation does not support.";
        ImpersonationOfManagement = InvalidScope, "impersonation_of_management",
            "An impersonation token cannot have management permissions.";
        ImpersonationNotPossible = Conflict, "impersonation_not_possible",
            "This account cannot be impersonated now.";
        LogoutHintInvalid = InvalidRequest, "logout_hint_invalid",
            "The id_token_hint is not a valid ID token of this issuer.";
        LogoutClientMismatch = InvalidRequest, "logout_client_mismatch",
            "The client_id is not the client of the id_token_hint.";
        LogoutRedirectNotRegistered = InvalidRequest, "logout_redirect_not_registered",
            "The post_logout_redirect_uri is not registered for this client.";
        LogoutNeedsConfirmation = Forbidden, "logout_needs_confirmation",
            "Logout with the session cookie needs a confirmation on the page of this server, or an \
             id_token_hint of this session.";
        AuthorizationNeedsUser = Unauthenticated, "authorization_needs_user",
            "The user must interact first. Continue with the flow in the member flow.";
        AuthorizationFlowEnded = Gone, "authorization_flow_ended",
            "The authorization request has ended. Start again in the application.";
        AuthorizationFlowNotFound = NotFound, "authorization_flow_not_found",
            "There is no such authorization request in this session. Start again in the application.";
        ClientIdMissing = InvalidRequest, "client_id_missing",
            "The parameter client_id is missing.";
        RedirectUriMissing = InvalidRequest, "redirect_uri_missing",
            "The parameter redirect_uri is missing, and the client has not registered exactly one.";
        RedirectUriNotRegistered = InvalidRequest, "redirect_uri_not_registered",
            "The redirect_uri is not registered for this client. It must match a registered one \
             exactly.";
        ParameterRepeated = InvalidRequest, "parameter_repeated",
            "The parameter client_id, redirect_uri, request or request_uri is repeated.";
        RequestUriUnknown = InvalidRequestUri, "request_uri_unknown",
            "The request_uri is unknown, expired or was used before.";
        RequestObjectInvalid = InvalidRequestObject, "request_object_invalid",
            "The request object is not valid: its signature, issuer, audience or lifetime is wrong.";
        AccessDenied = AccessDenied, "access_denied",
            "The user denied the request.";
        DeviceCodeExpired = ExpiredToken, "device_code_expired",
            "The device_code has expired. Start a new device authorization.";
        AuthReqIdExpired = ExpiredToken, "auth_req_id_expired",
            "The auth_req_id has expired. Start a new request.";
        AuthorizationPending = AuthorizationPending, "authorization_pending",
            "The user has not answered yet. Ask again after the interval.";
        SlowDown = SlowDown, "slow_down",
            "The token endpoint is polled too often. Add five seconds to the interval.";
        RegistrationRejected = InvalidClientMetadata, "registration_rejected",
            "The client metadata is not accepted. The member errors names each field.";
        RegistrationRedirectUriInvalid = InvalidRedirectUri, "registration_redirect_uri_invalid",
            "A redirect URI cannot be registered. The member errors names it.";
        RegistrationTokenInvalid = InvalidToken, "registration_token_invalid",
            "The registration access token is unknown or has ended.";
        RegistrationChanged = Conflict, "registration_changed",
            "The registration has changed. Read it again and repeat the change.";
        RegistrationRateLimited = TooManyRequests, "registration_rate_limited",
            "Too many clients were registered from this network. Try again after Retry-After.";
        SectorIdentifierUnavailable = TemporarilyUnavailable, "sector_identifier_unavailable",
            "The sector_identifier_uri cannot be fetched now. Try again later.";
        GrantRateLimited = TooManyRequests, "grant_rate_limited",
            "Too many tokens were requested with this grant. Wait for the time in Retry-After.";
        ClientIdTaken = Conflict, "client_id_taken",
            "The client id or secret is in use.";
        ClientSecretLimit = Conflict, "client_secret_limit",
            "The client has the maximum number of secrets. Revoke one first.";
        ClientSecretInUse = Conflict, "client_secret_in_use",
            "This is the only secret of the client. Add another one first, or disable the client.";
        ClientSecretNotAllowed = Unprocessable, "client_secret_not_allowed",
            "A client secret cannot be chosen. The server creates it and shows it once.";
        ClientWiderThanCaller = InsufficientScope, "client_wider_than_caller",
            "The client has permissions that you do not have, so you cannot give it a new credential.";
        ImpliedConsentTooWide = InsufficientScope, "implied_consent_too_wide",
            "Consent can be implied only for permissions that you have. Let users consent, or narrow \
             the scope of the client.";
        ApprovalNotFound = NotFound, "approval_not_found",
            "There is no such authentication request: it was answered, has expired or never existed.";
        ApprovalAssuranceTooLow = InsufficientAuthentication, "approval_assurance_too_low",
            "Approving this request needs a stronger authentication in this session.";
        ApprovalCredentialNotAccepted = InsufficientAuthentication, "approval_credential_not_accepted",
            "The organization does not accept how you signed in. Sign in again with a method that it \
             accepts.";
        ApprovalOrganizationMissing = Unprocessable, "approval_organization_missing",
            "The member organization is missing: you have several organizations that this request may \
             be for.";
        ApprovalChanged = Conflict, "approval_changed",
            "The request has changed since you read it. Read it again.";
        ApprovalRateLimited = TooManyRequests, "approval_rate_limited",
            "This user received too many authentication requests. Wait for the time in Retry-After.";
        ParameterMissing(parameter: &'static str) = InvalidRequest, "parameter_missing",
            "The parameter {parameter} is missing.";
        SubjectTokenTypeUnsupported = InvalidRequest, "subject_token_type_unsupported",
            "The subject_token_type is not supported. Use the type of an access token, a JWT or an API key.";
        RequestedTokenTypeUnsupported = InvalidRequest, "requested_token_type_unsupported",
            "The requested_token_type is not supported. Only access tokens are issued.";
        ActorTokenTypeUnsupported = InvalidRequest, "actor_token_type_unsupported",
            "The parameters actor_token and actor_token_type must be sent together, with the type of an \
             access token.";
        AuthorizationRequestInvalid(cause: &'static str) = InvalidRequest, "authorization_request_invalid",
            "{cause}";
        AuthorizationClientNotAllowed(cause: &'static str) = UnauthorizedClient, "authorization_client_not_allowed",
            "{cause}";
        ResponseTypeUnsupported(cause: &'static str) = UnsupportedResponseType, "response_type_unsupported",
            "{cause}";
        AuthorizationScopeInvalid(cause: &'static str) = InvalidScope, "authorization_scope_invalid",
            "{cause}";
        AuthorizationResourceInvalid(cause: &'static str) = InvalidTarget, "authorization_resource_invalid",
            "{cause}";
        AuthorizationDetailsInvalid(cause: &'static str) = InvalidAuthorizationDetails, "authorization_details_invalid",
            "{cause}";
        AuthorizationObjectInvalid(cause: &'static str) = InvalidRequestObject, "authorization_object_invalid",
            "{cause}";
        AuthorizationRequestUriInvalid(cause: &'static str) = InvalidRequestUri, "authorization_request_uri_invalid",
            "{cause}";
        AuthorizationFailed(cause: &'static str) = ServerError, "authorization_failed",
            "{cause}";
        AuthorizationUnavailable(cause: &'static str) = TemporarilyUnavailable, "authorization_unavailable",
            "{cause}";
        BindingMessageInvalid(expectation: &'static str) = InvalidBindingMessage, "binding_message_invalid",
            "{expectation}";
        CibaUserCannotApprove(cause: &'static str) = Forbidden, "ciba_user_cannot_approve",
            "{cause}";
        ClientSecretOverlapTooLong = Unprocessable, "client_secret_overlap_too_long",
            "Previous client secrets can stay valid for at most 7 days.";
        ClientHasNoSecret = Conflict, "client_has_no_secret",
            "The client authenticates without a secret (token_endpoint_auth_method).";
        ClientDocumentUnreachable = InvalidClientMetadata, "client_document_unreachable",
            "The client metadata document cannot be fetched: its host does not respond, or the connection \
             fails.";
        ClientDocumentTimedOut = InvalidClientMetadata, "client_document_timed_out",
            "The client metadata document cannot be fetched: the response took too long.";
        ClientDocumentTooLarge = InvalidClientMetadata, "client_document_too_large",
            "The client metadata document is too large.";
        ClientDocumentRedirected = InvalidClientMetadata, "client_document_redirected",
            "The client metadata document is not at its URL: the response is a redirect, which is not \
             followed.";
        ClientDocumentPrivateAddress = InvalidClientMetadata, "client_document_private_address",
            "The client metadata document cannot be fetched: its host has an address that is not public.";
        ClientDocumentStatusNotOk = InvalidClientMetadata, "client_document_status_not_ok",
            "The client metadata document cannot be fetched: the status of the response is not 200.";
        ClientDocumentInvalid(cause: &'static str) = InvalidClientMetadata, "client_document_invalid",
            "The client metadata document cannot be used: {cause}.";
        ClientDocumentsDisabled = UnauthorizedClient, "client_documents_disabled",
            "A client_id that is a URL is not accepted here.";
        ClientDocumentHostNotAllowed = UnauthorizedClient, "client_document_host_not_allowed",
            "Client metadata documents of this host are not accepted here.";
        ClientDocumentRateLimited = TooManyRequests, "client_document_rate_limited",
            "Too many client metadata documents were requested from this network or of this host. Try again \
             after Retry-After.";
        ClientDocumentBusy = TemporarilyUnavailable, "client_document_busy",
            "The client metadata document cannot be fetched now. Try again later.";
        ClientIdUnknown = InvalidRequest, "client_id_unknown",
            "The client_id is not registered, or the client was removed.";
    }
}
