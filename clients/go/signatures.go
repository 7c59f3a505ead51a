package sinete

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"slices"
	"strings"
)

// A SigningAlgorithm is a signature algorithm of tokens and DPoP proofs.
type SigningAlgorithm string

// The supported algorithms. The algorithm is a property of the key, never a choice of the JWT.
const (
	ES256 SigningAlgorithm = "ES256"
	EdDSA SigningAlgorithm = "EdDSA"
	PS256 SigningAlgorithm = "PS256"
	RS256 SigningAlgorithm = "RS256"
)

var allAlgorithms = []SigningAlgorithm{ES256, EdDSA, PS256, RS256}

func algorithmNames() string {
	names := make([]string, len(allAlgorithms))
	for at, algorithm := range allAlgorithms {
		names[at] = string(algorithm)
	}
	return strings.Join(names, " ")
}

const (
	rsaBitsMin = 2048
	rsaBitsMax = 8192
)

var pssOptions = &rsa.PSSOptions{SaltLength: 32, Hash: crypto.SHA256}

type publicKey struct {
	algorithm  SigningAlgorithm
	thumbprint string
	key        crypto.PublicKey
}

// importJWK imports a JWK as a public key for this algorithm; ok is false where it is not one.
func importJWK(jwk map[string]any, algorithm SigningAlgorithm) (*publicKey, bool) {
	bytesOf := func(name string) []byte {
		data, _ := decode(getText(jwk, name))
		return data
	}
	kty, crv := getText(jwk, "kty"), getText(jwk, "crv")
	var key crypto.PublicKey
	var names []string
	switch {
	case algorithm == ES256 && kty == "EC" && crv == "P-256":
		x, y := bytesOf("x"), bytesOf("y")
		if len(x) != 32 || len(y) != 32 {
			return nil, false
		}
		point := &ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(x), Y: new(big.Int).SetBytes(y)}
		// ECDH refuses a point that is not on the curve.
		if _, err := point.ECDH(); err != nil {
			return nil, false
		}
		key, names = point, []string{"crv", "kty", "x", "y"}
	case algorithm == EdDSA && kty == "OKP" && crv == "Ed25519":
		x := bytesOf("x")
		if len(x) != ed25519.PublicKeySize {
			return nil, false
		}
		key, names = ed25519.PublicKey(x), []string{"crv", "kty", "x"}
	case (algorithm == PS256 || algorithm == RS256) && kty == "RSA":
		n, e := new(big.Int).SetBytes(bytesOf("n")), new(big.Int).SetBytes(bytesOf("e"))
		isExponent := e.IsInt64() && e.Int64() >= 3 && e.Int64() < 1<<31 && e.Bit(0) == 1
		if n.BitLen() < rsaBitsMin || n.BitLen() > rsaBitsMax || !isExponent {
			return nil, false
		}
		key, names = &rsa.PublicKey{N: n, E: int(e.Int64())}, []string{"e", "kty", "n"}
	default:
		return nil, false
	}
	// RFC 7638: the required members in lexicographic order, without white space. They need no escaping.
	members := make([]string, len(names))
	for at, name := range names {
		members[at] = `"` + name + `":"` + getText(jwk, name) + `"`
	}
	return &publicKey{algorithm, sha256Base64url("{" + strings.Join(members, ",") + "}"), key}, true
}

func (key *publicKey) verify(signed string, signature []byte) bool {
	digest := sha256.Sum256([]byte(signed))
	switch public := key.key.(type) {
	case *ecdsa.PublicKey:
		if len(signature) != 64 {
			return false
		}
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		return ecdsa.Verify(public, digest[:], r, s)
	case ed25519.PublicKey:
		return ed25519.Verify(public, []byte(signed), signature)
	case *rsa.PublicKey:
		if key.algorithm == PS256 {
			return rsa.VerifyPSS(public, crypto.SHA256, digest[:], signature, pssOptions) == nil
		}
		return rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature) == nil
	}
	return false
}

type signingKey struct {
	algorithm SigningAlgorithm
	key       crypto.Signer
}

// parseSigningKey reads a PKCS#8 key in PEM for this algorithm.
func parseSigningKey(text string, algorithm SigningAlgorithm) (*signingKey, error) {
	if !slices.Contains(allAlgorithms, algorithm) {
		return nil, errors.New("sinete: the algorithm must be one of " + algorithmNames())
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil || block.Type != "PRIVATE KEY" {
		return nil, errors.New("sinete: the private key must be a PKCS#8 key in PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("sinete: the private key must be a PKCS#8 key in PEM")
	}
	switch key := parsed.(type) {
	case *ecdsa.PrivateKey:
		if algorithm == ES256 && key.Curve == elliptic.P256() {
			return &signingKey{algorithm, key}, nil
		}
	case ed25519.PrivateKey:
		if algorithm == EdDSA {
			return &signingKey{algorithm, key}, nil
		}
	case *rsa.PrivateKey:
		if algorithm == PS256 || algorithm == RS256 {
			return &signingKey{algorithm, key}, nil
		}
	}
	return nil, errors.New("sinete: the private key is not a key for " + string(algorithm))
}

func (key *signingKey) sign(text string) ([]byte, error) {
	digest := sha256.Sum256([]byte(text))
	switch private := key.key.(type) {
	case *ecdsa.PrivateKey:
		r, s, err := ecdsa.Sign(rand.Reader, private, digest[:])
		if err != nil {
			return nil, err
		}
		signature := make([]byte, 64)
		r.FillBytes(signature[:32])
		s.FillBytes(signature[32:])
		return signature, nil
	case ed25519.PrivateKey:
		return ed25519.Sign(private, []byte(text)), nil
	case *rsa.PrivateKey:
		if key.algorithm == PS256 {
			return rsa.SignPSS(rand.Reader, private, crypto.SHA256, digest[:], pssOptions)
		}
		return rsa.SignPKCS1v15(rand.Reader, private, crypto.SHA256, digest[:])
	}
	return nil, errors.New("sinete: unknown key")
}

// signJWT signs a JWT with this header and these claims.
func (key *signingKey) signJWT(header, claims map[string]any) (string, error) {
	parts := make([]string, 2)
	for at, part := range []map[string]any{header, claims} {
		data, err := json.Marshal(part)
		if err != nil {
			return "", err
		}
		parts[at] = encode(data)
	}
	signed := strings.Join(parts, ".")
	signature, err := key.sign(signed)
	if err != nil {
		return "", err
	}
	return signed + "." + encode(signature), nil
}

// A signedJWT is a JWT in compact form that is not verified yet.
type signedJWT struct {
	header, claims map[string]any
	signed         string
	signature      []byte
}

// parseJWT parses a JWT; ok is false where it is not one.
func parseJWT(text string, bytesMax int) (jwt signedJWT, ok bool) {
	parts := strings.Split(text, ".")
	if len(text) > bytesMax || len(parts) != 3 {
		return signedJWT{}, false
	}
	header, isHeader := decodeObject(parts[0])
	claims, isClaims := decodeObject(parts[1])
	signature, isSignature := decode(parts[2])
	return signedJWT{header, claims, parts[0] + "." + parts[1], signature}, isHeader && isClaims && isSignature
}

// hasForbiddenHeader reports whether the header contains a key, or requires an extension that is not implemented.
func hasForbiddenHeader(header map[string]any, allowed string) bool {
	for _, name := range []string{"crit", "jwk", "jku", "x5u", "x5c"} {
		if _, isPresent := header[name]; isPresent && name != allowed {
			return true
		}
	}
	return false
}
