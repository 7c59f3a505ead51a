package sinete

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

const (
	assertionSeconds = 60
	assertionType    = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// A ClientAuthentication is a client and its registered authentication method.
type ClientAuthentication struct {
	clientID string
	method   string
	secret   string
	key      *signingKey
	keyID    string
}

// ClientNone is a public client.
func ClientNone(clientID string) ClientAuthentication {
	return ClientAuthentication{clientID: clientID, method: "none"}
}

// ClientSecretBasic is a client whose secret is sent in the Authorization header.
func ClientSecretBasic(clientID, clientSecret string) ClientAuthentication {
	return ClientAuthentication{clientID: clientID, method: "client_secret_basic", secret: clientSecret}
}

// ClientSecretPost is a client whose secret is sent in the form.
func ClientSecretPost(clientID, clientSecret string) ClientAuthentication {
	return ClientAuthentication{clientID: clientID, method: "client_secret_post", secret: clientSecret}
}

// PrivateKeyJWT is a client that signs assertions with a PKCS#8 key in PEM. The keyID is "" unless the client has several keys.
func PrivateKeyJWT(clientID, privateKey string, algorithm SigningAlgorithm, keyID string) (ClientAuthentication, error) {
	key, err := parseSigningKey(privateKey, algorithm)
	return ClientAuthentication{clientID: clientID, method: "private_key_jwt", key: key, keyID: keyID}, err
}

func (client *ClientAuthentication) validate() error {
	isSecret := client.method == "client_secret_basic" || client.method == "client_secret_post"
	if client.clientID == "" || (isSecret && client.secret == "") || (client.method == "private_key_jwt" && client.key == nil) {
		return errors.New("sinete: a client needs a client id, and what its authentication method demands")
	}
	return nil
}

// authenticate adds the header and form fields that authenticate one request.
func (client *ClientAuthentication) authenticate(issuer string, now int64, header http.Header, form url.Values) error {
	if client.method == "client_secret_basic" {
		pair := formEncode(client.clientID) + ":" + formEncode(client.secret)
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
		return nil
	}
	form.Set("client_id", client.clientID)
	switch client.method {
	case "client_secret_post":
		form.Set("client_secret", client.secret)
	case "private_key_jwt":
		jwtHeader := map[string]any{"alg": string(client.key.algorithm), "typ": "client-authentication+jwt"}
		if client.keyID != "" {
			jwtHeader["kid"] = client.keyID
		}
		assertion, err := client.key.signJWT(jwtHeader, map[string]any{
			"iss": client.clientID, "sub": client.clientID, "aud": issuer, "iat": now, "exp": now + assertionSeconds, "jti": rand.Text(),
		})
		if err != nil {
			return err
		}
		form.Set("client_assertion_type", assertionType)
		form.Set("client_assertion", assertion)
	}
	return nil
}

// A dpopKey is the key pair that access tokens are bound to (RFC 9449). It is generated here and not exported.
type dpopKey struct {
	key *signingKey
	jwk map[string]any

	mutex sync.Mutex
	// The latest nonce of each server, by origin.
	nonces map[string]string
}

func newDpopKey() (*dpopKey, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	x, y := make([]byte, 32), make([]byte, 32)
	private.X.FillBytes(x)
	private.Y.FillBytes(y)
	jwk := map[string]any{"crv": "P-256", "kty": "EC", "x": encode(x), "y": encode(y)}
	return &dpopKey{key: &signingKey{ES256, private}, jwk: jwk, nonces: map[string]string{}}, nil
}

// createProof creates a proof for one request; with a token it includes ath.
func (key *dpopKey) createProof(method, address string, now int64, token string) (string, error) {
	htu, ok := normalizeHtu(address)
	if !ok {
		return "", errors.New("sinete: not an http URL: " + address)
	}
	claims := map[string]any{"htm": method, "htu": htu, "iat": now, "jti": rand.Text()}
	if token != "" {
		claims["ath"] = sha256Base64url(token)
	}
	key.mutex.Lock()
	nonce, isKnown := key.nonces[origin(htu)]
	key.mutex.Unlock()
	if isKnown {
		claims["nonce"] = nonce
	}
	return key.key.signJWT(map[string]any{"typ": "dpop+jwt", "alg": "ES256", "jwk": key.jwk}, claims)
}

// updateNonce stores the DPoP-Nonce of a response; it returns whether there was one.
func (key *dpopKey) updateNonce(address string, header http.Header) bool {
	nonce := header.Get("DPoP-Nonce")
	htu, ok := normalizeHtu(address)
	if nonce == "" || !ok {
		return false
	}
	key.mutex.Lock()
	defer key.mutex.Unlock()
	key.nonces[origin(htu)] = nonce
	return true
}

func origin(htu string) string { return strings.Join(strings.SplitN(htu, "/", 4)[:3], "/") }
