//! Random histories of roles, keys, requests and offers, compared with an oracle that knows only sets of
//! strings. No key ever has a permission that its holder lacks in that organization at that time, and refused
//! requests leave no trace.

mod naive;

use crate::database::Database;
use crate::fixture::{Person, World, api};
use naive::{Key, Oracle, Set, covers};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sinete_core::access_control::permission::PermissionSet;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::RequestOrigin;
use sinete_engine::access_control::admin_scope::AdminScope;
use sinete_engine::access_control::organization_access;
use sinete_engine::access_control::organization_access::OrganizationAccess;
use sinete_engine::oauth::caller_authentication;
use sinete_engine::organizations::api_catalog;
use sinete_engine::organizations::api_catalog::{ApiChange, NewApi};
use sinete_engine::organizations::{api_keys, members, roles};
use sinete_engine::{Error, UseCaseResult};
use std::collections::BTreeMap;

/// The permissions in these histories.
const UNIVERSE: [&str; 13] = [
    "invoices:read",
    "invoices:write",
    "invoices:*",
    "files:read",
    "files:send",
    "files:*",
    "members:manage",
    "members:read",
    "roles:manage",
    "roles:read",
    "api_keys:manage",
    "organization:read",
    "organization:delete",
];
const AT_APIS: [&str; 4] = ["invoices:read", "invoices:write", "files:read", "files:send"];
const ROLES: [&str; 6] = ["owner", "admin", "member", "r0", "r1", "r2"];

#[derive(Clone, Debug)]
enum Step {
    Define { key: usize, role: usize, permissions: Vec<usize> },
    Give { key: usize, to: usize, roles: Vec<usize> },
    Issue { key: usize, to: usize, scope: Vec<usize> },
    Turn { key: usize, member: usize, enabled: bool },
    Offer { permissions: Vec<usize> },
    Suspend { suspended: bool },
    Ask { key: usize, chain: Vec<Vec<usize>> },
}

fn step() -> impl Strategy<Value = Step> {
    let some = || vec(0..UNIVERSE.len(), 0..4);
    prop_oneof![
        4 => (0..40_usize, 3..6_usize, some()).prop_map(|(key, role, permissions)| Step::Define { key, role, permissions }),
        5 => (0..40_usize, 0..4_usize, vec(0..6_usize, 0..4)).prop_map(|(key, to, roles)| Step::Give { key, to, roles }),
        5 => (0..40_usize, 0..4_usize, some()).prop_map(|(key, to, scope)| Step::Issue { key, to, scope }),
        2 => (0..40_usize, 0..4_usize, any::<bool>()).prop_map(|(key, member, enabled)| Step::Turn { key, member, enabled }),
        2 => vec(0..4_usize, 0..4).prop_map(|permissions| Step::Offer { permissions }),
        1 => prop_oneof![3 => Just(false), 1 => Just(true)].prop_map(|suspended| Step::Suspend { suspended }),
        5 => (0..40_usize, vec(some(), 0..4)).prop_map(|(key, chain)| Step::Ask { key, chain }),
    ]
}

fn strings(names: &[&str], indexes: &[usize]) -> Set {
    indexes.iter().map(|index| names[*index].to_owned()).collect()
}

fn parsed(set: &Set) -> PermissionSet {
    set.iter().map(|it| it.parse().unwrap()).collect()
}

struct History {
    world: World,
    people: Vec<Person>,
    keys: Vec<Key>,
    api: api_catalog::ApiRow,
    oracle: Oracle,
}

/// The number of rows that a refused request could have added.
const TRACES: &str = "SELECT (SELECT count(*) FROM security_log) + (SELECT count(*) FROM audit) \
    + (SELECT count(*) FROM api_keys) + (SELECT count(*) FROM membership_roles) \
    + (SELECT CAST(sum(version) AS BIGINT) FROM roles) \
    + (SELECT CAST(sum(version) AS BIGINT) FROM memberships) \
    + (SELECT CAST(sum(version) AS BIGINT) FROM organizations)";

impl History {
    async fn begin(database: Database) -> Self {
        let world = World::new(database).await;
        world.organization("acme").await;
        let instance_admin = world.system_operating().await;
        let new_api = NewApi { id: None, is_offered_to_all: false, definition: api(&AT_APIS) };
        let api = api_catalog::create(&world.engine, AdminScope::Instance(&instance_admin), &new_api).await;
        let api = api.unwrap();
        api_catalog::offer_to_organization(&world.engine, &instance_admin, api.id, "acme").await.unwrap();
        let member_roles: Vec<Set> =
            ["owner", "owner", "admin", "member"].iter().map(|it| Set::from([(*it).to_owned()])).collect();
        let oracle = Oracle {
            offered: AT_APIS.iter().map(|it| (*it).to_owned()).collect(),
            roles: BTreeMap::new(),
            enabled: vec![true; member_roles.len()],
            carried: member_roles,
            suspended: false,
        };
        let (mut people, mut keys) = (Vec::new(), Vec::new());
        for member in 0..oracle.carried.len() {
            let roles: Vec<_> = oracle.carried[member].iter().map(String::as_str).collect();
            let user = world.person("acme", &roles).await;
            keys.push(Key { member, scope: oracle.holds(member), secret: user.key.clone() });
            people.push(user);
        }
        Self { world, people, keys, api, oracle }
    }

    /// The key's access to the organization; `None` if its holder is disabled.
    async fn inside(&self, key: usize) -> Option<OrganizationAccess> {
        let key = &self.keys[key];
        let authenticated_caller = caller_authentication::authenticate_caller(
            &self.world.engine,
            &key.secret,
            RequestOrigin::default(),
        )
        .await
        .unless_refused()
        .unwrap();
        assert_eq!(authenticated_caller.is_some(), self.oracle.enabled[key.member]);
        Some(
            organization_access::authorize_in_organization(
                &self.world.engine,
                &authenticated_caller?,
                "acme",
            )
            .await
            .unwrap(),
        )
    }

    async fn judge<T>(&self, traces: i64, allowed: bool, result: Result<T, Error>) -> bool {
        if let Err(error) = &result {
            let refusal = error.refusal().unwrap();
            assert!(!allowed, "refused, though allowed: {}", refusal.detail());
            assert_eq!(self.world.database.number(TRACES).await, traces, "a refused request left a trace");
        }
        assert!(result.is_err() || allowed, "done, though not allowed");
        result.is_ok()
    }

    async fn take(&mut self, step: &Step) {
        let traces = self.world.database.number(TRACES).await;
        match step {
            Step::Define { key, role, permissions } => self.define(traces, *key, *role, permissions).await,
            Step::Give { key, to, roles } => self.give(traces, *key, *to, roles).await,
            Step::Issue { key, to, scope } => self.issue(traces, *key, *to, scope).await,
            Step::Turn { key, member, enabled } => self.turn(traces, *key, *member, *enabled).await,
            Step::Offer { permissions } => self.offer(permissions).await,
            Step::Suspend { suspended } => {
                let condition =
                    if *suspended { LifecycleCondition::Suspended } else { LifecycleCondition::Enabled };
                if self.oracle.suspended != *suspended {
                    self.world.put("acme", condition).await;
                    self.oracle.suspended = *suspended;
                }
            }
            Step::Ask { key, chain } => self.ask(*key, chain).await,
        }
    }

    async fn define(&mut self, traces: i64, key: usize, role: usize, permissions: &[usize]) {
        let key = key % self.keys.len();
        let Some(inside) = self.inside(key).await else { return };
        let (name, role_permissions) = (ROLES[role], strings(&UNIVERSE, permissions));
        let draft = roles::RoleDraft {
            name: name.to_owned(),
            description: String::new(),
            permissions: parsed(&role_permissions),
        };
        let engine = &self.world.engine;
        let all = sinete_store::organizations::roles::list_roles(engine.store(), inside.organization.id)
            .await
            .unwrap();
        let result = match all.iter().find(|it| it.role.name() == name) {
            Some(stored) => roles::change(engine, &inside, stored.id, stored.version, &draft).await,
            None => roles::create(engine, &inside, &draft).await,
        };
        let allowed = self.oracle.may_define(&self.keys[key], name, &role_permissions);
        if self.judge(traces, allowed, result).await {
            self.oracle.roles.insert(name.to_owned(), role_permissions);
        }
    }

    async fn give(&mut self, traces: i64, key: usize, to: usize, role_indexes: &[usize]) {
        let key = key % self.keys.len();
        let Some(inside) = self.inside(key).await else { return };
        let names: Set = strings(&ROLES, role_indexes);
        let names: Set = names
            .into_iter()
            .filter(|it| !it.starts_with('r') || self.oracle.roles.contains_key(it))
            .collect();
        let mut ids = Vec::new();
        for name in &names {
            ids.push(self.world.role("acme", name).await);
        }
        let (engine, id) = (&self.world.engine, self.people[to].membership);
        let result = sinete_store::organizations::memberships::find_membership(
            engine.store(),
            inside.organization.id,
            id,
        )
        .await;
        let version = result.unwrap().unwrap().version;
        let result = members::set_roles(engine, &inside, id, version, &ids).await;
        let allowed = self.oracle.may_give(&self.keys[key], to, &names);
        if self.judge(traces, allowed, result).await {
            self.oracle.carried[to] = names;
        }
    }

    async fn issue(&mut self, traces: i64, key: usize, to: usize, scope: &[usize]) {
        let key = key % self.keys.len();
        let Some(inside) = self.inside(key).await else { return };
        let scope = strings(&UNIVERSE, scope);
        let scope_names: Vec<_> = scope.iter().cloned().collect();
        let request = api_keys::ApiKeyRequest {
            membership: self.people[to].membership,
            name: "key".to_owned(),
            scope: scope_names.join(" ").parse().unwrap(),
            lifetime: None,
        };
        let result = api_keys::issue(&self.world.engine, &inside, &request).await;
        let secret = result.map(|issued| issued.secret.reveal());
        let issued_secret = secret.as_ref().ok().cloned();
        let allowed = self.oracle.may_issue(&self.keys[key], to, &scope);
        if self.judge(traces, allowed, secret).await {
            self.keys.push(Key { member: to, scope, secret: issued_secret.unwrap() });
        }
    }

    async fn turn(&mut self, traces: i64, key: usize, member: usize, enabled: bool) {
        let key = key % self.keys.len();
        let Some(inside) = self.inside(key).await else { return };
        let (engine, id) = (&self.world.engine, self.people[member].membership);
        let result = match enabled {
            true => members::enable(engine, &inside, id).await,
            false => members::disable(engine, &inside, id).await,
        };
        let allowed = self.oracle.may_turn(&self.keys[key], member, enabled);
        if self.judge(traces, allowed, result).await {
            self.oracle.enabled[member] = enabled;
        }
    }

    async fn offer(&mut self, permissions: &[usize]) {
        if self.oracle.suspended {
            return;
        }
        let offered_permissions = strings(&AT_APIS, permissions);
        let (engine, instance_admin) = (&self.world.engine, self.world.system_operating().await);
        if offered_permissions.is_empty() {
            api_catalog::withdraw_offer(engine, &instance_admin, self.api.id, "acme").await.unwrap();
        } else {
            let mut definition = api(&offered_permissions.iter().map(String::as_str).collect::<Vec<_>>());
            definition.identifier = self.api.definition.identifier.clone();
            let (instance, change) =
                (AdminScope::Instance(&instance_admin), ApiChange { is_offered_to_all: None, definition });
            let changed = api_catalog::change(engine, instance, self.api.id, self.api.version, &change).await;
            self.api = changed.unwrap();
            api_catalog::offer_to_organization(engine, &instance_admin, self.api.id, "acme").await.unwrap();
        }
        self.oracle.offered = offered_permissions;
    }

    async fn ask(&self, key: usize, chain: &[Vec<usize>]) {
        let key = key % self.keys.len();
        let Some(inside) = self.inside(key).await else { return };
        let (key, mut authority) = (&self.keys[key], inside.authority.clone());
        for permission in UNIVERSE {
            let is_covered = authority.covers(&permission.parse().unwrap());
            assert_eq!(is_covered, self.oracle.may(key, permission), "{permission}");
        }
        let mut current: Set =
            UNIVERSE.iter().filter(|it| self.oracle.may(key, it)).map(|it| (*it).to_owned()).collect();
        for request in chain {
            let requested_permissions = strings(&UNIVERSE, request);
            let allowed = requested_permissions.iter().all(|it| covers(&current, it));
            match authority.narrow(&parsed(&requested_permissions)) {
                Ok(narrowed) => {
                    assert!(allowed, "{requested_permissions:?} from {current:?}");
                    (authority, current) = (narrowed, requested_permissions);
                }
                Err(_) => assert!(!allowed, "{requested_permissions:?} from {current:?}"),
            }
            for permission in UNIVERSE {
                let is_covered = authority.covers(&permission.parse().unwrap());
                assert!(!is_covered || self.oracle.may(key, permission), "{permission} appeared");
            }
        }
    }
}

fn check(cases: u32, database: impl Fn(&tokio::runtime::Runtime) -> Database) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 60, ..Config::default() };
    let result = TestRunner::new(config).run(&vec(step(), 1..60), |steps| {
        let database = database(&runtime);
        runtime.block_on(async {
            let mut history = History::begin(database).await;
            for step in &steps {
                history.take(step).await;
            }
        });
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn authority_histories_never_exceed_the_holders_on_sqlite() {
    check(40, |_| Database::sqlite());
}

#[test]
fn authority_histories_never_exceed_the_holders_on_postgres() {
    check(8, |runtime| runtime.block_on(Database::postgres()));
}
