// An API that accepts access tokens. Reading invoices requires a permission.
//
//	go run ./examples/api http://localhost:8080 http://127.0.0.1:7001
//
// Arguments: the issuer, the URI that the API is registered under, and its base URL if that is another one. With SERVICE_ID
// and SERVICE_SECRET in the environment it introspects every token.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"

	sinete "sinete.example/client"
)

func main() {
	settings := sinete.VerifierSettings{Issuer: os.Args[1], Audience: os.Args[2], BaseURL: os.Args[len(os.Args)-1]}
	if id := os.Getenv("SERVICE_ID"); id != "" {
		client := sinete.ClientSecretBasic(id, os.Getenv("SERVICE_SECRET"))
		settings.Introspection = &client
	}
	verifier, err := sinete.NewAccessTokenVerifier(settings)
	if err != nil {
		log.Fatal(err)
	}
	handle := func(path string, requirements sinete.AccessRequirements, body func(*sinete.VerifiedAccessToken) any) {
		http.HandleFunc("GET "+path, func(writer http.ResponseWriter, request *http.Request) {
			token, err := verifier.Verify(request.Context(), sinete.ReadCredentials(request), requirements)
			var rejected *sinete.RequestRejectedError
			if errors.As(err, &rejected) {
				log.Println(rejected.Status, rejected.Reason)
				rejected.WriteResponse(writer)
				return
			}
			writer.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(writer).Encode(body(token))
		})
	}
	handle("/whoami", sinete.AccessRequirements{}, func(token *sinete.VerifiedAccessToken) any {
		actors := []any{}
		for _, actor := range token.Actors {
			actors = append(actors, map[string]string{"subject": actor.Subject, "profile": actor.Profile})
		}
		return map[string]any{"subject": token.Subject, "organization": token.Organization, "actors": actors}
	})
	handle("/invoices", sinete.AccessRequirements{Scopes: []string{"invoices:read"}}, func(token *sinete.VerifiedAccessToken) any {
		return map[string]any{"organization": token.Organization, "invoices": []string{"2026-001"}}
	})
	address, err := url.Parse(settings.BaseURL)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", address.Host)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("The API listens at http://" + listener.Addr().String())
	log.Fatal(http.Serve(listener, nil))
}
