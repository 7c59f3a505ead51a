// Verifies an ID token with the authenticator that kube-apiserver uses for --oidc-*, and prints the user.
package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"k8s.io/apiserver/pkg/apis/apiserver"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/plugin/pkg/authenticator/token/oidc"
	_ "k8s.io/client-go/plugin/pkg/client/auth/oidc"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"
)

func main() {
	ctx := context.Background()
	ca, err := dynamiccertificates.NewDynamicCAContentFromFile("ca", os.Getenv("CA"))
	check(err)
	prefix, none := "", ""
	// --oidc-issuer-url, --oidc-client-id, --oidc-username-claim=email, --oidc-groups-claim=groups
	authenticator, err := oidc.New(ctx, oidc.Options{
		CAContentProvider: ca,
		JWTAuthenticator: apiserver.JWTAuthenticator{
			Issuer: apiserver.Issuer{URL: os.Getenv("ISSUER"), Audiences: []string{"kubernetes"}},
			ClaimMappings: apiserver.ClaimMappings{
				Username: apiserver.PrefixedClaimOrExpression{Claim: os.Getenv("USERNAME_CLAIM"), Prefix: &prefix},
				Groups:   apiserver.PrefixedClaimOrExpression{Claim: os.Getenv("GROUPS_CLAIM"), Prefix: &none},
			},
		},
	})
	check(err)
	for attempt := 0; authenticator.HealthCheck() != nil; attempt++ {
		if attempt == 100 {
			check(authenticator.HealthCheck())
		}
		time.Sleep(100 * time.Millisecond)
	}
	token := os.Getenv("TOKEN")
	if refresh := os.Getenv("REFRESH_TOKEN"); refresh != "" {
		token = renew(refresh)
	}
	response, ok, err := authenticator.AuthenticateToken(ctx, token)
	check(err)
	if !ok {
		check(fmt.Errorf("the token is not for this authenticator"))
	}
	fmt.Printf("user=%s groups=%v\n", response.User.GetName(), response.User.GetGroups())
}

// renew refreshes the ID token with kubectl's OIDC provider, and returns what it then sends to the API server.
func renew(refresh string) string {
	sent := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent <- strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}))
	defer server.Close()
	provider, err := rest.GetAuthProvider("interop", &api.AuthProviderConfig{Name: "oidc", Config: map[string]string{
		"idp-issuer-url":            os.Getenv("ISSUER"),
		"client-id":                 "kubernetes",
		"client-secret":             os.Getenv("SECRET"),
		"refresh-token":             refresh,
		"idp-certificate-authority": os.Getenv("CA"),
	}}, memory{})
	check(err)
	client := http.Client{Transport: provider.WrapTransport(http.DefaultTransport)}
	_, err = client.Get(server.URL)
	check(err)
	return <-sent
}

// memory takes the place of the kubeconfig file that kubectl writes.
type memory struct{}

func (memory) Persist(map[string]string) error { return nil }

func check(err error) {
	if err != nil {
		fmt.Println("refused:", err)
		os.Exit(1)
	}
}
