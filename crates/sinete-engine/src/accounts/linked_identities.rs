//! Linked identities: listing and unlinking. Linking is a flow, because it requires a sign-in at the identity
//! provider.

use crate::organizations::former_members;
use crate::platform::email::EmailKind;
use crate::sign_in::account_holder::{AccountHolder, list_sign_in_methods, not_found};
use crate::sign_in::backchannel_logout;
use crate::sign_in::{sessions, sign_in_alerts};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::events::security_event::EventKind;
use sinete_core::identity_providers::connections::issuer_from_key;
use sinete_core::identity_providers::identity_resolution::ExternalIdentity;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::sign_in::SignInRefusal;
use sinete_core::secret::Digest;
use sinete_core::sign_in::sign_in_methods::{SignInMethod, allow_sign_in};
use sinete_core::time::Timestamp;
use sinete_store::WriteBatch;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;
use sinete_store::identity_providers::identities;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::UsableMembership;

/// A linked identity, as shown to the account holder.
#[derive(Clone, Debug)]
pub struct LinkedIdentity {
    /// The id of the link.
    pub id: String,
    /// The issuer of the identity provider.
    pub issuer: String,
    /// The subject at the identity provider.
    pub subject: String,
    /// When it was linked.
    pub created_at: Timestamp,
    /// Whether it can currently be used to sign in.
    pub is_usable: bool,
    identity: ExternalIdentity,
}

/// An identity provider that can be linked.
#[derive(Clone, Debug)]
pub struct LinkableProvider {
    /// The connection.
    pub connection: ConnectionRow,
    /// The organization's name.
    pub organization: String,
}

/// The digest type of a link's id.
enum IdentityDigestDomain {}

/// Lists the linked identities.
pub async fn list(engine: &Engine, account_holder: &AccountHolder) -> Result<Vec<LinkedIdentity>, Failure> {
    let usable = crate::sign_in::flows::list_usable_identities(engine, account_holder.account()).await?;
    let linked = identities::list_account_identities(engine.store(), account_holder.account()).await?;
    let to_linked_identity = |linked: identities::LinkedIdentityRow| {
        let identity = ExternalIdentity { provider: linked.provider, subject: linked.subject };
        let (_, issuer) = identity.split_provider_key()?;
        let parts = [identity.provider.as_bytes(), identity.subject.as_bytes()];
        let digest = Digest::<IdentityDigestDomain>::from_parts(&parts);
        Some(LinkedIdentity {
            id: URL_SAFE_NO_PAD.encode(&digest.as_bytes()[..16]),
            issuer: issuer_from_key(issuer).to_owned(),
            subject: identity.subject.clone(),
            created_at: linked.created_at,
            is_usable: usable.iter().any(|(_, external_identity)| *external_identity == identity),
            identity,
        })
    };
    Ok(linked.into_iter().filter_map(to_linked_identity).collect())
}

/// Lists the identity providers of the user's organizations that are not linked.
pub async fn list_linkable(
    engine: &Engine,
    account_holder: &AccountHolder,
) -> Result<Vec<LinkableProvider>, Failure> {
    let linked = list(engine, account_holder).await?;
    let mut linkable_providers = Vec::new();
    for UsableMembership { organization, name, .. } in
        memberships::list_usable_memberships(engine.store(), account_holder.account(), account_holder.now())
            .await?
    {
        for connection in
            connections::list_usable_connections(engine.store(), organization, account_holder.now()).await?
        {
            let is_linked = |it: &LinkedIdentity| {
                it.identity.split_provider_key() == Some((organization, connection.provider_key().as_str()))
            };
            if !linked.iter().any(is_linked) {
                linkable_providers.push(LinkableProvider { connection, organization: name.clone() });
            }
        }
    }
    Ok(linkable_providers)
}

/// Unlinks an identity, if the user can still sign in without it. Other sessions end.
pub async fn unlink(engine: &Engine, account_holder: &AccountHolder, id: &str) -> Result<(), Error> {
    account_holder.require_fresh_authentication(engine).await?;
    let account = account_holder.account();
    for _ in 0..ATTEMPTS_MAX {
        // Guarded by the account's version, so that two concurrent requests cannot remove the last two
        // sign-in methods.
        let account_row = super::profile::show(engine, account_holder).await?;
        let Some(linked_identity) = list(engine, account_holder).await?.into_iter().find(|it| it.id == id)
        else {
            return Err(not_found("no such identity of this account").into());
        };
        let mut sign_in_methods = list_sign_in_methods(engine, account).await?;
        if let Some(index) =
            sign_in_methods.iter().position(|it| linked_identity.is_usable && *it == SignInMethod::Provider)
        {
            sign_in_methods.remove(index);
        }
        if !allow_sign_in(&sign_in_methods) {
            return Err(Refusal::because(SignInRefusal::LastCredential, "the last sign-in method").into());
        }
        let event =
            account_holder.event(engine, EventKind::IdentityUnlinked).with_subject("account", account);
        let event = match linked_identity.identity.split_provider_key() {
            Some((organization, _)) => event.with_organization(organization),
            None => event,
        };
        let stored = identities::ExternalIdentityKey {
            provider: &linked_identity.identity.provider,
            subject: &linked_identity.identity.subject,
        };
        let batch = WriteBatch::new()
            .with_statement(sinete_store::accounts::advance_account_version(&account_row))
            .with_statement(identities::unlink_identity(stored, account))
            .with_statements(former_members::record_unlinked_identity(account, &linked_identity.identity))
            .with_event(&event.with_detail("issuer", linked_identity.issuer.as_str()));
        let kept_session = Some(account_holder.signed_in.session.id);
        let (batch, ended) =
            sessions::end_other_sessions(engine, batch, account, kept_session, &account_holder.cause).await?;
        let batch = sign_in_alerts::notify_owner(
            engine,
            batch,
            account,
            EmailKind::IdentityUnlinked(&linked_identity.issuer),
        )
        .await?;
        if engine.store().commit(batch).await?.is_committed() {
            drop(backchannel_logout::spawn_notifications(engine, ended, &account_holder.cause));
            return Ok(());
        }
    }
    Err(Failure::Contended.into())
}
