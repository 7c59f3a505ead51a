package sinete

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

type accessTokenVectors struct {
	Now             int64  `json:"now"`
	Issuer          string `json:"issuer"`
	Audience        string `json:"audience"`
	Keys            any    `json:"keys"`
	RotatedKeys     any    `json:"rotatedKeys"`
	LongLivedTokens struct {
		Current string `json:"current"`
		Next    string `json:"next"`
	} `json:"longLivedTokens"`
	Cases []struct {
		Name     string `json:"name"`
		Settings struct {
			Algorithms  []SigningAlgorithm `json:"algorithms"`
			ClockLeeway *int64             `json:"clockLeeway"`
			BaseURL     string             `json:"baseUrl"`
			Audience    string             `json:"audience"`
		} `json:"settings"`
		Requests []struct {
			Credentials  vectorCredentials `json:"credentials"`
			Requirements struct {
				Scopes       []string `json:"scopes"`
				Organization string   `json:"organization"`
			} `json:"requirements"`
			Verified any `json:"verified"`
			Rejected any `json:"rejected"`
		} `json:"requests"`
	} `json:"cases"`
}

type vectorCredentials struct {
	Method                string `json:"method"`
	Path                  string `json:"path"`
	Authorization         string `json:"authorization"`
	DPoP                  string `json:"dpop"`
	CertificateThumbprint string `json:"certificateThumbprint"`
}

type verifierFixture struct {
	t        *testing.T
	vectors  *accessTokenVectors
	mock     *mockIssuer
	now      int64
	verifier *AccessTokenVerifier
}

const keysPath, metadataPath = "/.well-known/jwks.json", "/.well-known/openid-configuration"

func newVerifierFixture(t *testing.T, change func(*VerifierSettings)) *verifierFixture {
	t.Helper()
	vectors := &accessTokenVectors{}
	loadVectors(t, "access_tokens.json", vectors)
	return vectors.fixture(t, change)
}

func (vectors *accessTokenVectors) fixture(t *testing.T, change func(*VerifierSettings)) *verifierFixture {
	t.Helper()
	fixture := &verifierFixture{t: t, vectors: vectors, mock: newMockIssuer(vectors.Issuer, vectors.Keys), now: vectors.Now}
	settings := VerifierSettings{
		Issuer: vectors.Issuer, Audience: vectors.Audience, HTTPClient: fixture.mock.client(), Clock: func() int64 { return fixture.now },
	}
	if change != nil {
		change(&settings)
	}
	verifier, err := NewAccessTokenVerifier(settings)
	if err != nil {
		t.Fatal(err)
	}
	fixture.verifier = verifier
	return fixture
}

func (fixture *verifierFixture) status(credentials RequestCredentials, scopes ...string) int {
	_, err := fixture.verifier.Verify(context.Background(), credentials, AccessRequirements{Scopes: scopes})
	return statusOf(err)
}

func statusOf(err error) int {
	var rejected *RequestRejectedError
	if errors.As(err, &rejected) {
		return rejected.Status
	}
	return 200
}

func (fixture *verifierFixture) expect(status int, token string) {
	fixture.t.Helper()
	if found := fixture.status(bearer(token)); found != status {
		fixture.t.Fatalf("%d in place of %d", found, status)
	}
}

func (fixture *verifierFixture) expectRequests(path string, count int) {
	fixture.t.Helper()
	if found := fixture.mock.requests[path]; found != count {
		fixture.t.Fatalf("%d requests of %s in place of %d", found, path, count)
	}
}

func bearer(token string) RequestCredentials {
	return RequestCredentials{Method: "GET", Path: "/invoices", Authorization: "Bearer " + token}
}

func (vectors *accessTokenVectors) firstCredentials(name string) RequestCredentials {
	for _, vector := range vectors.Cases {
		if vector.Name == name {
			return RequestCredentials(vector.Requests[0].Credentials)
		}
	}
	panic("no such case: " + name)
}

func outcomeOf(token *VerifiedAccessToken, err error) map[string]any {
	var rejected *RequestRejectedError
	if errors.As(err, &rejected) {
		return map[string]any{"rejected": map[string]any{"status": rejected.Status, "error": orNil(rejected.Code), "challenges": rejected.Challenges}}
	}
	actors := []any{}
	for _, actor := range token.Actors {
		entry := map[string]any{"subject": actor.Subject}
		if actor.Profile != "" {
			entry["profile"] = actor.Profile
		}
		actors = append(actors, entry)
	}
	return map[string]any{"verified": map[string]any{
		"subject": token.Subject, "organization": token.Organization, "clientId": token.ClientID, "scopes": token.Scopes,
		"roles": token.Roles, "actors": actors, "acr": orNil(token.ACR), "expiresAt": token.ExpiresAt,
	}}
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func TestAccessTokenVerifierPassesEveryVector(t *testing.T) {
	vectors := &accessTokenVectors{}
	loadVectors(t, "access_tokens.json", vectors)
	if len(vectors.Cases) <= 150 {
		t.Fatalf("%d cases", len(vectors.Cases))
	}
	for _, vector := range vectors.Cases {
		fixture := vectors.fixture(t, func(settings *VerifierSettings) {
			settings.Algorithms, settings.BaseURL = vector.Settings.Algorithms, vector.Settings.BaseURL
			if vector.Settings.Audience != "" {
				settings.Audience = vector.Settings.Audience
			}
			if leeway := vector.Settings.ClockLeeway; leeway != nil {
				settings.ClockLeeway = time.Duration(*leeway) * time.Second
				if *leeway == 0 {
					settings.ClockLeeway = -1
				}
			}
		})
		for _, request := range vector.Requests {
			requirements := AccessRequirements{Scopes: request.Requirements.Scopes, Organization: request.Requirements.Organization}
			found := outcomeOf(fixture.verifier.Verify(context.Background(), RequestCredentials(request.Credentials), requirements))
			expected := map[string]any{"verified": request.Verified}
			if request.Rejected != nil {
				expected = map[string]any{"rejected": request.Rejected}
			}
			if asJSON(found) != asJSON(expected) {
				t.Errorf("%s: %s in place of %s", vector.Name, asJSON(found), asJSON(expected))
			}
		}
	}
}

func TestConcurrentRequestsFetchTheKeysOnce(t *testing.T) {
	fixture := newVerifierFixture(t, nil)
	var group sync.WaitGroup
	for range 20 {
		group.Add(1)
		go func() {
			defer group.Done()
			fixture.expect(200, fixture.vectors.LongLivedTokens.Current)
		}()
	}
	group.Wait()
	fixture.expectRequests(metadataPath, 1)
	fixture.expectRequests(keysPath, 1)
}

func TestUnknownKidRefreshesTheKeysAtMostTwiceAMinute(t *testing.T) {
	fixture := newVerifierFixture(t, nil)
	tokens := fixture.vectors.LongLivedTokens
	fixture.expect(200, tokens.Current)
	for _, count := range []int{1, 2} {
		for range 10 {
			fixture.expect(401, tokens.Next)
		}
		fixture.expectRequests(keysPath, count)
		fixture.now += 30
	}
	fixture.mock.keys = fixture.vectors.RotatedKeys
	fixture.now--
	fixture.expect(401, tokens.Next)
	fixture.now++
	fixture.expect(200, tokens.Next)
	fixture.expectRequests(keysPath, 3)
}

func TestRevokedKeyIsAcceptedForFiveMinutesAtMost(t *testing.T) {
	fixture := newVerifierFixture(t, nil)
	token := fixture.vectors.LongLivedTokens.Current
	fixture.expect(200, token)
	fixture.mock.keys = fixture.vectors.RotatedKeys
	fixture.now += 299
	fixture.expect(200, token)
	fixture.now++
	fixture.expect(401, token)
}

func TestKeysAreUsedForAnHourWhileTheIssuerIsUnavailable(t *testing.T) {
	fixture := newVerifierFixture(t, nil)
	token := fixture.vectors.LongLivedTokens.Current
	fixture.expect(200, token)
	fixture.mock.isUnavailable = true
	fixture.now += 3599
	fixture.expect(200, token)
	fixture.now++
	_, err := fixture.verifier.Verify(context.Background(), bearer(token), AccessRequirements{})
	var rejected *RequestRejectedError
	if !errors.As(err, &rejected) {
		t.Fatal(err)
	}
	recorder := httptest.NewRecorder()
	rejected.WriteResponse(recorder)
	if recorder.Code != 503 || recorder.Header().Get("Retry-After") != "5" || recorder.Header().Get("WWW-Authenticate") != "" {
		t.Fatal(recorder)
	}
	fixture.mock.isUnavailable = false
	fixture.now += 30
	fixture.expect(200, token)
}

func TestIssuerThatIsUnavailableOrNamesAnotherIssuerIsNotTrusted(t *testing.T) {
	fixture := newVerifierFixture(t, nil)
	token := fixture.vectors.LongLivedTokens.Current
	fixture.mock.isUnavailable = true
	fixture.expect(503, token)
	fixture.expect(503, token)
	fixture.expectRequests(metadataPath, 1)
	fixture.mock.isUnavailable = false
	fixture.mock.metadata["issuer"] = "https://evil.example"
	fixture.now++
	fixture.expect(503, token)
	fixture.mock.metadata["issuer"] = fixture.vectors.Issuer
	fixture.now++
	fixture.expect(200, token)
}

func TestKeysAreStaleAfterTheClockWasSetBack(t *testing.T) {
	fixture := newVerifierFixture(t, nil)
	fixture.expect(200, fixture.vectors.LongLivedTokens.Current)
	fixture.mock.keys = fixture.vectors.RotatedKeys
	fixture.now--
	fixture.expect(401, fixture.vectors.LongLivedTokens.Current)
	fixture.now--
	fixture.mock.isUnavailable = true
	fixture.expect(503, fixture.vectors.LongLivedTokens.Next)
}

func TestJwksFetchGoesOnWhenTheRequestThatBeganItIsCancelled(t *testing.T) {
	fixture := newVerifierFixture(t, nil)
	release := make(chan struct{})
	fixture.mock.handlers[keysPath] = func(*http.Request, string) *http.Response {
		<-release
		return jsonResponse(200, fixture.vectors.Keys, nil)
	}
	ctx, cancel := context.WithCancel(context.Background())
	leaving := make(chan int)
	go func() {
		_, err := fixture.verifier.Verify(ctx, bearer(fixture.vectors.LongLivedTokens.Current), AccessRequirements{})
		leaving <- statusOf(err)
	}()
	time.Sleep(50 * time.Millisecond)
	cancel()
	if status := <-leaving; status != 503 {
		t.Fatal(status)
	}
	close(release)
	fixture.expect(200, fixture.vectors.LongLivedTokens.Current)
	fixture.expectRequests(keysPath, 1)
}

func TestDpopProofIsAcceptedOnceOfSixteenConcurrentRequests(t *testing.T) {
	fixture := newVerifierFixture(t, nil)
	credentials := fixture.vectors.firstCredentials("DPoP proof is accepted once")
	statuses := make([]int, 16)
	var group sync.WaitGroup
	for at := range statuses {
		group.Add(1)
		go func() {
			defer group.Done()
			statuses[at] = fixture.status(credentials)
		}()
	}
	group.Wait()
	slices.Sort(statuses)
	if statuses[0] != 200 || statuses[1] != 401 || statuses[15] != 401 {
		t.Fatal(statuses)
	}
}

func TestReplayCacheIsLimitedAndCannotBeFilledByOneKey(t *testing.T) {
	ctx := context.Background()
	record := func(cache *MemoryReplayCache, id string, until, now int64, key string) string {
		isFirst, err := cache.RecordFirstUse(ctx, id, until, now, key)
		return fmt.Sprint(isFirst, err != nil)
	}
	small := NewMemoryReplayCache(1)
	found := []string{record(small, "a", 60, 0, "k"), record(small, "b", 60, 60, "k"), record(small, "a", 60, 60, "k"), record(small, "b", 121, 61, "k")}
	large := NewMemoryReplayCache(20)
	found = append(found, record(large, "a1", 60, 0, "a"), record(large, "a2", 60, 0, "a"), record(large, "a3", 60, 0, "a"), record(large, "b1", 1000, 0, "b"), record(large, "a3", 121, 61, "a"))
	expected := []string{"true false", "false true", "false false", "true false", "true false", "true false", "false true", "true false", "true false"}
	if !slices.Equal(found, expected) {
		t.Fatal(found)
	}
	full := NewMemoryReplayCache(1)
	fixture := newVerifierFixture(t, func(settings *VerifierSettings) { settings.ReplayCache = full })
	record(full, "a", fixture.now+60, fixture.now, "k")
	if status := fixture.status(fixture.vectors.firstCredentials("DPoP proof is accepted once")); status != 503 {
		t.Fatal(status)
	}
}

func TestIntrospectionOverridesTheTokenItsScopeIncluded(t *testing.T) {
	client := ClientSecretBasic("books api", "a:b+c")
	fixture := newVerifierFixture(t, func(settings *VerifierSettings) { settings.Introspection = &client })
	active := func(changes ...any) map[string]any {
		answer := map[string]any{
			"active": true, "iss": fixture.vectors.Issuer, "sub": "ana", "aud": fixture.vectors.Audience, "org": "acme",
			"scope": "invoices:read", "role": "clerk",
		}
		for at := 0; at < len(changes); at += 2 {
			answer[changes[at].(string)] = changes[at+1]
		}
		return answer
	}
	var answer any
	var requests []string
	fixture.mock.handlers["/connect/introspect"] = func(request *http.Request, body string) *http.Response {
		requests = append(requests, request.Header.Get("Authorization")+" "+body)
		if answer == nil {
			return jsonResponse(500, nil, nil)
		}
		return jsonResponse(200, answer, nil)
	}
	token := fixture.vectors.LongLivedTokens.Current
	for _, step := range []struct {
		answer any
		status int
	}{
		{active(), 200}, {map[string]any{"active": false}, 401}, {active("active", "true"), 401}, {active("sub", "eve"), 401},
		{active("org", "globex"), 401}, {active("aud", "https://files.example"), 401}, {active("scope", "openid"), 403}, {nil, 503},
	} {
		answer = step.answer
		if status := fixture.status(bearer(token), "invoices:read"); status != step.status {
			t.Errorf("%v: %d", step.answer, status)
		}
	}
	fixture.expect(401, "x.y.z")
	if len(requests) != 8 || !strings.HasPrefix(requests[0], "Basic Ym9va3MrYXBpOmElM0FiJTJCYw== ") || !strings.Contains(requests[0], url.QueryEscape(token)) {
		t.Fatal(requests)
	}
}

func TestEndpointWithoutHTTPSIsNotUsed(t *testing.T) {
	client := ClientSecretBasic("books", "s")
	for _, name := range []string{"jwks_uri", "introspection_endpoint"} {
		fixture := newVerifierFixture(t, func(settings *VerifierSettings) { settings.Introspection = &client })
		fixture.mock.metadata[name] = "http://id.example.com/there"
		fixture.expect(503, fixture.vectors.LongLivedTokens.Current)
		fixture.expectRequests("http://id.example.com/there", 0)
	}
}

func TestSettingsThatCannotBeEnforcedAreAnError(t *testing.T) {
	issuer, audience := "https://id.example.com", "https://books.example"
	none := ClientSecretBasic("", "")
	for _, settings := range []VerifierSettings{
		{Issuer: "http://id.example.com", Audience: audience}, {Issuer: issuer + "/", Audience: audience}, {Issuer: "id", Audience: audience},
		{Issuer: issuer + "?a", Audience: audience}, {Issuer: issuer + "?", Audience: audience}, {Issuer: issuer + "#", Audience: audience},
		{Issuer: issuer}, {Issuer: issuer, Audience: "books"}, {Issuer: issuer, Audience: "urn:books"},
		{Issuer: issuer, Audience: audience, BaseURL: "books"}, {Issuer: issuer, Audience: audience, BaseURL: "https://books.example?"},
		{Issuer: issuer, Audience: audience, BaseURL: "https://books.example/#"}, {Issuer: issuer, Audience: audience, Algorithms: []SigningAlgorithm{}},
		{Issuer: issuer, Audience: audience, Algorithms: []SigningAlgorithm{"none"}}, {Issuer: issuer, Audience: audience, ClockLeeway: 61 * time.Second},
		{Issuer: issuer, Audience: audience, Introspection: &none},
	} {
		if _, err := NewAccessTokenVerifier(settings); err == nil {
			t.Errorf("%+v", settings)
		}
	}
	if _, err := NewAccessTokenVerifier(VerifierSettings{Issuer: issuer, Audience: "urn:books", BaseURL: audience}); err != nil {
		t.Error(err)
	}
}

func TestRequiredOrganizationThatIsEmptyRejects(t *testing.T) {
	fixture := newVerifierFixture(t, nil)
	requirements := AccessRequirements{RequireOrganization: true}
	_, err := fixture.verifier.Verify(context.Background(), bearer(fixture.vectors.LongLivedTokens.Current), requirements)
	if statusOf(err) != 403 {
		t.Fatal(err)
	}
}

func TestCredentialsAreReadAndNotLogged(t *testing.T) {
	request := httptest.NewRequest("GET", "/books/a%2Fb?c", nil)
	request.Header.Add("Authorization", "Bearer a")
	expected := RequestCredentials{Method: "GET", Path: "/books/a%2Fb?c", Authorization: "Bearer a"}
	var found RequestCredentials
	handler := func(_ http.ResponseWriter, request *http.Request) { found = ReadCredentials(request) }
	http.StripPrefix("/books", http.HandlerFunc(handler)).ServeHTTP(httptest.NewRecorder(), request)
	if found != expected || fmt.Sprintf("%v %+v %#v", found, found, found) != "GET /books/a%2Fb GET /books/a%2Fb GET /books/a%2Fb" {
		t.Fatalf("%v", found)
	}
	request.Header.Add("Authorization", "Bearer b")
	if ReadCredentials(request).Authorization != "Bearer a, Bearer b" {
		t.Fatal("a second header is hidden")
	}
}

func TestURLsAreNormalized(t *testing.T) {
	for text, expected := range map[string]string{
		"HTTPS://Books.Example:443/x/../%69nvoices?a#b": "https://books.example/invoices", "http://books.example:8080": "http://books.example:8080/",
		"https://books.example/a/./b/..": "https://books.example/a/", "https://books.example/%2e%2e/a": "https://books.example/a",
		"https://books.example/../../a//b": "https://books.example/a//b", "https://books.example/a%2fb{": "https://books.example/a%2Fb%7B",
		"http://[::1]:80/a": "http://[::1]/a", "https://ana@books.example/": "", "https://books.example/%2": "", "https://books.example:99999/": "",
		"ftp://books.example/": "", "https://": "", "https:/books.example": "", "https://books.example/ ": "", "https://books%2eexample/": "",
		"https://books.example\\a": "", "/invoices": "", "https://books.example/a\n": "",
	} {
		found, ok := normalizeHtu(text)
		if ok != (expected != "") || (ok && found != expected) {
			t.Errorf("%q: %q %v", text, found, ok)
		}
	}
}

func TestJSONIsParsedStrictly(t *testing.T) {
	for _, text := range []string{"{} {}", "{", "[1,]", "\xff", "{}x"} {
		if value, err := parseJSON([]byte(text)); err == nil {
			t.Errorf("%q: %v", text, value)
		}
	}
	members := map[string]any{"a": json.Number("1.0"), "b": json.Number("1.5"), "c": json.Number("1e300"), "d": "1"}
	if at, ok := getTime(members, "a"); at != 1 || !ok {
		t.Error("1.0 is a time")
	}
	for _, name := range []string{"b", "c", "d", "e"} {
		if _, ok := getTime(members, name); ok {
			t.Error(name)
		}
	}
}
