package sinete

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

const (
	proofBytesMax = 8192
	urlBytesMax   = 2048
	jtiBytesMax   = 256
	// The maximum age of a proof, and how far in the future it may be.
	proofAgeSecondsMax    = 60
	proofFutureSecondsMax = 15
	// One key may use a tenth of the replay cache.
	keysToFillCache      = 10
	replayCacheByDefault = 100_000
)

var privateMembers = []string{"d", "p", "q", "dp", "dq", "qi", "oth", "k"}

var httpURL = regexp.MustCompile(`^(?i)(https?)://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{0,5}))?(/[^?#]*)?(?:[?#].*)?$`)

// normalizeHtu normalizes a URL for comparison and drops query and fragment (RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3); ok
// is false where it is not an http URL with a plain host name.
func normalizeHtu(text string) (normalized string, ok bool) {
	if len(text) > urlBytesMax {
		return "", false
	}
	for _, character := range []byte(text) {
		if character < '!' || character > '~' || character == '\\' {
			return "", false
		}
	}
	found := httpURL.FindStringSubmatch(text)
	if found == nil {
		return "", false
	}
	scheme, host, port := strings.ToLower(found[1]), strings.ToLower(found[2]), found[3]
	if port != "" {
		number, err := strconv.Atoi(port)
		if err != nil || number > 65535 {
			return "", false
		}
		port = ":" + strconv.Itoa(number)
		if (scheme == "http" && number == 80) || (scheme == "https" && number == 443) {
			port = ""
		}
	}
	path, ok := normalizePath(found[4])
	return scheme + "://" + host + port + path, ok
}

func normalizePath(path string) (normalized string, ok bool) {
	var out strings.Builder
	for at := 0; at < len(path); at++ {
		character := path[at]
		switch {
		case character == '%':
			if at+3 > len(path) {
				return "", false
			}
			value, err := strconv.ParseUint(path[at+1:at+3], 16, 8)
			if err != nil {
				return "", false
			}
			if isUnreserved(byte(value)) {
				out.WriteByte(byte(value))
			} else {
				out.WriteString("%" + strings.ToUpper(path[at+1:at+3]))
			}
			at += 2
		case strings.IndexByte("\"<>^`{}", character) >= 0:
			out.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(character), 16)))
		default:
			out.WriteByte(character)
		}
	}
	return removeDotSegments(out.String()), true
}

func isUnreserved(character byte) bool {
	isLetter := (character|0x20) >= 'a' && (character|0x20) <= 'z'
	return isLetter || (character >= '0' && character <= '9') || strings.IndexByte("-._~", character) >= 0
}

func removeDotSegments(path string) string {
	var kept []string
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for at, segment := range segments {
		if segment != "." && segment != ".." {
			kept = append(kept, segment)
			continue
		}
		if segment == ".." && len(kept) > 0 {
			kept = kept[:len(kept)-1]
		}
		if at == len(segments)-1 {
			kept = append(kept, "")
		}
	}
	return "/" + strings.Join(kept, "/")
}

// A ReplayCache records used DPoP proofs. An API that runs on several machines needs a shared implementation.
type ReplayCache interface {
	// RecordFirstUse returns whether this id is used for the first time, and records it until that second. It fails where it
	// cannot tell. The id is unique for its key; the key is passed so that one key cannot fill the cache.
	RecordFirstUse(ctx context.Context, id string, until, now int64, key string) (bool, error)
}

// A MemoryReplayCache records used DPoP proofs in this process.
type MemoryReplayCache struct {
	mutex          sync.Mutex
	capacity       int
	capacityPerKey int
	recorded       map[string]struct{}
	// The recorded ids with their keys, by the second at which they expire.
	expiries   map[int64][][2]string
	countByKey map[string]int
	evictedAt  int64
}

// NewMemoryReplayCache returns a cache of at most this many proofs, of which one key may use a tenth. Beyond that requests are
// rejected with 503.
func NewMemoryReplayCache(capacity int) *MemoryReplayCache {
	return &MemoryReplayCache{
		capacity: capacity, capacityPerKey: max(1, capacity/keysToFillCache), recorded: map[string]struct{}{},
		expiries: map[int64][][2]string{}, countByKey: map[string]int{}, evictedAt: -1 << 62,
	}
}

// RecordFirstUse implements [ReplayCache].
func (cache *MemoryReplayCache) RecordFirstUse(_ context.Context, id string, until, now int64, key string) (bool, error) {
	cache.mutex.Lock()
	defer cache.mutex.Unlock()
	cache.evictExpired(now)
	if _, isRecorded := cache.recorded[id]; isRecorded {
		return false, nil
	}
	if len(cache.recorded) >= cache.capacity || cache.countByKey[key] >= cache.capacityPerKey {
		return false, errors.New("the replay cache is full")
	}
	cache.recorded[id] = struct{}{}
	cache.countByKey[key]++
	cache.expiries[until] = append(cache.expiries[until], [2]string{id, key})
	return true, nil
}

func (cache *MemoryReplayCache) evictExpired(now int64) {
	if cache.evictedAt == now {
		return
	}
	cache.evictedAt = now
	for end, proofs := range cache.expiries {
		if end >= now {
			continue
		}
		delete(cache.expiries, end)
		for _, proof := range proofs {
			delete(cache.recorded, proof[0])
			if cache.countByKey[proof[1]]--; cache.countByKey[proof[1]] == 0 {
				delete(cache.countByKey, proof[1])
			}
		}
	}
}

// A dpopRequest is the request that a proof must match.
type dpopRequest struct {
	method, url, token, jkt string
	now                     int64
}

// A verifiedProof is what the replay cache records of a valid proof.
type verifiedProof struct {
	id         string
	until, now int64
	key        string
}

// A dpopRejection says why a proof is rejected.
type dpopRejection struct {
	reason        string
	isKeyMismatch bool
}

// parseProof parses a proof and verifies its signature with the key in its header.
func parseProof(text string) (*publicKey, map[string]any, bool) {
	jwt, ok := parseJWT(text, proofBytesMax)
	if !ok || hasForbiddenHeader(jwt.header, "jwk") || getText(jwt.header, "typ") != "dpop+jwt" {
		return nil, nil, false
	}
	jwk, ok := jwt.header["jwk"].(map[string]any)
	for _, name := range privateMembers {
		if _, isPresent := jwk[name]; isPresent {
			return nil, nil, false
		}
	}
	if !ok {
		return nil, nil, false
	}
	key, ok := importJWK(jwk, SigningAlgorithm(getText(jwt.header, "alg")))
	if !ok || !key.verify(jwt.signed, jwt.signature) {
		return nil, nil, false
	}
	return key, jwt.claims, true
}

// verifyProof verifies a proof for this request.
func verifyProof(text string, request dpopRequest) (*verifiedProof, *dpopRejection) {
	key, claims, ok := parseProof(text)
	if !ok {
		return nil, &dpopRejection{reason: "not a signed DPoP proof"}
	}
	jti := getText(claims, "jti")
	iat, isTime := getTime(claims, "iat")
	exp, isExp := getOptionalTime(claims, "exp")
	nbf, isNbf := getOptionalTime(claims, "nbf")
	if jti == "" || len(jti) > jtiBytesMax || !isTime || !isExp || !isNbf {
		return nil, &dpopRejection{reason: "a claim of the proof is missing or malformed"}
	}
	htu, isURL := normalizeHtu(getText(claims, "htu"))
	until, latest := iat+proofAgeSecondsMax, request.now+proofFutureSecondsMax
	switch {
	case getText(claims, "htm") == "" || getText(claims, "htm") != request.method:
		return nil, &dpopRejection{reason: "htm is another method"}
	case !isURL || htu != request.url:
		return nil, &dpopRejection{reason: "htu is another URL"}
	case getText(claims, "ath") != sha256Base64url(request.token):
		return nil, &dpopRejection{reason: "ath is of another token"}
	case until < request.now || (exp != nil && *exp <= request.now):
		return nil, &dpopRejection{reason: "the proof is too old"}
	case iat > latest || (nbf != nil && *nbf > latest):
		return nil, &dpopRejection{reason: "the proof is from the future"}
	case key.thumbprint != request.jkt:
		return nil, &dpopRejection{reason: "the proof is signed with another key", isKeyMismatch: true}
	}
	return &verifiedProof{sha256Base64url(request.jkt + " " + jti), until, request.now, request.jkt}, nil
}
