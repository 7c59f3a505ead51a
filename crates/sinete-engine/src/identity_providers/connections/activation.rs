//! Disabling a connection works with any settings, like deleting it, because it is then not used. Enabling it
//! checks all requirements.

use super::validation::client_authentication;
use super::{ConnectionDraft, ConnectionOverview};
use crate::identity_providers::decrypt_secret;
use crate::{Engine, Failure};
use sinete_core::identity_providers::connections::ProviderAuthMethod;
use sinete_core::validation::ValidationErrors;
use sinete_store::identity_providers::connections;

/// Whether the change only disables the connection.
pub(super) fn only_disables(overview: &ConnectionOverview, draft: &ConnectionDraft) -> bool {
    let ConnectionDraft { settings, secret, domains, is_enabled, metadata } = draft;
    let is_same = *settings == overview.connection.settings && secret.is_none() && metadata.is_none();
    is_same && !is_enabled && overview.domains.iter().map(ToString::to_string).eq(domains.iter().cloned())
}

/// Requires that the stored secret can be decrypted, if the connection gets enabled.
pub(super) async fn require_readable_secret(
    engine: &Engine,
    overview: &ConnectionOverview,
    draft: &ConnectionDraft,
    errors: &mut ValidationErrors,
) -> Result<(), Failure> {
    let before = &overview.connection;
    let begins = draft.is_enabled && !before.is_enabled;
    let is_kept = before.has_secret && draft.secret.is_none();
    if !begins || !is_kept || client_authentication(&draft.settings) != Some(ProviderAuthMethod::ClientSecret)
    {
        return Ok(());
    }
    let encrypted_secret = connections::find_encrypted_secret(engine.store(), before.id).await?;
    if encrypted_secret
        .and_then(|encrypted_secret| decrypt_secret(engine, before.id, &encrypted_secret))
        .is_none()
    {
        errors.add("/client_secret", "the stored one cannot be decrypted; send it again");
    }
    Ok(())
}
