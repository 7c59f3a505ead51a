//! Webhooks in a document: export and apply.

use super::apply::{authorize_in_declared, no_longer_exists};
use super::identity_providers;
use super::identity_providers::secret_reference;
use crate::access_control::admin_scope::AdminScope;
use crate::access_control::caller::AuthenticatedCaller;
use crate::access_control::instance_admin::InstanceAdmin;
use crate::events::webhooks;
use crate::events::webhooks::{WebhookBootstrap, WebhookDraft};
use crate::{Engine, Error, Failure, InstanceMode};
use sinete_core::administration::declarative::webhooks::{
    DeclaredWebhook, DeclaredWebhooks, format_webhook_pointer,
};
use sinete_core::administration::declarative::{DeclarativeConfig, SecretReference};
use sinete_core::events::webhooks::{EventKindFilter, PlainHttpPolicy, WebhookUrl};
use sinete_core::id::{OrganizationId, WebhookId};
use sinete_core::limits::{WEBHOOK_SECRET_OVERLAP, WEBHOOKS_MAX};
use sinete_core::organizations::OrganizationSlug;
use sinete_core::validation::ValidationErrors;
use sinete_crypto::events::webhooks::WebhookSecret;
use sinete_store::events::webhooks::{WebhookRow, find_encrypted_secret, list_webhooks};
use std::collections::BTreeMap;

/// The resolved secrets of a document. The document itself then contains their digests.
#[derive(Default)]
pub struct DeclaredSecrets {
    webhook_secrets: BTreeMap<String, WebhookSecret>,
    provider_secrets: BTreeMap<String, String>,
}

impl std::fmt::Debug for DeclaredSecrets {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("FoundSecrets(…)")
    }
}

impl DeclaredSecrets {
    /// Adds a webhook secret, and returns its digest reference.
    pub fn add_webhook_secret(&mut self, secret: WebhookSecret) -> SecretReference {
        let reference = SecretReference::from(&secret.digest());
        if let SecretReference::Digest(text) = &reference {
            self.webhook_secrets.insert(text.clone(), secret);
        }
        reference
    }

    /// Adds an identity provider's secret, and returns its digest reference.
    pub fn add_provider_secret(&mut self, secret: String) -> SecretReference {
        let reference = secret_reference(&secret);
        if let SecretReference::Digest(text) = &reference {
            self.provider_secrets.insert(text.clone(), secret);
        }
        reference
    }

    /// Finds the identity provider's secret for a digest reference.
    pub(super) fn find_provider_secret(&self, reference: Option<&SecretReference>) -> Option<String> {
        let Some(SecretReference::Digest(text)) = reference else { return None };
        self.provider_secrets.get(text).cloned()
    }

    fn find_webhook_secret(&self, reference: Option<&SecretReference>) -> Option<WebhookSecret> {
        let Some(SecretReference::Digest(text)) = reference else { return None };
        WebhookSecret::from_bytes(self.webhook_secrets.get(text)?.as_bytes())
    }
}

/// Finds webhook URLs and identity providers that this instance does not accept, because they do not use TLS.
pub fn find_faults(
    engine: &Engine,
    current: &DeclarativeConfig,
    config: &DeclarativeConfig,
) -> ValidationErrors {
    let mut errors = ValidationErrors::default();
    let addresses = config.iter_webhooks().flat_map(|(owner, all)| all.iter().map(move |it| (owner, it)));
    for (owner, (name, webhook)) in addresses {
        if let (InstanceMode::Production, Err(webhook_url)) =
            (engine.settings().mode, WebhookUrl::parse(webhook.address.as_str(), PlainHttpPolicy::Refused))
        {
            errors.add(format!("{}/address", format_webhook_pointer(owner, name)), webhook_url.to_string());
        }
    }
    identity_providers::add_faults(engine, current, config, &mut errors);
    errors
}

/// Loads the webhooks of an organization or of the instance, with digests of their secrets.
pub(super) async fn load_current(
    engine: &Engine,
    owner: Option<OrganizationId>,
) -> Result<DeclaredWebhooks, Failure> {
    let mut declared_webhooks = DeclaredWebhooks::new();
    for webhook in list_webhooks(engine.store(), owner, None, WEBHOOKS_MAX).await? {
        // A stored URL was valid when it was saved.
        let Ok(address) = WebhookUrl::try_from(webhook.address.clone()) else { continue };
        let host = address.as_str().split('/').nth(2).unwrap_or_default();
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let stem: String = host.chars().map(plain).collect();
        let numbered = (2_u32..).map(|number| format!("{stem}-{number}"));
        let free =
            std::iter::once(stem.clone()).chain(numbered).find(|name| !declared_webhooks.contains_key(name));
        let declared = DeclaredWebhook {
            id: Some(webhook.id),
            address,
            description: webhook.description.clone(),
            kinds: EventKindFilter::from_kinds(webhook.kinds.iter().filter_map(|kind| kind.parse().ok())),
            secret: load_secret_reference(engine, webhook.id).await?,
        };
        declared_webhooks.extend(free.map(|name| (name, declared)));
    }
    Ok(declared_webhooks)
}

/// The digest reference of a webhook's secret; `None` if it cannot be decrypted.
async fn load_secret_reference(engine: &Engine, id: WebhookId) -> Result<Option<SecretReference>, Failure> {
    let Some(encrypted_secret) = find_encrypted_secret(engine.store(), id).await? else { return Ok(None) };
    let secret = webhooks::decrypt_secret(engine, id, &encrypted_secret);
    Ok(secret.map(|secret| SecretReference::from(&secret.digest())))
}

/// The command line caller with the resolved secrets.
#[derive(Clone, Copy)]
pub(super) struct DeclarativeCaller<'a> {
    pub(super) engine: &'a Engine,
    pub(super) caller: &'a AuthenticatedCaller,
    pub(super) secrets: &'a DeclaredSecrets,
}

impl DeclarativeCaller<'_> {
    /// Adds a webhook. Without a declared secret, it gets a random one that is never displayed.
    pub(super) async fn create(
        self,
        owner: Option<&OrganizationSlug>,
        declared: &DeclaredWebhook,
    ) -> Result<(), Error> {
        let webhook_bootstrap = WebhookBootstrap {
            id: declared.id,
            secret: self.secrets.find_webhook_secret(declared.secret.as_ref()),
        };
        let instance_admin = InstanceAdmin::new(self.engine, self.caller);
        let Some(slug) = owner else {
            let admin_scope = AdminScope::Instance(&instance_admin);
            return webhooks::create(
                self.engine,
                admin_scope,
                &to_webhook_draft(declared),
                webhook_bootstrap,
            )
            .await
            .map(drop);
        };
        let access = authorize_in_declared(self.engine, self.caller, slug).await?;
        {
            let admin_scope = AdminScope::Organization(&access);
            webhooks::create(self.engine, admin_scope, &to_webhook_draft(declared), webhook_bootstrap)
                .await
                .map(drop)
        }
    }

    /// Updates a webhook. The previous secret also signs for a day.
    pub(super) async fn change(
        self,
        owner: Option<&OrganizationSlug>,
        declared: &DeclaredWebhook,
    ) -> Result<(), Error> {
        let instance_admin = InstanceAdmin::new(self.engine, self.caller);
        let access = match owner {
            Some(slug) => Some(authorize_in_declared(self.engine, self.caller, slug).await?),
            None => None,
        };
        let admin_scope =
            access.as_ref().map_or(AdminScope::Instance(&instance_admin), AdminScope::Organization);
        let Some(id) = declared.id else { return Err(no_longer_exists("webhook").into()) };
        let before = webhooks::show(self.engine, admin_scope, id).await?;
        if !matches_declared(&before, declared) {
            webhooks::change(self.engine, admin_scope, &before, &to_webhook_draft(declared)).await?;
        }
        let Some(secret) = self.secrets.find_webhook_secret(declared.secret.as_ref()) else {
            return Ok(());
        };
        if load_secret_reference(self.engine, id).await?.as_ref() == declared.secret.as_ref() {
            return Ok(());
        }
        webhooks::adopt_secret(self.engine, admin_scope, id, &secret, WEBHOOK_SECRET_OVERLAP).await.map(drop)
    }

    /// Removes a webhook permanently.
    pub(super) async fn remove(self, owner: Option<&OrganizationSlug>, id: WebhookId) -> Result<(), Error> {
        let instance_admin = InstanceAdmin::new(self.engine, self.caller);
        let Some(slug) = owner else {
            return webhooks::remove(self.engine, AdminScope::Instance(&instance_admin), id).await;
        };
        let access = authorize_in_declared(self.engine, self.caller, slug).await?;
        webhooks::remove(self.engine, AdminScope::Organization(&access), id).await
    }
}

fn to_webhook_draft(declared: &DeclaredWebhook) -> WebhookDraft {
    WebhookDraft {
        address: declared.address.as_str().to_owned(),
        description: declared.description.clone(),
        kinds: declared.kinds.names().map(str::to_owned).collect(),
    }
}

fn matches_declared(webhook: &WebhookRow, declared: &DeclaredWebhook) -> bool {
    let kinds: Vec<_> = declared.kinds.names().collect();
    webhook.address == declared.address.as_str()
        && webhook.description == declared.description
        && webhook.kinds == kinds
}
