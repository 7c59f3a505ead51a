// A web application like the example of go-oidc. It also verifies the ID token and refreshes the tokens.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"
	"net/http"
	"os"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: "go-oidc"})
	config := oauth2.Config{
		ClientID:     "go-oidc",
		ClientSecret: os.Getenv("SECRET"),
		Endpoint:     provider.Endpoint(),
		RedirectURL:  os.Getenv("APP") + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email", oidc.ScopeOfflineAccess},
	}
	state, nonce, pkce := rand.Text(), rand.Text(), oauth2.GenerateVerifier()

	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(pkce)), http.StatusFound)
	})
	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		fail := func(err error) { http.Error(w, err.Error(), http.StatusInternalServerError) }
		if r.URL.Query().Get("state") != state {
			http.Error(w, "wrong state", http.StatusBadRequest)
			return
		}
		token, err := config.Exchange(ctx, r.URL.Query().Get("code"), oauth2.VerifierOption(pkce))
		if err != nil {
			fail(err)
			return
		}
		raw, _ := token.Extra("id_token").(string)
		identity, err := verifier.Verify(ctx, raw)
		if err != nil {
			fail(err)
			return
		}
		if identity.Nonce != nonce {
			http.Error(w, "wrong nonce", http.StatusInternalServerError)
			return
		}
		if err := identity.VerifyAccessToken(token.AccessToken); err != nil {
			fail(err)
			return
		}
		userinfo, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			fail(err)
			return
		}
		// With an expired token the library sends a refresh request.
		renewed, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
		if err != nil {
			fail(err)
			return
		}
		again, _ := renewed.Extra("id_token").(string)
		if _, err := verifier.Verify(ctx, again); err != nil {
			fail(err)
			return
		}
		var claims map[string]any
		if err := userinfo.Claims(&claims); err != nil {
			fail(err)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"subject": identity.Subject, "userinfo": claims})
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("APP_PORT"), nil))
}
