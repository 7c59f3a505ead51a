//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use super::{
    Assignment, Invitation, ListInstanceRelationshipsQuery, ListMembersQuery, ListRelationshipsQuery, Member,
    Message, NewAssignment, Organization, PermissionCatalogue, Reason, Relationship, Role, SigningKeys,
    Webhook, WebhookAttempt, WebhookReplay,
};
use crate::management::{Asked, Management, Pages, Problem, segment};

impl Management {
    /// Lists relationships of an organization at an API of the instance's that it is offered. Needs
    /// `instance:read` over the instance.
    pub fn list_instance_relationships(
        &self,
        api: &str,
        organization: &str,
        query: &ListInstanceRelationshipsQuery,
    ) -> Pages<'_, Relationship> {
        self.pages(
            &format!("/manage/apis/{}/organizations/{}/relationships", segment(api), segment(organization)),
            query,
        )
    }

    /// Lists what became of telling a webhook of the instance, for 30 days. Needs `instance:read` over the
    /// instance.
    pub fn list_instance_webhook_attempts(&self, webhook: &str) -> Pages<'_, WebhookAttempt> {
        self.pages(&format!("/manage/webhooks/{}/attempts", segment(webhook)), &())
    }

    /// Lists the addresses of the instance that are told of events, without their secrets. Needs
    /// `instance:read` over the instance.
    pub fn list_instance_webhooks(&self) -> Pages<'_, Webhook> {
        self.pages("/manage/webhooks", &())
    }

    /// Lists the invitations of an organization, whatever has become of them. Needs `members:read` in the
    /// organization.
    pub fn list_invitations(&self, organization: &str) -> Pages<'_, Invitation> {
        self.pages(&format!("/manage/organizations/{}/invitations", segment(organization)), &())
    }

    /// Lists the signing keys, each with its life, without their private halves. Needs `instance:read` over
    /// the instance.
    pub async fn list_keys(&self) -> Result<SigningKeys, Problem> {
        self.answer(Asked::new("GET", "/manage/keys")).await
    }

    /// Lists the members of an organization, or finds some of them. Needs `members:read` in the
    /// organization.
    pub fn list_members(&self, organization: &str, query: &ListMembersQuery) -> Pages<'_, Member> {
        self.pages(&format!("/manage/organizations/{}/members", segment(organization)), query)
    }

    /// Lists what became of the messages that were sent, without their recipients and contents. Needs
    /// `instance:read` over the instance.
    pub fn list_messages(&self) -> Pages<'_, Message> {
        self.pages("/manage/messages", &())
    }

    /// Lists the organizations of the instance. Needs `instance:read` over the instance.
    pub fn list_organizations(&self) -> Pages<'_, Organization> {
        self.pages("/manage/organizations", &())
    }

    /// Lists every permission of ours, with its text in both languages.
    pub async fn list_permissions(&self) -> Result<PermissionCatalogue, Problem> {
        self.answer(Asked::new("GET", "/manage/permissions")).await
    }

    /// Lists relationships of the organization at an API that it may use. Needs `apis:read` in the
    /// organization.
    pub fn list_relationships(
        &self,
        organization: &str,
        api: &str,
        query: &ListRelationshipsQuery,
    ) -> Pages<'_, Relationship> {
        self.pages(
            &format!("/manage/organizations/{}/apis/{}/relationships", segment(organization), segment(api)),
            query,
        )
    }

    /// Lists the roles of an organization. Needs `roles:read` in the organization.
    pub fn list_roles(&self, organization: &str) -> Pages<'_, Role> {
        self.pages(&format!("/manage/organizations/{}/roles", segment(organization)), &())
    }

    /// Lists what became of telling a webhook, for 30 days. Needs `webhooks:manage` in the organization.
    pub fn list_webhook_attempts(&self, organization: &str, webhook: &str) -> Pages<'_, WebhookAttempt> {
        self.pages(
            &format!(
                "/manage/organizations/{}/webhooks/{}/attempts",
                segment(organization),
                segment(webhook)
            ),
            &(),
        )
    }

    /// Lists the addresses of an organization that are told of events, without their secrets. Needs
    /// `webhooks:manage` in the organization.
    pub fn list_webhooks(&self, organization: &str) -> Pages<'_, Webhook> {
        self.pages(&format!("/manage/organizations/{}/webhooks", segment(organization)), &())
    }

    /// Assigns an operator to act inside an organization or as one of its members; never oneself. Needs
    /// `instance:operate` over the instance.
    pub async fn make_assignment(&self, body: &NewAssignment) -> Result<Assignment, Problem> {
        self.answer(Asked::new("POST", "/manage/assignments").repeatable().body(body)).await
    }

    /// Offers an API of the instance's to an organization. Needs `instance:operate` over the instance.
    pub async fn offer_api(&self, api: &str, organization: &str) -> Result<(), Problem> {
        self.done(Asked::new(
            "PUT",
            &format!("/manage/apis/{}/offers/{}", segment(api), segment(organization)),
        ))
        .await
    }

    /// Tells a webhook of the instance of nothing until it is resumed. Needs `instance:operate` over the
    /// instance.
    pub async fn pause_instance_webhook(&self, webhook: &str) -> Result<Webhook, Problem> {
        self.answer(Asked::new("POST", &format!("/manage/webhooks/{}/pause", segment(webhook)))).await
    }

    /// Tells a webhook of nothing until it is resumed. Needs `webhooks:manage` in the organization.
    pub async fn pause_webhook(&self, organization: &str, webhook: &str) -> Result<Webhook, Problem> {
        self.answer(Asked::new(
            "POST",
            &format!("/manage/organizations/{}/webhooks/{}/pause", segment(organization), segment(webhook)),
        ))
        .await
    }

    /// Removes an API of the organization's own: nobody holds any of its permissions any more. Needs
    /// `apis:manage` in the organization.
    pub async fn remove_api(&self, organization: &str, api: &str, version: i64) -> Result<(), Problem> {
        self.done(
            Asked::new(
                "DELETE",
                &format!("/manage/organizations/{}/apis/{}", segment(organization), segment(api)),
            )
            .version(version),
        )
        .await
    }

    /// Removes a client for good, with every grant it was given. Needs `clients:manage` or `agents:manage`
    /// in the organization, depending on its kind.
    pub async fn remove_client(&self, organization: &str, client: &str) -> Result<(), Problem> {
        self.done(Asked::new(
            "DELETE",
            &format!("/manage/organizations/{}/clients/{}", segment(organization), segment(client)),
        ))
        .await
    }

    /// Removes a connection for good: nobody signs in there any more. Needs `sso:manage` in the
    /// organization.
    pub async fn remove_connection(&self, organization: &str, connection: &str) -> Result<(), Problem> {
        self.done(Asked::new(
            "DELETE",
            &format!("/manage/organizations/{}/connections/{}", segment(organization), segment(connection)),
        ))
        .await
    }

    /// Removes a domain: the organization vouches for nobody in it any more. Needs `domains:manage` in the
    /// organization.
    pub async fn remove_domain(&self, organization: &str, domain: &str) -> Result<(), Problem> {
        self.done(Asked::new(
            "DELETE",
            &format!("/manage/organizations/{}/domains/{}", segment(organization), segment(domain)),
        ))
        .await
    }

    /// Removes an API of the instance's: nobody holds any of its permissions any more. Needs
    /// `instance:operate` over the instance.
    pub async fn remove_instance_api(&self, api: &str, version: i64) -> Result<(), Problem> {
        self.done(Asked::new("DELETE", &format!("/manage/apis/{}", segment(api))).version(version)).await
    }

    /// Removes a client for good, with every grant it was given. Needs `instance:operate` over the instance.
    pub async fn remove_instance_client(&self, client: &str) -> Result<(), Problem> {
        self.done(Asked::new("DELETE", &format!("/manage/clients/{}", segment(client)))).await
    }

    /// Removes a webhook of the instance for good. Needs `instance:operate` over the instance.
    pub async fn remove_instance_webhook(&self, webhook: &str) -> Result<(), Problem> {
        self.done(Asked::new("DELETE", &format!("/manage/webhooks/{}", segment(webhook)))).await
    }

    /// Removes a member for good. Whoever removes themself leaves. Needs `members:manage` in the
    /// organization, unless the thing is the caller's own and the credential carries everything that the
    /// caller holds.
    pub async fn remove_member(&self, organization: &str, member: &str) -> Result<(), Problem> {
        self.done(Asked::new(
            "DELETE",
            &format!("/manage/organizations/{}/members/{}", segment(organization), segment(member)),
        ))
        .await
    }

    /// Takes the logo of an organization away. Needs `organization:update` in the organization.
    pub async fn remove_organization_logo(&self, organization: &str, version: i64) -> Result<(), Problem> {
        self.done(
            Asked::new("DELETE", &format!("/manage/organizations/{}/logo", segment(organization)))
                .version(version),
        )
        .await
    }

    /// Removes a role. Whoever carried it does not any more. Needs `roles:manage` in the organization.
    pub async fn remove_role(&self, organization: &str, role: &str, version: i64) -> Result<(), Problem> {
        self.done(
            Asked::new(
                "DELETE",
                &format!("/manage/organizations/{}/roles/{}", segment(organization), segment(role)),
            )
            .version(version),
        )
        .await
    }

    /// Removes a webhook for good. Needs `webhooks:manage` in the organization.
    pub async fn remove_webhook(&self, organization: &str, webhook: &str) -> Result<(), Problem> {
        self.done(Asked::new(
            "DELETE",
            &format!("/manage/organizations/{}/webhooks/{}", segment(organization), segment(webhook)),
        ))
        .await
    }

    /// Tells a webhook of the instance of everything since a moment once more. Needs `instance:operate` over
    /// the instance.
    pub async fn replay_instance_webhook(
        &self,
        webhook: &str,
        body: &WebhookReplay,
    ) -> Result<Webhook, Problem> {
        self.answer(Asked::new("POST", &format!("/manage/webhooks/{}/replay", segment(webhook))).body(body))
            .await
    }

    /// Tells a webhook of everything since a moment once more. Needs `webhooks:manage` in the organization.
    pub async fn replay_webhook(
        &self,
        organization: &str,
        webhook: &str,
        body: &WebhookReplay,
    ) -> Result<Webhook, Problem> {
        self.answer(
            Asked::new(
                "POST",
                &format!(
                    "/manage/organizations/{}/webhooks/{}/replay",
                    segment(organization),
                    segment(webhook)
                ),
            )
            .body(body),
        )
        .await
    }

    /// Restores a suspended organization: everything counts again as it did. Needs an assignment of the
    /// caller to the organization: its own members cannot do this.
    pub async fn restore_organization(
        &self,
        organization: &str,
        body: &Reason,
    ) -> Result<Organization, Problem> {
        self.answer(
            Asked::new("POST", &format!("/manage/organizations/{}/restore", segment(organization)))
                .body(body),
        )
        .await
    }

    /// Tells a paused webhook of the instance of events again, beginning with the one it did not take. Needs
    /// `instance:operate` over the instance.
    pub async fn resume_instance_webhook(&self, webhook: &str) -> Result<Webhook, Problem> {
        self.answer(Asked::new("POST", &format!("/manage/webhooks/{}/resume", segment(webhook)))).await
    }

    /// Tells a paused webhook of events again, beginning with the one it did not take. Needs
    /// `webhooks:manage` in the organization.
    pub async fn resume_webhook(&self, organization: &str, webhook: &str) -> Result<Webhook, Problem> {
        self.answer(Asked::new(
            "POST",
            &format!("/manage/organizations/{}/webhooks/{}/resume", segment(organization), segment(webhook)),
        ))
        .await
    }
}
