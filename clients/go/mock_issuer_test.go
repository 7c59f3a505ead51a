package sinete

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
)

// A mockIssuer is an HTTP transport that answers with metadata and keys, and counts requests by path; handlers answer at other
// paths.
type mockIssuer struct {
	mutex         sync.Mutex
	issuer        string
	keys          any
	metadata      map[string]string
	handlers      map[string]func(*http.Request, string) *http.Response
	requests      map[string]int
	isUnavailable bool
}

func newMockIssuer(issuer string, keys any) *mockIssuer {
	return &mockIssuer{
		issuer: issuer, keys: keys, handlers: map[string]func(*http.Request, string) *http.Response{}, requests: map[string]int{},
		metadata: map[string]string{
			"issuer": issuer, "jwks_uri": issuer + "/.well-known/jwks.json", "token_endpoint": issuer + "/connect/token",
			"introspection_endpoint": issuer + "/connect/introspect",
		},
	}
}

func (mock *mockIssuer) client() *http.Client { return &http.Client{Transport: mock} }

func (mock *mockIssuer) RoundTrip(request *http.Request) (*http.Response, error) {
	body := ""
	if request.Body != nil {
		data, _ := io.ReadAll(request.Body)
		body = string(data)
	}
	path := strings.TrimPrefix(request.URL.String(), mock.issuer)
	mock.mutex.Lock()
	defer mock.mutex.Unlock()
	mock.requests[path]++
	if mock.isUnavailable {
		return nil, errors.New("connection refused")
	}
	if handler, isPresent := mock.handlers[path]; isPresent {
		mock.mutex.Unlock()
		defer mock.mutex.Lock()
		return handler(request, body), nil
	}
	switch path {
	case "/.well-known/openid-configuration":
		return jsonResponse(200, mock.metadata, nil), nil
	case "/.well-known/jwks.json":
		return jsonResponse(200, mock.keys, nil), nil
	}
	return jsonResponse(404, nil, nil), nil
}

func jsonResponse(status int, body any, headers map[string]string) *http.Response {
	text := ""
	if body != nil {
		data, _ := json.Marshal(body)
		text = string(data)
	}
	response := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text))}
	for name, value := range headers {
		response.Header.Set(name, value)
	}
	return response
}

func loadVectors(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("../vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// asJSON makes two values comparable.
func asJSON(value any) string {
	data, _ := json.Marshal(value)
	var plain any
	_ = json.Unmarshal(data, &plain)
	data, _ = json.Marshal(plain)
	return string(data)
}
