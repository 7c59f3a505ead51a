//! The expected result, in plain sets of strings. It shares no code with the implementation.

use super::UNIVERSE;
use std::collections::{BTreeMap, BTreeSet};

pub type Set = BTreeSet<String>;

/// One organization, as expected.
pub struct Oracle {
    pub offered: Set,
    pub roles: BTreeMap<String, Set>,
    pub carried: Vec<Set>,
    pub enabled: Vec<bool>,
    pub suspended: bool,
}

pub fn covers(set: &Set, permission: &str) -> bool {
    let resource = permission.split(':').next().unwrap();
    set.contains(permission) || set.contains(&format!("{resource}:*"))
}

fn is_at_api(permission: &str) -> bool {
    permission.starts_with("invoices:") || permission.starts_with("files:")
}

impl Oracle {
    /// Whether an API defines the permission here: by name, or any action of its resource for a wildcard.
    fn is_offered(&self, permission: &str) -> bool {
        match permission.strip_suffix('*') {
            Some(resource) => self.offered.iter().any(|it| it.starts_with(resource)),
            None => self.offered.contains(permission),
        }
    }

    /// The permissions of a role; for an owner, everything that is offered.
    fn says(&self, role: &str) -> Set {
        let ours = UNIVERSE.iter().filter(|it| !is_at_api(it)).map(|it| (*it).to_owned());
        match role {
            "owner" => {
                let offered_permissions =
                    ["invoices:*", "files:*"].into_iter().filter(|it| self.is_offered(it));
                ours.chain(offered_permissions.map(str::to_owned)).collect()
            }
            "admin" => ours.filter(|it| it != "organization:delete").collect(),
            "member" => Set::from(["organization:read".to_owned()]),
            other => self.roles.get(other).cloned().unwrap_or_default(),
        }
    }

    pub fn holds(&self, member: usize) -> Set {
        if !self.enabled[member] {
            return Set::new();
        }
        let role_permissions = self.carried[member].iter().flat_map(|role| self.says(role));
        role_permissions.filter(|it| !is_at_api(it) || self.is_offered(it)).collect()
    }

    pub fn may(&self, key: &Key, permission: &str) -> bool {
        covers(&self.holds(key.member), permission) && covers(&key.scope, permission)
    }

    pub fn may_change(&self, key: &Key, permission: &str) -> bool {
        self.may(key, permission) && !self.suspended
    }

    fn owners_beside(&self, member: usize) -> usize {
        let owns = |it: &usize| *it != member && self.enabled[*it] && self.carried[*it].contains("owner");
        (0..self.carried.len()).filter(owns).count()
    }

    /// Whether the key counts as an owner's.
    fn owns(&self, key: &Key) -> bool {
        self.carried[key.member].contains("owner") && self.may(key, "organization:delete")
    }

    pub fn may_define(&self, key: &Key, role: &str, permissions: &Set) -> bool {
        let before = self.roles.get(role).cloned().unwrap_or_default();
        self.may_change(key, "roles:manage")
            && permissions.iter().all(|it| !is_at_api(it) || self.is_offered(it))
            && permissions.iter().all(|it| covers(&before, it) || self.may(key, it))
    }

    pub fn may_give(&self, key: &Key, to: usize, roles: &Set) -> bool {
        let (before, owns) = (&self.carried[to], self.owns(key));
        let about_owners = before.contains("owner") != roles.contains("owner");
        let last = before.contains("owner") && self.owners_beside(to) == 0;
        self.may_change(key, "members:manage")
            && !roles.is_empty()
            && (!about_owners || owns && !last)
            && roles.difference(before).flat_map(|it| self.says(it)).all(|it| self.may(key, &it))
    }

    pub fn may_issue(&self, key: &Key, to: usize, scope: &Set) -> bool {
        self.may_change(key, "api_keys:manage")
            && key.member == to
            && !scope.is_empty()
            && self.enabled[to]
            && scope.iter().all(|it| self.may(key, it) && covers(&self.holds(to), it))
    }

    /// Enabling a member grants their roles again, so the actor must hold them.
    pub fn may_turn(&self, key: &Key, member: usize, enabled: bool) -> bool {
        let turns = self.enabled[member] != enabled;
        let turns_owner = turns && self.carried[member].contains("owner");
        let leaves_none = !enabled && self.owners_beside(member) == 0;
        let mut role_permissions = self.carried[member].iter().flat_map(|role| self.says(role));
        let widens = turns && enabled && role_permissions.any(|it| !self.may(key, &it));
        self.may_change(key, "members:manage") && !widens && (!turns_owner || self.owns(key) && !leaves_none)
    }
}

/// A key, as the oracle knows it.
pub struct Key {
    pub member: usize,
    pub scope: Set,
    pub secret: String,
}
