package sinete

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"sync"
)

const (
	tokenExchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"
	accessTokenType    = "urn:ietf:params:oauth:token-type:access_token"
	apiKeyType         = "urn:sinete:params:oauth:token-type:api-key"
	// A token is renewed this many seconds before it expires, but not before the last tenth of its lifetime.
	refreshBeforeExpirySeconds = 30
	cachedTokensMax            = 1000
	retrySeconds               = 5
	retrySecondsMax            = 3600
)

// TokenClientSettings are the settings of a [TokenClient]. Only Issuer and Client are required.
type TokenClientSettings struct {
	// Issuer is https, or http on loopback, without a trailing slash.
	Issuer string
	Client ClientAuthentication
	// UseDPoP binds every token to a key that is generated in the process.
	UseDPoP bool
	// HTTPClient replaces the default client. Its redirects are not followed.
	HTTPClient *http.Client
	// Clock replaces the clock: seconds since 1970.
	Clock func() int64
}

// A TokenSubject is the subject of a requested token.
type TokenSubject struct{ token, tokenType string }

// SubjectClient is the client itself. It is the default.
func SubjectClient() TokenSubject { return TokenSubject{} }

// SubjectAccessToken is the subject of this access token, with the client as the actor (token exchange).
func SubjectAccessToken(token string) TokenSubject { return TokenSubject{token, accessTokenType} }

// SubjectAPIKey is the owner of this API key.
func SubjectAPIKey(key string) TokenSubject { return TokenSubject{key, apiKeyType} }

// String hides the token and the key, so that they are not logged.
func (subject TokenSubject) String() string { return "TokenSubject(" + subject.tokenType + ")" }

// GoString is String.
func (subject TokenSubject) GoString() string { return subject.String() }

// A TokenRequest says which token to request.
type TokenRequest struct {
	Subject TokenSubject
	// Scope are permissions, separated by spaces.
	Scope string
	// Resource is the URI of the API that the token is for.
	Resource string
}

// A TokenResponse is an access token.
type TokenResponse struct {
	AccessToken string
	// TokenType is Bearer or DPoP.
	TokenType string
	// ExpiresAt is in seconds since 1970.
	ExpiresAt    int64
	Scope        string
	RefreshToken string
}

// String hides the tokens, so that they are not logged.
func (token TokenResponse) String() string { return "TokenResponse(" + token.TokenType + ")" }

// GoString is String.
func (token TokenResponse) GoString() string { return token.String() }

// A TokenRequestError says that the issuer rejected a token request, or could not be reached.
type TokenRequestError struct {
	// Status is that of the response, or 0.
	Status int
	// Code is the OAuth error code: invalid_client, invalid_scope, … It is "" where the issuer is unavailable.
	Code        string
	Description string
	// RetryAfter says in how many seconds to retry. Where it is nil, a retry does not help.
	RetryAfter *int64
	// RefreshTokenMayBeUsed says that a refresh token was sent and no usable response arrived.
	RefreshTokenMayBeUsed bool
	Cause                 error
}

func (err *TokenRequestError) Error() string {
	switch {
	case err.Code != "" && err.Description != "":
		return err.Code + ": " + err.Description
	case err.Code != "":
		return err.Code
	case err.RefreshTokenMayBeUsed:
		return "the refresh token may have been used"
	}
	return "the issuer is unavailable"
}

// Unwrap returns the cause.
func (err *TokenRequestError) Unwrap() error { return err.Cause }

type cacheSlot struct {
	flight     singleFlight[*TokenResponse]
	token      *TokenResponse
	receivedAt int64
	freshFor   int64
	waiting    int
}

type refreshFlight struct {
	flight  singleFlight[*TokenResponse]
	waiting int
}

// A TokenClient requests tokens for one client and caches them until shortly before they expire.
type TokenClient struct {
	issuer  *issuerClient
	client  ClientAuthentication
	dpopKey *dpopKey

	mutex     sync.Mutex
	cache     map[TokenRequest]*cacheSlot
	refreshes map[string]*refreshFlight
	// While the issuer is unavailable, or asked for a pause, no request is sent.
	pausedAt     int64
	pauseSeconds int64
}

// NewTokenClient creates a client. It sends no request yet.
func NewTokenClient(settings TokenClientSettings) (*TokenClient, error) {
	issuer, err := newIssuerClient(settings.Issuer, settings.HTTPClient, settings.Clock)
	if err != nil {
		return nil, err
	}
	if err := settings.Client.validate(); err != nil {
		return nil, err
	}
	client := &TokenClient{issuer: issuer, client: settings.Client, cache: map[TokenRequest]*cacheSlot{}, refreshes: map[string]*refreshFlight{}}
	if settings.UseDPoP {
		client.dpopKey, err = newDpopKey()
	}
	return client, err
}

// GetToken returns a token: the client's own, or an exchanged one. The same token is returned until shortly before it expires,
// and concurrent calls share one request. An error of the issuer is a [TokenRequestError].
func (client *TokenClient) GetToken(ctx context.Context, request TokenRequest) (*TokenResponse, error) {
	if request.Subject.tokenType != "" && request.Subject.token == "" {
		return nil, errors.New("sinete: the subject of a token request must not be empty")
	}
	slot, token := client.slot(request)
	if token != nil {
		return token, nil
	}
	defer func() {
		client.mutex.Lock()
		slot.waiting--
		client.mutex.Unlock()
	}()
	return slot.flight.do(ctx, func(ctx context.Context) (*TokenResponse, error) {
		token, err := client.requestToken(ctx, request.form())
		return client.recordOutcome(slot, token, err)
	})
}

// Refresh uses a refresh token. Store the new one before you use anything else of the response: the old one is invalid.
// Concurrent calls with the same refresh token share one request, because a second use would revoke the grant. The scope may
// be "".
func (client *TokenClient) Refresh(ctx context.Context, refreshToken, scope string) (*TokenResponse, error) {
	if refreshToken == "" {
		return nil, errors.New("sinete: the refresh token must not be empty")
	}
	client.mutex.Lock()
	entry := client.refreshes[refreshToken]
	if entry == nil {
		entry = &refreshFlight{}
		client.refreshes[refreshToken] = entry
	}
	entry.waiting++
	client.mutex.Unlock()
	defer func() {
		client.mutex.Lock()
		defer client.mutex.Unlock()
		if entry.waiting--; entry.waiting == 0 && client.refreshes[refreshToken] == entry {
			delete(client.refreshes, refreshToken)
		}
	}()
	return entry.flight.do(ctx, func(ctx context.Context) (*TokenResponse, error) {
		form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refreshToken}}
		if scope != "" {
			form.Set("scope", scope)
		}
		return client.requestToken(ctx, form)
	})
}

// InvalidateToken removes a token from the cache, because an API rejected it.
func (client *TokenClient) InvalidateToken(request TokenRequest) {
	client.mutex.Lock()
	defer client.mutex.Unlock()
	delete(client.cache, request)
}

// AddAuthorization adds the Authorization and DPoP headers to one request to an API.
func (client *TokenClient) AddAuthorization(request *http.Request, token *TokenResponse) error {
	return client.authorize(request.Header, token, request.Method, request.URL.String())
}

func (client *TokenClient) authorize(header http.Header, token *TokenResponse, method, address string) error {
	header.Set("Authorization", token.TokenType+" "+token.AccessToken)
	if token.TokenType != "DPoP" {
		return nil
	}
	if client.dpopKey == nil {
		return errors.New("sinete: the token is bound to a key of another TokenClient")
	}
	proof, err := client.dpopKey.createProof(method, address, client.issuer.clock(), token.AccessToken)
	header.Set("DPoP", proof)
	return err
}

// UpdateDPoPNonce stores the DPoP-Nonce of an API's response; it returns whether there was one, so that a retry makes sense.
func (client *TokenClient) UpdateDPoPNonce(address string, header http.Header) bool {
	return client.dpopKey != nil && client.dpopKey.updateNonce(address, header)
}

// slot returns the fresh token of a request, or its cache entry, which the caller then waits for.
func (client *TokenClient) slot(request TokenRequest) (*cacheSlot, *TokenResponse) {
	client.mutex.Lock()
	defer client.mutex.Unlock()
	now := client.issuer.clock()
	slot := client.cache[request]
	if slot != nil && slot.token != nil && isWithin(slot.freshFor, slot.receivedAt, now) {
		return nil, slot.token
	}
	if slot == nil {
		client.evict(now)
		slot = &cacheSlot{}
		client.cache[request] = slot
	}
	slot.waiting++
	return slot, nil
}

// evict makes room for one more token.
func (client *TokenClient) evict(now int64) {
	if len(client.cache) < cachedTokensMax {
		return
	}
	var soonest *TokenRequest
	for request, slot := range client.cache {
		if slot.waiting == 0 && (slot.token == nil || slot.token.ExpiresAt <= now) {
			delete(client.cache, request)
		} else if soonest == nil || slot.receivedAt+slot.freshFor < client.cache[*soonest].receivedAt+client.cache[*soonest].freshFor {
			soonest = &request
		}
	}
	if len(client.cache) >= cachedTokensMax {
		delete(client.cache, *soonest)
	}
}

// recordOutcome stores the outcome of a request; it returns what its callers get.
func (client *TokenClient) recordOutcome(slot *cacheSlot, token *TokenResponse, err error) (*TokenResponse, error) {
	client.mutex.Lock()
	defer client.mutex.Unlock()
	now := client.issuer.clock()
	if err == nil {
		lifetime := token.ExpiresAt - now
		slot.token, slot.receivedAt, slot.freshFor = token, now, lifetime-min(refreshBeforeExpirySeconds, lifetime/10)
		return token, nil
	}
	// While the issuer is unavailable, a cached token is used until it expires. A rejection ends its use.
	var failure *TokenRequestError
	isUnavailable := errors.As(err, &failure) && failure.RetryAfter != nil
	if isUnavailable && slot.token != nil && now < slot.token.ExpiresAt {
		return slot.token, nil
	}
	slot.token = nil
	return nil, err
}

func (client *TokenClient) requestToken(ctx context.Context, form url.Values) (*TokenResponse, error) {
	now := client.issuer.clock()
	client.mutex.Lock()
	remaining := client.pausedAt + client.pauseSeconds - now
	isPaused := isWithin(client.pauseSeconds, client.pausedAt, now)
	client.mutex.Unlock()
	if isPaused {
		return nil, &TokenRequestError{RetryAfter: &remaining}
	}
	address, err := client.issuer.endpoint(ctx, "token_endpoint")
	if err != nil {
		return nil, client.pauseRequests(retrySeconds, false, 0, err)
	}
	// A refresh token that was sent may have been used, whatever happened to the response.
	isRefresh := form.Get("grant_type") == "refresh_token"
	response, err := client.sendRequest(ctx, address, form)
	if err == nil && client.UpdateDPoPNonce(address, response.header) {
		if response.status == http.StatusBadRequest && getText(response.object(), "error") == "use_dpop_nonce" {
			response, err = client.sendRequest(ctx, address, form)
		}
	}
	if err != nil {
		return nil, client.pauseRequests(retrySeconds, isRefresh, 0, err)
	}
	return client.parseResponse(response, isRefresh)
}

// pauseRequests sends no request for this many seconds, and returns the error for this one.
func (client *TokenClient) pauseRequests(seconds int64, mayBeUsed bool, status int, cause error) *TokenRequestError {
	client.mutex.Lock()
	client.pausedAt, client.pauseSeconds = client.issuer.clock(), seconds
	client.mutex.Unlock()
	failure := &TokenRequestError{Status: status, RefreshTokenMayBeUsed: mayBeUsed, Cause: cause}
	if !mayBeUsed {
		failure.RetryAfter = &seconds
	}
	return failure
}

func (client *TokenClient) sendRequest(ctx context.Context, address string, form url.Values) (*issuerResponse, error) {
	now := client.issuer.clock()
	header, fields := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, url.Values{}
	for name, values := range form {
		fields[name] = values
	}
	if err := client.client.authenticate(client.issuer.issuer, now, header, fields); err != nil {
		return nil, err
	}
	if client.dpopKey != nil {
		proof, err := client.dpopKey.createProof(http.MethodPost, address, now, "")
		if err != nil {
			return nil, err
		}
		header.Set("DPoP", proof)
	}
	return client.issuer.send(ctx, http.MethodPost, address, header, fields.Encode())
}

func (client *TokenClient) parseResponse(response *issuerResponse, isRefresh bool) (*TokenResponse, error) {
	status, body := response.status, response.object()
	code := getText(body, "error")
	// Without an OAuth error code, the response is from a proxy, or the issuer failed.
	if status == http.StatusTooManyRequests || status >= 500 || (status != http.StatusOK && code == "") {
		mayBeUsed := isRefresh && status >= 500 && status != http.StatusServiceUnavailable
		return nil, client.pauseRequests(readRetryAfter(response.header), mayBeUsed, status, nil)
	}
	if status != http.StatusOK {
		return nil, &TokenRequestError{Status: status, Code: code, Description: getText(body, "error_description")}
	}
	tokenType := "Bearer"
	if client.dpopKey != nil {
		tokenType = "DPoP"
	}
	seconds, isTime := getTime(body, "expires_in")
	if getText(body, "access_token") == "" || getText(body, "token_type") != tokenType || !isTime || seconds < 0 {
		return nil, &TokenRequestError{Status: status, Code: "server_error", Description: "the response is not the requested token"}
	}
	return &TokenResponse{
		AccessToken: getText(body, "access_token"), TokenType: tokenType, ExpiresAt: client.issuer.clock() + seconds,
		Scope: getText(body, "scope"), RefreshToken: getText(body, "refresh_token"),
	}, nil
}

// form is the form of the token request.
func (request TokenRequest) form() url.Values {
	form := url.Values{"grant_type": {"client_credentials"}}
	if request.Subject.tokenType != "" {
		form = url.Values{
			"grant_type": {tokenExchangeGrant}, "subject_token": {request.Subject.token}, "subject_token_type": {request.Subject.tokenType},
		}
	}
	if request.Scope != "" {
		form.Set("scope", request.Scope)
	}
	if request.Resource != "" {
		form.Set("resource", request.Resource)
	}
	return form
}

func readRetryAfter(header http.Header) int64 {
	text := header.Get("Retry-After")
	seconds, err := strconv.ParseUint(text, 10, 32)
	if err != nil || len(text) > 9 {
		return retrySeconds
	}
	return min(int64(seconds), retrySecondsMax)
}
