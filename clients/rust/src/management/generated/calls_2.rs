//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use super::{
    AccountSummary, Api, ApiKey, ApiOffers, Assignment, AuditEntry, Client, ClientSecrets, Connection,
    Domain, Event, Grant, Impersonation, ImpersonationToken, InstanceSettings, Invitation, IssuedApiKey,
    ListAccountsQuery, ListAuditEntriesQuery, ListEventsQuery, ListGrantsQuery, ListInstanceAssignmentsQuery,
    ListInstanceClientsQuery, Logo, ManagedAccount, Member, Message, NewApiKey, NewInvitation, Organization,
    ProtectedResource, Role, Webhook,
};
use crate::management::{Asked, Management, Pages, Problem, segment};

impl Management {
    /// Shows what a member let an application do. Needs `members:read` in the organization.
    pub async fn get_grant(&self, organization: &str, grant: &str) -> Result<Grant, Problem> {
        self.answer(Asked::new(
            "GET",
            &format!("/manage/organizations/{}/grants/{}", segment(organization), segment(grant)),
        ))
        .await
    }

    /// Shows any API. Needs `instance:read` over the instance.
    pub async fn get_instance_api(&self, api: &str) -> Result<Api, Problem> {
        self.answer(Asked::new("GET", &format!("/manage/apis/{}", segment(api)))).await
    }

    /// Shows any client. Needs `instance:read` over the instance.
    pub async fn get_instance_client(&self, client: &str) -> Result<Client, Problem> {
        self.answer(Asked::new("GET", &format!("/manage/clients/{}", segment(client)))).await
    }

    /// Shows what any API has to publish, and the exact challenge it answers. Needs `instance:read` over the
    /// instance.
    pub async fn get_instance_protected_resource(&self, api: &str) -> Result<ProtectedResource, Problem> {
        self.answer(Asked::new("GET", &format!("/manage/apis/{}/protected-resource", segment(api)))).await
    }

    /// Shows a webhook of the instance. Needs `instance:read` over the instance.
    pub async fn get_instance_webhook(&self, webhook: &str) -> Result<Webhook, Problem> {
        self.answer(Asked::new("GET", &format!("/manage/webhooks/{}", segment(webhook)))).await
    }

    /// Shows an invitation. Needs `members:read` in the organization.
    pub async fn get_invitation(&self, organization: &str, invitation: &str) -> Result<Invitation, Problem> {
        self.answer(Asked::new(
            "GET",
            &format!("/manage/organizations/{}/invitations/{}", segment(organization), segment(invitation)),
        ))
        .await
    }

    /// Shows a person: addresses, memberships, what they sign in with, never a secret. Needs
    /// `accounts:manage` over the instance.
    pub async fn get_managed_account(&self, account: &str) -> Result<ManagedAccount, Problem> {
        self.answer(Asked::new("GET", &format!("/manage/accounts/{}", segment(account)))).await
    }

    /// Shows a member. Needs `members:read` in the organization.
    pub async fn get_member(&self, organization: &str, member: &str) -> Result<Member, Problem> {
        self.answer(Asked::new(
            "GET",
            &format!("/manage/organizations/{}/members/{}", segment(organization), segment(member)),
        ))
        .await
    }

    /// Shows what became of a message. Needs `instance:read` over the instance.
    pub async fn get_message(&self, message: &str) -> Result<Message, Problem> {
        self.answer(Asked::new("GET", &format!("/manage/messages/{}", segment(message)))).await
    }

    /// Shows an organization. Needs `organization:read` in the organization.
    pub async fn get_organization(&self, organization: &str) -> Result<Organization, Problem> {
        self.answer(Asked::new("GET", &format!("/manage/organizations/{}", segment(organization)))).await
    }

    /// Says what logo an organization has. Needs `organization:read` in the organization.
    pub async fn get_organization_logo(&self, organization: &str) -> Result<Logo, Problem> {
        self.answer(Asked::new("GET", &format!("/manage/organizations/{}/logo", segment(organization)))).await
    }

    /// Shows what an API has to publish, and the exact challenge it answers. Needs `apis:read` in the
    /// organization.
    pub async fn get_protected_resource(
        &self,
        organization: &str,
        api: &str,
    ) -> Result<ProtectedResource, Problem> {
        self.answer(Asked::new(
            "GET",
            &format!(
                "/manage/organizations/{}/apis/{}/protected-resource",
                segment(organization),
                segment(api)
            ),
        ))
        .await
    }

    /// Shows a role. Needs `roles:read` in the organization.
    pub async fn get_role(&self, organization: &str, role: &str) -> Result<Role, Problem> {
        self.answer(Asked::new(
            "GET",
            &format!("/manage/organizations/{}/roles/{}", segment(organization), segment(role)),
        ))
        .await
    }

    /// Shows how the instance is set up, as far as that is no secret. Needs `instance:read` over the
    /// instance.
    pub async fn get_settings(&self) -> Result<InstanceSettings, Problem> {
        self.answer(Asked::new("GET", "/manage/settings")).await
    }

    /// Shows a webhook. Needs `webhooks:manage` in the organization.
    pub async fn get_webhook(&self, organization: &str, webhook: &str) -> Result<Webhook, Problem> {
        self.answer(Asked::new(
            "GET",
            &format!("/manage/organizations/{}/webhooks/{}", segment(organization), segment(webhook)),
        ))
        .await
    }

    /// Acts as the member that one's own assignment names: a token of five minutes that says so, for nothing
    /// that administers. Needs `instance:read` over the instance.
    pub async fn impersonate(
        &self,
        assignment: &str,
        body: &Impersonation,
    ) -> Result<ImpersonationToken, Problem> {
        self.answer(
            Asked::new("POST", &format!("/manage/assignments/{}/impersonate", segment(assignment)))
                .body(body),
        )
        .await
    }

    /// Invites somebody by mail into a place among the members that waits for them. Needs `members:manage`
    /// in the organization.
    pub async fn invite(&self, organization: &str, body: &NewInvitation) -> Result<Invitation, Problem> {
        self.answer(
            Asked::new("POST", &format!("/manage/organizations/{}/invitations", segment(organization)))
                .repeatable()
                .body(body),
        )
        .await
    }

    /// Issues an API key. Its secret is shown in this answer and never again. Needs `api_keys:manage` in the
    /// organization.
    pub async fn issue_api_key(&self, organization: &str, body: &NewApiKey) -> Result<IssuedApiKey, Problem> {
        self.answer(
            Asked::new("POST", &format!("/manage/organizations/{}/api-keys", segment(organization)))
                .repeatable()
                .body(body),
        )
        .await
    }

    /// Lists the accounts of the instance, or finds the one that proved an address. Needs `accounts:manage`
    /// over the instance.
    pub fn list_accounts(&self, query: &ListAccountsQuery) -> Pages<'_, AccountSummary> {
        self.pages("/manage/accounts", query)
    }

    /// Lists the API keys of an organization's members, without their secrets. Needs `api_keys:manage` in
    /// the organization.
    pub fn list_api_keys(&self, organization: &str) -> Pages<'_, ApiKey> {
        self.pages(&format!("/manage/organizations/{}/api-keys", segment(organization)), &())
    }

    /// Lists the organizations that an API of the instance's is offered to one by one. Needs `instance:read`
    /// over the instance.
    pub async fn list_api_offers(&self, api: &str) -> Result<ApiOffers, Problem> {
        self.answer(Asked::new("GET", &format!("/manage/apis/{}/offers", segment(api)))).await
    }

    /// Lists the APIs that an organization may use: its own and those offered to it. Needs `apis:read` in
    /// the organization.
    pub fn list_apis(&self, organization: &str) -> Pages<'_, Api> {
        self.pages(&format!("/manage/organizations/{}/apis", segment(organization)), &())
    }

    /// Lists the assignments concerning an organization, for the organization itself. Needs `audit:read` in
    /// the organization.
    pub fn list_assignments(&self, organization: &str) -> Pages<'_, Assignment> {
        self.pages(&format!("/manage/organizations/{}/assignments", segment(organization)), &())
    }

    /// Shows who did what in an organization and to it, in pages or whole as a file. Needs `audit:read` in
    /// the organization.
    pub fn list_audit_entries(
        &self,
        organization: &str,
        query: &ListAuditEntriesQuery,
    ) -> Pages<'_, AuditEntry> {
        self.pages(&format!("/manage/organizations/{}/audit", segment(organization)), query)
    }

    /// Lists the secrets of a client that work now, without the secrets themselves. Needs `clients:read` in
    /// the organization.
    pub async fn list_client_secrets(
        &self,
        organization: &str,
        client: &str,
    ) -> Result<ClientSecrets, Problem> {
        self.answer(Asked::new(
            "GET",
            &format!("/manage/organizations/{}/clients/{}/secrets", segment(organization), segment(client)),
        ))
        .await
    }

    /// Lists the clients of an organization. Needs `clients:read` in the organization.
    pub fn list_clients(&self, organization: &str) -> Pages<'_, Client> {
        self.pages(&format!("/manage/organizations/{}/clients", segment(organization)), &())
    }

    /// Lists the providers that an organization is connected to, without their secrets. Needs `sso:manage`
    /// in the organization.
    pub fn list_connections(&self, organization: &str) -> Pages<'_, Connection> {
        self.pages(&format!("/manage/organizations/{}/connections", segment(organization)), &())
    }

    /// Lists the domains that an organization calls its own, with the records that prove them. Needs
    /// `domains:manage` in the organization.
    pub fn list_domains(&self, organization: &str) -> Pages<'_, Domain> {
        self.pages(&format!("/manage/organizations/{}/domains", segment(organization)), &())
    }

    /// Lists everything that happened, from the security log. Needs `instance:read` over the instance.
    pub fn list_events(&self, query: &ListEventsQuery) -> Pages<'_, Event> {
        self.pages("/manage/events", query)
    }

    /// Lists what the members of an organization let applications do. Needs `members:read` in the
    /// organization.
    pub fn list_grants(&self, organization: &str, query: &ListGrantsQuery) -> Pages<'_, Grant> {
        self.pages(&format!("/manage/organizations/{}/grants", segment(organization)), query)
    }

    /// Lists every API there is. Needs `instance:read` over the instance.
    pub fn list_instance_apis(&self) -> Pages<'_, Api> {
        self.pages("/manage/apis", &())
    }

    /// Lists the assignments concerning an organization, for those who run the instance. Needs
    /// `instance:read` over the instance.
    pub fn list_instance_assignments(&self, query: &ListInstanceAssignmentsQuery) -> Pages<'_, Assignment> {
        self.pages("/manage/assignments", query)
    }

    /// Lists the secrets of a client that work now, without the secrets themselves. Needs `instance:read`
    /// over the instance.
    pub async fn list_instance_client_secrets(&self, client: &str) -> Result<ClientSecrets, Problem> {
        self.answer(Asked::new("GET", &format!("/manage/clients/{}/secrets", segment(client)))).await
    }

    /// Lists the operators' clients, or those that registered themselves. Needs `instance:read` over the
    /// instance.
    pub fn list_instance_clients(&self, query: &ListInstanceClientsQuery) -> Pages<'_, Client> {
        self.pages("/manage/clients", query)
    }
}
