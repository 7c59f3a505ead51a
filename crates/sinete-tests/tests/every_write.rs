//! Every route that writes declares its rate limits. A caller that sends ten times as many requests is refused, makes
//! the logs grow by no more than declared, and leaves no rows that cleanup does not delete.

mod requests;

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use requests::{Driven, Scene, not_driven};
use sinete_core::limits::SESSION_AGE_MAX;
use sinete_core::time::Lifetime;
use sinete_http::router::ROUTES;
use sinete_http::state::RouteEntry;
use sinete_server::route::{CallerKind, RateLimitKind, RouteMethod, RouteRateLimits};
use sinete_store::administration::retention::{TABLES, TableRetention};
use std::collections::BTreeMap;

/// How many requests each limit allows in a minute.
const LIMIT: usize = 2;
/// How many writes one account may make; more than the flows it may start, so that both limits are reached.
const WRITES: usize = 4;

async fn limited(on: TestEngine) -> World {
    let limits = [
        ("SINETE_RATE_LIMITS_ENABLED", "true"),
        ("SINETE_RATE_LIMITS_FLOWS", "2"),
        ("SINETE_RATE_LIMITS_STORED_REQUESTS", "2"),
        ("SINETE_RATE_LIMITS_GRANT_TOKENS", "2"),
        ("SINETE_RATE_LIMITS_PROOFS", "2"),
        ("SINETE_RATE_LIMITS_SENDS", "2"),
        ("SINETE_RATE_LIMITS_TOKEN", "2"),
        ("SINETE_RATE_LIMITS_ACCOUNT", "4"),
        ("SINETE_RATE_LIMITS_INVITATIONS", "2"),
        ("SINETE_RATE_LIMITS_REGISTRATION_CHANGES", "2"),
        ("SINETE_REGISTRATION__PER_MINUTE", "2"),
        ("SINETE_REGISTRATION__BURST", "2"),
    ];
    World::start_with_config(on, &limits).await
}

fn named(route: &RouteEntry) -> String {
    format!("{} {}", route.method.name(), route.path)
}

/// Every route with every limit that it declares.
fn declared() -> impl Iterator<Item = (&'static RouteEntry, RateLimitKind, u32)> {
    ROUTES.iter().flat_map(|route| {
        let (by, log_rows) = match route.rate_limits {
            RouteRateLimits::Limited { kinds: by, log_rows } => (by, log_rows),
            RouteRateLimits::ReadOnly | RouteRateLimits::Unlimited(_) => (&[][..], 0),
        };
        by.iter().map(move |limit| (route, *limit, log_rows))
    })
}

#[test]
fn writing_routes_declare_their_rate_limits_or_a_reason_for_none() {
    let mut limited = 0;
    for route in ROUTES {
        match route.rate_limits {
            // The form contains a token to look up; the request only reads.
            RouteRateLimits::ReadOnly => assert!(
                route.method == RouteMethod::Get || route.path == "/connect/userinfo",
                "{} writes and declares no rate limit",
                named(route)
            ),
            RouteRateLimits::Limited { kinds: by, .. } => {
                limited += 1;
                assert!(!by.is_empty(), "{}", named(route));
            }
            RouteRateLimits::Unlimited(reason) => {
                let is_known = match route.caller {
                    CallerKind::Bearer(_) => true,
                    CallerKind::Anyone => {
                        ["/connect/logout", "/links/not-me", "/links/undo-email"].contains(&route.path)
                    }
                    _ => false,
                };
                assert!(
                    is_known && reason.len() > 20,
                    "{} declares no rate limit and no known reason",
                    named(route)
                );
            }
        }
    }
    assert!(limited > 60, "{limited}");
}

fn limit_of(limit: RateLimitKind) -> usize {
    if limit == RateLimitKind::WritesByAccount { WRITES } else { LIMIT }
}

/// Sends ten times as many requests as the limit allows, and counts the rows they leave.
async fn drive_past(
    scene: &Scene<'_>,
    route: &RouteEntry,
    limit: RateLimitKind,
    log_rows: u32,
    request: &Driven<'_>,
) {
    let (world, context, maximum) = (scene.world, format!("{} by {limit:?}", named(route)), limit_of(limit));
    world.clock.advance(Lifetime::from_minutes(2));
    let before = world.count_rows().await;
    let mut admitted = 0;
    for number in 0..10 * maximum {
        let status = request(number).await;
        assert!(status < 500, "{context}: {status}");
        admitted += usize::from(status != 429);
    }
    if !scene.tells_on_the_page(route, limit) {
        assert!((1..=maximum).contains(&admitted), "{context}: {admitted} of {} accepted", 10 * maximum);
    }
    let after = world.count_rows().await;
    let grown = logged(&after) - logged(&before);
    let is_guess = limit == RateLimitKind::FailedProofsByAddress;
    assert!(!is_guess || grown > 0, "{context}: nothing was logged");
    assert!(grown <= maximum * log_rows as usize, "{context}: the logs have grown by {grown}");
    for (table, rows) in &after {
        let row_growth = rows.saturating_sub(before[table]);
        let is_log = LOGS.contains(&table.as_str()) || table == "log_chain";
        // One request writes a few rows of a table at most: a message is counted by the hour and by the day.
        assert!(is_log || row_growth <= maximum * 16, "{context}: {table} has grown by {row_growth}");
        if ["flows", "invitations", "delegations"].contains(&table.as_str()) {
            assert!(row_growth <= maximum, "{context}: {row_growth} {table}");
        }
        assert!(
            scene.makes(route, limit) != Some(table.as_str()) || row_growth > 0,
            "{context}: no row of {table}"
        );
    }
}

const LOGS: [&str; 2] = ["security_log", "audit"];

fn logged(counts: &BTreeMap<String, usize>) -> usize {
    LOGS.iter().map(|log| counts[*log]).sum()
}

both_engines!(
    super::limited,
    [
        writing_routes_beyond_their_rate_limit_are_refused_and_write_nothing,
        failed_client_authentications_are_recorded_up_to_a_limit_and_then_counted,
        read_only_routes_write_nothing
    ]
);

async fn writing_routes_beyond_their_rate_limit_are_refused_and_write_nothing(world: &World) {
    let scene = Scene::set(world).await;
    let initial_rows = world.count_rows().await;
    let mut driven = 0;
    for (route, limit, log_rows) in declared() {
        let context = format!("{} by {limit:?}", named(route));
        let drivers = scene.prepared(route, limit).await;
        if drivers.is_empty() {
            assert!(not_driven(route, limit).is_some(), "{context} has neither requests nor a reason");
            continue;
        }
        assert!(not_driven(route, limit).is_none(), "{context} has requests and a reason");
        for request in drivers {
            driven += 1;
            drive_past(&scene, route, limit, log_rows, &request).await;
        }
    }
    assert!(driven > 60, "{driven}");
    // The events are counted now, so that the counts expire too.
    world.seal_events().await;
    // Counters of a session expire earlier than counters of a device.
    world.clock.advance(SESSION_AGE_MAX.plus(Lifetime::from_days(1)));
    sinete_engine::administration::cleanup::delete_expired(world.server.engine()).await.unwrap();
    let counters = world.dump_database().await.remove("attempt_counters").unwrap_or_default();
    let of_sessions: Vec<_> = counters.iter().filter(|row| row.contains("session ")).collect();
    assert!(of_sessions.is_empty(), "{of_sessions:?}");
    for _ in 0..3 {
        world.clock.advance(Lifetime::from_days(400));
        sinete_engine::oauth::dcr::remove_unused(world.server.engine()).await.unwrap();
        sinete_engine::administration::cleanup::delete_expired(world.server.engine()).await.unwrap();
    }
    let remaining_rows = world.count_rows().await;
    for (table, retention) in TABLES {
        let row_growth = remaining_rows[*table].saturating_sub(initial_rows[*table]);
        match retention {
            // A pending membership keeps its invitation. Two routes invite members.
            TableRetention::Expires if *table == "invitations" => {
                assert!(row_growth <= 2 * LIMIT, "{table}: {row_growth}")
            }
            // The last known device of an account stays: one for each account that signed in with a link.
            TableRetention::Expires if *table == "devices" => {
                assert!(row_growth <= LIMIT, "{table}: {row_growth}")
            }
            // Counters of an account stay as long as the account.
            TableRetention::Expires if *table == "attempt_counters" => {
                assert!(row_growth <= 20, "{table}: {row_growth}")
            }
            TableRetention::Expires | TableRetention::ExpiresUnused => {
                assert_eq!(row_growth, 0, "{table} has rows that cleanup left")
            }
            TableRetention::WithParent(_)
            | TableRetention::Managed
            | TableRetention::Bounded
            | TableRetention::Log => {}
        }
    }
}

async fn failed_client_authentications_are_recorded_up_to_a_limit_and_then_counted(world: &World) {
    let scene = Scene::set(world).await;
    let events = async || world.count_rows().await["security_log"];
    let before = events().await;
    for number in 0..20 {
        let status = scene.wrong_secret("/connect/token").send().await.unwrap().status();
        assert_eq!(status, if number < LIMIT { 401 } else { 429 });
    }
    assert_eq!(events().await - before, LIMIT, "requests answered 429 are not recorded");
    // Meanwhile, correct credentials from the same address are accepted.
    assert_eq!(scene.confidential.push_request(&[]).await.0, 201);
    world.clock.advance(Lifetime::from_seconds(30));
    assert_eq!(scene.wrong_secret("/connect/token").send().await.unwrap().status(), 401);
    let (owner, last) = (world.create_operator().await, "/manage/events?limit=200");
    let response_text = owner.get(last).await.assert_status(200).text;
    assert!(
        response_text.contains("\"unrecorded\":18"),
        "the next event has the number of unrecorded ones: {response_text}"
    );
}

async fn read_only_routes_write_nothing(world: &World) {
    let scene = Scene::set(world).await;
    let before = world.count_rows().await;
    let mut read = 0;
    for route in ROUTES.iter().filter(|route| route.rate_limits == RouteRateLimits::ReadOnly) {
        for request in scene.reads(route) {
            read += 1;
            request.send().await.unwrap();
        }
    }
    assert!(read > 100, "{read}");
    let after = world.count_rows().await;
    for (table, rows) in &after {
        let is_sealed =
            ["log_chain", "usage_counts", "active_users", "limit_counts"].contains(&table.as_str());
        assert!(*rows == before[table] || is_sealed, "{table}: {} and {rows}", before[table]);
    }
}
