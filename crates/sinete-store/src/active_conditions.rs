//! SQL conditions that decide whether something is active: written once, and repeated by every guard that
//! relies on them.
//!
//! Each takes the column or parameter that identifies the row and the parameter that holds the time. They
//! read only what is stored now, so that suspending and restoring take effect on the next use.
//!
//! Existence checks end in `LIMIT 1 OFFSET 0`, which changes nothing except that PostgreSQL evaluates them
//! for the one row it has found, instead of first collecting everything that is active.

/// A condition on rows that another condition already finds by the right index, written so that no other index is
/// chosen for it. SQLite takes every index with repeated values for a selective one. PostgreSQL plans a statement once
/// for each connection; on a table that is still empty every index seems as good, and one with repeated values would be
/// read until the planner has statistics.
macro_rules! filter_only {
    ($condition:expr) => {
        concat!("CASE WHEN ", $condition, " THEN 1 ELSE 0 END = 1")
    };
}

/// Holds while the grant is neither revoked nor expired and everything it depends on is active: organization,
/// membership, account and its epoch, client with its epoch and owner, and the session if it is bound to one.
macro_rules! grant_is_alive {
    ($grant:literal, $now:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM grants g",
            " JOIN organizations o ON o.id = g.organization_id",
            " JOIN memberships m ON m.id = g.membership_id",
            " JOIN accounts a ON a.id = g.account_id",
            " JOIN clients c ON c.id = g.client_id",
            " LEFT JOIN sessions s ON s.id = g.session_id",
            " WHERE g.id = ",
            $grant,
            " AND ",
            $crate::active_conditions::holders_count!("o", "m", "a", "c", $now),
            " AND ",
            $crate::active_conditions::grant_counts!("g", "a", "c", "s", $now),
            " LIMIT 1 OFFSET 0)"
        )
    };
}

/// The same for the grant that a statement updates, using the updated row itself. A statement that waited for
/// the row lock must see the result: on PostgreSQL, conditions on the updated row apply to its newest
/// version, all others to the snapshot taken when the statement began.
macro_rules! changed_grant_is_alive {
    ($now:literal) => {
        concat!(
            $crate::active_conditions::grant_has_time!("grants", $now),
            " AND EXISTS (SELECT 1 FROM organizations o",
            " JOIN memberships m ON m.id = grants.membership_id",
            " JOIN accounts a ON a.id = grants.account_id",
            " JOIN clients c ON c.id = grants.client_id",
            " LEFT JOIN sessions s ON s.id = grants.session_id",
            " WHERE o.id = grants.organization_id AND ",
            $crate::active_conditions::holders_count!("o", "m", "a", "c", $now),
            " AND ",
            $crate::active_conditions::grant_keeps_up!("grants", "a", "c", "s", $now),
            " LIMIT 1 OFFSET 0)"
        )
    };
}

/// Holds while the parties of a grant are enabled.
macro_rules! holders_count {
    ($organization:literal, $membership:literal, $account:literal, $client:literal, $now:literal) => {
        concat!(
            $crate::active_conditions::organization_counts!($organization, $now),
            " AND ",
            $membership,
            ".condition = 'enabled' AND ",
            $account,
            ".condition = 'enabled' AND ",
            $crate::active_conditions::client_counts!($client)
        )
    };
}

/// Holds while the grant itself is active, given its account, its client and the session it may be bound to.
macro_rules! grant_counts {
    ($grant:literal, $account:literal, $client:literal, $session:literal, $now:literal) => {
        concat!(
            $crate::active_conditions::grant_has_time!($grant, $now),
            " AND ",
            $crate::active_conditions::grant_keeps_up!($grant, $account, $client, $session, $now)
        )
    };
}

/// Holds while the grant is neither revoked nor expired.
macro_rules! grant_has_time {
    ($grant:literal, $now:literal) => {
        concat!($grant, ".revoked_at IS NULL AND ", $grant, ".expires_at > ", $now)
    };
}

/// Holds while neither the account's nor the client's epoch has advanced, and the session that the grant is
/// bound to has not ended.
macro_rules! grant_keeps_up {
    ($grant:literal, $account:literal, $client:literal, $session:literal, $now:literal) => {
        concat!(
            $grant,
            ".account_epoch = ",
            $account,
            ".epoch AND ",
            $grant,
            ".client_epoch = ",
            $client,
            ".epoch AND (",
            $grant,
            ".session_id IS NULL OR (",
            $crate::active_conditions::session_counts!($session, $account, $now),
            "))"
        )
    };
}

/// Holds while the session has not ended, expired or been ended by its account's epoch.
macro_rules! session_counts {
    ($session:literal, $account:literal, $now:literal) => {
        concat!(
            $session,
            ".ended_at IS NULL AND ",
            $session,
            ".idle_expires_at > ",
            $now,
            " AND ",
            $session,
            ".expires_at > ",
            $now,
            " AND ",
            $session,
            ".account_epoch = ",
            $account,
            ".epoch"
        )
    };
}

/// Holds while the API key is neither revoked nor expired.
macro_rules! api_key_counts {
    ($key:literal, $now:literal) => {
        concat!($key, ".revoked_at IS NULL AND ", $key, ".expires_at > ", $now)
    };
}

/// Holds while this assignment allows impersonating the holder of the membership: it has not ended, and its
/// own holder is still an operator.
macro_rules! impersonation_counts {
    ($assignment:literal, $membership:literal, $now:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM assignments t JOIN memberships h ON h.id = t.holder_id",
            " JOIN organizations ho ON ho.id = h.organization_id LEFT JOIN accounts ha ON ha.id = h.account_id",
            " WHERE t.id = ",
            $assignment,
            " AND t.kind = 'impersonate' AND t.account_id = ",
            $membership,
            ".account_id AND t.organization_id = ",
            $membership,
            ".organization_id AND t.ended_at IS NULL AND t.ends_at > ",
            $now,
            " AND h.condition = 'enabled' AND ho.kind = 'operator' AND ho.condition = 'enabled'",
            " AND (h.account_id IS NULL OR ha.condition = 'enabled') LIMIT 1 OFFSET 0)"
        )
    };
}

/// Holds while the delegation itself is active: neither it nor the exchanged token is revoked, it has not
/// expired, and the acting client is active and its epoch has not advanced.
macro_rules! delegation_counts {
    ($delegation:literal, $now:literal) => {
        concat!(
            $delegation,
            ".revoked_at IS NULL AND ",
            $delegation,
            ".expires_at > ",
            $now,
            " AND NOT EXISTS (SELECT 1 FROM revoked_jtis exchanged WHERE exchanged.jti = ",
            $delegation,
            ".parent_jti) AND EXISTS (SELECT 1 FROM clients holder WHERE holder.id = ",
            $delegation,
            ".actor_client_id AND holder.epoch = ",
            $delegation,
            ".actor_epoch AND ",
            $crate::active_conditions::client_counts!("holder"),
            " LIMIT 1 OFFSET 0)"
        )
    };
}

/// Holds while the organization is enabled and not past its scheduled end.
macro_rules! organization_counts {
    ($organization:literal, $now:literal) => {
        concat!(
            $organization,
            ".condition = 'enabled' AND (",
            $organization,
            ".ends_at IS NULL OR ",
            $organization,
            ".ends_at > ",
            $now,
            ")"
        )
    };
}

/// Holds while the client is enabled and, if it has an owner, so is the owner.
macro_rules! client_counts {
    ($client:literal) => {
        concat!(
            $client,
            ".condition = 'enabled' AND (",
            $client,
            ".owner_id IS NULL OR ",
            $crate::active_conditions::owner_counts!($client),
            ")"
        )
    };
}

/// Holds while the membership that owns the client is enabled, and so is its account.
macro_rules! owner_counts {
    ($client:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM memberships owner LEFT JOIN accounts person ON person.id = owner.account_id",
            " WHERE owner.id = ",
            $client,
            ".owner_id AND owner.condition = 'enabled'",
            " AND (owner.account_id IS NULL OR person.condition = 'enabled') LIMIT 1 OFFSET 0)"
        )
    };
}

/// The condition of a client, taking its owner into account; ended if there is no such client.
macro_rules! client_condition {
    ($client:literal) => {
        concat!(
            "CASE WHEN ",
            $client,
            ".id IS NULL THEN 'ended' WHEN ",
            $client,
            ".condition <> 'enabled' OR ",
            $client,
            ".owner_id IS NULL OR ",
            $crate::active_conditions::owner_counts!($client),
            " THEN ",
            $client,
            ".condition ELSE 'suspended' END"
        )
    };
}

/// Holds while the organization of this id is enabled: a suspended one accepts no change.
macro_rules! organization_is_enabled {
    ($organization:literal, $now:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM organizations o WHERE o.id = ",
            $organization,
            " AND ",
            $crate::active_conditions::organization_counts!("o", $now),
            " LIMIT 1 OFFSET 0)"
        )
    };
}

/// Holds while the flow of this id is neither finished nor expired.
macro_rules! flow_is_open {
    ($flow:literal, $now:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM flows f WHERE f.id = ",
            $flow,
            " AND f.finished_at IS NULL AND f.expires_at > ",
            $now,
            " LIMIT 1 OFFSET 0)"
        )
    };
}

/// Holds if the organization in the parameter may use the API.
macro_rules! is_offered {
    ($organization:literal) => {
        concat!(
            "(a.organization_id = ",
            $organization,
            " OR (a.organization_id IS NULL AND (a.is_offered_to_all = 1 OR EXISTS \
             (SELECT 1 FROM api_offers f WHERE f.api_id = a.id AND f.organization_id = ",
            $organization,
            "))))"
        )
    };
}

pub(crate) use {
    api_key_counts, changed_grant_is_alive, client_condition, client_counts, delegation_counts, filter_only,
    flow_is_open, grant_counts, grant_has_time, grant_is_alive, grant_keeps_up, holders_count,
    impersonation_counts, is_offered, organization_counts, organization_is_enabled, owner_counts,
    session_counts,
};
