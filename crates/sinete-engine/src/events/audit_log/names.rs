//! The current names of what audit log entries refer to by id, for display. An entry itself contains ids,
//! because names change and entries do not.

use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::invitations;
use crate::{Engine, Failure};
use sinete_core::access_control::built_in_permissions::READ_MEMBERS;
use sinete_core::accounts::profile_text::ProfileText;
use sinete_core::client_id::ClientId;
use sinete_core::id::{ApiKeyId, InvitationId, MembershipId};
use sinete_core::organizations::member_profile::MemberProfile;
use sinete_store::events::audit_log::AuditLogEntry;
use sinete_store::events::audit_log_names;
use sinete_store::identity_providers::connections;
use sinete_store::organizations::member_batch;
use sinete_store::organizations::memberships::MembershipRow;
use std::collections::HashMap;

/// Maximum names that are kept while a log is exported.
const NAMES_MAX: usize = 10_000;

/// The names of actors and subjects. Members and invitations are named, by address if they have no name, for readers
/// who may see members; applications, connections, domains and API keys for every reader, because the log contains
/// their names where they were created.
#[derive(Debug, Default)]
pub struct AuditLogNames(HashMap<String, Option<String>>);

impl AuditLogNames {
    /// The name of an actor or subject, if it is known.
    pub fn find(&self, kind: &str, id: Option<&str>) -> Option<&str> {
        self.0.get(&format_key(kind, id?))?.as_deref()
    }

    /// Loads the names of what the entries refer to, as far as they are not loaded yet.
    pub(super) async fn load(
        &mut self,
        engine: &Engine,
        access: &OrganizationAccess,
        entries: &[AuditLogEntry],
    ) -> Result<(), Failure> {
        if self.0.len() > NAMES_MAX {
            self.0.clear();
        }
        let mut unnamed = UnnamedParties::default();
        for (kind, id) in entries.iter().flat_map(list_parties) {
            let key = format_key(kind, id);
            if self.0.contains_key(&key) {
                continue;
            }
            let name = match kind {
                "membership" | "invitation" | "client" | "api_key" => unnamed.add(kind, id),
                _ => find_name(engine, access, kind, id).await?,
            };
            self.0.insert(key, name);
        }
        let (store, organization) = (engine.store(), access.organization.id);
        for (id, name) in audit_log_names::list_client_names(store, &unnamed.clients).await? {
            self.0.insert(format_key("client", id.as_str()), Some(name));
        }
        for (id, name) in audit_log_names::list_api_key_names(store, organization, &unnamed.api_keys).await? {
            self.0.insert(format_key("api_key", &id.to_string()), Some(name));
        }
        if access.require_read_permission(READ_MEMBERS).is_err() {
            return Ok(());
        }
        let invited =
            audit_log_names::list_invitation_addresses(store, organization, &unnamed.invitations).await?;
        for (id, address) in invited {
            self.0.insert(format_key("invitation", &id.to_string()), Some(address));
        }
        let addresses = invitations::list_last_addresses(store, organization, &unnamed.members).await?;
        for member in member_batch::find_members(store, organization, &unnamed.members).await? {
            let address =
                addresses.iter().find(|(id, _)| *id == member.id).map(|(_, address)| address.clone());
            let name = read_member_name(&member)?.or(address).or(read_member_address(&member)?);
            self.0.insert(format_key("membership", &member.id.to_string()), name);
        }
        Ok(())
    }
}

/// Those whose names are loaded together.
#[derive(Debug, Default)]
struct UnnamedParties {
    members: Vec<MembershipId>,
    invitations: Vec<InvitationId>,
    clients: Vec<ClientId>,
    api_keys: Vec<ApiKeyId>,
}

impl UnnamedParties {
    /// Adds one. It has no name until the names are loaded, and none then if there is no such id.
    fn add(&mut self, kind: &str, id: &str) -> Option<String> {
        match kind {
            "membership" => self.members.extend(id.parse::<MembershipId>().ok()),
            "invitation" => self.invitations.extend(id.parse::<InvitationId>().ok()),
            "client" => self.clients.extend(id.parse::<ClientId>().ok()),
            _ => self.api_keys.extend(id.parse::<ApiKeyId>().ok()),
        }
        None
    }
}

/// The actor and the subject of an entry, by kind and id.
fn list_parties(entry: &AuditLogEntry) -> impl Iterator<Item = (&str, &str)> {
    let actor = entry.actor_id.as_deref().map(|id| (entry.actor_kind.as_str(), id));
    let subject = entry.subject_kind.as_deref().zip(entry.subject_id.as_deref());
    actor.into_iter().chain(subject)
}

fn format_key(kind: &str, id: &str) -> String {
    format!("{kind} {id}")
}

/// The name of something that entries seldom refer to.
async fn find_name(
    engine: &Engine,
    access: &OrganizationAccess,
    kind: &str,
    id: &str,
) -> Result<Option<String>, Failure> {
    let (store, organization) = (engine.store(), access.organization.id);
    Ok(match kind {
        "connection" => match id.parse() {
            Ok(id) => connections::find_connection(store, organization, id).await?.map(|it| it.settings.name),
            Err(_) => None,
        },
        // The id of a domain is its name.
        "domain" => Some(id.to_owned()),
        _ => None,
    })
}

/// The address of a member in its profile.
fn read_member_address(member: &MembershipRow) -> Result<Option<String>, Failure> {
    let profile: MemberProfile = member.profile.parse()?;
    Ok(profile.email.map(|address| address.to_string()))
}

/// The name of a member in its profile.
fn read_member_name(member: &MembershipRow) -> Result<Option<String>, Failure> {
    let profile: MemberProfile = member.profile.parse()?;
    let text = |text: Option<ProfileText>| text.map(|it| it.as_str().to_owned());
    let parts = [text(profile.given_name), text(profile.family_name)];
    let full_name = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
    Ok(text(profile.name).or(Some(full_name).filter(|name| !name.is_empty())))
}
