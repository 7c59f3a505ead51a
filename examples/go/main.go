// A web application with go-oidc: authorization code flow with PKCE, and userinfo.
package main

import (
	"context"
	"fmt"
	"html"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	ctx, port := context.Background(), env("PORT", "3000")
	provider, err := oidc.NewProvider(ctx, env("ISSUER", "http://localhost:8080"))
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
		ClientID: "quickstart-go", ClientSecret: os.Getenv("CLIENT_SECRET"), Endpoint: provider.Endpoint(),
		RedirectURL: "http://localhost:" + port + "/callback", Scopes: []string{oidc.ScopeOpenID, "profile", "email"},
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: config.ClientID, SupportedSigningAlgs: []string{"ES256", "EdDSA", "RS256", "PS256"}})
	// Sessions in this process: cookie to user.
	var sessions sync.Map

	http.HandleFunc("GET /{$}", func(writer http.ResponseWriter, request *http.Request) {
		if cookie, err := request.Cookie("quickstart"); err == nil {
			if user, isSignedIn := sessions.Load(cookie.Value); isSignedIn {
				fmt.Fprintf(writer, "<p>Signed in as %s</p>", html.EscapeString(user.(string)))
				return
			}
		}
		fmt.Fprint(writer, `<a href="/login">Sign in</a>`)
	})
	http.HandleFunc("GET /login", func(writer http.ResponseWriter, request *http.Request) {
		state, codeVerifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
		setCookie(writer, "quickstart-sign-in", state+"."+codeVerifier)
		http.Redirect(writer, request, config.AuthCodeURL(state, oidc.Nonce(state), oauth2.S256ChallengeOption(codeVerifier)), http.StatusFound)
	})
	http.HandleFunc("GET /callback", func(writer http.ResponseWriter, request *http.Request) {
		state := request.URL.Query().Get("state")
		cookie, err := request.Cookie("quickstart-sign-in")
		if err != nil || !strings.HasPrefix(cookie.Value, state+".") {
			http.Error(writer, "no sign-in with this state was started here", http.StatusBadRequest)
			return
		}
		codeVerifier := strings.TrimPrefix(cookie.Value, state+".")
		token, err := config.Exchange(request.Context(), request.URL.Query().Get("code"), oauth2.VerifierOption(codeVerifier))
		if err != nil {
			http.Error(writer, err.Error(), http.StatusBadRequest)
			return
		}
		rawIDToken, _ := token.Extra("id_token").(string)
		idToken, err := verifier.Verify(request.Context(), rawIDToken)
		user, userErr := provider.UserInfo(request.Context(), oauth2.StaticTokenSource(token))
		var claims struct{ Name string }
		if err != nil || userErr != nil || idToken.Nonce != state || user.Subject != idToken.Subject || user.Claims(&claims) != nil {
			http.Error(writer, "the ID token or userinfo is not valid", http.StatusBadRequest)
			return
		}
		session := oauth2.GenerateVerifier()
		sessions.Store(session, claims.Name+" ("+user.Email+")")
		setCookie(writer, "quickstart", session)
		http.Redirect(writer, request, "/", http.StatusFound)
	})
	fmt.Println("Open http://localhost:" + port)
	log.Fatal(http.ListenAndServe("localhost:"+port, nil))
}

func env(name, usual string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return usual
}

func setCookie(writer http.ResponseWriter, name, value string) {
	http.SetCookie(writer, &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
}
