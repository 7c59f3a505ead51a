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
             or was issued to another client. Start a new authorization.";
        GrantTypeNotAllowed = UnauthorizedClient, "grant_type_not_allowed",
            "The client is not registered for this grant_type. Add it to grant_types of the client.";
        ClientNotAllowed = UnauthorizedClient, "client_not_allowed",
            "The client, or the organization that it belongs to, is disabled. Enable it on the \
             console or with the management API.";
        TokenOfAnotherClient = UnauthorizedClient, "token_of_another_client",
            "The token was issued to another client. Send it with the credentials of that client.";
        TestNotPossible = Conflict, "test_not_possible",
            "This test sign-in is over, is not yours, or the application does not sign users in. \
             Start a new test from the page of the application.";
        ClientAuthenticationFailed = InvalidClient, "client_authentication_failed",
            "Client authentication failed: unknown client, wrong credential, or an authentication \
             method that the client is not registered for. Check client_id, the credential and \
             token_endpoint_auth_method of the client.";
        ScopeNotGranted = InvalidScope, "scope_not_granted",
            "The scope contains a value that is unknown or was not granted; nothing was issued. Send \
             a part of the granted scope, or authorize again.";
        ScopeInvalid = InvalidScope, "scope_invalid",
            "The scope contains a value that is unknown or exceeds what the client or user may be \
             granted; nothing was issued. Remove that value, or extend the scope of the client or the \
             roles of the user.";
        ResourceInvalid = InvalidTarget, "resource_invalid",
            "The resource is unknown, or this request may not ask for a token for it. Send the \
             identifier of an API that is offered to the organization.";
        OrganizationMismatch = InvalidTarget, "organization_mismatch",
            "The parameter organization is not the organization of the grant. Leave it out, or \
             authorize again for that organization.";
        AuthorizationDetailsNotGranted = InvalidAuthorizationDetails, "authorization_details_not_granted",
            "The parameter authorization_details contains something that was not granted. Send a part \
             of what was granted.";
        DpopKeyMismatch = InvalidDpopProof, "dpop_key_mismatch",
            "The parameter dpop_jkt is not the thumbprint of the key of the DPoP proof. Use one key \
             for both, or leave dpop_jkt out.";
        DpopNonceNeeded = UseDpopNonce, "dpop_nonce_needed",
            "The DPoP proof has no current nonce. Send a new proof with the nonce from the header \
             DPoP-Nonce of this response.";
        ResourceDpopNonceNeeded = KeyProofNonceNeeded, "resource_dpop_nonce_needed",
            "The DPoP proof has no current nonce. Send a new proof with the nonce from the header \
             DPoP-Nonce of this response.";
        DpopProofInvalid = InvalidDpopProof, "dpop_proof_invalid",
            "The DPoP proof is missing or invalid. Check its signature and typ, alg, jwk, jti, htm, \
             htu, iat and nonce (RFC 9449 section 4.3).";
        ResourceDpopProofInvalid = InvalidKeyProof, "resource_dpop_proof_invalid",
            "The DPoP proof is missing or invalid. Check its signature and typ, alg, jwk, jti, htm, \
             htu, iat, ath and nonce (RFC 9449 section 4.3).";
        CertificateBindingMissing = InvalidRequest, "certificate_binding_missing",
            "The tokens of this client are bound to its certificate. Connect with the client \
             certificate (RFC 8705).";
        DpopBindingMissing = InvalidRequest, "dpop_binding_missing",
            "The tokens of this client are bound to a key. Send a DPoP proof (RFC 9449).";
        AccessTokenInvalid = InvalidToken, "access_token_invalid",
            "The access token is unknown, revoked or expired. Get a new one.";
        UserinfoScopeMissing = InsufficientScope, "userinfo_scope_missing",
            "The access token was issued without the scope openid. Request that scope in the \
             authorization request.";
        TokenParameterMissing = InvalidRequest, "token_parameter_missing",
            "The parameter token is missing. Send the token in the form body.";
        TokenTypeNotRevocable = UnsupportedTokenType, "token_type_not_revocable",
            "A token of this type cannot be revoked here. Send an access token or a refresh token.";
        DelegationChainTooLong = InvalidRequest, "delegation_chain_too_long",
            "The subject_token has been exchanged too often: its chain of actors is at its limit. \
             Exchange an earlier token.";
        ImpersonationScopeInvalid = InvalidScope, "impersonation_scope_invalid",
            "The client does not serve that organization or scope, or it binds its tokens to a \
             certificate or key, which impersonation does not support. Choose another client or a \
             narrower scope.";
        ImpersonationOfManagement = InvalidScope, "impersonation_of_management",
            "An impersonation token cannot have management permissions. Remove them from the scope.";
        ImpersonationNotPossible = Conflict, "impersonation_not_possible",
            "This account cannot be impersonated now. The audit log and the log of the server have \
             the cause.";
        LogoutHintInvalid = InvalidRequest, "logout_hint_invalid",
            "The id_token_hint is not a valid ID token of this issuer. Send the latest ID token that \
             the client received, or leave it out.";
        LogoutClientMismatch = InvalidRequest, "logout_client_mismatch",
            "The client_id is not the client of the id_token_hint. Send the id of that client, or \
             leave client_id out.";
        LogoutRedirectNotRegistered = InvalidRequest, "logout_redirect_not_registered",
            "The post_logout_redirect_uri is not registered for this client. Add it to \
             post_logout_redirect_uris of the client; it must match exactly.";
        LogoutNeedsConfirmation = Forbidden, "logout_needs_confirmation",
            "Logout with the session cookie needs a confirmation by the user. Send an id_token_hint \
             of this session, or let the user confirm on the page of this server.";
        AuthorizationNeedsUser = Unauthenticated, "authorization_needs_user",
            "The user must interact first. Continue with the flow in the member flow.";
        AuthorizationFlowEnded = Gone, "authorization_flow_ended",
            "The authorization request has ended. Start again in the application.";
        AuthorizationFlowNotFound = NotFound, "authorization_flow_not_found",
            "There is no such authorization request in this session. Start again in the application.";
        ClientIdMissing = InvalidRequest, "client_id_missing",
            "The parameter client_id is missing. Send the id of a registered client.";
        RedirectUriMissing = InvalidRequest, "redirect_uri_missing",
            "The parameter redirect_uri is missing, and the client has not registered exactly one. \
             Send one of its redirect_uris.";
        RedirectUriNotRegistered = InvalidRequest, "redirect_uri_not_registered",
            "The redirect_uri is not registered for this client: it must match a registered one \
             exactly. Compare it with redirect_uris of the client, on the console under Applications.";
        ParameterRepeated = InvalidRequest, "parameter_repeated",
            "The parameter client_id, redirect_uri, request or request_uri is repeated. Send it once.";
        RequestUriUnknown = InvalidRequestUri, "request_uri_unknown",
            "The request_uri is unknown, expired or was used before. Push the request again (RFC \
             9126).";
        RequestObjectInvalid = InvalidRequestObject, "request_object_invalid",
            "The request object is not valid: its signature, issuer, audience or lifetime is wrong. \
             Sign it with a registered key, iss as the client_id and aud as the issuer (RFC 9101).";
        AccessDenied = AccessDenied, "access_denied",
            "The user denied the request. Start again if the user wants to.";
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
            "The registration access token is unknown or has ended. Send the \
             registration_access_token of the latest response.";
        RegistrationChanged = Conflict, "registration_changed",
            "The registration has changed. Read it again and repeat the change.";
        RegistrationRateLimited = TooManyRequests, "registration_rate_limited",
            "Too many clients were registered from this network. Try again after Retry-After.";
        SectorIdentifierUnavailable = TemporarilyUnavailable, "sector_identifier_unavailable",
            "The sector_identifier_uri cannot be fetched now. Try again later.";
        GrantRateLimited = TooManyRequests, "grant_rate_limited",
            "Too many tokens were requested with this grant. Wait for the time in Retry-After.";
        ClientIdTaken = Conflict, "client_id_taken",
            "The client id or secret is in use. Choose another one, or let the server create it.";
        ClientSecretLimit = Conflict, "client_secret_limit",
            "The client has the maximum number of secrets. Revoke one first.";
        ClientSecretInUse = Conflict, "client_secret_in_use",
            "This is the only secret of the client. Add another one first, or disable the client.";
        ClientSecretNotAllowed = Unprocessable, "client_secret_not_allowed",
            "A client secret cannot be chosen. Leave the member out; the server creates the secret \
             and shows it once.";
        ClientWiderThanCaller = InsufficientScope, "client_wider_than_caller",
            "The client has permissions that you, or the scope of your credential, do not have, so \
             you cannot give it a new credential. Use a credential whose scope contains them, or ask \
             a member who has them.";
        ImpliedConsentTooWide = InsufficientScope, "implied_consent_too_wide",
            "Consent can be implied only for permissions that you have. Let users consent, or narrow \
             the scope of the client.";
        ApprovalNotFound = NotFound, "approval_not_found",
            "There is no such authentication request: it was answered, has expired or never existed. \
             Let the client send a new one.";
        ApprovalAssuranceTooLow = InsufficientAuthentication, "approval_assurance_too_low",
            "Approving this request needs a stronger authentication in this session. Step up first, \
             as the member needs says.";
        ApprovalCredentialNotAccepted = InsufficientAuthentication, "approval_credential_not_accepted",
            "The organization does not accept how you signed in. Sign in again with a method that it \
             accepts.";
        ApprovalOrganizationMissing = Unprocessable, "approval_organization_missing",
            "The member organization is missing: you have several organizations that this request may \
             be for. Send the id of one.";
        ApprovalChanged = Conflict, "approval_changed",
            "The request has changed since you read it. Read it again.";
        CibaRequestNotPending = Conflict, "ciba_request_not_pending",
            "The authentication request was answered or has expired, so it cannot be denied. Read it \
             again to see its state.";
        ApprovalRateLimited = TooManyRequests, "approval_rate_limited",
            "This user received too many authentication requests. Wait for the time in Retry-After.";
        ParameterMissing(parameter: &'static str, "code") = InvalidRequest, "parameter_missing",
            "The parameter {parameter} is missing. Send it in the form body.";
        SubjectTokenTypeUnsupported = InvalidRequest, "subject_token_type_unsupported",
            "The subject_token_type is not supported. Use the type of an access token, a JWT or an API key.";
        RequestedTokenTypeUnsupported = InvalidRequest, "requested_token_type_unsupported",
            "The requested_token_type is not supported. Leave it out, or send the type of an access \
             token.";
        ActorTokenTypeUnsupported = InvalidRequest, "actor_token_type_unsupported",
            "The parameters actor_token and actor_token_type do not belong together. Send both, with \
             the type of an access token, or neither.";
        AuthorizationRequestInvalid(
            cause: &'static str,
            "The parameter code_challenge is required. Send an S256 challenge (RFC 7636)."
        ) = InvalidRequest, "authorization_request_invalid",
            "{cause}";
        AuthorizationClientNotAllowed(
            cause: &'static str,
            "The client is not registered for this grant type. Add it to grant_types of the \
                 client."
        ) = UnauthorizedClient, "authorization_client_not_allowed",
            "{cause}";
        ResponseTypeUnsupported(
            cause: &'static str,
            "The response_type is not supported. Send code."
        ) = UnsupportedResponseType, "response_type_unsupported",
            "{cause}";
        AuthorizationScopeInvalid(
            cause: &'static str,
            "The scope contains a value that the client is not registered for. Add it to the \
                 scope of the client, or remove it from the request."
        ) = InvalidScope, "authorization_scope_invalid",
            "{cause}";
        AuthorizationResourceInvalid(
            cause: &'static str,
            "The scope has permissions of several APIs. Send one of them as the parameter \
                 resource."
        ) = InvalidTarget, "authorization_resource_invalid",
            "{cause}";
        AuthorizationDetailsInvalid(
            cause: &'static str,
            "The parameter authorization_details needs the parameter resource. Send the \
                 identifier of the API."
        ) = InvalidAuthorizationDetails, "authorization_details_invalid",
            "{cause}";
        AuthorizationObjectInvalid(
            cause: &'static str,
            "The request object is not valid: its signature, issuer, audience or lifetime is \
                 wrong. Sign it with a registered key, iss as the client_id and aud as the issuer."
        ) = InvalidRequestObject, "authorization_object_invalid",
            "{cause}";
        AuthorizationRequestUriInvalid(
            cause: &'static str,
            "The request_uri is unknown, expired or was used before. Push the request again (RFC \
                 9126)."
        ) = InvalidRequestUri, "authorization_request_uri_invalid",
            "{cause}";
        AuthorizationFailed(
            cause: &'static str,
            "The server failed. The log has the cause under the request id of this response."
        ) = ServerError, "authorization_failed",
            "{cause}";
        AuthorizationUnavailable(
            cause: &'static str,
            "The server cannot process the request now. Try again after Retry-After."
        ) = TemporarilyUnavailable, "authorization_unavailable",
            "{cause}";
        BindingMessageInvalid(
            expectation: &'static str,
            "The parameter binding_message is not valid. Send one line of 1 to 140 characters, \
                 without direction characters, angle brackets and URLs."
        ) = InvalidBindingMessage, "binding_message_invalid",
            "{expectation}";
        CibaUserCannotApprove(
            cause: &'static str,
            "The scope contains permissions that the user does not have in the organization. Give \
                 the user a role that has them, or request less."
        ) = Forbidden, "ciba_user_cannot_approve",
            "{cause}";
        ClientSecretOverlapTooLong = Unprocessable, "client_secret_overlap_too_long",
            "Previous client secrets can stay valid for at most 7 days. Send a shorter time.";
        ClientHasNoSecret = Conflict, "client_has_no_secret",
            "The client authenticates without a secret. Change its token_endpoint_auth_method to \
             client_secret_basic or client_secret_post first.";
        ClientDocumentUnreachable = InvalidClientMetadata, "client_document_unreachable",
            "The client metadata document cannot be fetched: its host does not respond, or the \
             connection fails. Check the URL and the certificate of the host.";
        ClientDocumentTimedOut = InvalidClientMetadata, "client_document_timed_out",
            "The client metadata document cannot be fetched: the response took too long. Check the \
             host of the document.";
        ClientDocumentTooLarge = InvalidClientMetadata, "client_document_too_large",
            "The client metadata document is too large. Remove members that are not needed.";
        ClientDocumentRedirected = InvalidClientMetadata, "client_document_redirected",
            "The client metadata document is not at its URL: the response is a redirect, which is not \
             followed. Use the final URL as the client_id.";
        ClientDocumentPrivateAddress = InvalidClientMetadata, "client_document_private_address",
            "The client metadata document cannot be fetched: its host has an address that is not \
             public. Serve the document from a public address.";
        ClientDocumentStatusNotOk = InvalidClientMetadata, "client_document_status_not_ok",
            "The client metadata document cannot be fetched: the status of the response is not 200. \
             Check the URL.";
        ClientDocumentInvalid(cause: &'static str, "its client_id is not its URL") = InvalidClientMetadata, "client_document_invalid",
            "The client metadata document cannot be used: {cause}. Correct the document.";
        ClientDocumentsDisabled = UnauthorizedClient, "client_documents_disabled",
            "A client_id that is a URL is not accepted here. Register the client, or ask the operator \
             to allow client metadata documents.";
        ClientDocumentHostNotAllowed = UnauthorizedClient, "client_document_host_not_allowed",
            "Client metadata documents of this host are not accepted here. Ask the operator or the \
             organization to allow the host.";
        ClientDocumentRateLimited = TooManyRequests, "client_document_rate_limited",
            "Too many client metadata documents were requested from this network or of this host. Try again \
             after Retry-After.";
        ClientDocumentBusy = TemporarilyUnavailable, "client_document_busy",
            "The client metadata document cannot be fetched now. Try again later.";
        ClientIdUnknown = InvalidRequest, "client_id_unknown",
            "The client_id is not registered, or the client was removed. Check the client_id on the \
             console under Applications.";
    }
}
