package sinete

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	requestTimeout   = 5 * time.Second
	responseBytesMax = 1024 * 1024
	metadataSeconds  = 3600
)

// An IssuerRequestError says that the issuer could not be reached, or that its response was unusable.
type IssuerRequestError struct {
	Reason string
	Cause  error
}

func (err *IssuerRequestError) Error() string { return err.Reason }

// Unwrap returns the cause.
func (err *IssuerRequestError) Unwrap() error { return err.Cause }

// isSecureURL reports whether this is an https URL, or http on loopback.
func isSecureURL(text string) bool {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Hostname() == "" {
		return false
	}
	host := parsed.Hostname()
	isLoopback := host == "localhost" || host == "127.0.0.1" || host == "::1"
	return parsed.Scheme == "https" || (parsed.Scheme == "http" && isLoopback)
}

// isWithin reports whether then is at most this many seconds ago. False for a future time, as after the clock was set back.
func isWithin(seconds, then, now int64) bool { return now >= then && now-then < seconds }

type issuerResponse struct {
	status int
	header http.Header
	json   any
}

// object returns the JSON object of the response, or nil.
func (response *issuerResponse) object() map[string]any {
	members, _ := response.json.(map[string]any)
	return members
}

type issuerClient struct {
	issuer string
	http   *http.Client
	clock  func() int64

	mutex     sync.Mutex
	metadata  map[string]any
	fetchedAt int64
	flight    singleFlight[map[string]any]
}

func newIssuerClient(issuer string, client *http.Client, clock func() int64) (*issuerClient, error) {
	if !isSecureURL(issuer) || strings.ContainsAny(issuer, "?#") || strings.HasSuffix(issuer, "/") {
		return nil, fmt.Errorf("sinete: not an issuer: %q", issuer)
	}
	if client == nil {
		client = &http.Client{}
	}
	// Secrets and tokens reach the issuer only: a redirect is a response like any other.
	copied := *client
	copied.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if clock == nil {
		clock = func() int64 { return time.Now().Unix() }
	}
	return &issuerClient{issuer: issuer, http: &copied, clock: clock}, nil
}

// send sends a request and parses the JSON of the response.
func (client *issuerClient) send(ctx context.Context, method, address string, header http.Header, body string) (*issuerResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, reader)
	if err != nil {
		return nil, &IssuerRequestError{address + " is not a URL", err}
	}
	request.Header = header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("Accept", "application/json")
	response, err := client.http.Do(request)
	if err != nil {
		return nil, &IssuerRequestError{address + " did not answer", err}
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, responseBytesMax+1))
	if err != nil {
		return nil, &IssuerRequestError{address + " did not answer", err}
	}
	if len(data) > responseBytesMax {
		return nil, &IssuerRequestError{"the response is too long", nil}
	}
	value, err := parseJSON(data)
	if err != nil {
		value = nil
	}
	return &issuerResponse{response.StatusCode, response.Header, value}, nil
}

// fetchJSON fetches a JSON object.
func (client *issuerClient) fetchJSON(ctx context.Context, address string) (map[string]any, error) {
	response, err := client.send(ctx, http.MethodGet, address, nil, "")
	if err != nil {
		return nil, err
	}
	if response.status != http.StatusOK || response.object() == nil {
		return nil, &IssuerRequestError{fmt.Sprintf("%s answered %d", address, response.status), nil}
	}
	return response.object(), nil
}

func (client *issuerClient) cachedMetadata() map[string]any {
	client.mutex.Lock()
	defer client.mutex.Unlock()
	if client.metadata == nil || !isWithin(metadataSeconds, client.fetchedAt, client.clock()) {
		return nil
	}
	return client.metadata
}

// discover returns the issuer's metadata, cached; its issuer must be this one (RFC 8414 §3.3).
func (client *issuerClient) discover(ctx context.Context) (map[string]any, error) {
	if metadata := client.cachedMetadata(); metadata != nil {
		return metadata, nil
	}
	return client.flight.do(ctx, func(ctx context.Context) (map[string]any, error) {
		if metadata := client.cachedMetadata(); metadata != nil {
			return metadata, nil
		}
		metadata, err := client.fetchJSON(ctx, client.issuer+"/.well-known/openid-configuration")
		if err != nil {
			return nil, err
		}
		if getText(metadata, "issuer") != client.issuer {
			return nil, &IssuerRequestError{"the metadata is of another issuer", nil}
		}
		client.mutex.Lock()
		defer client.mutex.Unlock()
		client.metadata, client.fetchedAt = metadata, client.clock()
		return metadata, nil
	})
}

// endpoint returns an endpoint that the metadata names. It must be as secure as the issuer.
func (client *issuerClient) endpoint(ctx context.Context, name string) (string, error) {
	metadata, err := client.discover(ctx)
	if err != nil {
		return "", err
	}
	address := getText(metadata, name)
	if address == "" {
		return "", &IssuerRequestError{"the metadata has no " + name, nil}
	}
	if !isSecureURL(address) {
		return "", &IssuerRequestError{name + " is not https", nil}
	}
	return address, nil
}
