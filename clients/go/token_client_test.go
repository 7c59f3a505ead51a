package sinete

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

type tokenRequestVectors struct {
	Now    int64  `json:"now"`
	Issuer string `json:"issuer"`
	Cases  []struct {
		Name   string `json:"name"`
		Client struct {
			ClientID     string  `json:"clientId"`
			ClientSecret *string `json:"clientSecret"`
			Method       string  `json:"method"`
		} `json:"client"`
		UseDPoP bool         `json:"useDpop"`
		Steps   []vectorStep `json:"steps"`
	} `json:"cases"`
}

type vectorStep struct {
	Response *struct {
		Status    int               `json:"status"`
		JSON      any               `json:"json"`
		Headers   map[string]string `json:"headers"`
		IsTooLong bool              `json:"isTooLong"`
	} `json:"response"`
	AdvanceClock    *int64              `json:"advanceClock"`
	Requests        []any               `json:"requests"`
	InvalidateToken *vectorTokenRequest `json:"invalidateToken"`
	Refresh         string              `json:"refresh"`
	Scope           string              `json:"scope"`
	GetToken        *vectorTokenRequest `json:"getToken"`
	Times           int                 `json:"times"`
	Token           any                 `json:"token"`
	Error           any                 `json:"error"`
}

type vectorTokenRequest struct {
	SubjectToken string `json:"subjectToken"`
	APIKey       string `json:"apiKey"`
	Scope        string `json:"scope"`
	Resource     string `json:"resource"`
}

func (vector vectorTokenRequest) request() TokenRequest {
	subject := SubjectClient()
	if vector.SubjectToken != "" {
		subject = SubjectAccessToken(vector.SubjectToken)
	} else if vector.APIKey != "" {
		subject = SubjectAPIKey(vector.APIKey)
	}
	return TokenRequest{subject, vector.Scope, vector.Resource}
}

const tokenIssuer, tokenNow = "http://localhost:8080", int64(1000)

type tokenFixture struct {
	mutex     sync.Mutex
	responses []*http.Response
	requests  []any
	mock      *mockIssuer
	now       int64
	client    *TokenClient
}

func newTokenFixture(t *testing.T, client ClientAuthentication, useDPoP bool) *tokenFixture {
	t.Helper()
	fixture := &tokenFixture{mock: newMockIssuer(tokenIssuer, map[string]any{"keys": []any{}}), now: tokenNow}
	fixture.mock.handlers["/connect/token"] = fixture.handle
	tokenClient, err := NewTokenClient(TokenClientSettings{
		Issuer: tokenIssuer, Client: client, UseDPoP: useDPoP, HTTPClient: fixture.mock.client(), Clock: func() int64 { return fixture.now },
	})
	if err != nil {
		t.Fatal(err)
	}
	fixture.client = tokenClient
	return fixture
}

func partOf(jwt string, at int) map[string]any {
	members, _ := decodeObject(strings.Split(jwt, ".")[at])
	return members
}

func (fixture *tokenFixture) handle(request *http.Request, body string) *http.Response {
	values, _ := url.ParseQuery(body)
	form := map[string]string{}
	for name := range values {
		form[name] = values.Get(name)
	}
	recorded := map[string]any{"form": form, "authorization": orNil(request.Header.Get("Authorization"))}
	if proof := request.Header.Get("DPoP"); proof != "" {
		claims := partOf(proof, 1)
		recorded["dpop"] = map[string]any{"htm": claims["htm"], "htu": claims["htu"], "nonce": claims["nonce"]}
	}
	fixture.mutex.Lock()
	defer fixture.mutex.Unlock()
	fixture.requests = append(fixture.requests, recorded)
	if len(fixture.responses) == 0 {
		panic("an unexpected request")
	}
	response := fixture.responses[0]
	fixture.responses = fixture.responses[1:]
	// Concurrent callers arrive meanwhile.
	time.Sleep(20 * time.Millisecond)
	return response
}

func (fixture *tokenFixture) respondWithToken(tokenType string, seconds int) {
	body := map[string]any{"access_token": "t", "token_type": tokenType, "expires_in": seconds}
	fixture.responses = append(fixture.responses, jsonResponse(200, body, nil))
}

func (fixture *tokenFixture) outcome(step vectorStep) map[string]any {
	var token *TokenResponse
	var err error
	if step.Refresh != "" {
		token, err = fixture.client.Refresh(context.Background(), step.Refresh, step.Scope)
	} else {
		token, err = fixture.client.GetToken(context.Background(), step.GetToken.request())
	}
	var failure *TokenRequestError
	if errors.As(err, &failure) {
		described := map[string]any{"status": nil, "error": orNil(failure.Code), "description": orNil(failure.Description), "retryAfter": failure.RetryAfter}
		if failure.Status != 0 {
			described["status"] = failure.Status
		}
		if failure.RefreshTokenMayBeUsed {
			described["refreshTokenMayBeUsed"] = true
		}
		return map[string]any{"error": described}
	}
	return map[string]any{"token": map[string]any{
		"accessToken": token.AccessToken, "tokenType": token.TokenType, "expiresAt": token.ExpiresAt, "scope": orNil(token.Scope),
		"refreshToken": orNil(token.RefreshToken),
	}}
}

func (fixture *tokenFixture) run(t *testing.T, name string, step vectorStep) {
	t.Helper()
	switch {
	case step.Response != nil && step.Response.IsTooLong:
		fixture.responses = append(fixture.responses, jsonResponse(200, strings.Repeat(" ", 2*1024*1024), nil))
	case step.Response != nil:
		fixture.responses = append(fixture.responses, jsonResponse(step.Response.Status, step.Response.JSON, step.Response.Headers))
	case step.AdvanceClock != nil:
		fixture.now += *step.AdvanceClock
	case step.Requests != nil:
		if asJSON(fixture.requests) != asJSON(step.Requests) {
			t.Errorf("%s: %s in place of %s", name, asJSON(fixture.requests), asJSON(step.Requests))
		}
		fixture.requests = []any{}
	case step.InvalidateToken != nil:
		fixture.client.InvalidateToken(step.InvalidateToken.request())
	default:
		expected := map[string]any{"token": step.Token}
		if step.Error != nil {
			expected = map[string]any{"error": step.Error}
		}
		outcomes := make(chan map[string]any)
		times := max(1, step.Times)
		for range times {
			go func() { outcomes <- fixture.outcome(step) }()
		}
		for range times {
			if found := <-outcomes; asJSON(found) != asJSON(expected) {
				t.Errorf("%s: %s in place of %s", name, asJSON(found), asJSON(expected))
			}
		}
	}
}

func TestTokenClientPassesEveryVector(t *testing.T) {
	vectors := &tokenRequestVectors{}
	loadVectors(t, "token_requests.json", vectors)
	if len(vectors.Cases) < 40 || vectors.Issuer != tokenIssuer || vectors.Now != tokenNow {
		t.Fatalf("%d cases", len(vectors.Cases))
	}
	for _, vector := range vectors.Cases {
		client := ClientNone(vector.Client.ClientID)
		if secret := vector.Client.ClientSecret; secret != nil {
			client = ClientSecretBasic(vector.Client.ClientID, *secret)
			if vector.Client.Method == "client_secret_post" {
				client = ClientSecretPost(vector.Client.ClientID, *secret)
			}
		}
		fixture := newTokenFixture(t, client, vector.UseDPoP)
		for _, step := range vector.Steps {
			fixture.run(t, vector.Name, step)
		}
		if len(fixture.responses) != 0 {
			t.Errorf("%s: a response was not requested", vector.Name)
		}
	}
}

func TestPrivateKeyJWTSignsANewAssertionForEveryRequest(t *testing.T) {
	elliptical, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	_, edwards, _ := ed25519.GenerateKey(rand.Reader)
	modular, _ := rsa.GenerateKey(rand.Reader, 2048)
	for algorithm, key := range map[SigningAlgorithm]any{ES256: elliptical, EdDSA: edwards, PS256: modular, RS256: modular} {
		der, _ := x509.MarshalPKCS8PrivateKey(key)
		text := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
		client, err := PrivateKeyJWT("robot", text, algorithm, "k")
		if err != nil {
			t.Fatal(err)
		}
		fixture := newTokenFixture(t, client, false)
		for range 2 {
			fixture.respondWithToken("Bearer", 0)
			if _, err := fixture.client.GetToken(context.Background(), TokenRequest{}); err != nil {
				t.Fatal(err)
			}
		}
		var ids []any
		for _, request := range fixture.requests {
			assertion := request.(map[string]any)["form"].(map[string]string)["client_assertion"]
			claims := partOf(assertion, 1)
			ids = append(ids, claims["jti"])
			delete(claims, "jti")
			expected := map[string]any{"iss": "robot", "sub": "robot", "aud": tokenIssuer, "iat": tokenNow, "exp": tokenNow + 60}
			header := map[string]any{"alg": algorithm, "kid": "k", "typ": "client-authentication+jwt"}
			if asJSON(claims) != asJSON(expected) || asJSON(partOf(assertion, 0)) != asJSON(header) {
				t.Error(asJSON(claims))
			}
		}
		if ids[0] == ids[1] {
			t.Error("jti is used twice")
		}
		other := ES256
		if algorithm == ES256 {
			other = EdDSA
		}
		if _, err := PrivateKeyJWT("robot", text, other, ""); err == nil {
			t.Error(algorithm)
		}
	}
	if _, err := PrivateKeyJWT("robot", "p", ES256, ""); err == nil {
		t.Error("not a key")
	}
}

func TestDpopTokenIsSentWithAProofForOneRequest(t *testing.T) {
	fixture, other := newTokenFixture(t, ClientNone("a"), true), newTokenFixture(t, ClientNone("a"), false)
	fixture.respondWithToken("DPoP", 600)
	token, err := fixture.client.GetToken(context.Background(), TokenRequest{})
	if err != nil {
		t.Fatal(err)
	}
	address := "https://books.example/invoices?page=1"
	proof := func(client *TokenClient, address string) (map[string]any, error) {
		request, _ := http.NewRequest("POST", address, nil)
		err := client.AddAuthorization(request, token)
		return partOf(request.Header.Get("DPoP")+"..", 1), err
	}
	claims, err := proof(fixture.client, address)
	if err != nil || claims["htm"] != "POST" || claims["htu"] != "https://books.example/invoices" || claims["ath"] != sha256Base64url("t") {
		t.Fatal(claims, err)
	}
	// A nonce is used for its own server only.
	if !fixture.client.UpdateDPoPNonce(address, http.Header{"Dpop-Nonce": {"n"}}) || fixture.client.UpdateDPoPNonce(address, http.Header{}) {
		t.Fatal("the nonce")
	}
	same, _ := proof(fixture.client, "https://books.example/x")
	another, _ := proof(fixture.client, "https://files.example/x")
	if same["nonce"] != "n" || another["nonce"] != nil {
		t.Fatal(same, another)
	}
	if _, err := proof(other.client, address); err == nil {
		t.Fatal("another client has the key")
	}
}

func TestIssuerThatIsUnavailableOrNamesAnotherIssuerIsRetried(t *testing.T) {
	fixture := newTokenFixture(t, ClientNone("a"), false)
	get := vectorStep{GetToken: &vectorTokenRequest{}}
	unavailable := asJSON(map[string]any{"error": map[string]any{"status": nil, "error": nil, "description": nil, "retryAfter": 5}})
	fixture.mock.isUnavailable = true
	first := asJSON(fixture.outcome(get))
	fixture.mock.isUnavailable = false
	fixture.mock.metadata["issuer"] = "https://evil.example"
	fixture.now += 5
	second := asJSON(fixture.outcome(get))
	if first != unavailable || second != unavailable {
		t.Fatal(first, second)
	}
	fixture.mock.metadata["issuer"] = tokenIssuer
	fixture.now += 5
	fixture.respondWithToken("Bearer", 600)
	if _, err := fixture.client.GetToken(context.Background(), TokenRequest{}); err != nil {
		t.Fatal(err)
	}
}

func TestRefreshGoesOnWhenTheCallerThatBeganItIsCancelled(t *testing.T) {
	fixture := newTokenFixture(t, ClientNone("a"), false)
	release := make(chan struct{})
	count := 0
	fixture.mock.handlers["/connect/token"] = func(*http.Request, string) *http.Response {
		count++
		<-release
		return jsonResponse(200, map[string]any{"access_token": "t", "token_type": "Bearer", "expires_in": 600}, nil)
	}
	ctx, cancel := context.WithCancel(context.Background())
	leaving, waiting := make(chan error), make(chan error)
	go func() { _, err := fixture.client.Refresh(ctx, "r1", ""); leaving <- err }()
	time.Sleep(30 * time.Millisecond)
	go func() { _, err := fixture.client.Refresh(context.Background(), "r1", ""); waiting <- err }()
	time.Sleep(30 * time.Millisecond)
	cancel()
	if err := <-leaving; err == nil {
		t.Fatal("not cancelled")
	}
	close(release)
	if err := <-waiting; err != nil || count != 1 {
		t.Fatal(err, count)
	}
}

func TestEmptySubjectIsAnErrorAndNeverTheClientItself(t *testing.T) {
	fixture := newTokenFixture(t, ClientNone("a"), false)
	for _, subject := range []TokenSubject{SubjectAccessToken(""), SubjectAPIKey("")} {
		if _, err := fixture.client.GetToken(context.Background(), TokenRequest{Subject: subject}); err == nil {
			t.Error(subject)
		}
	}
	if _, err := fixture.client.Refresh(context.Background(), "", ""); err == nil {
		t.Error("an empty refresh token")
	}
	if len(fixture.mock.requests) != 0 {
		t.Error(fixture.mock.requests)
	}
}

func TestTokenEndpointWithoutHTTPSIsNotUsed(t *testing.T) {
	for _, endpoint := range []string{"http://id.example.com/connect/token", "ftp://localhost/connect/token", "connect/token"} {
		fixture := newTokenFixture(t, ClientSecretBasic("a", "s"), false)
		fixture.mock.metadata["token_endpoint"] = endpoint
		if _, err := fixture.client.GetToken(context.Background(), TokenRequest{}); err == nil || len(fixture.requests) != 0 {
			t.Error(endpoint, err)
		}
	}
}

func TestDebugOutputContainsNoSecret(t *testing.T) {
	request, token := TokenRequest{Subject: SubjectAccessToken("secret")}, TokenResponse{AccessToken: "secret", RefreshToken: "secret"}
	if text := fmt.Sprintf("%v %+v %#v %v %+v %#v", request, request, request, token, token, token); strings.Contains(text, "secret") {
		t.Fatal(text)
	}
	if data, _ := json.Marshal(request); strings.Contains(string(data), "secret") {
		t.Fatal(string(data))
	}
}
