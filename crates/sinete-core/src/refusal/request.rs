//! Reasons to refuse a request that no endpoint can process.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why a request that no endpoint can process is refused.
    RequestRefusal {
        BodyIncomplete = InvalidRequest, "body_incomplete",
            "The request body ended before it was complete. Send it again.";
        BodyTimeout = RequestTimeout, "body_timeout",
            "The request body took too long to arrive.";
        BodyTooLarge = TooLarge, "body_too_large",
            "The request body is larger than this endpoint accepts.";
        MediaTypeNotSupported = UnsupportedMediaType, "media_type_not_supported",
            "This endpoint does not accept the Content-Type of the request.";
        NulCharacter = InvalidRequest, "nul_character",
            "The request contains a NUL character (U+0000), which is not allowed.";
        AuthorizationRepeated = InvalidRequest, "authorization_repeated",
            "The request has more than one Authorization header. Send exactly one.";
        CredentialInUrl = InvalidRequest, "credential_in_url",
            "The URL contains a credential. Send it in the Authorization header instead.";
        CookieRepeated = InvalidRequest, "cookie_repeated",
            "The request has the same cookie of this server more than once. Clear the cookies of this \
             site and sign in again.";
        TokenInCookieAndHeader = InvalidRequest, "token_in_cookie_and_header",
            "The request has a token in the cookie and in the Authorization header. Send only one of \
             them.";
        TokenInHeaderAndForm = InvalidRequest, "token_in_header_and_form",
            "The request has an access token in the Authorization header and in the form. Send only \
             one of them (RFC 6750 section 2).";
        CertificateUnreadable = InvalidRequest, "certificate_unreadable",
            "The client certificate cannot be parsed.";
        QueryParameterInvalid = InvalidRequest, "query_parameter_invalid",
            "A query parameter is unknown or has a value that is not allowed. The member errors names \
             it.";
        LimitInvalid = InvalidRequest, "limit_invalid",
            "The query parameter limit must be a whole number from 1 to 200.";
        CursorInvalid = InvalidRequest, "cursor_invalid",
            "The query parameter after is not a cursor that this list returned. Send the value of \
             next from the previous page, or start without it.";
        IfMatchInvalid = InvalidRequest, "if_match_invalid",
            "If-Match must contain exactly one version, as the ETag of the resource does.";
        IfMatchMissing = PreconditionRequired, "if_match_missing",
            "Send If-Match with the ETag of the version that you read.";
        VersionChanged = PreconditionFailed, "version_changed",
            "The resource has changed since you read it. Read it again and repeat the change.";
        IdempotencyKeyInvalid = InvalidRequest, "idempotency_key_invalid",
            "Idempotency-Key must be 1 to 255 visible ASCII characters.";
        IdempotencyKeyReused = Unprocessable, "idempotency_key_reused",
            "This Idempotency-Key was used for a different request. Use a new key.";
        AlreadyCreated = AlreadyCreated, "already_created",
            "A request with this Idempotency-Key created the resource before. Its secret was shown \
             once and cannot be shown again.";
        ConcurrentChange = Conflict, "concurrent_change",
            "The resource changed while the request was processed. Read it again and repeat the \
             request.";
        OutcomeUnknown = OutcomeUnknown, "outcome_unknown",
            "The database did not confirm in time whether the request took effect. Check before you \
             send it again.";
        Unavailable = TemporarilyUnavailable, "unavailable",
            "The server cannot process the request now. Nothing was changed. Try again after Retry- \
             After.";
        ServerError = ServerError, "server_error",
            "The server failed. The log has the cause under the request id of this response.";
        NotFound = NotFound, "not_found",
            "There is no such resource, or you have no access to it.";
        PathNotFound = NotFound, "path_not_found",
            "There is no resource at this path.";
        MethodNotAllowed = MethodNotAllowed, "method_not_allowed",
            "This path does not support the method of the request. The header Allow lists those that \
             it supports.";
        RateLimited = TooManyRequests, "rate_limited",
            "Too many requests came from this network or account. Wait for the time in Retry-After.";
        CrossSite = Forbidden, "cross_site",
            "The browser says that another site made this request. Requests with cookies must come \
             from a page of this server.";
        OriginMissing = Forbidden, "origin_missing",
            "A request with cookies, or for them, needs an Origin header, as browsers send it. A program \
             sends no cookies, and starts a flow with the value token for session.";
        NotANavigation = Forbidden, "not_a_navigation",
            "This page must be opened by a navigation of the browser, not inside another page.";
        CsrfTokenMissing = Forbidden, "csrf_token_missing",
            "A change with the session cookie needs the header X-CSRF-Token. Send the value that GET \
             /account returns in session.csrf_token.";
        BearerTokenMissing = Unauthenticated, "bearer_token_missing",
            "Send an access token or API key in the header Authorization: Bearer.";
        MemberSearchTooLong = InvalidRequest, "member_search_too_long",
            "The query parameter search must have at most eight words.";
        MemberSearchInvalid = InvalidRequest, "member_search_invalid",
            "The query parameter search must be one to eight words of at most 256 characters, without \
             control or direction characters.";
        OriginFilterInvalid = InvalidRequest, "origin_filter_invalid",
            "The query parameter origin must be operator or self.";
        ActorFilterInvalid = InvalidRequest, "actor_filter_invalid",
            "The query parameter actor must be an id.";
        EventKindUnknown = InvalidRequest, "event_kind_unknown",
            "The query parameter kind names an unknown event type. The page Events of the \
             documentation lists them.";
        LastEventIdUnknown = InvalidRequest, "last_event_id_unknown",
            "Last-Event-ID is not the id of an event of this instance.";
        ValidationFailed = Unprocessable, "validation_failed",
            "The request body is not valid. The member errors names each field and what is wrong with \
             it.";
        TargetTooLong = UriTooLong, "target_too_long",
            "The path and query of the request are longer than the server accepts.";
        HeadersTooLarge = HeadersTooLarge, "headers_too_large",
            "The headers of the request are larger or more numerous than the server accepts.";
        BodyNotJson = InvalidRequest, "body_not_json",
            "The request body is not JSON.";
        BodyTooDeep = InvalidRequest, "body_too_deep",
            "The request body is nested too deeply.";
        BodyMemberRepeated = InvalidRequest, "body_member_repeated",
            "The request body has the same member twice.";
        BodyShapeInvalid = InvalidRequest, "body_shape_invalid",
            "The request body does not have the expected members.";
        TooManyParameters = InvalidRequest, "too_many_parameters",
            "The request has too many parameters.";
        DuplicateParameter = InvalidRequest, "duplicate_parameter",
            "A parameter is given more than once.";
        ParameterEncodingInvalid = InvalidRequest, "parameter_encoding_invalid",
            "A parameter is not percent-encoded.";
        ParameterNotUtf8 = InvalidRequest, "parameter_not_unicode",
            "A parameter is not UTF-8.";
        RequestMalformed = InvalidRequest, "request_malformed",
            "The request is not valid HTTP.";
        RequestTimeout = RequestTimeout, "request_timeout",
            "The headers of the request took too long to arrive.";
        TooManyConnections = TemporarilyUnavailable, "too_many_connections",
            "The server has too many connections. Try again after Retry-After.";
        ParameterInvalid(expectation: &'static str) = InvalidRequest, "parameter_invalid",
            "{expectation}";
        NotReady(cause: &'static str) = TemporarilyUnavailable, "not_ready",
            "The node is not ready: {cause}.";
        HostMissing = InvalidRequest, "host_missing",
            "The request must have exactly one Host header.";
        ContentEncodingNotSupported = UnsupportedMediaType, "content_encoding_not_supported",
            "The server does not accept compressed request bodies (Content-Encoding).";
    }
}
