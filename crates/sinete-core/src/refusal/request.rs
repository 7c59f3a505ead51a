//! Reasons to refuse a request that no endpoint can process.

use super::reason::refusal_reasons;

refusal_reasons! {
    /// Why a request that no endpoint can process is refused.
    RequestRefusal {
        BodyIncomplete = InvalidRequest, "body_incomplete",
            "The request body ended before it was complete. Send it again.";
        BodyTimeout = RequestTimeout, "body_timeout",
            "The request body took too long to arrive. Send it again over a faster connection.";
        BodyTooLarge = TooLarge, "body_too_large",
            "The request body is larger than this endpoint accepts. Send a smaller one; the page \
             Limits of the documentation has the sizes.";
        MediaTypeNotSupported = UnsupportedMediaType, "media_type_not_supported",
            "This endpoint does not accept the Content-Type of the request. Send the one that \
             /openapi.json lists: application/json in most cases, application/x-www-form-urlencoded \
             at OAuth endpoints.";
        NulCharacter = InvalidRequest, "nul_character",
            "The request contains a NUL character (U+0000), which is not allowed. Remove it.";
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
            "The client certificate cannot be parsed. Check the certificate of the client, or the \
             header with which your proxy forwards it.";
        QueryParameterInvalid = InvalidRequest, "query_parameter_invalid",
            "A query parameter is unknown or has a value that is not allowed. The member errors names \
             it.";
        LimitInvalid = InvalidRequest, "limit_invalid",
            "The query parameter limit is not a whole number from 1 to 200. Send such a number, or \
             leave it out.";
        CursorInvalid = InvalidRequest, "cursor_invalid",
            "The query parameter after is not a cursor that this list returned. Send the value of \
             next from the previous page, or start without it.";
        IfMatchInvalid = InvalidRequest, "if_match_invalid",
            "If-Match does not contain exactly one version. Send the ETag of the resource as it was \
             returned, with its quotation marks.";
        IfMatchMissing = PreconditionRequired, "if_match_missing",
            "A change needs the header If-Match. Send the ETag of the version that you read.";
        VersionChanged = PreconditionFailed, "version_changed",
            "The resource has changed since you read it. Read it again and repeat the change.";
        IdempotencyKeyInvalid = InvalidRequest, "idempotency_key_invalid",
            "Idempotency-Key is not 1 to 255 visible ASCII characters. Send a random value such as a \
             UUID.";
        IdempotencyKeyReused = Unprocessable, "idempotency_key_reused",
            "This Idempotency-Key was used for a different request. Use a new key.";
        AlreadyCreated = AlreadyCreated, "already_created",
            "A request with this Idempotency-Key created the resource before, and its secret was \
             shown once. Create a new secret for the resource that the member id names.";
        ConcurrentChange = Conflict, "concurrent_change",
            "The resource changed while the request was processed. Read it again and repeat the \
             request.";
        OutcomeUnknown = OutcomeUnknown, "outcome_unknown",
            "The database did not confirm in time whether the request took effect. Check before you \
             send it again.";
        Unavailable = TemporarilyUnavailable, "unavailable",
            "The server cannot process the request now, and nothing was changed. Try again after \
             Retry-After.";
        ServerError = ServerError, "server_error",
            "The server failed. The log has the cause under the request id of this response.";
        NotFound = NotFound, "not_found",
            "There is no such resource, or you have no access to it. Check the id, and that your \
             token is for the right organization.";
        PathNotFound = NotFound, "path_not_found",
            "There is no resource at this path. Check the URL; /openapi.json lists all paths.";
        MethodNotAllowed = MethodNotAllowed, "method_not_allowed",
            "This path does not support the method of the request. The header Allow lists those that \
             it supports.";
        RateLimited = TooManyRequests, "rate_limited",
            "Too many requests came from this network or account. Wait for the time in Retry-After.";
        CrossSite = Forbidden, "cross_site",
            "The browser says that another site made this request. Send requests with cookies from a \
             page of this server, or send a token without cookies.";
        OriginMissing = Forbidden, "origin_missing",
            "The request uses cookies, which are for browsers, and has no Origin header. From a \
             program, send no cookies, and start a flow with the member session set to token.";
        NotANavigation = Forbidden, "not_a_navigation",
            "This page was requested by a script or inside another page. Open it by a navigation of \
             the browser.";
        CsrfTokenMissing = Forbidden, "csrf_token_missing",
            "A change with the session cookie needs the header X-CSRF-Token. Send the value that GET \
             /account returns in session.csrf_token.";
        BearerTokenMissing = Unauthenticated, "bearer_token_missing",
            "The request has no access token and no API key. Send one in the header Authorization: \
             Bearer.";
        MemberSearchTooLong = InvalidRequest, "member_search_too_long",
            "The query parameter search has more than eight words. Send at most eight.";
        MemberSearchInvalid = InvalidRequest, "member_search_invalid",
            "The query parameter search is empty, longer than 256 characters, or contains control or \
             direction characters. Send one to eight words.";
        OriginFilterInvalid = InvalidRequest, "origin_filter_invalid",
            "The query parameter origin has an unknown value. Send operator or self.";
        ActorFilterInvalid = InvalidRequest, "actor_filter_invalid",
            "The query parameter actor is not an id. Send the id of a member, client or API key as \
             the entries of the audit log have it.";
        EventKindUnknown = InvalidRequest, "event_kind_unknown",
            "The query parameter kind names an unknown event type. The page Events of the \
             documentation lists them.";
        LastEventIdUnknown = InvalidRequest, "last_event_id_unknown",
            "Last-Event-ID is not the id of an event of this instance. Send the id of the last event \
             that you received, or leave the header out.";
        ValidationFailed = Unprocessable, "validation_failed",
            "The request body is not valid. The member errors names each field and what is wrong with \
             it.";
        TargetTooLong = UriTooLong, "target_too_long",
            "The path and query of the request are longer than the server accepts. Shorten them, or \
             send long values in the body.";
        HeadersTooLarge = HeadersTooLarge, "headers_too_large",
            "The headers of the request are larger or more numerous than the server accepts. Remove \
             headers or cookies.";
        BodyNotJson = InvalidRequest, "body_not_json",
            "The request body is not JSON. Send one JSON document in UTF-8.";
        BodyTooDeep = InvalidRequest, "body_too_deep",
            "The request body is nested more than 32 levels deep. Send a flatter document.";
        BodyMemberRepeated = InvalidRequest, "body_member_repeated",
            "The request body has the same member twice. Send each member of an object once.";
        BodyShapeInvalid = InvalidRequest, "body_shape_invalid",
            "The request body is not a JSON object. Send one with the members that /openapi.json \
             lists for this operation.";
        TooManyParameters = InvalidRequest, "too_many_parameters",
            "The request has more than 110 parameters. Send fewer.";
        DuplicateParameter = InvalidRequest, "duplicate_parameter",
            "A parameter is given more than once. Send each parameter once.";
        ParameterEncodingInvalid = InvalidRequest, "parameter_encoding_invalid",
            "A parameter is not percent-encoded correctly. Encode names and values, so that each \
             percent sign precedes two hexadecimal digits.";
        ParameterNotUtf8 = InvalidRequest, "parameter_not_unicode",
            "A parameter is not UTF-8. Encode text as UTF-8 before percent-encoding it.";
        RequestMalformed = InvalidRequest, "request_malformed",
            "The request is not valid HTTP. Check what your client, or a proxy between, sends.";
        RequestTimeout = RequestTimeout, "request_timeout",
            "The headers of the request took too long to arrive. Send the request again.";
        TooManyConnections = TemporarilyUnavailable, "too_many_connections",
            "The server has too many connections. Try again after Retry-After.";
        ParameterInvalid(
            expectation: &'static str,
            "The query parameter format has an unknown value. Send json, jsonl or csv."
        ) = InvalidRequest, "parameter_invalid",
            "{expectation}";
        NotReady(cause: &'static str, "migrations are pending") = TemporarilyUnavailable, "not_ready",
            "The node is not ready: {cause}. Send requests to another node, or try again in a moment.";
        HostMissing = InvalidRequest, "host_missing",
            "The request does not have exactly one Host header. Send one with the host of the issuer.";
        ContentEncodingNotSupported = UnsupportedMediaType, "content_encoding_not_supported",
            "The server does not accept compressed request bodies (Content-Encoding). Send the body \
             uncompressed.";
    }
}
