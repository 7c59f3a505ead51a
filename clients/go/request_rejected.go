package sinete

import (
	"net/http"
	"strconv"
	"strings"
)

// A RequestRejectedError rejects a request. Answer with its Status and headers, or call WriteResponse.
type RequestRejectedError struct {
	// Status is 401, 403, or 503 where the token could not be verified now.
	Status int
	// Code is invalid_token, invalid_dpop_proof or insufficient_scope; "" where the request has no token.
	Code string
	// Challenges are the values of WWW-Authenticate.
	Challenges []string
	// RetryAfter is in seconds; 0 where there is none.
	RetryAfter int
	// Reason is for your log. Do not send it to the client.
	Reason string
}

func (err *RequestRejectedError) Error() string { return err.Reason }

// WriteResponse writes the whole response.
func (err *RequestRejectedError) WriteResponse(writer http.ResponseWriter) {
	for _, challenge := range err.Challenges {
		writer.Header().Add("WWW-Authenticate", challenge)
	}
	if err.RetryAfter != 0 {
		writer.Header().Set("Retry-After", strconv.Itoa(err.RetryAfter))
	}
	writer.WriteHeader(err.Status)
}

// unavailable says that the token could not be verified now: the client keeps it and retries.
func unavailable(reason string) *RequestRejectedError {
	return &RequestRejectedError{Status: http.StatusServiceUnavailable, RetryAfter: 5, Reason: reason}
}

// A challengeContext is what every challenge for a request contains.
type challengeContext struct {
	scheme   string
	scopes   []string
	metadata string
}

// reject makes the error with its challenges (RFC 6750 §3, RFC 9449 §7.1, RFC 9728 §5.1).
func (challenge *challengeContext) reject(code, reason string) *RequestRejectedError {
	var parameters []string
	for _, parameter := range [][2]string{{"error", code}, {"resource_metadata", challenge.metadata}, {"scope", strings.Join(challenge.scopes, " ")}} {
		if parameter[1] != "" {
			parameters = append(parameters, parameter[0]+`="`+parameter[1]+`"`)
		}
	}
	algorithms := `algs="` + algorithmNames() + `"`
	challenges := []string{strings.TrimSuffix("Bearer "+strings.Join(parameters, ", "), " ")}
	if challenge.scheme == "dpop" {
		challenges = []string{"DPoP " + strings.Join(append(parameters, algorithms), ", ")}
	} else if code == "" || code == "invalid_token" {
		challenges = append(challenges, "DPoP "+algorithms)
	}
	status := http.StatusUnauthorized
	if code == "insufficient_scope" {
		status = http.StatusForbidden
	}
	return &RequestRejectedError{Status: status, Code: code, Challenges: challenges, Reason: reason}
}
