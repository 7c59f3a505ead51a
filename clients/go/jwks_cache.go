package sinete

import (
	"context"
	"sync"
)

const (
	// After this the keys are fetched again, so that a revoked key stops being accepted.
	keysFreshSeconds = 300
	// How long cached keys are used while the issuer does not answer.
	keysStaleSecondsMax = 3600
	// The minimum time between two fetches, regardless of the kid in tokens; then the same before the first success.
	keysRefreshIntervalSeconds      = 30
	keysFirstRefreshIntervalSeconds = 1
)

// A jwksCache holds the published keys of one issuer. At most one request is in flight.
type jwksCache struct {
	issuer *issuerClient
	flight singleFlight[struct{}]

	mutex       sync.Mutex
	keys        map[string]*publicKey
	fetchedAt   int64
	requestedAt *int64
}

// find returns the key with this id, or nil. It fails where no usable keys could be fetched.
func (cache *jwksCache) find(ctx context.Context, kid string) (*publicKey, error) {
	if !cache.hasFreshKey(kid) {
		if _, err := cache.flight.do(ctx, func(ctx context.Context) (struct{}, error) {
			cache.refresh(ctx, kid)
			return struct{}{}, nil
		}); err != nil {
			return nil, err
		}
	}
	cache.mutex.Lock()
	defer cache.mutex.Unlock()
	if cache.keys == nil || !isWithin(keysStaleSecondsMax, cache.fetchedAt, cache.issuer.clock()) {
		return nil, &IssuerRequestError{"the keys of the issuer could not be fetched", nil}
	}
	return cache.keys[kid], nil
}

func (cache *jwksCache) hasFreshKey(kid string) bool {
	cache.mutex.Lock()
	defer cache.mutex.Unlock()
	return cache.keys[kid] != nil && isWithin(keysFreshSeconds, cache.fetchedAt, cache.issuer.clock())
}

// mayRequest reports whether the issuer may be asked now, and notes that it is.
func (cache *jwksCache) mayRequest() bool {
	cache.mutex.Lock()
	defer cache.mutex.Unlock()
	now, interval := cache.issuer.clock(), int64(keysRefreshIntervalSeconds)
	if cache.keys == nil {
		interval = keysFirstRefreshIntervalSeconds
	}
	if cache.requestedAt != nil && isWithin(interval, *cache.requestedAt, now) {
		return false
	}
	cache.requestedAt = &now
	return true
}

// refresh fetches the keys. Where that fails, cached keys stay in use until they are stale.
func (cache *jwksCache) refresh(ctx context.Context, kid string) {
	if cache.hasFreshKey(kid) || !cache.mayRequest() {
		return
	}
	address, err := cache.issuer.endpoint(ctx, "jwks_uri")
	if err != nil {
		return
	}
	jwks, err := cache.issuer.fetchJSON(ctx, address)
	if err != nil {
		return
	}
	list, ok := jwks["keys"].([]any)
	if !ok {
		return
	}
	keys := map[string]*publicKey{}
	for _, entry := range list {
		jwk, _ := entry.(map[string]any)
		use, isPresent := jwk["use"]
		key, isKey := importJWK(jwk, SigningAlgorithm(getText(jwk, "alg")))
		if id := getText(jwk, "kid"); id != "" && isKey && (!isPresent || use == "sig") {
			keys[id] = key
		}
	}
	cache.mutex.Lock()
	defer cache.mutex.Unlock()
	cache.keys, cache.fetchedAt = keys, cache.issuer.clock()
}
