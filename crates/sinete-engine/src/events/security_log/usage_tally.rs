//! Counts usage from the events that a sealer seals. The counts are part of the batch that moves the head of the
//! chain, so every event is counted once, whatever node seals it and whenever a node stops
//! (docs/contribute/decisions/0304-usage-counted-by-the-log-sealer.md).

use sinete_core::events::log_chain::LoggedEvent;
use sinete_core::events::usage::period::UsagePeriod;
use sinete_core::events::usage::{UsageCounter, UsageObservation, UsageReach, observe_event};
use sinete_core::id::{AccountId, GrantId, MembershipId, OrganizationId};
use sinete_core::limits::USAGE_CACHE_MAX;
use sinete_core::time::Timestamp;
use sinete_store::events::usage::{self, ActiveUserId, UsageOwner};
use sinete_store::{GuardedStatement, Store, StoreFailure};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Members and grants that were counted before, so that most events are counted without a read.
///
/// - Holds: the organization of a member, the last day on which it and its account were counted, and the member of a grant.
/// - Confirmed by: nothing, because none of it can become wrong: members and grants never change these facts, and a user
///   who was counted for a day stays counted.
/// - Dropped: when there are too many.
#[derive(Debug, Default)]
pub(super) struct UsageCache {
    members: HashMap<MembershipId, CountedMember>,
    grants: HashMap<GrantId, MembershipId>,
}

#[derive(Clone, Copy, Debug)]
struct CountedMember {
    organization: OrganizationId,
    active_on: Timestamp,
}

/// The counts of one batch of events.
#[derive(Debug, Default)]
pub(super) struct UsageTally {
    counts: BTreeMap<(UsageOwner, Timestamp, UsageCounter), i64>,
    active: HashMap<ActiveUserId, Timestamp>,
    members: HashMap<MembershipId, CountedMember>,
    grants: HashMap<GrantId, MembershipId>,
}

/// What must be known about the users of a batch.
#[derive(Debug, Default)]
struct KnownUsers {
    organizations: HashMap<MembershipId, OrganizationId>,
    accounts: HashMap<MembershipId, AccountId>,
    active_on: HashMap<ActiveUserId, Timestamp>,
}

impl UsageTally {
    /// Counts the events. The head must have been read before: another sealer that counts at the same time moves it.
    pub(super) async fn count_events(
        store: &Store,
        cache: &UsageCache,
        events: &[LoggedEvent],
    ) -> Result<Self, StoreFailure> {
        let mut observed: Vec<(Timestamp, UsageObservation)> = events
            .iter()
            .filter_map(|event| Some((UsagePeriod::Day.period_start(event.at), observe_event(event)?)))
            .collect();
        let mut tally = Self::default();
        tally.resolve_grants(store, cache, &mut observed).await?;
        let users = load_users(store, cache, &observed).await?;
        for (day, observation) in &observed {
            tally.add_observation(cache, &users, *day, observation);
        }
        Ok(tally)
    }

    /// Finds the members of events that only name a grant.
    async fn resolve_grants(
        &mut self,
        store: &Store,
        cache: &UsageCache,
        observed: &mut [(Timestamp, UsageObservation)],
    ) -> Result<(), StoreFailure> {
        let missing_grant =
            |observation: &UsageObservation| observation.grant.filter(|_| observation.member.is_none());
        let unknown: HashSet<GrantId> = observed
            .iter()
            .filter_map(|(_, observation)| missing_grant(observation))
            .filter(|grant| !cache.grants.contains_key(grant))
            .collect();
        let unknown: Vec<GrantId> = unknown.into_iter().collect();
        self.grants.extend(usage::find_grant_members(store, &unknown).await?);
        for (_, observation) in observed {
            if let Some(grant) = missing_grant(observation) {
                observation.member = self.grants.get(&grant).or_else(|| cache.grants.get(&grant)).copied();
            }
        }
        Ok(())
    }

    fn add_observation(
        &mut self,
        cache: &UsageCache,
        users: &KnownUsers,
        day: Timestamp,
        observation: &UsageObservation,
    ) {
        let member_organization = observation.member.and_then(|member| {
            let cached = || cache.members.get(&member).map(|it| it.organization);
            users.organizations.get(&member).copied().or_else(cached)
        });
        let organization = observation.organization.or(member_organization);
        if let Some(counter) = observation.counter {
            if observation.reach != UsageReach::Organization {
                self.add(UsageOwner::Instance, day, counter, observation.count);
            }
            if let Some(organization) = organization.filter(|_| observation.reach != UsageReach::Instance) {
                self.add(UsageOwner::Organization(organization), day, counter, observation.count);
            }
        }
        if let Some(account) = observation.account {
            self.add_active_user(users, UsageOwner::Instance, ActiveUserId::Account(account), day);
        }
        let Some((member, organization)) =
            observation.member.zip(member_organization).filter(|_| observation.is_activity)
        else {
            return;
        };
        // A cached member was counted for its last day together with its account.
        if cache.members.get(&member).is_some_and(|it| it.active_on >= day) {
            return;
        }
        let owner = UsageOwner::Organization(organization);
        self.add_active_user(users, owner, ActiveUserId::Member(member), day);
        if let Some(account) = users.accounts.get(&member) {
            self.add_active_user(users, UsageOwner::Instance, ActiveUserId::Account(*account), day);
        }
        let counted_member =
            self.members.entry(member).or_insert(CountedMember { organization, active_on: day });
        counted_member.active_on = counted_member.active_on.max(day);
    }

    /// Counts a user once for each period. A user who was already counted for a later day is not counted for an
    /// earlier one.
    fn add_active_user(&mut self, users: &KnownUsers, owner: UsageOwner, user: ActiveUserId, day: Timestamp) {
        let last = self.active.get(&user).or_else(|| users.active_on.get(&user)).copied();
        if last.is_some_and(|last| last >= day) {
            return;
        }
        for period in UsagePeriod::ALL {
            let start = period.period_start(day);
            if last.is_none_or(|last| period.period_start(last) < start) {
                self.add(owner, start, UsageCounter::active_users(period), 1);
            }
        }
        self.active.insert(user, day);
    }

    fn add(&mut self, owner: UsageOwner, starts_at: Timestamp, counter: UsageCounter, count: u32) {
        let sum = self.counts.entry((owner, starts_at, counter)).or_default();
        *sum = sum.saturating_add(i64::from(count));
    }

    /// The statements that write the counts.
    pub(super) fn statements(&self) -> Vec<GuardedStatement> {
        let counts = self.counts.iter();
        let counts = counts.map(|((owner, at, counter), sum)| usage::add_usage(*owner, *counter, *at, *sum));
        let active = self.active.iter().map(|(user, day)| usage::record_active_user(*user, *day));
        counts.chain(active).collect()
    }
}

/// Loads what is not in the cache. Members that are active only need their organization, which the cache has.
async fn load_users(
    store: &Store,
    cache: &UsageCache,
    observed: &[(Timestamp, UsageObservation)],
) -> Result<KnownUsers, StoreFailure> {
    let mut users = KnownUsers::default();
    let is_known = |member: &MembershipId, day: Timestamp, is_activity: bool| {
        cache.members.get(member).is_some_and(|it| !is_activity || it.active_on >= day)
    };
    let members: HashSet<MembershipId> = observed
        .iter()
        .filter_map(|(day, observation)| {
            observation.member.filter(|member| !is_known(member, *day, observation.is_activity))
        })
        .collect();
    let members: Vec<MembershipId> = members.into_iter().collect();
    for row in usage::find_member_activity(store, &members).await? {
        users.organizations.insert(row.member, row.organization);
        let member = row.member_active_on.map(|day| (ActiveUserId::Member(row.member), day));
        users.active_on.extend(member);
        if let Some(account) = row.account {
            users.accounts.insert(row.member, account);
            users.active_on.extend(row.account_active_on.map(|day| (ActiveUserId::Account(account), day)));
        }
    }
    let accounts: HashSet<AccountId> =
        observed.iter().filter_map(|(_, observation)| observation.account).collect();
    let accounts: Vec<AccountId> = accounts.into_iter().collect();
    let active = usage::find_account_activity(store, &accounts).await?;
    users.active_on.extend(active.into_iter().map(|(account, day)| (ActiveUserId::Account(account), day)));
    Ok(users)
}

impl UsageCache {
    /// Adds what was committed.
    pub(super) fn add_tally(&mut self, tally: UsageTally) {
        if self.members.len() + tally.members.len() > USAGE_CACHE_MAX {
            self.members.clear();
        }
        if self.grants.len() + tally.grants.len() > USAGE_CACHE_MAX {
            self.grants.clear();
        }
        self.members.extend(tally.members);
        self.grants.extend(tally.grants);
    }
}
