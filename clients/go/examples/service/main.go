// A service that calls an API, with its own tokens or on behalf of a user.
//
//	CLIENT_ID=robot CLIENT_SECRET=… go run ./examples/service http://localhost:8080 http://127.0.0.1:7001 /invoices invoices:read
//
// Arguments: the issuer, the URI that the API is registered under, the path, the scope, and the base URL of the API if that is
// another one. Instead of a secret it takes a key: CLIENT_KEY in PEM and CLIENT_ALGORITHM. With SUBJECT_TOKEN or API_KEY it
// acts on behalf of their subject. With USE_DPOP its tokens are bound to a key.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	sinete "sinete.example/client"
)

func main() {
	issuer, resource, path, scope := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	baseURL := resource
	if len(os.Args) > 5 {
		baseURL = os.Args[5]
	}
	client := sinete.ClientSecretBasic(os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET"))
	if key, isPresent := os.LookupEnv("CLIENT_KEY"); isPresent {
		var err error
		client, err = sinete.PrivateKeyJWT(os.Getenv("CLIENT_ID"), key, sinete.SigningAlgorithm(os.Getenv("CLIENT_ALGORITHM")), "")
		check(err)
	}
	_, useDPoP := os.LookupEnv("USE_DPOP")
	tokenClient, err := sinete.NewTokenClient(sinete.TokenClientSettings{Issuer: issuer, Client: client, UseDPoP: useDPoP})
	check(err)
	subject := sinete.SubjectClient()
	if token, isPresent := os.LookupEnv("SUBJECT_TOKEN"); isPresent {
		subject = sinete.SubjectAccessToken(token)
	} else if key, isPresent := os.LookupEnv("API_KEY"); isPresent {
		subject = sinete.SubjectAPIKey(key)
	}
	ctx := context.Background()
	token, err := tokenClient.GetToken(ctx, sinete.TokenRequest{Subject: subject, Scope: scope, Resource: resource})
	check(err)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, baseURL+path, nil)
	check(err)
	check(tokenClient.AddAuthorization(request, token))
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	check(err)
	fmt.Println(response.StatusCode, string(body))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
