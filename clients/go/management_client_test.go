package sinete

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"testing"
)

type managementFixture struct {
	requests []*http.Request
	bodies   []string
	respond  func(count int) *http.Response
	client   *ManagementClient
}

func newManagementFixture(t *testing.T, settings ManagementClientSettings, respond func(count int) *http.Response) *managementFixture {
	t.Helper()
	fixture := &managementFixture{respond: respond}
	settings.Issuer, settings.HTTPClient = tokenIssuer, &http.Client{Transport: fixture}
	client, err := NewManagementClient(settings)
	if err != nil {
		t.Fatal(err)
	}
	fixture.client = client
	return fixture
}

func (fixture *managementFixture) RoundTrip(request *http.Request) (*http.Response, error) {
	mock := newMockIssuer("", nil)
	mock.handlers[request.URL.String()] = func(_ *http.Request, body string) *http.Response {
		fixture.bodies = append(fixture.bodies, body)
		return nil
	}
	_, _ = mock.RoundTrip(request)
	fixture.requests = append(fixture.requests, request)
	if response := fixture.respond(len(fixture.requests)); response != nil {
		return response, nil
	}
	return nil, errors.New("connection refused")
}

var withKey = ManagementClientSettings{APIKey: "k"}

func role(name string) map[string]any {
	return map[string]any{"id": name, "name": name, "description": "", "permissions": []any{}, "built_in": false, "version": 1, "more": "later"}
}

func TestCallSendsPathVersionBodyAndCredentials(t *testing.T) {
	fixture := newManagementFixture(t, withKey, func(int) *http.Response { return jsonResponse(200, role("r"), nil) })
	name := "x"
	changed, err := fixture.client.UpdateRole(context.Background(), "acme", "r/1 ?", 7, RolePatch{Name: &name, Permissions: Null[[]string]()})
	if err != nil || changed.Name != "r" {
		t.Fatal(changed, err)
	}
	request := fixture.requests[0]
	expected := http.Header{"Accept": {"application/json"}, "If-Match": {`"7"`}, "Content-Type": {"application/merge-patch+json"}, "Authorization": {"Bearer k"}}
	if request.Method != "PATCH" || request.URL.String() != tokenIssuer+"/manage/organizations/acme/roles/r%2F1%20%3F" || !reflect.DeepEqual(request.Header, expected) {
		t.Fatal(request)
	}
	if fixture.bodies[0] != `{"name":"x","permissions":null}` {
		t.Fatal(fixture.bodies)
	}
}

func TestMergePatchDistinguishesMissingNullAndEmpty(t *testing.T) {
	for expected, patch := range map[string]RolePatch{
		`{}`: {}, `{"permissions":null}`: {Permissions: Null[[]string]()}, `{"permissions":[]}`: {Permissions: Set([]string{})},
	} {
		if data, err := json.Marshal(patch); err != nil || string(data) != expected {
			t.Error(string(data), err)
		}
	}
}

func TestNameThatWouldChangeThePathIsAnError(t *testing.T) {
	fixture := newManagementFixture(t, withKey, func(int) *http.Response { return jsonResponse(200, role("r"), nil) })
	for _, name := range []string{"..", ".", ""} {
		if _, err := fixture.client.GetRole(context.Background(), "acme", name); err == nil {
			t.Error(name)
		}
		if _, err := fixture.client.GetRole(context.Background(), name, "r"); err == nil {
			t.Error(name)
		}
	}
	if _, err := fixture.client.UpdateRole(context.Background(), "acme", "r", 0, RolePatch{}); err == nil || len(fixture.requests) != 0 {
		t.Error(err)
	}
}

func TestListIsFetchedPageByPageAsFarAsItIsRead(t *testing.T) {
	pages := []map[string]any{
		{"items": []any{role("a"), role("b")}, "next": "a b"}, {"items": []any{}, "next": "c"}, {"items": []any{role("c")}, "next": nil},
	}
	fixture := newManagementFixture(t, withKey, func(count int) *http.Response { return jsonResponse(200, pages[count-1], nil) })
	roles, err := fixture.client.ListRoles("acme").Limit(2).Collect(context.Background())
	if err != nil || len(roles) != 3 || roles[2].Name != "c" {
		t.Fatal(roles, err)
	}
	var queries []string
	for _, request := range fixture.requests {
		queries = append(queries, request.URL.RawQuery)
	}
	if !reflect.DeepEqual(queries, []string{"limit=2", "after=a+b&limit=2", "after=c&limit=2"}) {
		t.Fatal(queries)
	}
	other := newManagementFixture(t, withKey, func(int) *http.Response { return jsonResponse(200, pages[0], nil) })
	for item, err := range other.client.ListRoles("acme").All(context.Background()) {
		if err != nil || item.Name == "b" {
			break
		}
	}
	if len(other.requests) != 1 {
		t.Fatal(len(other.requests))
	}
	failing := newManagementFixture(t, withKey, func(int) *http.Response {
		return jsonResponse(404, map[string]any{"type": problemPrefix + "not_found"}, nil)
	})
	if _, err := failing.client.ListRoles("acme").Collect(context.Background()); err == nil {
		t.Fatal("no error")
	}
}

func TestIdempotencyKeyIsSentOnlyWithCallsThatCreateSomething(t *testing.T) {
	fixture := newManagementFixture(t, withKey, func(int) *http.Response { return jsonResponse(201, role("a"), nil) })
	for _, client := range []*ManagementClient{fixture.client.WithIdempotencyKey("key"), fixture.client} {
		if _, err := client.CreateRole(context.Background(), "acme", CreateRoleRequest{Name: "a"}); err != nil {
			t.Fatal(err)
		}
	}
	if fixture.requests[0].Header.Get("Idempotency-Key") != "key" || fixture.requests[1].Header.Get("Idempotency-Key") != "" {
		t.Fatal("the key")
	}
	if _, err := fixture.client.WithIdempotencyKey("key").GetRole(context.Background(), "acme", "r"); err == nil {
		t.Fatal("no error")
	}
}

func TestErrorResponseBecomesAManagementAPIError(t *testing.T) {
	document := map[string]any{
		"type": problemPrefix + "unprocessable", "status": 422, "detail": "no", "id": "x",
		"errors": []any{map[string]any{"pointer": "/name", "detail": "missing"}},
	}
	headers := map[string]string{"x-request-id": "q", "retry-after": "7"}
	fixture := newManagementFixture(t, withKey, func(int) *http.Response { return jsonResponse(422, document, headers) })
	_, err := fixture.client.GetRole(context.Background(), "acme", "r")
	expected := &ManagementAPIError{
		Status: 422, ProblemType: "unprocessable", Detail: "no", RequestID: "q", Errors: []FieldError{{"/name", "missing"}}, ID: "x", RetryAfter: 7,
	}
	if !reflect.DeepEqual(err, expected) {
		t.Fatal(err)
	}
	for _, response := range []*http.Response{jsonResponse(502, "<html>", nil), jsonResponse(200, []any{}, nil), jsonResponse(200, map[string]any{"id": 1}, nil), nil} {
		fixture := newManagementFixture(t, withKey, func(int) *http.Response { return response })
		_, err := fixture.client.GetRole(context.Background(), "acme", "r")
		var problem *ManagementAPIError
		if !errors.As(err, &problem) || problem.ProblemType != "no_response" {
			t.Error(err)
		}
	}
}

func TestDpopNonceIsRepeatedAndARejectedTokenIsRequestedAgain(t *testing.T) {
	tokens := newTokenFixture(t, ClientNone("a"), true)
	for _, text := range []string{"t1", "t2"} {
		body := map[string]any{"access_token": text, "token_type": "DPoP", "expires_in": 600}
		tokens.responses = append(tokens.responses, jsonResponse(200, body, nil))
	}
	settings := ManagementClientSettings{TokenClient: tokens.client, Scope: "roles:read"}
	fixture := newManagementFixture(t, settings, func(count int) *http.Response {
		switch count {
		case 1:
			return jsonResponse(401, map[string]any{}, map[string]string{"dpop-nonce": "n"})
		case 3:
			return jsonResponse(401, map[string]any{}, nil)
		}
		return jsonResponse(200, role("r"), nil)
	})
	var statuses []bool
	for range 3 {
		_, err := fixture.client.GetRole(context.Background(), "acme", "r")
		statuses = append(statuses, err == nil)
	}
	var sent []string
	for _, request := range fixture.requests {
		sent = append(sent, request.Header.Get("Authorization"))
	}
	if !reflect.DeepEqual(sent, []string{"DPoP t1", "DPoP t1", "DPoP t1", "DPoP t2"}) || !reflect.DeepEqual(statuses, []bool{true, false, true}) {
		t.Fatal(sent, statuses)
	}
	for _, wrong := range []ManagementClientSettings{{Issuer: tokenIssuer}, {Issuer: tokenIssuer, APIKey: "k", TokenClient: tokens.client}} {
		if _, err := NewManagementClient(wrong); err == nil {
			t.Error("no error")
		}
	}
}
