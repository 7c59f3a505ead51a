//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use super::{
    Api, ApiPatch, Client, ClientPatch, Connection, ConnectionPatch, ConnectionTrial, Domain, KeyRotation,
    Member, MemberPatch, MemberRoles, Organization, OrganizationPatch, Reason, Role, RolePatch, RotatedKey,
    SettledClient, SettledWebhook, Webhook, WebhookPatch, WebhookSecretRotation,
};
use crate::management::{Asked, Management, Problem, segment};

impl Management {
    /// Revokes an API key: it stops working everywhere at once. Needs `api_keys:manage` in the organization.
    pub async fn revoke_api_key(&self, organization: &str, api_key: &str) -> Result<(), Problem> {
        self.done(Asked::new(
            "DELETE",
            &format!("/manage/organizations/{}/api-keys/{}", segment(organization), segment(api_key)),
        ))
        .await
    }

    /// Revokes a secret of a client at once. Needs `clients:manage` or `agents:manage` in the organization,
    /// depending on its kind.
    pub async fn revoke_client_secret(
        &self,
        organization: &str,
        client: &str,
        secret: &str,
    ) -> Result<(), Problem> {
        self.done(Asked::new(
            "DELETE",
            &format!(
                "/manage/organizations/{}/clients/{}/secrets/{}",
                segment(organization),
                segment(client),
                segment(secret)
            ),
        ))
        .await
    }

    /// Takes back what a member let an application do: every token under it ends at once. Needs
    /// `members:manage` in the organization.
    pub async fn revoke_grant(&self, organization: &str, grant: &str) -> Result<(), Problem> {
        self.done(Asked::new(
            "DELETE",
            &format!("/manage/organizations/{}/grants/{}", segment(organization), segment(grant)),
        ))
        .await
    }

    /// Revokes a secret of a client at once. Needs `instance:operate` over the instance.
    pub async fn revoke_instance_client_secret(&self, client: &str, secret: &str) -> Result<(), Problem> {
        self.done(Asked::new(
            "DELETE",
            &format!("/manage/clients/{}/secrets/{}", segment(client), segment(secret)),
        ))
        .await
    }

    /// Takes an invitation back, and with it the place that waited. Needs `members:manage` in the
    /// organization.
    pub async fn revoke_invitation(&self, organization: &str, invitation: &str) -> Result<(), Problem> {
        self.done(Asked::new(
            "DELETE",
            &format!("/manage/organizations/{}/invitations/{}", segment(organization), segment(invitation)),
        ))
        .await
    }

    /// Gives a webhook of the instance another secret; the earlier one signs beside it for a while. Needs
    /// `instance:operate` over the instance.
    pub async fn rotate_instance_webhook_secret(
        &self,
        webhook: &str,
        body: &WebhookSecretRotation,
    ) -> Result<SettledWebhook, Problem> {
        self.answer(Asked::new("POST", &format!("/manage/webhooks/{}/secret", segment(webhook))).body(body))
            .await
    }

    /// Makes a successor for the key that signs with an algorithm: published now, signing once everybody can
    /// know it. Needs `keys:rotate` over the instance.
    pub async fn rotate_key(&self, body: &KeyRotation) -> Result<RotatedKey, Problem> {
        self.answer(Asked::new("POST", "/manage/keys/rotate").body(body)).await
    }

    /// Gives a webhook another secret; the earlier one signs beside it for a while. Needs `webhooks:manage`
    /// in the organization.
    pub async fn rotate_webhook_secret(
        &self,
        organization: &str,
        webhook: &str,
        body: &WebhookSecretRotation,
    ) -> Result<SettledWebhook, Problem> {
        self.answer(
            Asked::new(
                "POST",
                &format!(
                    "/manage/organizations/{}/webhooks/{}/secret",
                    segment(organization),
                    segment(webhook)
                ),
            )
            .body(body),
        )
        .await
    }

    /// Gives a member these roles and no others. Needs `members:manage` in the organization.
    pub async fn set_member_roles(
        &self,
        organization: &str,
        member: &str,
        version: i64,
        body: &MemberRoles,
    ) -> Result<Member, Problem> {
        self.answer(
            Asked::new(
                "PUT",
                &format!("/manage/organizations/{}/members/{}/roles", segment(organization), segment(member)),
            )
            .version(version)
            .body(body),
        )
        .await
    }

    /// Writes to a person that they should set a new password, which nobody but them chooses. Needs
    /// `accounts:manage` over the instance.
    pub async fn start_account_reset(&self, account: &str) -> Result<(), Problem> {
        self.done(Asked::new("POST", &format!("/manage/accounts/{}/reset", segment(account)))).await
    }

    /// Suspends an organization: it confers nothing and accepts no change until it is restored. Needs an
    /// assignment of the caller to the organization: its own members cannot do this.
    pub async fn suspend_organization(
        &self,
        organization: &str,
        body: &Reason,
    ) -> Result<Organization, Problem> {
        self.answer(
            Asked::new("POST", &format!("/manage/organizations/{}/suspend", segment(organization)))
                .body(body),
        )
        .await
    }

    /// Tries a connection without anybody signing in, and says plainly what is wrong. Needs `sso:manage` in
    /// the organization.
    pub async fn test_connection(
        &self,
        organization: &str,
        connection: &str,
    ) -> Result<ConnectionTrial, Problem> {
        self.answer(Asked::new(
            "POST",
            &format!(
                "/manage/organizations/{}/connections/{}/test",
                segment(organization),
                segment(connection)
            ),
        ))
        .await
    }

    /// Has a webhook of the instance told of a trial, in its turn. Needs `instance:operate` over the
    /// instance.
    pub async fn test_instance_webhook(&self, webhook: &str) -> Result<(), Problem> {
        self.done(Asked::new("POST", &format!("/manage/webhooks/{}/test", segment(webhook)))).await
    }

    /// Has a webhook told of a trial, in its turn. Needs `webhooks:manage` in the organization.
    pub async fn test_webhook(&self, organization: &str, webhook: &str) -> Result<(), Problem> {
        self.done(Asked::new(
            "POST",
            &format!("/manage/organizations/{}/webhooks/{}/test", segment(organization), segment(webhook)),
        ))
        .await
    }

    /// Changes an API of the organization's own. Needs `apis:manage` in the organization.
    pub async fn update_api(
        &self,
        organization: &str,
        api: &str,
        version: i64,
        body: &ApiPatch,
    ) -> Result<Api, Problem> {
        self.answer(
            Asked::new(
                "PATCH",
                &format!("/manage/organizations/{}/apis/{}", segment(organization), segment(api)),
            )
            .version(version)
            .patch(body),
        )
        .await
    }

    /// Changes a client. Needs `clients:manage` or `agents:manage` in the organization, depending on its
    /// kind.
    pub async fn update_client(
        &self,
        organization: &str,
        client: &str,
        version: i64,
        body: &ClientPatch,
    ) -> Result<SettledClient, Problem> {
        self.answer(
            Asked::new(
                "PATCH",
                &format!("/manage/organizations/{}/clients/{}", segment(organization), segment(client)),
            )
            .version(version)
            .patch(body),
        )
        .await
    }

    /// Changes a connection. Who the provider is stays. Needs `sso:manage` in the organization.
    pub async fn update_connection(
        &self,
        organization: &str,
        connection: &str,
        version: i64,
        body: &ConnectionPatch,
    ) -> Result<Connection, Problem> {
        self.answer(
            Asked::new(
                "PATCH",
                &format!(
                    "/manage/organizations/{}/connections/{}",
                    segment(organization),
                    segment(connection)
                ),
            )
            .version(version)
            .patch(body),
        )
        .await
    }

    /// Changes an API of the instance's. Needs `instance:operate` over the instance.
    pub async fn update_instance_api(
        &self,
        api: &str,
        version: i64,
        body: &ApiPatch,
    ) -> Result<Api, Problem> {
        self.answer(
            Asked::new("PATCH", &format!("/manage/apis/{}", segment(api))).version(version).patch(body),
        )
        .await
    }

    /// Changes a client. Needs `instance:operate` over the instance.
    pub async fn update_instance_client(
        &self,
        client: &str,
        version: i64,
        body: &ClientPatch,
    ) -> Result<SettledClient, Problem> {
        self.answer(
            Asked::new("PATCH", &format!("/manage/clients/{}", segment(client))).version(version).patch(body),
        )
        .await
    }

    /// Changes a webhook of the instance. Needs `instance:operate` over the instance.
    pub async fn update_instance_webhook(
        &self,
        webhook: &str,
        version: i64,
        body: &WebhookPatch,
    ) -> Result<Webhook, Problem> {
        self.answer(
            Asked::new("PATCH", &format!("/manage/webhooks/{}", segment(webhook)))
                .version(version)
                .patch(body),
        )
        .await
    }

    /// Changes what the organization knows about a member. Needs `members:manage` in the organization.
    pub async fn update_member(
        &self,
        organization: &str,
        member: &str,
        version: i64,
        body: &MemberPatch,
    ) -> Result<Member, Problem> {
        self.answer(
            Asked::new(
                "PATCH",
                &format!("/manage/organizations/{}/members/{}", segment(organization), segment(member)),
            )
            .version(version)
            .patch(body),
        )
        .await
    }

    /// Renames an organization or changes its settings. Needs `organization:update` in the organization.
    pub async fn update_organization(
        &self,
        organization: &str,
        version: i64,
        body: &OrganizationPatch,
    ) -> Result<Organization, Problem> {
        self.answer(
            Asked::new("PATCH", &format!("/manage/organizations/{}", segment(organization)))
                .version(version)
                .patch(body),
        )
        .await
    }

    /// Changes a role; a built-in one cannot be changed. Needs `roles:manage` in the organization.
    pub async fn update_role(
        &self,
        organization: &str,
        role: &str,
        version: i64,
        body: &RolePatch,
    ) -> Result<Role, Problem> {
        self.answer(
            Asked::new(
                "PATCH",
                &format!("/manage/organizations/{}/roles/{}", segment(organization), segment(role)),
            )
            .version(version)
            .patch(body),
        )
        .await
    }

    /// Changes a webhook. Needs `webhooks:manage` in the organization.
    pub async fn update_webhook(
        &self,
        organization: &str,
        webhook: &str,
        version: i64,
        body: &WebhookPatch,
    ) -> Result<Webhook, Problem> {
        self.answer(
            Asked::new(
                "PATCH",
                &format!("/manage/organizations/{}/webhooks/{}", segment(organization), segment(webhook)),
            )
            .version(version)
            .patch(body),
        )
        .await
    }

    /// Vouches for a client. Needs `clients:verify` over the instance.
    pub async fn verify_client(&self, client: &str) -> Result<Client, Problem> {
        self.answer(Asked::new("POST", &format!("/manage/clients/{}/verification", segment(client)))).await
    }

    /// Looks for the record of a domain. Where it is found, the domain is the organization's own. Needs
    /// `domains:manage` in the organization.
    pub async fn verify_domain(&self, organization: &str, domain: &str) -> Result<Domain, Problem> {
        self.answer(Asked::new(
            "POST",
            &format!("/manage/organizations/{}/domains/{}/verify", segment(organization), segment(domain)),
        ))
        .await
    }

    /// Takes an offer back: whatever its roles say, the organization holds nothing at the API. Needs
    /// `instance:operate` over the instance.
    pub async fn withdraw_api_offer(&self, api: &str, organization: &str) -> Result<(), Problem> {
        self.done(Asked::new(
            "DELETE",
            &format!("/manage/apis/{}/offers/{}", segment(api), segment(organization)),
        ))
        .await
    }

    /// Withdraws that anybody vouches for a client. Needs `clients:verify` over the instance.
    pub async fn withdraw_client_verification(&self, client: &str) -> Result<Client, Problem> {
        self.answer(Asked::new("DELETE", &format!("/manage/clients/{}/verification", segment(client)))).await
    }

    /// Takes back the deletion that somebody asked for. Needs `organization:delete` in the organization.
    pub async fn withdraw_organization_deletion(&self, organization: &str) -> Result<Organization, Problem> {
        self.answer(Asked::new(
            "DELETE",
            &format!("/manage/organizations/{}/deletion", segment(organization)),
        ))
        .await
    }
}
