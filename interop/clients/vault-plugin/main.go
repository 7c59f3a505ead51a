// Runs Vault's auth method for OpenID Connect, with the requests that `vault login -method=oidc` sends.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	jwtauth "github.com/hashicorp/vault-plugin-auth-jwt"
	"github.com/hashicorp/vault/sdk/logical"
)

func main() {
	ctx, storage := context.Background(), &logical.InmemStorage{}
	backend, err := jwtauth.Factory(ctx, &logical.BackendConfig{
		StorageView: storage,
		System:      &logical.StaticSystemView{DefaultLeaseTTLVal: time.Hour, MaxLeaseTTLVal: time.Hour},
	})
	check(err)
	check(backend.Initialize(ctx, &logical.InitializationRequest{Storage: storage}))
	request := func(operation logical.Operation, path string, data map[string]any) *logical.Response {
		response, err := backend.HandleRequest(ctx, &logical.Request{
			Operation: operation, Path: path, Data: data, Storage: storage, Connection: &logical.Connection{},
		})
		check(err)
		if response != nil && response.IsError() {
			check(response.Error())
		}
		return response
	}
	authority, err := os.ReadFile(os.Getenv("CA"))
	check(err)
	redirect := os.Getenv("APP") + "/oidc/callback"
	// vault write auth/oidc/config …
	request(logical.UpdateOperation, "config", map[string]any{
		"oidc_discovery_url":    os.Getenv("ISSUER"),
		"oidc_discovery_ca_pem": string(authority),
		"oidc_client_id":        "vault",
		"oidc_client_secret":    os.Getenv("SECRET"),
		"default_role":          "default",
	})
	// vault write auth/oidc/role/default …
	role := map[string]any{
		"allowed_redirect_uris": []string{redirect},
		"user_claim":            os.Getenv("USER_CLAIM"),
		"oidc_scopes":           strings.Fields(os.Getenv("SCOPES")),
		"policies":              []string{"default"},
	}
	if claim := os.Getenv("GROUPS_CLAIM"); claim != "" {
		role["groups_claim"] = claim
	}
	request(logical.CreateOperation, "role/default", role)
	started := request(logical.UpdateOperation, "oidc/auth_url", map[string]any{
		"role": "default", "redirect_uri": redirect, "client_nonce": "interop",
	})
	fmt.Println("OPEN", started.Data["auth_url"])

	done := make(chan int)
	http.HandleFunc("/oidc/callback", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		response, err := backend.HandleRequest(ctx, &logical.Request{
			Operation: logical.ReadOperation, Path: "oidc/callback", Storage: storage, Connection: &logical.Connection{},
			Data: map[string]any{"state": query.Get("state"), "code": query.Get("code"), "client_nonce": "interop"},
		})
		status := 1
		switch {
		case err != nil:
			fmt.Fprintln(w, "refused:", err)
		case response.IsError():
			fmt.Fprintln(w, "refused:", response.Error())
		default:
			fmt.Fprintf(w, "alias=%s groups=", response.Auth.Alias.Name)
			for _, group := range response.Auth.GroupAliases {
				fmt.Fprintf(w, "%s ", group.Name)
			}
			status = 0
		}
		w.(http.Flusher).Flush()
		go func() { time.Sleep(time.Second); done <- status }()
	})
	go http.ListenAndServe("127.0.0.1:"+os.Getenv("APP_PORT"), nil)
	os.Exit(<-done)
}

func check(err error) {
	if err != nil {
		fmt.Println("refused:", err)
		os.Exit(1)
	}
}
