//! Random histories of codes, refreshes and exchanges while roles change, compared with an oracle that knows
//! only sets of strings. No token ever has a permission that its holder lacks, no chain exceeds its first
//! token, and refused requests use up nothing.

pub mod fixture;

use crate::database::Database;
use fixture::Bench;
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sinete_core::refusal::RefusalCode;
use std::collections::BTreeSet;

/// The permissions in these histories.
const UNIVERSE: [&str; 6] =
    ["invoices:read", "invoices:send", "invoices:*", "files:read", "files:send", "files:*"];
/// Maximum actors in a chain.
const ACTORS_MAX: usize = 5;

pub type Set = BTreeSet<String>;

#[derive(Clone, Debug)]
enum Step {
    /// The user's role has these permissions from now on.
    Role(Vec<usize>),
    /// The user consents to these, and a code is redeemed.
    Agree(Vec<usize>),
    /// A code that was refused is tried again.
    Retry(usize),
    /// A refresh token is used, for these scopes or for all.
    Refresh(usize, Option<Vec<usize>>),
    /// An access token is exchanged by the application or the agent, for these scopes or for all.
    Exchange(usize, bool, Option<Vec<usize>>),
    /// An access token is used.
    Use(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let some = || vec(0..UNIVERSE.len(), 1..4);
    prop_oneof![
        3 => vec(0..UNIVERSE.len(), 0..5).prop_map(Step::Role),
        4 => some().prop_map(Step::Agree),
        2 => any::<usize>().prop_map(Step::Retry),
        5 => (any::<usize>(), weighted(0.6, some())).prop_map(|(token, scope)| Step::Refresh(token, scope)),
        6 => (any::<usize>(), any::<bool>(), weighted(0.7, some()))
            .prop_map(|(token, agent, scope)| Step::Exchange(token, agent, scope)),
        4 => any::<usize>().prop_map(Step::Use),
    ]
}

fn strings(indexes: &[usize]) -> Set {
    indexes.iter().map(|index| UNIVERSE[*index].to_owned()).collect()
}

fn covers(set: &Set, permission: &str) -> bool {
    let resource = permission.split(':').next().unwrap();
    set.contains(permission) || set.contains(&format!("{resource}:*"))
}

fn within(scope: &Set, ceiling: &Set) -> bool {
    scope.iter().all(|it| covers(ceiling, it))
}

/// A token, as expected.
#[derive(Clone)]
struct Token {
    text: String,
    scope: Set,
    /// The scopes that everything it came from included.
    agreed: Set,
    actors: usize,
}

struct History {
    bench: Bench,
    held: Set,
    /// The allowed scopes of the application and the agent.
    ceilings: [Set; 2],
    codes: Vec<(String, Set)>,
    refreshes: Vec<(String, Set)>,
    tokens: Vec<Token>,
}

impl History {
    async fn begin(database: Database, ceilings: &[Vec<usize>; 2]) -> Self {
        let ceilings = ceilings.each_ref().map(|it| strings(it));
        let role_permissions: Set = ["invoices:*", "files:read"].map(str::to_owned).into();
        let bench = Bench::new(database, &ceilings, &role_permissions).await;
        Self {
            bench,
            held: role_permissions,
            ceilings,
            codes: Vec::new(),
            refreshes: Vec::new(),
            tokens: Vec::new(),
        }
    }

    async fn take(&mut self, step: &Step) {
        match step {
            Step::Role(permissions) => {
                self.held = strings(permissions);
                self.bench.change_role(&self.held).await;
            }
            Step::Agree(scope) => {
                let consented_scope = strings(scope);
                let code = self.bench.code(&consented_scope).await;
                self.redeem(code, consented_scope).await;
            }
            Step::Retry(index) if !self.codes.is_empty() => {
                let (code, consented_scope) = self.codes.remove(index % self.codes.len());
                self.redeem(code, consented_scope).await;
            }
            Step::Refresh(index, scope) if !self.refreshes.is_empty() => {
                let index = index % self.refreshes.len();
                self.refresh(index, scope.as_deref().map(strings)).await;
            }
            Step::Exchange(index, by_agent, scope) if !self.tokens.is_empty() => {
                let token = self.tokens[index % self.tokens.len()].clone();
                self.exchange(&token, *by_agent, scope.as_deref().map(strings)).await;
            }
            Step::Use(index) if !self.tokens.is_empty() => {
                let token = &self.tokens[index % self.tokens.len()];
                let may = self.bench.may(&token.text).await;
                let expected = |it: &&&str| covers(&self.held, it) && covers(&token.scope, it);
                let expected: Set = UNIVERSE.iter().filter(expected).map(|it| (*it).to_owned()).collect();
                assert_eq!(may, expected);
            }
            Step::Retry(_) | Step::Refresh(..) | Step::Exchange(..) | Step::Use(_) => {}
        }
    }

    async fn redeem(&mut self, code: String, consented_scope: Set) {
        let expected = within(&consented_scope, &self.ceilings[0]) && within(&consented_scope, &self.held);
        let traces = self.bench.traces().await;
        match self.bench.redeem(&code).await {
            Ok(issued) => {
                assert!(expected, "{consented_scope:?} was issued of {:?}", self.held);
                self.keep(issued.access, consented_scope.clone(), consented_scope.clone(), 0);
                self.refreshes.push((issued.refresh.unwrap(), consented_scope));
            }
            Err(refused) => {
                assert!(!expected, "{consented_scope:?} was refused of {:?}", self.held);
                assert_eq!(refused, RefusalCode::InvalidGrant);
                assert_eq!(self.bench.traces().await, traces, "a refused code left a trace");
                self.codes.push((code, consented_scope));
            }
        }
    }

    async fn refresh(&mut self, index: usize, requested_scope: Option<Set>) {
        let (token, family) = self.refreshes[index].clone();
        let scope = requested_scope.clone().unwrap_or_else(|| family.clone());
        let fits = within(&scope, &family);
        let expected = fits && within(&scope, &self.ceilings[0]) && within(&scope, &self.held);
        let traces = self.bench.traces().await;
        match self.bench.refresh(&token, requested_scope.as_ref()).await {
            Ok(issued) => {
                assert!(expected, "{scope:?} was renewed of {family:?} and {:?}", self.held);
                self.keep(issued.access, scope, family.clone(), 0);
                self.refreshes[index] = (issued.refresh.unwrap(), family);
            }
            Err(refused) => {
                assert!(!expected, "{scope:?} was refused of {family:?} and {:?}", self.held);
                let code = if requested_scope.is_some() {
                    RefusalCode::InvalidScope
                } else {
                    RefusalCode::InvalidGrant
                };
                assert_eq!(refused, code);
                assert_eq!(self.bench.traces().await, traces, "a refused refresh left a trace");
            }
        }
    }

    async fn exchange(&mut self, token: &Token, by_agent: bool, requested_scope: Option<Set>) {
        let scope = requested_scope.clone().unwrap_or_else(|| token.scope.clone());
        let ceiling = &self.ceilings[usize::from(by_agent)];
        let expected = token.actors < ACTORS_MAX
            && within(&scope, &token.scope)
            && within(&scope, ceiling)
            && within(&scope, &self.held);
        let traces = self.bench.traces().await;
        // The application may exchange only its own tokens.
        let is_stranger = !by_agent && self.bench.holder(&token.text) != self.bench.app();
        match self.bench.exchange(&token.text, by_agent, requested_scope.as_ref()).await {
            Ok(issued) => {
                assert!(expected, "{scope:?} was handed on of {:?} and {:?}", token.scope, self.held);
                assert!(issued.refresh.is_none());
                self.keep(issued.access, scope, token.agreed.clone(), token.actors + 1);
            }
            Err(refused) => {
                assert!(!expected || is_stranger, "{scope:?} was refused of {:?}", token.scope);
                assert!(!is_stranger || refused == RefusalCode::UnauthorizedClient || !expected);
                assert_eq!(self.bench.traces().await, traces, "a refused exchange left a trace");
            }
        }
    }

    /// Stores an issued token, after checking its claims.
    fn keep(&mut self, text: String, scope: Set, consented_scope: Set, actors: usize) {
        assert_eq!(self.bench.says(&text), (scope.clone(), actors));
        assert!(within(&scope, &consented_scope) && within(&scope, &self.held));
        self.tokens.push(Token { text, scope, agreed: consented_scope, actors });
    }
}

fn check(cases: u32, database: impl Fn(&tokio::runtime::Runtime) -> Database) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 60, ..Config::default() };
    let ceiling = || vec(0..UNIVERSE.len(), 1..5);
    let histories = (ceiling(), ceiling(), vec(step(), 1..60));
    let result = TestRunner::new(config).run(&histories, |(app, agent, steps)| {
        let database = database(&runtime);
        runtime.block_on(async {
            let mut history = History::begin(database, &[app, agent]).await;
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
fn token_chains_never_exceed_their_holders_authority_on_sqlite() {
    check(40, |_| Database::sqlite());
}

#[test]
fn token_chains_never_exceed_their_holders_authority_on_postgres() {
    check(8, |runtime| runtime.block_on(Database::postgres()));
}
