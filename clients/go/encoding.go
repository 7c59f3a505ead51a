package sinete

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/url"
	"strings"
	"unicode/utf8"
)

var base64url = base64.RawURLEncoding.Strict()

const integerMax = 1<<53 - 1

func encode(data []byte) string { return base64url.EncodeToString(data) }

// decode decodes base64url without padding and rejects any other spelling.
func decode(text string) ([]byte, bool) {
	// The decoder of the standard library ignores line breaks.
	if strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	data, err := base64url.DecodeString(text)
	return data, err == nil
}

func sha256Base64url(text string) string {
	sum := sha256.Sum256([]byte(text))
	return encode(sum[:])
}

// parseJSON parses exactly one JSON value; numbers stay as they are written.
func parseJSON(data []byte) (any, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("the JSON is not UTF-8")
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("there is something behind the JSON")
	}
	return value, nil
}

// decodeObject decodes a part of a JWT that is a JSON object.
func decodeObject(part string) (map[string]any, bool) {
	data, ok := decode(part)
	if !ok {
		return nil, false
	}
	value, err := parseJSON(data)
	if err != nil {
		return nil, false
	}
	members, ok := value.(map[string]any)
	return members, ok
}

// getText returns a member that is a non-empty string, or "".
func getText(members map[string]any, name string) string {
	text, _ := members[name].(string)
	return text
}

// getTime returns a member that is a time in whole seconds since 1970.
func getTime(members map[string]any, name string) (int64, bool) {
	number, ok := members[name].(json.Number)
	if !ok {
		return 0, false
	}
	value, err := number.Float64()
	if err != nil || value != math.Trunc(value) || math.Abs(value) > integerMax {
		return 0, false
	}
	return int64(value), true
}

// getOptionalTime is getTime for a member that may be missing; ok is false where it is present and not a time.
func getOptionalTime(members map[string]any, name string) (value *int64, ok bool) {
	if _, isPresent := members[name]; !isPresent {
		return nil, true
	}
	time, ok := getTime(members, name)
	return &time, ok
}

// formEncode form-encodes a client id or secret for HTTP Basic (RFC 6749 §2.3.1).
func formEncode(text string) string {
	return strings.NewReplacer("~", "%7E", "%2A", "*").Replace(url.QueryEscape(text))
}
