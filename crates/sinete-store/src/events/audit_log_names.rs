//! The names of the applications, API keys and invitations in audit log entries: one statement for a page of them instead of one each.

use crate::active_conditions::filter_only;
use crate::failure::StoreFailure;
use crate::id_batch::{any_in_batch, batch_parameters};
use crate::statement::SqlStatement;
use crate::store::Store;
use sinete_core::client_id::ClientId;
use sinete_core::id::{ApiKeyId, InvitationId, OrganizationId};

/// The names of these clients, of whichever organization they are.
pub async fn list_client_names(
    store: &Store,
    clients: &[ClientId],
) -> Result<Vec<(ClientId, String)>, StoreFailure> {
    let clients: Vec<&ClientId> = clients.iter().collect();
    let mut names = Vec::new();
    // The empty text sorts before every id.
    for parameters in batch_parameters("", &clients) {
        for row in store.read_list(&CLIENTS, &parameters).await? {
            names.push((row.client_id("id")?, row.text("name")?.to_owned()));
        }
    }
    Ok(names)
}

/// The names of these API keys, as far as they are of the organization.
pub async fn list_api_key_names(
    store: &Store,
    organization: OrganizationId,
    keys: &[ApiKeyId],
) -> Result<Vec<(ApiKeyId, String)>, StoreFailure> {
    let mut names = Vec::new();
    for parameters in batch_parameters(organization, keys) {
        for row in store.read_list(&API_KEYS, &parameters).await? {
            names.push((row.id("id")?, row.text("name")?.to_owned()));
        }
    }
    Ok(names)
}

/// The addresses of these invitations, as far as they are of the organization and known.
pub async fn list_invitation_addresses(
    store: &Store,
    organization: OrganizationId,
    invitations: &[InvitationId],
) -> Result<Vec<(InvitationId, String)>, StoreFailure> {
    let mut addresses = Vec::new();
    for parameters in batch_parameters(organization, invitations) {
        for row in store.read_list(&INVITATIONS, &parameters).await? {
            addresses.push((row.id("id")?, row.text("lookup")?.to_owned()));
        }
    }
    Ok(addresses)
}

static CLIENTS: SqlStatement = SqlStatement::new(
    "audit.client_names",
    concat!("SELECT id, name FROM clients WHERE id IN ", any_in_batch!(), " AND id > ?1 ORDER BY id"),
);
static API_KEYS: SqlStatement = SqlStatement::new(
    "audit.api_key_names",
    concat!(
        "SELECT id, name FROM api_keys WHERE id IN ",
        any_in_batch!(),
        " AND ",
        filter_only!("organization_id = ?1"),
        " ORDER BY id"
    ),
);

static INVITATIONS: SqlStatement = SqlStatement::new(
    "audit.invitation_addresses",
    concat!(
        "SELECT id, lookup FROM invitations WHERE id IN ",
        any_in_batch!(),
        " AND ",
        filter_only!("organization_id = ?1"),
        " AND lookup <> '' ORDER BY id"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&CLIENTS, &API_KEYS, &INVITATIONS];
