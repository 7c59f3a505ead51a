//! What the organization knows about its members and shows to its directories beside the stored attributes.
//!
//! Nothing here reads an account: a member that no directory provisioned is shown by the profile that the
//! organization sees, or by the address at which the organization invited them.

use super::{ScimResource, resource_url};
use crate::organizations::invitations;
use crate::{Engine, Error};
use serde_json::{Map, Value, json};
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::scim::{ENTERPRISE_SCHEMA, ScimResourceType};
use sinete_store::organizations::member_batch;
use sinete_store::organizations::memberships::MembershipHolder;
use sinete_store::scim::users::ScimUserRow;

/// Adds the name and the address of members that no directory provisioned. `resources` has the order of
/// `users`.
pub(super) async fn complete_users(
    engine: &Engine,
    users: &[ScimUserRow],
    resources: &mut [ScimResource],
) -> Result<(), Error> {
    let never_provisioned = |user: &&ScimUserRow| user.user_name.is_none();
    let ids: Vec<MembershipId> =
        users.iter().filter(never_provisioned).map(|user| user.membership.id).collect();
    let (false, Some(organization)) = (ids.is_empty(), users.first().map(|it| it.membership.organization))
    else {
        return Ok(());
    };
    let addresses = invitations::list_last_addresses(engine.store(), organization, &ids).await?;
    for (user, resource) in users.iter().zip(resources).filter(|(user, _)| never_provisioned(user)) {
        let address = addresses.iter().find(|(id, _)| *id == user.membership.id);
        complete_user(&mut resource.resource, address.map(|(_, address)| address.as_str()));
    }
    Ok(())
}

fn complete_user(resource: &mut Map<String, Value>, email: Option<&str>) {
    if !resource.contains_key("emails")
        && let Some(address) = email
    {
        resource.insert("emails".to_owned(), json!([{"value": address, "type": "work", "primary": true}]));
    }
    if !resource.contains_key("displayName") {
        let part = |name: &str| resource.get("name").and_then(|it| it.get(name)).and_then(Value::as_str);
        let parts: Vec<&str> = [part("givenName"), part("familyName")].into_iter().flatten().collect();
        if !parts.is_empty() {
            let full_name = parts.join(" ");
            resource.insert("displayName".to_owned(), full_name.into());
        }
    }
}

/// Adds the `$ref` of managers who are users of the organization. Any other manager is a text of the directory's.
pub(super) async fn link_managers(
    engine: &Engine,
    organization: OrganizationId,
    resources: &mut [ScimResource],
) -> Result<(), Error> {
    let mut ids: Vec<MembershipId> =
        resources.iter().filter_map(|it| manager_id(&it.resource)?.parse().ok()).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(());
    }
    let memberships = member_batch::find_members(engine.store(), organization, &ids).await?;
    let is_user = |id: &str| {
        let mut users = memberships.iter().filter(|it| !matches!(it.holder, MembershipHolder::Machine(_)));
        users.any(|it| it.id.to_string() == id)
    };
    for resource in resources {
        let Some(id) = manager_id(&resource.resource).filter(|id| is_user(id)).map(str::to_owned) else {
            continue;
        };
        let manager = resource.resource.get_mut(ENTERPRISE_SCHEMA).and_then(|it| it.get_mut("manager"));
        if let Some(Value::Object(manager)) = manager {
            manager.insert("$ref".to_owned(), resource_url(engine, ScimResourceType::User, &id).into());
        }
    }
    Ok(())
}

fn manager_id(resource: &Map<String, Value>) -> Option<&str> {
    resource.get(ENTERPRISE_SCHEMA)?.get("manager")?.get("value")?.as_str()
}
