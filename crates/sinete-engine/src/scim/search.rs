//! Lists of users and groups: filtered, sorted and paged.

use super::organization_data;
use super::resources;
use super::resources::ProvisionedGroup;
use super::{PERMISSION, ScimResource};
use crate::access_control::organization_access::OrganizationAccess;
use crate::{Engine, Error};
use serde_json::{Map, Value};
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::limits::SCIM_SCANNED_USERS_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::scim::ScimRefusal;
use sinete_core::scim::ScimResourceType;
use sinete_core::scim::filter::{FilterAttributeScope, ScimFilter, ScimUniqueLookup};
use sinete_core::scim::query::{ScimListQuery, ScimQueryParams};
use sinete_core::scim::users::normalize_user_name;
use sinete_store::scim::groups;
use sinete_store::scim::users;
use sinete_store::scim::users::ScimUserRow;
use std::collections::BTreeMap;

/// Page size for scanning users.
const SCAN_PAGE: u32 = 500;

/// A page of a list.
#[derive(Clone, Debug)]
pub struct ScimListPage {
    /// The total number of results.
    pub total: u64,
    /// The index of the first result, starting at one.
    pub start: u64,
    /// The results with the selected attributes.
    pub resources: Vec<Map<String, Value>>,
}

/// Lists users or groups.
pub async fn list(
    engine: &Engine,
    access: &OrganizationAccess,
    kind: ScimResourceType,
    params: &ScimQueryParams,
) -> Result<ScimListPage, Error> {
    list_in_scope(engine, access, kind, params, FilterAttributeScope::SearchedType).await
}

/// Lists users, then groups.
pub async fn list_users_and_groups(
    engine: &Engine,
    access: &OrganizationAccess,
    params: &ScimQueryParams,
) -> Result<ScimListPage, Error> {
    let everybodys = FilterAttributeScope::AllTypes;
    let mut list_page = list_in_scope(engine, access, ScimResourceType::User, params, everybodys).await?;
    let limit = params.resolve_for_type(ScimResourceType::User, everybodys)?.limit;
    let returned_count = u64::try_from(list_page.resources.len()).unwrap_or(u64::MAX);
    let skipped = (list_page.start - 1).saturating_sub(list_page.total);
    let rest = ScimQueryParams {
        start_index: Some(i64::try_from(skipped).unwrap_or(i64::MAX).saturating_add(1)),
        count: Some(i64::try_from(limit - returned_count).unwrap_or(i64::MAX)),
        ..params.clone()
    };
    let groups = list_in_scope(engine, access, ScimResourceType::Group, &rest, everybodys).await?;
    list_page.total += groups.total;
    list_page.resources.extend(groups.resources);
    Ok(list_page)
}

async fn list_in_scope(
    engine: &Engine,
    access: &OrganizationAccess,
    kind: ScimResourceType,
    params: &ScimQueryParams,
    spoken: FilterAttributeScope,
) -> Result<ScimListPage, Error> {
    access.require_read_permission(PERMISSION)?;
    let query = params.resolve_for_type(kind, spoken)?;
    let groups = resources::list_groups(engine, access.organization.id).await?;
    let (total, page) = match kind {
        ScimResourceType::User => list_users(engine, access, &query, &groups).await?,
        ScimResourceType::Group => list_groups(engine, &query, &groups).await?,
    };
    let projected_resources =
        page.into_iter().map(|resource| query.projection.project_resource(kind, resource.resource));
    Ok(ScimListPage { total, start: query.offset + 1, resources: projected_resources.collect() })
}

async fn list_users(
    engine: &Engine,
    access: &OrganizationAccess,
    query: &ScimListQuery,
    groups: &[ProvisionedGroup],
) -> Result<(u64, Vec<ScimResource>), Error> {
    let (store, organization) = (engine.store(), access.organization.id);
    if query.filter.is_none() && query.order.is_none() {
        let total = users::count_scim_users(store, organization).await?;
        let page = users::list_scim_users(store, organization, query.offset, query.limit).await?;
        return Ok((total, to_user_resources(engine, query, &page, groups).await?));
    }
    let needs = |name: &str| {
        query.filter.as_ref().is_some_and(|filter| filter.references_attribute(name))
            || query.order.is_some_and(|order| order.attribute.attribute.name == name)
    };
    let all = load_candidates(engine, access, query.filter.as_ref()).await?;
    let user_roles = if needs("groups") { Some(load_user_roles(engine, &all).await?) } else { None };
    let mut resources = Vec::new();
    for user in &all {
        let groups_and_roles = user_roles.as_ref().map(|it| (groups, it.role_ids(user)));
        resources.push(resources::to_user_resource(engine, user, groups_and_roles)?);
    }
    if needs("emails") || needs("displayName") {
        organization_data::complete_users(engine, &all, &mut resources).await?;
    }
    let matches = |resource: &ScimResource| {
        query.filter.as_ref().is_none_or(|filter| filter.matches(&resource.resource))
    };
    let mut matching_users: Vec<(ScimUserRow, ScimResource)> =
        all.into_iter().zip(resources).filter(|(_, resource)| matches(resource)).collect();
    if let Some(order) = query.order {
        order.sort_resources(&mut matching_users, |(_, resource)| &resource.resource);
    }
    let total = u64::try_from(matching_users.len()).unwrap_or(u64::MAX);
    let page: Vec<ScimUserRow> =
        select_page(query, matching_users).into_iter().map(|(user, _)| user).collect();
    Ok((total, to_user_resources(engine, query, &page, groups).await?))
}

/// The users that can match a filter: by a unique lookup, or all of the organization up to a limit.
async fn load_candidates(
    engine: &Engine,
    access: &OrganizationAccess,
    filter: Option<&ScimFilter>,
) -> Result<Vec<ScimUserRow>, Error> {
    let (store, organization) = (engine.store(), access.organization.id);
    match filter.and_then(ScimFilter::find_unique_lookup) {
        Some(ScimUniqueLookup::Id(id)) => {
            let Ok(id) = id.parse() else { return Ok(Vec::new()) };
            return Ok(users::find_scim_user(store, organization, id).await?.into_iter().collect());
        }
        Some(ScimUniqueLookup::ExternalId(id)) => {
            let user = users::find_scim_user_by_external_id(store, organization, id).await?;
            return Ok(user.into_iter().collect());
        }
        Some(ScimUniqueLookup::UserName(name)) => {
            // A user that no directory named has its id as `userName`.
            let user =
                match users::find_scim_user_by_name(store, organization, &normalize_user_name(name)).await? {
                    Some(user) => Some(user),
                    None => match name.to_ascii_lowercase().parse() {
                        Ok(id) => users::find_scim_user(store, organization, id).await?,
                        Err(_) => None,
                    },
                };
            return Ok(user.into_iter().collect());
        }
        None => {}
    }
    let mut all: Vec<ScimUserRow> = Vec::new();
    loop {
        let last = all.last().map(|user| user.membership.id);
        let users = users::list_scim_users_after(store, organization, last, SCAN_PAGE).await?;
        if users.is_empty() {
            return Ok(all);
        }
        all.extend(users);
        if all.len() as u64 > SCIM_SCANNED_USERS_MAX {
            return Err(
                Refusal::because(ScimRefusal::TooManyUsers, "more users than are looked through").into()
            );
        }
    }
}

/// Converts users; their groups are loaded only if they are selected.
async fn to_user_resources(
    engine: &Engine,
    query: &ScimListQuery,
    page: &[ScimUserRow],
    groups: &[ProvisionedGroup],
) -> Result<Vec<ScimResource>, Error> {
    let wants_groups = query.projection.includes_attribute(ScimResourceType::User, "groups");
    let user_roles = if wants_groups { Some(load_user_roles(engine, page).await?) } else { None };
    let mut resources = Vec::new();
    for user in page {
        resources.push(resources::to_user_resource(
            engine,
            user,
            user_roles.as_ref().map(|it| (groups, it.role_ids(user))),
        )?);
    }
    organization_data::complete_users(engine, page, &mut resources).await?;
    if let Some(user) = page.first() {
        organization_data::link_managers(engine, user.membership.organization, &mut resources).await?;
    }
    Ok(resources)
}

/// The roles of users.
struct UserRoles(BTreeMap<MembershipId, Vec<RoleId>>);

impl UserRoles {
    fn role_ids(&self, user: &ScimUserRow) -> &[RoleId] {
        self.0.get(&user.membership.id).map_or(&[], Vec::as_slice)
    }
}

/// Loads the roles of these users in one query.
async fn load_user_roles(engine: &Engine, users: &[ScimUserRow]) -> Result<UserRoles, Error> {
    let ids = || users.iter().map(|user| user.membership.id);
    let mut role_ids: BTreeMap<MembershipId, Vec<RoleId>> = BTreeMap::new();
    if let (Some(first), Some(last), Some(user)) = (ids().min(), ids().max(), users.first()) {
        let organization = user.membership.organization;
        for (user, role) in users::list_carried_roles(engine.store(), organization, first, last).await? {
            role_ids.entry(user).or_default().push(role);
        }
    }
    Ok(UserRoles(role_ids))
}

async fn list_groups(
    engine: &Engine,
    query: &ScimListQuery,
    groups: &[ProvisionedGroup],
) -> Result<(u64, Vec<ScimResource>), Error> {
    let decides = |name: &str| {
        query.filter.as_ref().is_some_and(|filter| filter.references_attribute(name))
            || query.order.is_some_and(|order| order.attribute.attribute.name == name)
    };
    // Members of all groups are loaded only if the filter or sort order uses them.
    let of_all = decides("members") || decides("meta");
    let mut matching_groups: Vec<(&ProvisionedGroup, ScimResource)> = Vec::new();
    for group in groups {
        let resource = load_group_resource(engine, group, of_all).await?;
        if query.filter.as_ref().is_none_or(|filter| filter.matches(&resource.resource)) {
            matching_groups.push((group, resource));
        }
    }
    if let Some(order) = query.order {
        order.sort_resources(&mut matching_groups, |(_, resource)| &resource.resource);
    }
    let total = u64::try_from(matching_groups.len()).unwrap_or(u64::MAX);
    let of_page = !of_all && query.projection.includes_attribute(ScimResourceType::Group, "members");
    let mut page = Vec::new();
    for (group, resource) in select_page(query, matching_groups) {
        page.push(if of_page { load_group_resource(engine, group, true).await? } else { resource });
    }
    Ok((total, page))
}

/// Converts a group, with its members if needed.
async fn load_group_resource(
    engine: &Engine,
    group: &ProvisionedGroup,
    with_members: bool,
) -> Result<ScimResource, Error> {
    let bearers = if with_members {
        Some(groups::list_group_members(engine.store(), group.role.id).await?)
    } else {
        None
    };
    Ok(resources::to_group_resource(engine, group, bearers.as_deref()))
}

fn select_page<T>(query: &ScimListQuery, items: Vec<T>) -> Vec<T> {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    items.into_iter().skip(number(query.offset)).take(number(query.limit)).collect()
}
