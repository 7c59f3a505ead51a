// Administers an organization: creates a role, changes it, lists all roles, and removes it again.
//
//	API_KEY=… go run ./examples/admin http://localhost:8080 acme
//
// The API key needs roles:read and roles:manage.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"sort"
	"strings"

	sinete "sinete.example/client"
)

func main() {
	ctx, organization := context.Background(), os.Args[2]
	client, err := sinete.NewManagementClient(sinete.ManagementClientSettings{Issuer: os.Args[1], APIKey: os.Getenv("API_KEY")})
	check(err)

	// Repeated with the same Idempotency-Key, a request creates nothing twice.
	idempotent := client.WithIdempotencyKey("create-reader-in-go")
	reader := sinete.CreateRoleRequest{Name: "reader", Permissions: []string{"members:read"}}
	created, err := idempotent.CreateRole(ctx, organization, reader)
	check(err)
	again, err := idempotent.CreateRole(ctx, organization, reader)
	check(err)
	fmt.Printf("created %s once: %v\n", created.Name, created.ID == again.ID)

	patch := sinete.RolePatch{Permissions: sinete.Set([]string{"members:read", "roles:read"})}
	changed, err := client.UpdateRole(ctx, organization, created.ID, created.Version, patch)
	check(err)
	fmt.Println("changed:", strings.Join(changed.Permissions, " "))

	// A change based on the old version is rejected.
	_, err = client.UpdateRole(ctx, organization, created.ID, created.Version, patch)
	fmt.Println("rejected:", describe(err))

	var names []string
	for role, err := range client.ListRoles(organization).Limit(2).All(ctx) {
		check(err)
		names = append(names, role.Name)
	}
	sort.Strings(names)
	fmt.Println("roles:", strings.Join(names, " "))

	check(client.RemoveRole(ctx, organization, created.ID, changed.Version))
	_, err = client.GetRole(ctx, organization, created.ID)
	fmt.Println("removed:", describe(err))
}

func describe(err error) string {
	var problem *sinete.ManagementAPIError
	if !errors.As(err, &problem) {
		log.Fatal(err)
	}
	return fmt.Sprint(problem.Status, " ", problem.ProblemType)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
