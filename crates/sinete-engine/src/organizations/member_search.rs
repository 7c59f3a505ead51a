//! Member search by word prefix: of names, of the address known to the organization, and of client names.
//! Results never depend on data that the caller may not read
//! (docs/contribute/decisions/0205-member-search-by-word-prefix.md).

use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::invitations;
use crate::organizations::members;
use crate::organizations::members::MemberWithRoles;
use crate::{Engine, Error, Failure};
use serde::Deserialize as _;
use serde_json::{Map, Value};
use sinete_core::access_control::built_in_permissions::{READ_CLIENTS, READ_MEMBERS};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::accounts::profile_text::ProfileText;
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::limits::{MEMBER_INDEX_RETRY_AFTER, MEMBER_SEARCH_SCANNED_MAX};
use sinete_core::organizations::member_profile::MemberProfile;
use sinete_core::organizations::member_search::{MemberSearch, MemberSearchTerms};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_store::oauth::clients;
use sinete_store::organizations::member_search_index;
use sinete_store::organizations::member_search_index::{
    MemberSearchMatch, MemberSearchQuery, MemberSearchWord, StaleMemberIndex,
};
use sinete_store::organizations::memberships::{MembershipHolder, MembershipRow};
use sinete_store::organizations::{member_batch, memberships};
use sinete_store::{Store, StoreFailure, WriteBatch};
use std::fmt;
use std::str::FromStr;

/// The number of members indexed by one transaction.
const BATCH: u32 = 50;

/// Maximum index batches before a search starts. Usually few members are pending, except after an upgrade or
/// an import.
const INDEX_ROUNDS_MAX: usize = 40;

/// A found member.
#[derive(Clone, Debug)]
pub struct FoundMember {
    /// The member.
    pub member: MemberWithRoles,
    /// The position in the results.
    pub position: SearchPosition,
}

/// A position in the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchPosition {
    /// Before all others: an exact match of an id.
    ExactMatch,
    /// By the first matching index term and the id.
    IndexTerm(String, MembershipId),
}

impl fmt::Display for SearchPosition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ExactMatch => out.write_str("exactly"),
            Self::IndexTerm(word, id) => write!(out, "{id} {word}"),
        }
    }
}

/// The text is not a valid position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a position in search results")]
pub struct InvalidSearchPosition;

impl FromStr for SearchPosition {
    type Err = InvalidSearchPosition;

    fn from_str(text: &str) -> Result<Self, InvalidSearchPosition> {
        if text == "exactly" {
            return Ok(Self::ExactMatch);
        }
        let (id, word) = text.split_once(' ').ok_or(InvalidSearchPosition)?;
        Ok(Self::IndexTerm(word.to_owned(), id.parse().map_err(|_| InvalidSearchPosition)?))
    }
}

/// A search request.
#[derive(Clone, Debug)]
pub struct MemberSearchRequest<'a> {
    /// The query.
    pub search: &'a MemberSearch,
    /// Only results after this position.
    pub after: Option<SearchPosition>,
    /// The maximum number of results.
    pub limit: u32,
    /// How many times the search continues after reaching the scan limit.
    pub scans_max: u32,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct MemberSearchPage {
    /// The members found.
    pub members: Vec<FoundMember>,
    /// Where the search stopped before finding enough results, if there is more to scan.
    pub stopped_at: Option<SearchPosition>,
    /// Whether some members are not indexed yet.
    pub is_index_incomplete: bool,
}

/// The refusal for a caller that requires complete results while the index is incomplete.
pub fn index_not_ready() -> Refusal {
    Refusal::because(OrganizationRefusal::MemberSearchNotReady, "the index of members is incomplete")
        .with_retry_after(MEMBER_INDEX_RETRY_AFTER)
}

/// The result of one indexing round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemberIndexRound {
    /// The number of indexed members.
    pub indexed: usize,
    /// Whether the limit was reached, so that the next round can start at once.
    pub has_more: bool,
}

/// Searches members: exact matches of an id or external id first, then in order of the matching terms. A page
/// may be short or empty although there are more.
pub async fn search_members(
    engine: &Engine,
    access: &OrganizationAccess,
    looked: MemberSearchRequest<'_>,
) -> Result<MemberSearchPage, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    access.record_read_by_non_member(engine, "members").await?;
    let (store, organization) = (engine.store(), access.organization.id);
    let is_early = index_organization(engine, organization).await?;
    let MemberSearchRequest { search, after, limit, scans_max: walks } = looked;
    let exact = find_exact(store, organization, search.as_str()).await?;
    let (mut end, is_first) = match after {
        None => (None, true),
        Some(SearchPosition::ExactMatch) => (None, false),
        Some(SearchPosition::IndexTerm(word, id)) => (Some((word, id)), false),
    };
    let without = exact.as_ref().map(|it| it.id);
    let ahead = exact.filter(|_| is_first);
    let with_clients = access.require_read_permission(READ_CLIENTS).is_ok();
    let mut limit = limit.saturating_sub(u32::from(ahead.is_some()));
    let mut search_matches = Vec::new();
    for _ in 0..walks {
        let after = end.as_ref().map(|(word, id)| (word.as_str(), *id));
        let query = MemberSearchQuery {
            search,
            with_clients,
            after,
            excluded: without,
            limit,
            scan_limit: MEMBER_SEARCH_SCANNED_MAX,
        };
        let walked = member_search_index::search_members(store, organization, &query).await?;
        limit = limit.saturating_sub(u32::try_from(walked.matches.len()).unwrap_or(u32::MAX));
        search_matches.extend(walked.matches);
        end = walked.end.filter(|_| limit > 0);
        if end.is_none() {
            break;
        }
    }
    let (mut places, mut all) = (Vec::new(), Vec::new());
    if let Some(membership) = ahead {
        places.push(SearchPosition::ExactMatch);
        all.push(membership);
    }
    for MemberSearchMatch { word, membership } in search_matches {
        places.push(SearchPosition::IndexTerm(word, membership.id));
        all.push(membership);
    }
    let members = members::load_roles(engine, organization, all).await?;
    let members = members
        .into_iter()
        .zip(places)
        .map(|(member, search_position)| FoundMember { member, position: search_position });
    let stopped = end.map(|(word, id)| SearchPosition::IndexTerm(word, id));
    Ok(MemberSearchPage { members: members.collect(), stopped_at: stopped, is_index_incomplete: is_early })
}

/// Finds the member with this id, or else with this external id.
async fn find_exact(
    store: &Store,
    organization: OrganizationId,
    text: &str,
) -> Result<Option<MembershipRow>, Failure> {
    if let Ok(id) = text.parse() {
        let membership = memberships::find_membership(store, organization, id).await?;
        if let Some(membership) = membership.filter(|it| it.condition != LifecycleCondition::Ended) {
            return Ok(Some(membership));
        }
    }
    Ok(member_search_index::find_member_by_external_id(store, organization, text).await?)
}

/// Indexes pending members, up to a limit. An organization whose indexing fails is skipped until the next
/// round.
pub async fn index_due_members(engine: &Engine, limit: usize) -> Result<MemberIndexRound, Failure> {
    let (mut round, mut last, mut scanned_count) = (MemberIndexRound::default(), None::<StaleMemberIndex>, 0);
    while scanned_count < limit {
        let due = member_search_index::list_stale_members(engine.store(), last.as_ref(), BATCH).await?;
        let Some(member_index) = due.last().cloned() else { return Ok(round) };
        scanned_count += due.len();
        for of_one in due.chunk_by(|one, other| one.organization == other.organization) {
            match write_member_words(engine, of_one).await {
                Ok(count) => round.indexed += count,
                Err(failed) if is_permanent(&failed) => {
                    let organization = of_one.first().map(|it| it.organization.to_string());
                    tracing::warn!(organization, %failed, "some members could not be indexed");
                }
                // A database failure affects all organizations.
                Err(failed) => return Err(failed),
            }
        }
        last = Some(member_index);
    }
    Ok(MemberIndexRound { has_more: true, ..round })
}

/// Indexes pending members of one organization before it is searched; returns whether some are left.
async fn index_organization(engine: &Engine, organization: OrganizationId) -> Result<bool, Failure> {
    for _ in 0..INDEX_ROUNDS_MAX {
        let due = member_search_index::list_stale_members_in(engine.store(), organization, BATCH).await?;
        if due.is_empty() {
            return Ok(false);
        }
        write_member_words(engine, &due).await?;
    }
    Ok(!member_search_index::list_stale_members_in(engine.store(), organization, 1).await?.is_empty())
}

/// Whether the failure is permanent, because of the stored data.
const fn is_permanent(failed: &Failure) -> bool {
    matches!(failed, Failure::Store(StoreFailure::Damaged(_)))
}

/// Writes the index terms of members. If a member changed meanwhile, nothing is written and it stays pending.
async fn write_member_words(engine: &Engine, due: &[StaleMemberIndex]) -> Result<usize, Failure> {
    let Some(organization) = due.first().map(|it| it.organization) else { return Ok(0) };
    let store = engine.store();
    let ids: Vec<MembershipId> = due.iter().map(|it| it.membership).collect();
    let memberships = member_batch::find_members(store, organization, &ids).await?;
    let addresses = invitations::list_last_addresses(store, organization, &ids).await?;
    let mut batch = WriteBatch::new();
    for due in due {
        let address = addresses.iter().find(|(id, _)| *id == due.membership).map(|(_, text)| text.as_str());
        let membership = memberships.iter().find(|it| it.id == due.membership);
        let (search_terms, client) = match membership {
            Some(membership) => collect_search_terms(store, membership, address).await?,
            // A removed member has no index terms.
            None => Default::default(),
        };
        let of_member = search_terms.terms().map(|text| MemberSearchWord { text, is_of_client: false });
        let of_client = client.terms().filter(|text| !search_terms.contains(text));
        let of_client = of_client.map(|text| MemberSearchWord { text, is_of_client: true });
        batch =
            batch.with_statements(member_search_index::write_member_words(due, of_member.chain(of_client)));
    }
    Ok(if store.commit(batch).await?.is_committed() { due.len() } else { 0 })
}

/// The index terms for callers who may read members, and those for callers who may also read clients.
async fn collect_search_terms(
    store: &Store,
    membership: &MembershipRow,
    address: Option<&str>,
) -> Result<(MemberSearchTerms, MemberSearchTerms), Failure> {
    let profile = read_profile(membership);
    let (mut search_terms, mut client) = (MemberSearchTerms::default(), MemberSearchTerms::default());
    // Identifying terms come first, so that they are not displaced by the limit.
    if let Some(address) = &profile.email {
        search_terms.add_address(address);
    }
    if let Some(address) = address {
        search_terms.add_term(address);
    }
    if let MembershipHolder::Machine(id) = &membership.holder {
        search_terms.add_term(id.as_str());
        match clients::find_client(store, id).await {
            Ok(client_row) => client_row.iter().for_each(|client_row| client.add_name(&client_row.name)),
            Err(StoreFailure::Damaged(_)) => {
                tracing::warn!(membership = %membership.id, "a stored client cannot be parsed");
            }
            Err(failed) => return Err(failed.into()),
        }
    }
    for name in [&profile.name, &profile.given_name, &profile.family_name].into_iter().flatten() {
        search_terms.add_name(ProfileText::as_str(name));
    }
    Ok((search_terms, client))
}

/// The profile of a member. If parts cannot be parsed, the others are still used.
fn read_profile(membership: &MembershipRow) -> MemberProfile {
    if let Ok(profile) = membership.profile.parse() {
        return profile;
    }
    tracing::warn!(membership = %membership.id, "parts of a stored profile cannot be parsed");
    let parts: Map<String, Value> = membership.profile.parse().unwrap_or_default();
    let readable = parts.into_iter().filter_map(|part| {
        let alone: Map<String, Value> = [part].into_iter().collect();
        MemberProfile::deserialize(Value::Object(alone.clone())).is_ok().then_some(alone)
    });
    let readable_members: Map<String, Value> = readable.flatten().collect();
    MemberProfile::deserialize(Value::Object(readable_members)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_search_cursor_round_trips() {
        let id: MembershipId = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073".parse().unwrap();
        for search_position in [
            SearchPosition::ExactMatch,
            SearchPosition::IndexTerm("ana@acme.example".to_owned(), id),
            SearchPosition::IndexTerm("김".to_owned(), id),
        ] {
            assert_eq!(search_position.to_string().parse(), Ok(search_position));
        }
        for text in ["", "ana", "x ana", "exactly "] {
            assert_eq!(text.parse::<SearchPosition>(), Err(InvalidSearchPosition), "{text}");
        }
    }
}
