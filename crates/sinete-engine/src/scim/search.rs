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
    acting: &OrganizationAccess,
    kind: ScimResourceType,
    asked: &ScimQueryParams,
) -> Result<ScimListPage, Error> {
    list_in_scope(engine, acting, kind, asked, FilterAttributeScope::Own).await
}

/// Lists users, then groups.
pub async fn list_all(
    engine: &Engine,
    acting: &OrganizationAccess,
    asked: &ScimQueryParams,
) -> Result<ScimListPage, Error> {
    let everybodys = FilterAttributeScope::Everybodys;
    let mut listed = list_in_scope(engine, acting, ScimResourceType::User, asked, everybodys).await?;
    let most = asked.resolve_for_type(ScimResourceType::User, everybodys)?.most;
    let told = u64::try_from(listed.resources.len()).unwrap_or(u64::MAX);
    let skipped = (listed.start - 1).saturating_sub(listed.total);
    let rest = ScimQueryParams {
        start_index: Some(i64::try_from(skipped).unwrap_or(i64::MAX).saturating_add(1)),
        count: Some(i64::try_from(most - told).unwrap_or(i64::MAX)),
        ..asked.clone()
    };
    let groups = list_in_scope(engine, acting, ScimResourceType::Group, &rest, everybodys).await?;
    listed.total += groups.total;
    listed.resources.extend(groups.resources);
    Ok(listed)
}

async fn list_in_scope(
    engine: &Engine,
    acting: &OrganizationAccess,
    kind: ScimResourceType,
    asked: &ScimQueryParams,
    spoken: FilterAttributeScope,
) -> Result<ScimListPage, Error> {
    acting.require_read_permission(PERMISSION)?;
    let query = asked.resolve_for_type(kind, spoken)?;
    let groups = resources::list_groups(engine, acting.organization.id).await?;
    let (total, page) = match kind {
        ScimResourceType::User => list_users(engine, acting, &query, &groups).await?,
        ScimResourceType::Group => list_groups(engine, &query, &groups).await?,
    };
    let told = page.into_iter().map(|shown| query.wanted.project_resource(kind, shown.resource));
    Ok(ScimListPage { total, start: query.skipped + 1, resources: told.collect() })
}

async fn list_users(
    engine: &Engine,
    acting: &OrganizationAccess,
    query: &ScimListQuery,
    groups: &[ProvisionedGroup],
) -> Result<(u64, Vec<ScimResource>), Error> {
    let (store, organization) = (engine.store(), acting.organization.id);
    if query.filter.is_none() && query.order.is_none() {
        let total = users::count_scim_users(store, organization).await?;
        let page = users::list_scim_users(store, organization, query.skipped, query.most).await?;
        return Ok((total, to_user_resources(engine, query, &page, groups).await?));
    }
    let needs = |name: &str| {
        query.filter.as_ref().is_some_and(|filter| filter.references_attribute(name))
            || query.order.is_some_and(|order| order.by.attribute.name == name)
    };
    let all = load_candidates(engine, acting, query.filter.as_ref()).await?;
    let carried = if needs("groups") { Some(load_user_roles(engine, &all).await?) } else { None };
    let mut shown = Vec::new();
    for user in &all {
        let carried = carried.as_ref().map(|it| (groups, it.role_ids(user)));
        shown.push(resources::to_user_resource(engine, user, carried)?);
    }
    if needs("emails") || needs("displayName") {
        organization_data::complete_users(engine, &all, &mut shown).await?;
    }
    let matches =
        |shown: &ScimResource| query.filter.as_ref().is_none_or(|filter| filter.matches(&shown.resource));
    let mut found: Vec<(ScimUserRow, ScimResource)> =
        all.into_iter().zip(shown).filter(|(_, shown)| matches(shown)).collect();
    if let Some(order) = query.order {
        order.sort_resources(&mut found, |(_, shown)| &shown.resource);
    }
    let total = u64::try_from(found.len()).unwrap_or(u64::MAX);
    let page: Vec<ScimUserRow> = select_page(query, found).into_iter().map(|(user, _)| user).collect();
    Ok((total, to_user_resources(engine, query, &page, groups).await?))
}

/// The users that can match a filter: by a unique lookup, or all of the organization up to a limit.
async fn load_candidates(
    engine: &Engine,
    acting: &OrganizationAccess,
    filter: Option<&ScimFilter>,
) -> Result<Vec<ScimUserRow>, Error> {
    let (store, organization) = (engine.store(), acting.organization.id);
    match filter.and_then(ScimFilter::find_unique_lookup) {
        Some(ScimUniqueLookup::Id(id)) => {
            let Ok(id) = id.parse() else { return Ok(Vec::new()) };
            return Ok(users::find_scim_user(store, organization, id).await?.into_iter().collect());
        }
        Some(ScimUniqueLookup::ExternalId(id)) => {
            let found = users::find_scim_user_by_external_id(store, organization, id).await?;
            return Ok(found.into_iter().collect());
        }
        Some(ScimUniqueLookup::UserName(name)) => {
            // A user that no directory named has its id as `userName`.
            let found =
                match users::find_scim_user_by_name(store, organization, &normalize_user_name(name)).await? {
                    Some(found) => Some(found),
                    None => match name.to_ascii_lowercase().parse() {
                        Ok(id) => users::find_scim_user(store, organization, id).await?,
                        Err(_) => None,
                    },
                };
            return Ok(found.into_iter().collect());
        }
        None => {}
    }
    let mut all: Vec<ScimUserRow> = Vec::new();
    loop {
        let last = all.last().map(|user| user.membership.id);
        let more = users::list_scim_users_after(store, organization, last, SCAN_PAGE).await?;
        if more.is_empty() {
            return Ok(all);
        }
        all.extend(more);
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
    let wants_groups = query.wanted.includes_attribute(ScimResourceType::User, "groups");
    let carried = if wants_groups { Some(load_user_roles(engine, page).await?) } else { None };
    let mut shown = Vec::new();
    for user in page {
        shown.push(resources::to_user_resource(
            engine,
            user,
            carried.as_ref().map(|it| (groups, it.role_ids(user))),
        )?);
    }
    organization_data::complete_users(engine, page, &mut shown).await?;
    if let Some(user) = page.first() {
        organization_data::link_managers(engine, user.membership.organization, &mut shown).await?;
    }
    Ok(shown)
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
    let mut carried: BTreeMap<MembershipId, Vec<RoleId>> = BTreeMap::new();
    if let (Some(first), Some(last), Some(user)) = (ids().min(), ids().max(), users.first()) {
        let organization = user.membership.organization;
        for (user, role) in users::list_carried_roles(engine.store(), organization, first, last).await? {
            carried.entry(user).or_default().push(role);
        }
    }
    Ok(UserRoles(carried))
}

async fn list_groups(
    engine: &Engine,
    query: &ScimListQuery,
    groups: &[ProvisionedGroup],
) -> Result<(u64, Vec<ScimResource>), Error> {
    let decides = |name: &str| {
        query.filter.as_ref().is_some_and(|filter| filter.references_attribute(name))
            || query.order.is_some_and(|order| order.by.attribute.name == name)
    };
    // Members of all groups are loaded only if the filter or sort order uses them.
    let of_all = decides("members") || decides("meta");
    let mut found: Vec<(&ProvisionedGroup, ScimResource)> = Vec::new();
    for group in groups {
        let shown = load_group_resource(engine, group, of_all).await?;
        if query.filter.as_ref().is_none_or(|filter| filter.matches(&shown.resource)) {
            found.push((group, shown));
        }
    }
    if let Some(order) = query.order {
        order.sort_resources(&mut found, |(_, shown)| &shown.resource);
    }
    let total = u64::try_from(found.len()).unwrap_or(u64::MAX);
    let of_page = !of_all && query.wanted.includes_attribute(ScimResourceType::Group, "members");
    let mut page = Vec::new();
    for (group, shown) in select_page(query, found) {
        page.push(if of_page { load_group_resource(engine, group, true).await? } else { shown });
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

fn select_page<T>(query: &ScimListQuery, found: Vec<T>) -> Vec<T> {
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    found.into_iter().skip(number(query.skipped)).take(number(query.most)).collect()
}
