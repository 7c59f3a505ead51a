package sinete

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const problemPrefix = "urn:sinete:problem:"

// ManagementClientSettings are the settings of a [ManagementClient]: with an API key, or with access tokens for the issuer
// itself.
type ManagementClientSettings struct {
	// Issuer is https, or http on loopback, without a trailing slash.
	Issuer string
	// APIKey, or TokenClient and Scope.
	APIKey      string
	TokenClient *TokenClient
	// Scope is the scope of the requested tokens, separated by spaces.
	Scope string
	// HTTPClient replaces the default client. Its redirects are not followed.
	HTTPClient *http.Client
}

// A ManagementClient calls the management API of one issuer. Its methods and their types are generated from the OpenAPI
// description of the server. Parameters: path parameters, then the version (If-Match), then the body, then the query. Every
// error that the server answers is a [ManagementAPIError].
type ManagementClient struct {
	issuer         *issuerClient
	settings       ManagementClientSettings
	idempotencyKey string
}

// NewManagementClient creates a client. It sends no request yet.
func NewManagementClient(settings ManagementClientSettings) (*ManagementClient, error) {
	issuer, err := newIssuerClient(settings.Issuer, settings.HTTPClient, nil)
	if err != nil {
		return nil, err
	}
	if (settings.APIKey == "") == (settings.TokenClient == nil) {
		return nil, errors.New("sinete: either APIKey or TokenClient is required")
	}
	return &ManagementClient{issuer: issuer, settings: settings}, nil
}

// WithIdempotencyKey returns the same methods with an Idempotency-Key: repeated within a day, a call creates nothing twice.
func (client *ManagementClient) WithIdempotencyKey(key string) *ManagementClient {
	other := *client
	other.idempotencyKey = key
	return &other
}

// A FieldError is an invalid member of a request body.
type FieldError struct {
	// Pointer says where it is (JSON Pointer).
	Pointer string
	Detail  string
}

// A ManagementAPIError says that a call of the management API failed (RFC 9457).
type ManagementAPIError struct {
	// Status is that of the response, or 0.
	Status int
	// ProblemType is the last part of the problem type: not_found, insufficient_scope, already_created, … no_response and
	// token_request_failed are the library's own: the server did not decide on the call.
	ProblemType string
	Detail      string
	// RequestID is the id of the request, as in the server's log.
	RequestID string
	// Errors say what is wrong with the body, and where.
	Errors []FieldError
	// ID is, for already_created, the id of what an earlier request created.
	ID string
	// RetryAfter is in seconds, or 0.
	RetryAfter int64
	Cause      error
}

func (err *ManagementAPIError) Error() string { return err.ProblemType + ": " + err.Detail }

// Unwrap returns the cause.
func (err *ManagementAPIError) Unwrap() error { return err.Cause }

// An Optional is a member of a merge patch: missing, null, or a value.
type Optional[T any] struct {
	value *T
	isSet bool
}

// Set changes a member to this value.
func Set[T any](value T) Optional[T] { return Optional[T]{&value, true} }

// Null removes a member.
func Null[T any]() Optional[T] { return Optional[T]{nil, true} }

// IsZero reports whether the member is missing: it keeps its value.
func (optional Optional[T]) IsZero() bool { return !optional.isSet }

// MarshalJSON writes the value, or null.
func (optional Optional[T]) MarshalJSON() ([]byte, error) { return json.Marshal(optional.value) }

type managementRequest struct {
	method, path          string
	names                 []string
	version               int64
	isVersioned           bool
	body                  any
	isPatch               bool
	query                 url.Values
	acceptsIdempotencyKey bool
}

// A PagedList is a list that is fetched page by page, on demand.
type PagedList[T any] struct {
	client  *ManagementClient
	request managementRequest
	limit   int
}

// Limit sets the page size, 1 to 200. The default is 50.
func (list PagedList[T]) Limit(limit int) PagedList[T] {
	list.limit = limit
	return list
}

// All fetches and returns one item after the other. After an error it ends.
func (list PagedList[T]) All(ctx context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		query := url.Values{}
		for name, values := range list.request.query {
			query[name] = values
		}
		if list.limit != 0 {
			query.Set("limit", strconv.Itoa(list.limit))
		}
		for {
			request := list.request
			request.query = query
			var page struct {
				Items []T     `json:"items"`
				Next  *string `json:"next"`
			}
			if err := list.client.execute(ctx, request, &page); err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			if page.Next == nil {
				return
			}
			query.Set("after", *page.Next)
		}
	}
}

// Collect fetches every page.
func (list PagedList[T]) Collect(ctx context.Context) ([]T, error) {
	var items []T
	for item, err := range list.All(ctx) {
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

// addQuery adds a parameter, unless it has its zero value.
func addQuery(values url.Values, name string, value any) {
	switch value := value.(type) {
	case string:
		if value != "" {
			values.Set(name, value)
		}
	case int64:
		if value != 0 {
			values.Set(name, strconv.FormatInt(value, 10))
		}
	case bool:
		values.Set(name, strconv.FormatBool(value))
	case *bool:
		if value != nil {
			values.Set(name, strconv.FormatBool(*value))
		}
	case []string:
		for _, one := range value {
			values.Add(name, one)
		}
	}
}

// address fails where a name, such as .., would change the path.
func (client *ManagementClient) address(request managementRequest) (string, error) {
	path := request.path
	for _, name := range request.names {
		if name == "" || name == "." || name == ".." {
			return "", fmt.Errorf("sinete: not a name in a path: %q", name)
		}
		path = strings.Replace(path, "{}", strings.ReplaceAll(url.QueryEscape(name), "+", "%20"), 1)
	}
	if len(request.query) > 0 {
		path += "?" + request.query.Encode()
	}
	return client.issuer.issuer + path, nil
}

// execute sends a request, and once more where the server asks for its DPoP nonce.
func (client *ManagementClient) execute(ctx context.Context, request managementRequest, result any) error {
	address, err := client.address(request)
	if err != nil {
		return err
	}
	header, body := http.Header{}, ""
	if request.isVersioned {
		if request.version < 1 {
			return errors.New("sinete: the version must be that of what is changed")
		}
		header.Set("If-Match", `"`+strconv.FormatInt(request.version, 10)+`"`)
	}
	if request.body != nil {
		header.Set("Content-Type", "application/json")
		if request.isPatch {
			header.Set("Content-Type", "application/merge-patch+json")
		}
		data, err := json.Marshal(request.body)
		if err != nil {
			return err
		}
		body = string(data)
	}
	if client.idempotencyKey != "" {
		if !request.acceptsIdempotencyKey {
			return errors.New("sinete: this call does not take an Idempotency-Key")
		}
		header.Set("Idempotency-Key", client.idempotencyKey)
	}
	response, err := client.send(ctx, request.method, address, header, body)
	tokens := client.settings.TokenClient
	if err == nil && response.status == http.StatusUnauthorized && tokens != nil && tokens.UpdateDPoPNonce(address, response.header) {
		response, err = client.send(ctx, request.method, address, header, body)
	}
	if err != nil {
		return asManagementError(err)
	}
	if response.status >= 200 && response.status < 300 {
		return readResult(response, result)
	}
	if response.status == http.StatusUnauthorized && tokens != nil {
		tokens.InvalidateToken(client.tokenRequest())
	}
	return parseProblem(response)
}

func (client *ManagementClient) tokenRequest() TokenRequest {
	return TokenRequest{Scope: client.settings.Scope, Resource: client.issuer.issuer}
}

func (client *ManagementClient) send(ctx context.Context, method, address string, header http.Header, body string) (*issuerResponse, error) {
	header = header.Clone()
	if tokens := client.settings.TokenClient; tokens != nil {
		token, err := tokens.GetToken(ctx, client.tokenRequest())
		if err != nil {
			return nil, err
		}
		if err := tokens.authorize(header, token, method, address); err != nil {
			return nil, err
		}
	} else {
		header.Set("Authorization", "Bearer "+client.settings.APIKey)
	}
	return client.issuer.send(ctx, method, address, header, body)
}

func readResult(response *issuerResponse, result any) error {
	if result == nil {
		return nil
	}
	data, err := json.Marshal(response.json)
	if err == nil && response.object() == nil {
		err = errors.New("the response is not a JSON object")
	}
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(data))
		err = decoder.Decode(result)
	}
	if err != nil {
		return &ManagementAPIError{Status: response.status, ProblemType: "no_response", Detail: err.Error(), Cause: err}
	}
	return nil
}

func asManagementError(err error) error {
	var failure *TokenRequestError
	if errors.As(err, &failure) {
		detail := failure.Description
		if detail == "" {
			detail = failure.Error()
		}
		problem := &ManagementAPIError{Status: failure.Status, ProblemType: "token_request_failed", Detail: detail, Cause: err}
		if failure.RetryAfter != nil {
			problem.RetryAfter = *failure.RetryAfter
		}
		return problem
	}
	return &ManagementAPIError{ProblemType: "no_response", Detail: err.Error(), Cause: err}
}

func parseProblem(response *issuerResponse) *ManagementAPIError {
	document := response.object()
	problem := &ManagementAPIError{
		Status: response.status, ProblemType: "no_response", Detail: getText(document, "detail"),
		RequestID: response.header.Get("X-Request-Id"), ID: getText(document, "id"),
	}
	if name, isProblem := strings.CutPrefix(getText(document, "type"), problemPrefix); isProblem {
		problem.ProblemType = name
	}
	if problem.Detail == "" {
		problem.Detail = fmt.Sprintf("the response was %d", response.status)
	}
	list, _ := document["errors"].([]any)
	for _, entry := range list {
		member, _ := entry.(map[string]any)
		problem.Errors = append(problem.Errors, FieldError{getText(member, "pointer"), getText(member, "detail")})
	}
	if seconds, err := strconv.ParseUint(response.header.Get("Retry-After"), 10, 31); err == nil {
		problem.RetryAfter = int64(seconds)
	}
	return problem
}
