//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use super::{
    AccountSummary, Api, ApiKey, Assignment, Client, Connection, Domain, Event, IssuedClientSecret, Logo,
    Member, NewApi, NewClient, NewClientSecret, NewConnection, NewDomain, NewLogo, NewOrganization, NewRole,
    NewWebhook, Organization, RelationshipChanges, RelationshipsChanged, Role, SettledClient, SettledWebhook,
};
use crate::management::{Asked, Management, Problem, segment};

impl Management {
    /// Gives a client one more secret, shown in this answer and never again. Earlier ones work on for a
    /// while. Needs `clients:manage` or `agents:manage` in the organization, depending on its kind.
    pub async fn add_client_secret(
        &self,
        organization: &str,
        client: &str,
        body: &NewClientSecret,
    ) -> Result<IssuedClientSecret, Problem> {
        self.answer(
            Asked::new(
                "POST",
                &format!(
                    "/manage/organizations/{}/clients/{}/secrets",
                    segment(organization),
                    segment(client)
                ),
            )
            .repeatable()
            .body(body),
        )
        .await
    }

    /// Adds a domain, and shows the record that proves it once it is published. Needs `domains:manage` in
    /// the organization.
    pub async fn add_domain(&self, organization: &str, body: &NewDomain) -> Result<Domain, Problem> {
        self.answer(
            Asked::new("POST", &format!("/manage/organizations/{}/domains", segment(organization)))
                .repeatable()
                .body(body),
        )
        .await
    }

    /// Gives a client one more secret, shown in this answer and never again. Earlier ones work on for a
    /// while. Needs `instance:operate` over the instance.
    pub async fn add_instance_client_secret(
        &self,
        client: &str,
        body: &NewClientSecret,
    ) -> Result<IssuedClientSecret, Problem> {
        self.answer(
            Asked::new("POST", &format!("/manage/clients/{}/secrets", segment(client)))
                .repeatable()
                .body(body),
        )
        .await
    }

    /// Asks for an organization to be deleted. It ends after 30 days; until then this can be taken back.
    /// Needs `organization:delete` in the organization.
    pub async fn ask_organization_deletion(&self, organization: &str) -> Result<Organization, Problem> {
        self.answer(Asked::new("POST", &format!("/manage/organizations/{}/deletion", segment(organization))))
            .await
    }

    /// Adds and removes relationships of an organization at an API of the instance's, all of them or none.
    /// Needs `instance:relate` over the instance.
    pub async fn change_instance_relationships(
        &self,
        api: &str,
        organization: &str,
        body: &RelationshipChanges,
    ) -> Result<RelationshipsChanged, Problem> {
        self.answer(
            Asked::new(
                "POST",
                &format!(
                    "/manage/apis/{}/organizations/{}/relationships",
                    segment(api),
                    segment(organization)
                ),
            )
            .body(body),
        )
        .await
    }

    /// Adds and removes relationships at an API of the organization's own, all of them or none. Needs
    /// `apis:relate` in the organization.
    pub async fn change_relationships(
        &self,
        organization: &str,
        api: &str,
        body: &RelationshipChanges,
    ) -> Result<RelationshipsChanged, Problem> {
        self.answer(
            Asked::new(
                "POST",
                &format!(
                    "/manage/organizations/{}/apis/{}/relationships",
                    segment(organization),
                    segment(api)
                ),
            )
            .body(body),
        )
        .await
    }

    /// Chooses the logo that people see who sign in to an organization, in place of the one before. Needs
    /// `organization:update` in the organization.
    pub async fn choose_organization_logo(
        &self,
        organization: &str,
        version: i64,
        body: &NewLogo,
    ) -> Result<Logo, Problem> {
        self.answer(
            Asked::new("PUT", &format!("/manage/organizations/{}/logo", segment(organization)))
                .version(version)
                .body(body),
        )
        .await
    }

    /// Adds an API of the organization's own. Needs `apis:manage` in the organization.
    pub async fn create_api(&self, organization: &str, body: &NewApi) -> Result<Api, Problem> {
        self.answer(
            Asked::new("POST", &format!("/manage/organizations/{}/apis", segment(organization)))
                .repeatable()
                .body(body),
        )
        .await
    }

    /// Adds a client of the organization's own. A secret it is given is shown in this answer and never
    /// again. Needs `clients:create` or `agents:manage` in the organization, depending on its kind.
    pub async fn create_client(
        &self,
        organization: &str,
        body: &NewClient,
    ) -> Result<SettledClient, Problem> {
        self.answer(
            Asked::new("POST", &format!("/manage/organizations/{}/clients", segment(organization)))
                .repeatable()
                .body(body),
        )
        .await
    }

    /// Connects an organization to a provider of its own, at which its members sign in. Needs `sso:manage`
    /// in the organization.
    pub async fn create_connection(
        &self,
        organization: &str,
        body: &NewConnection,
    ) -> Result<Connection, Problem> {
        self.answer(
            Asked::new("POST", &format!("/manage/organizations/{}/connections", segment(organization)))
                .repeatable()
                .body(body),
        )
        .await
    }

    /// Adds an API of the instance's. Needs `instance:operate` over the instance.
    pub async fn create_instance_api(&self, body: &NewApi) -> Result<Api, Problem> {
        self.answer(Asked::new("POST", "/manage/apis").repeatable().body(body)).await
    }

    /// Adds a client that serves every organization. A secret it is given is shown in this answer and never
    /// again. Needs `instance:operate` over the instance.
    pub async fn create_instance_client(&self, body: &NewClient) -> Result<SettledClient, Problem> {
        self.answer(Asked::new("POST", "/manage/clients").repeatable().body(body)).await
    }

    /// Adds an address that is told of everything that happens from now on. The secret that signs is shown
    /// in this answer and never again. Needs `instance:operate` over the instance.
    pub async fn create_instance_webhook(&self, body: &NewWebhook) -> Result<SettledWebhook, Problem> {
        self.answer(Asked::new("POST", "/manage/webhooks").repeatable().body(body)).await
    }

    /// Makes an organization with its built-in roles. Needs `organizations:create` over the instance.
    pub async fn create_organization(&self, body: &NewOrganization) -> Result<Organization, Problem> {
        self.answer(Asked::new("POST", "/manage/organizations").repeatable().body(body)).await
    }

    /// Makes a role, holding nothing that its maker does not hold. Needs `roles:manage` in the organization.
    pub async fn create_role(&self, organization: &str, body: &NewRole) -> Result<Role, Problem> {
        self.answer(
            Asked::new("POST", &format!("/manage/organizations/{}/roles", segment(organization)))
                .repeatable()
                .body(body),
        )
        .await
    }

    /// Adds an address that is told of what happens in an organization from now on. The secret that signs is
    /// shown in this answer and never again. Needs `webhooks:manage` in the organization.
    pub async fn create_webhook(
        &self,
        organization: &str,
        body: &NewWebhook,
    ) -> Result<SettledWebhook, Problem> {
        self.answer(
            Asked::new("POST", &format!("/manage/organizations/{}/webhooks", segment(organization)))
                .repeatable()
                .body(body),
        )
        .await
    }

    /// Switches an account off: nobody signs in with it and nothing it granted counts; never one's own.
    /// Needs `accounts:manage` over the instance.
    pub async fn disable_account(&self, account: &str) -> Result<AccountSummary, Problem> {
        self.answer(Asked::new("POST", &format!("/manage/accounts/{}/disable", segment(account)))).await
    }

    /// Stops a client: nothing it holds counts until it is enabled again. Needs `clients:manage` or
    /// `agents:manage` in the organization, depending on its kind.
    pub async fn disable_client(&self, organization: &str, client: &str) -> Result<Client, Problem> {
        self.answer(Asked::new(
            "POST",
            &format!("/manage/organizations/{}/clients/{}/disable", segment(organization), segment(client)),
        ))
        .await
    }

    /// Stops a client: nothing it holds counts until it is enabled again. Needs `instance:operate` over the
    /// instance.
    pub async fn disable_instance_client(&self, client: &str) -> Result<Client, Problem> {
        self.answer(Asked::new("POST", &format!("/manage/clients/{}/disable", segment(client)))).await
    }

    /// Disables a member: nothing of theirs counts here until they are enabled again. Needs `members:manage`
    /// in the organization.
    pub async fn disable_member(&self, organization: &str, member: &str) -> Result<Member, Problem> {
        self.answer(Asked::new(
            "POST",
            &format!("/manage/organizations/{}/members/{}/disable", segment(organization), segment(member)),
        ))
        .await
    }

    /// Switches an account on again: everything counts that counted before. Needs `accounts:manage` over the
    /// instance.
    pub async fn enable_account(&self, account: &str) -> Result<AccountSummary, Problem> {
        self.answer(Asked::new("POST", &format!("/manage/accounts/{}/enable", segment(account)))).await
    }

    /// Lets a stopped client go on. Needs `clients:manage` or `agents:manage` in the organization, depending
    /// on its kind.
    pub async fn enable_client(&self, organization: &str, client: &str) -> Result<Client, Problem> {
        self.answer(Asked::new(
            "POST",
            &format!("/manage/organizations/{}/clients/{}/enable", segment(organization), segment(client)),
        ))
        .await
    }

    /// Lets a stopped client go on. Needs `instance:operate` over the instance.
    pub async fn enable_instance_client(&self, client: &str) -> Result<Client, Problem> {
        self.answer(Asked::new("POST", &format!("/manage/clients/{}/enable", segment(client)))).await
    }

    /// Enables a disabled member again. Needs `members:manage` in the organization.
    pub async fn enable_member(&self, organization: &str, member: &str) -> Result<Member, Problem> {
        self.answer(Asked::new(
            "POST",
            &format!("/manage/organizations/{}/members/{}/enable", segment(organization), segment(member)),
        ))
        .await
    }

    /// Signs a person out everywhere. Needs `accounts:manage` over the instance.
    pub async fn end_account_sessions(&self, account: &str) -> Result<(), Problem> {
        self.done(Asked::new("DELETE", &format!("/manage/accounts/{}/sessions", segment(account)))).await
    }

    /// Signs everybody out everywhere, whoever asks for it included. Needs `accounts:manage` over the
    /// instance.
    pub async fn end_all_sessions(&self) -> Result<(), Problem> {
        self.done(Asked::new("POST", "/manage/sessions/end-all")).await
    }

    /// Ends an assignment before its time. Needs `instance:operate` over the instance.
    pub async fn end_assignment(&self, assignment: &str) -> Result<(), Problem> {
        self.done(Asked::new("DELETE", &format!("/manage/assignments/{}", segment(assignment)))).await
    }

    /// Shows an API that the organization may use. Needs `apis:read` in the organization.
    pub async fn get_api(&self, organization: &str, api: &str) -> Result<Api, Problem> {
        self.answer(Asked::new(
            "GET",
            &format!("/manage/organizations/{}/apis/{}", segment(organization), segment(api)),
        ))
        .await
    }

    /// Shows an API key, without its secret. Needs `api_keys:manage` in the organization.
    pub async fn get_api_key(&self, organization: &str, api_key: &str) -> Result<ApiKey, Problem> {
        self.answer(Asked::new(
            "GET",
            &format!("/manage/organizations/{}/api-keys/{}", segment(organization), segment(api_key)),
        ))
        .await
    }

    /// Shows an assignment. Needs `instance:read` over the instance.
    pub async fn get_assignment(&self, assignment: &str) -> Result<Assignment, Problem> {
        self.answer(Asked::new("GET", &format!("/manage/assignments/{}", segment(assignment)))).await
    }

    /// Shows a client. Needs `clients:read` in the organization.
    pub async fn get_client(&self, organization: &str, client: &str) -> Result<Client, Problem> {
        self.answer(Asked::new(
            "GET",
            &format!("/manage/organizations/{}/clients/{}", segment(organization), segment(client)),
        ))
        .await
    }

    /// Shows a connection, without its secret. Needs `sso:manage` in the organization.
    pub async fn get_connection(&self, organization: &str, connection: &str) -> Result<Connection, Problem> {
        self.answer(Asked::new(
            "GET",
            &format!("/manage/organizations/{}/connections/{}", segment(organization), segment(connection)),
        ))
        .await
    }

    /// Shows a domain. Needs `domains:manage` in the organization.
    pub async fn get_domain(&self, organization: &str, domain: &str) -> Result<Domain, Problem> {
        self.answer(Asked::new(
            "GET",
            &format!("/manage/organizations/{}/domains/{}", segment(organization), segment(domain)),
        ))
        .await
    }

    /// Shows one thing that happened. Needs `instance:read` over the instance.
    pub async fn get_event(&self, event: &str) -> Result<Event, Problem> {
        self.answer(Asked::new("GET", &format!("/manage/events/{}", segment(event)))).await
    }
}
