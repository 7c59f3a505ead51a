package sinete

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	tokenBytesMax = 16_384
	actorsMax     = 5
	leewayMax     = time.Minute
	leewayDefault = 5 * time.Second
)

// VerifierSettings are the settings of an [AccessTokenVerifier]. Only Issuer and Audience are required.
type VerifierSettings struct {
	// Issuer is exactly the iss of the tokens: https, or http on loopback, without a trailing slash.
	Issuer string
	// Audience is the URI that the API is registered under (aud).
	Audience string
	// BaseURL is the URL at which clients reach the API, before the path of a request: DPoP proofs contain it. Default: the
	// origin of Audience.
	BaseURL string
	// ResourceMetadata is the URL of the protected resource metadata (RFC 9728). Default: the well-known URL of Audience.
	ResourceMetadata string
	// Algorithms are the accepted signature algorithms. Default: ES256.
	Algorithms []SigningAlgorithm
	// ClockLeeway is how far iat and nbf may be in the future, at most a minute; a negative value means none. Default: five seconds. exp
	// has no leeway.
	ClockLeeway time.Duration
	// ReplayCache records used DPoP proofs. Default: 100,000 in this process.
	ReplayCache ReplayCache
	// Introspection is a client as which every token is introspected, so that a revoked token is rejected at once.
	Introspection *ClientAuthentication
	// HTTPClient replaces the default client. Its redirects are not followed.
	HTTPClient *http.Client
	// Clock replaces the clock: seconds since 1970.
	Clock func() int64
}

// RequestCredentials are the credentials of a request. [ReadCredentials] reads them.
type RequestCredentials struct {
	Method string
	// Path is with or without the query.
	Path          string
	Authorization string
	DPoP          string
	// CertificateThumbprint is the SHA-256 thumbprint of the client certificate, in base64url.
	CertificateThumbprint string
}

// String hides the token and the proof, so that they are not logged.
func (credentials RequestCredentials) String() string {
	path, _, _ := strings.Cut(credentials.Path, "?")
	return credentials.Method + " " + path
}

// GoString is String.
func (credentials RequestCredentials) GoString() string { return credentials.String() }

// ReadCredentials reads the credentials of a request. Set CertificateThumbprint yourself.
func ReadCredentials(request *http.Request) RequestCredentials {
	// Several headers are joined, and are rejected, so that none is hidden.
	joined := func(name string) string { return strings.Join(request.Header.Values(name), ", ") }
	return RequestCredentials{
		Method: request.Method, Path: requestPath(request), Authorization: joined("Authorization"), DPoP: joined("DPoP"),
	}
}

// requestPath returns the path as the client sent it: http.StripPrefix changes the URL, not the request target.
func requestPath(request *http.Request) string {
	if strings.HasPrefix(request.RequestURI, "/") {
		return request.RequestURI
	}
	return request.URL.EscapedPath()
}

// AccessRequirements are what a request requires.
type AccessRequirements struct {
	// Scopes are permissions, all of which the token must have.
	Scopes []string
	// Organization is the organization that the token must be for; "" is any. Use RequireOrganization where a path names it.
	Organization string
	// RequireOrganization rejects every token where Organization is "", so that a name that was not found grants no access.
	RequireOrganization bool
}

// A TokenActor acts for the subject (act).
type TokenActor struct {
	Subject string
	// Profile is ai_agent, service or operator, or "".
	Profile string
}

// A VerifiedAccessToken holds the claims of a verified access token.
type VerifiedAccessToken struct {
	Subject string
	// Organization is the one organization that the token is for.
	Organization string
	ClientID     string
	Scopes       []string
	// Roles are role names, for display: they grant nothing. Check permissions instead.
	Roles []string
	// Actors are the actors, the current one first.
	Actors []TokenActor
	// TokenID is the id of the token (jti).
	TokenID string
	// ACR is the authentication context class of the user, or "".
	ACR string
	// ExpiresAt is in seconds since 1970.
	ExpiresAt int64
	// Claims are all claims. Numbers are [encoding/json.Number].
	Claims map[string]any
}

// HasPermission reports whether the scope contains this permission, or every action of its resource (invoices:*).
func (token *VerifiedAccessToken) HasPermission(permission string) bool {
	resource, _, hasColon := strings.Cut(permission, ":")
	return slices.Contains(token.Scopes, permission) || (hasColon && slices.Contains(token.Scopes, resource+":*"))
}

// An AccessTokenVerifier verifies the access tokens of one API (OAuth resource server).
type AccessTokenVerifier struct {
	issuer        *issuerClient
	jwks          *jwksCache
	audience      string
	baseURL       string
	metadata      string
	algorithms    []SigningAlgorithm
	leeway        int64
	replayCache   ReplayCache
	introspection *ClientAuthentication
}

// NewAccessTokenVerifier creates a verifier. It sends no request yet.
func NewAccessTokenVerifier(settings VerifierSettings) (*AccessTokenVerifier, error) {
	issuer, err := newIssuerClient(settings.Issuer, settings.HTTPClient, settings.Clock)
	if err != nil {
		return nil, err
	}
	audienceOrigin, wellKnown, err := readAudience(settings.Audience)
	if err != nil {
		return nil, err
	}
	baseURL := settings.BaseURL
	if baseURL == "" {
		baseURL = audienceOrigin
	}
	if _, ok := normalizeHtu(baseURL); !ok || strings.ContainsAny(baseURL, "?#") {
		return nil, errors.New("sinete: BaseURL must be the URL at which clients reach the API: DPoP proofs contain it")
	}
	algorithms := slices.Clone(settings.Algorithms)
	if settings.Algorithms == nil {
		algorithms = []SigningAlgorithm{ES256}
	}
	if len(algorithms) == 0 || slices.ContainsFunc(algorithms, func(it SigningAlgorithm) bool { return !slices.Contains(allAlgorithms, it) }) {
		return nil, errors.New("sinete: Algorithms must be some of " + algorithmNames())
	}
	leeway := settings.ClockLeeway
	if leeway == 0 {
		leeway = leewayDefault
	}
	if leeway > leewayMax {
		return nil, errors.New("sinete: ClockLeeway must be at most a minute")
	}
	if settings.Introspection != nil {
		if err := settings.Introspection.validate(); err != nil {
			return nil, err
		}
	}
	replayCache := settings.ReplayCache
	if replayCache == nil {
		replayCache = NewMemoryReplayCache(replayCacheByDefault)
	}
	metadata := settings.ResourceMetadata
	if metadata == "" {
		metadata = wellKnown
	}
	return &AccessTokenVerifier{
		issuer: issuer, jwks: &jwksCache{issuer: issuer}, audience: settings.Audience, baseURL: strings.TrimSuffix(baseURL, "/"),
		metadata: metadata, algorithms: algorithms, leeway: max(0, int64(leeway/time.Second)), replayCache: replayCache,
		introspection: settings.Introspection,
	}, nil
}

// readAudience returns the origin and the well-known metadata URL of an audience that is an http URL.
func readAudience(audience string) (audienceOrigin, wellKnown string, err error) {
	parsed, err := url.Parse(audience)
	if err != nil || parsed.Scheme == "" {
		return "", "", errors.New("sinete: Audience must be the URI of the API")
	}
	if parsed.Scheme != "http" && parsed.Scheme != "https" {
		return "", "", nil
	}
	root, ok := normalizeHtu(parsed.Scheme + "://" + parsed.Host)
	if !ok {
		return "", "", errors.New("sinete: Audience must be the URI of the API")
	}
	path := parsed.EscapedPath()
	if path == "/" {
		path = ""
	}
	if parsed.RawQuery != "" {
		path += "?" + parsed.RawQuery
	}
	audienceOrigin = strings.TrimSuffix(root, "/")
	return audienceOrigin, audienceOrigin + "/.well-known/oauth-protected-resource" + path, nil
}

// Verify returns the verified token if the request may proceed. Every error is a [RequestRejectedError].
func (verifier *AccessTokenVerifier) Verify(
	ctx context.Context, credentials RequestCredentials, requirements AccessRequirements,
) (*VerifiedAccessToken, error) {
	scheme, text := parseAuthorization(credentials.Authorization)
	challenge := &challengeContext{scheme, requirements.Scopes, verifier.metadata}
	if scheme == "" {
		return nil, challenge.reject("", "the request has no access token")
	}
	claims, rejected := verifier.verifyToken(ctx, text, challenge)
	if rejected != nil {
		return nil, rejected
	}
	token := readClaims(claims)
	if token == nil {
		return nil, challenge.reject("invalid_token", "a claim is missing or malformed")
	}
	proof, rejected := verifier.verifyBinding(credentials, text, claims, challenge)
	if rejected != nil {
		return nil, rejected
	}
	if verifier.introspection != nil {
		token, rejected = verifier.introspect(ctx, text, claims)
		if rejected != nil {
			return nil, rejected
		}
		if token == nil {
			return nil, challenge.reject("invalid_token", "the token is not active")
		}
	}
	isRequired := requirements.RequireOrganization || requirements.Organization != ""
	if isRequired && token.Organization != requirements.Organization {
		return nil, challenge.reject("insufficient_scope", "the token is for another organization")
	}
	for _, scope := range requirements.Scopes {
		if !token.HasPermission(scope) {
			return nil, challenge.reject("insufficient_scope", "the token lacks a required permission")
		}
	}
	if proof == nil {
		return token, nil
	}
	// Comes last, so that only an accepted request consumes its proof.
	isFirst, err := verifier.replayCache.RecordFirstUse(ctx, proof.id, proof.until, proof.now, proof.key)
	if err != nil {
		return nil, unavailable(err.Error())
	}
	if !isFirst {
		return nil, challenge.reject("invalid_dpop_proof", "the proof was used before")
	}
	return token, nil
}

func (verifier *AccessTokenVerifier) verifyToken(
	ctx context.Context, text string, challenge *challengeContext,
) (map[string]any, *RequestRejectedError) {
	invalid := func(reason string) (map[string]any, *RequestRejectedError) {
		return nil, challenge.reject("invalid_token", reason)
	}
	jwt, ok := parseJWT(text, tokenBytesMax)
	if !ok {
		return invalid("not a signed JWT")
	}
	if hasForbiddenHeader(jwt.header, "") || getText(jwt.header, "typ") != "at+jwt" {
		return invalid("not an access token (typ)")
	}
	algorithm, kid := SigningAlgorithm(getText(jwt.header, "alg")), getText(jwt.header, "kid")
	if !slices.Contains(verifier.algorithms, algorithm) {
		return invalid("the signature algorithm is not accepted")
	}
	if kid == "" {
		return invalid("the token has no kid")
	}
	key, err := verifier.jwks.find(ctx, kid)
	if err != nil {
		return nil, unavailable(err.Error())
	}
	if key == nil {
		return invalid("the kid is unknown")
	}
	if key.algorithm != algorithm {
		return invalid("alg is not the algorithm of the key")
	}
	if !key.verify(jwt.signed, jwt.signature) {
		return invalid("the signature is wrong")
	}
	if getText(jwt.claims, "iss") != verifier.issuer.issuer {
		return invalid("the token is from another issuer")
	}
	if getText(jwt.claims, "aud") != verifier.audience {
		return invalid("the token is for another audience")
	}
	if wrong := checkTimes(jwt.claims, verifier.issuer.clock(), verifier.leeway); wrong != "" {
		return invalid(wrong)
	}
	return jwt.claims, nil
}

// checkTimes returns what is wrong with exp, iat or nbf. Expiry has no leeway.
func checkTimes(claims map[string]any, now, leeway int64) string {
	exp, isExp := getTime(claims, "exp")
	iat, isIat := getTime(claims, "iat")
	nbf, isNbf := getOptionalTime(claims, "nbf")
	switch {
	case !isExp || !isIat || !isNbf:
		return "a time is missing or malformed"
	case exp <= now:
		return "the token has expired"
	case iat > now+leeway || (nbf != nil && *nbf > now+leeway):
		return "the token is not valid yet"
	}
	return ""
}

// verifyBinding checks that the sender holds the key or certificate of the token; it returns what the replay cache must record.
func (verifier *AccessTokenVerifier) verifyBinding(
	credentials RequestCredentials, text string, claims map[string]any, challenge *challengeContext,
) (*verifiedProof, *RequestRejectedError) {
	key, certificate, ok := readBinding(claims)
	if !ok {
		return nil, challenge.reject("invalid_token", "the token has an unknown confirmation method (cnf)")
	}
	if (challenge.scheme == "dpop") != (key != "") {
		return nil, challenge.reject("invalid_token", "the authentication scheme does not match the sender constraint")
	}
	if certificate != "" && certificate != credentials.CertificateThumbprint {
		return nil, challenge.reject("invalid_token", "the client certificate of the token was not presented")
	}
	if key == "" {
		return nil, nil
	}
	if credentials.DPoP == "" {
		return nil, challenge.reject("invalid_dpop_proof", "the DPoP header is missing")
	}
	address, ok := normalizeHtu(verifier.baseURL + credentials.Path)
	if !ok || !strings.HasPrefix(credentials.Path, "/") {
		return nil, challenge.reject("invalid_dpop_proof", "the request has no URL")
	}
	proof, rejection := verifyProof(credentials.DPoP, dpopRequest{credentials.Method, address, text, key, verifier.issuer.clock()})
	if rejection == nil {
		return proof, nil
	}
	if rejection.isKeyMismatch {
		return nil, challenge.reject("invalid_token", rejection.reason)
	}
	return nil, challenge.reject("invalid_dpop_proof", rejection.reason)
}

// introspect asks the issuer whether the token is active now (RFC 7662); it returns nil where it is not.
func (verifier *AccessTokenVerifier) introspect(
	ctx context.Context, text string, claims map[string]any,
) (*VerifiedAccessToken, *RequestRejectedError) {
	address, err := verifier.issuer.endpoint(ctx, "introspection_endpoint")
	if err != nil {
		return nil, unavailable(err.Error())
	}
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	form := url.Values{"token": {text}, "token_type_hint": {"access_token"}}
	if err := verifier.introspection.authenticate(verifier.issuer.issuer, verifier.issuer.clock(), header, form); err != nil {
		return nil, unavailable(err.Error())
	}
	response, err := verifier.issuer.send(ctx, http.MethodPost, address, header, form.Encode())
	if err != nil {
		return nil, unavailable(err.Error())
	}
	answer := response.object()
	if response.status != http.StatusOK || answer == nil {
		return nil, unavailable(fmt.Sprintf("the introspection endpoint answered %d", response.status))
	}
	for _, name := range []string{"iss", "sub", "aud", "org"} {
		if getText(answer, name) != getText(claims, name) {
			return nil, nil
		}
	}
	if answer["active"] != true {
		return nil, nil
	}
	current := map[string]any{}
	for name, value := range claims {
		current[name] = value
	}
	for _, name := range []string{"scope", "role"} {
		current[name] = answer[name]
		if _, isPresent := answer[name]; !isPresent {
			current[name] = ""
		}
	}
	return readClaims(current), nil
}

// parseAuthorization splits Authorization into its scheme and token.
func parseAuthorization(authorization string) (scheme, token string) {
	scheme, token, _ = strings.Cut(authorization, " ")
	scheme = strings.ToLower(scheme)
	if scheme != "bearer" && scheme != "dpop" {
		return "", ""
	}
	return scheme, strings.TrimSpace(token)
}

// readClaims returns nil where a claim that every access token has is missing.
func readClaims(claims map[string]any) *VerifiedAccessToken {
	scope, isScope := claims["scope"].(string)
	role, isRole := claims["role"].(string)
	actors, isChain := readActors(claims)
	expiresAt, isTime := getTime(claims, "exp")
	token := &VerifiedAccessToken{
		Subject: getText(claims, "sub"), Organization: getText(claims, "org"), ClientID: getText(claims, "client_id"),
		Scopes: splitWords(scope), Roles: splitWords(role), Actors: actors, TokenID: getText(claims, "jti"),
		ACR: getText(claims, "acr"), ExpiresAt: expiresAt, Claims: claims,
	}
	isComplete := token.Subject != "" && token.Organization != "" && token.ClientID != "" && token.TokenID != ""
	if !isScope || !isRole || !isChain || !isTime || !isComplete {
		return nil
	}
	return token
}

func splitWords(text string) []string {
	return slices.DeleteFunc(strings.Split(text, " "), func(word string) bool { return word == "" })
}

// readActors reads the chain of actors, the current one first (RFC 8693 §4.1).
func readActors(claims map[string]any) ([]TokenActor, bool) {
	actors := []TokenActor{}
	for {
		next, isPresent := claims["act"]
		if !isPresent {
			return actors, true
		}
		claims, _ = next.(map[string]any)
		actor := TokenActor{getText(claims, "sub"), getText(claims, "sub_profile")}
		if actor.Subject == "" || len(actors) == actorsMax {
			return nil, false
		}
		actors = append(actors, actor)
	}
}

// readBinding returns what the token is bound to; ok is false where cnf contains a method that cannot be checked here.
func readBinding(claims map[string]any) (key, certificate string, ok bool) {
	value, isPresent := claims["cnf"]
	if !isPresent {
		return "", "", true
	}
	cnf, _ := value.(map[string]any)
	for name := range cnf {
		if (name != "jkt" && name != "x5t#S256") || getText(cnf, name) == "" {
			return "", "", false
		}
	}
	return getText(cnf, "jkt"), getText(cnf, "x5t#S256"), len(cnf) > 0
}
