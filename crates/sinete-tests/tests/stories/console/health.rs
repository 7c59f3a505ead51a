//! The health of the instance, as operators see it.

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::refusal::limit_kind::LimitKind;
use sinete_core::time::Lifetime;
use sinete_engine::platform::heartbeat::{NodeState, RunningNode, record_heartbeat};

async fn start_limited(on: TestEngine) -> World {
    let limits = [("SINETE_RATE_LIMITS_ENABLED", "true"), ("SINETE_RATE_LIMITS_TOKEN", "2")];
    World::start_with_config(on, &limits).await
}

mod nodes {
    use super::*;

    both_engines!(
        health_page_shows_nodes_and_database,
        health_page_lists_a_node_as_gone_for_a_day,
        health_page_is_for_operators_only
    );

    async fn health_page_shows_nodes_and_database(world: &World) {
        let operators = world.find_organization("operator").await;
        let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
        let operator = world.create_operator().await;
        let health = operator.get("/manage/health").await.assert_status(200).body;
        assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
        let nodes = health["nodes"].as_array().unwrap();
        assert_eq!(nodes.len(), 1, "only this server: {health}");
        assert_eq!(
            (&nodes[0]["state"], &nodes[0]["version"]),
            (&json!("serving"), &json!(env!("CARGO_PKG_VERSION")))
        );
        let database = &health["database"];
        let is_postgres = world.database_url().starts_with("postgres");
        assert_eq!(database["engine"], if is_postgres { "PostgreSQL" } else { "SQLite" });
        assert_eq!(database["schema_version"], nodes[0]["schema_version"]);
        assert!(
            database["size_bytes"].as_u64().unwrap() > 0 && database["latency_us"].is_u64(),
            "{database}"
        );
        assert_eq!(health["limits"], json!([]));
        let page = ana.reader.open_page("/instance/health").await;
        assert!(page.contains(nodes[0]["id"].as_str().unwrap()) && page.contains("serving"), "{page}");
        assert!(page.contains("No limit refused a request in the last day."), "{page}");
        ana.reader.open_page("/instance/health?ui_locales=es").await;
    }

    async fn health_page_lists_a_node_as_gone_for_a_day(world: &World) {
        let engine = world.server.engine();
        let killed = RunningNode::start(engine, "9.9.1-killed");
        record_heartbeat(engine, &killed, NodeState::Serving, &[]).await.unwrap();
        let ended = RunningNode::start(engine, "9.9.2-ended");
        record_heartbeat(engine, &ended, NodeState::Serving, &[]).await.unwrap();
        record_heartbeat(engine, &ended, NodeState::Stopping, &[]).await.unwrap();
        assert_eq!(state_of(world, "9.9.1-killed").await, json!("serving"));
        assert_eq!(state_of(world, "9.9.2-ended").await, json!("stopped"));
        // The clock of the server is stopped, so none of its own heartbeats is seen later.
        world.clock.advance(Lifetime::from_minutes(5));
        assert_eq!(state_of(world, "9.9.1-killed").await, json!("gone"));
        assert_eq!(state_of(world, "9.9.2-ended").await, json!("stopped"));
        world.clock.advance(Lifetime::from_hours(24));
        assert_eq!(state_of(world, "9.9.1-killed").await, json!(null), "the node is listed for a day");
        // The next heartbeat of any node deletes the row.
        let next = RunningNode::start(engine, "9.9.3-next");
        record_heartbeat(engine, &next, NodeState::Serving, &[]).await.unwrap();
        assert_eq!(state_of(world, "9.9.3-next").await, json!("serving"));
        assert!(world.count_rows().await["nodes"] <= 2);
    }

    async fn health_page_is_for_operators_only(world: &World) {
        let acme = world.create_organization("acme").await;
        let owner = world.create_owner(&acme).await;
        owner.get("/manage/health").await.assert_problem(403, "insufficient_scope");
        let mut bia = world.create_console_user(&acme, "bia@example.com", "owner").await;
        assert_eq!(bia.reader.open_url("/instance/health").await.0, 404);
    }

    async fn state_of(world: &World, version: &str) -> Value {
        let health = world.create_operator().await.get("/manage/health").await.assert_status(200).body;
        let nodes = health["nodes"].as_array().unwrap();
        nodes.iter().find(|node| node["version"] == version).map_or(json!(null), |node| node["state"].clone())
    }
}

mod limits {
    use super::*;

    both_engines!(
        crate::stories::console::health::start_limited,
        [health_counts_refusals_by_limit_over_all_nodes]
    );

    async fn health_counts_refusals_by_limit_over_all_nodes(world: &World) {
        for number in 0..5 {
            let wrong = world.http.get(world.public_url("/manage/organizations")).bearer_auth("sn_ak_x");
            let status = wrong.send().await.unwrap().status();
            assert_eq!(status, if number < 2 { 401 } else { 429 });
        }
        // Those of the node that answers count before its next heartbeat.
        assert_eq!(hits(world, "failed_credentials_by_address").await, (3, 3));
        // Another node wrote others.
        let engine = world.server.engine();
        let other = RunningNode::start(engine, "9.9.9");
        let refused = [(LimitKind::FailedCredentialsByAddress, 4), (LimitKind::Connections, 1)];
        record_heartbeat(engine, &other, NodeState::Serving, &refused).await.unwrap();
        assert_eq!(hits(world, "failed_credentials_by_address").await, (7, 7));
        assert_eq!(hits(world, "connections").await, (1, 1));
        assert_eq!(hits(world, "requests").await, (0, 0), "a limit that refused nothing is not listed");
        let operators = world.find_organization("operator").await;
        let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
        let page = ana.reader.open_page("/instance/health").await;
        assert!(page.contains("Failed client authentication, by IP address"), "{page}");
        // They leave the last hour, then the last day.
        world.clock.advance(Lifetime::from_hours(2));
        assert_eq!(hits(world, "connections").await, (0, 1));
        world.clock.advance(Lifetime::from_hours(24));
        assert_eq!(hits(world, "connections").await, (0, 0));
        record_heartbeat(engine, &other, NodeState::Serving, &[]).await.unwrap();
        let metrics = world.http.get(world.admin_url("/metrics")).send().await.unwrap().text().await.unwrap();
        assert!(
            metrics.contains("sinete_limits_hit_total{limit=\"failed_credentials_by_address\"}"),
            "{metrics}"
        );
        assert!(!metrics.contains("127.0.0.1"), "{metrics}");
    }

    async fn hits(world: &World, limit: &str) -> (u64, u64) {
        let health = world.create_operator().await.get("/manage/health").await.assert_status(200).body;
        let limits = health["limits"].as_array().unwrap();
        limits
            .iter()
            .find(|it| it["limit"] == limit)
            .map_or((0, 0), |it| (it["last_hour"].as_u64().unwrap(), it["last_day"].as_u64().unwrap()))
    }
}
