//! Lists that a reader can sort with the newest first read a range of an index in the reverse of its order.

use super::both_engines;
use super::database::{Database, connect};
use super::probe::{NOW, connect as open, patient};
use super::query_plans::{OURS, plan_on_postgres, plan_on_sqlite};
use crate::{StoreAccess, all_statements, migrate};

both_engines!(query_plan_of_lists_newest_first_reads_a_range_of_ids);

/// The statements.
const LISTS: &[&str] = &["memberships.newest_page", "invitations.newest_page", "api_keys.newest_page"];

/// A hundred thousand members of a hundred organizations, and current planner statistics.
const MEMBERS: &str = "SET session_replication_role = replica;
    INSERT INTO memberships (id, organization_id, condition, condition_at, created_at)
        SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), decode(lpad(to_hex(n % 100), 32, '0'), 'hex'), 'enabled', 0, 0
        FROM generate_series(1, 100000) n;
    ANALYZE;";

async fn query_plan_of_lists_newest_first_reads_a_range_of_ids(database: Database) {
    let store = open(&database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    let find = |name: &str| all_statements().find(|it| it.name() == name).unwrap();
    match &database {
        Database::Sqlite(_) => {
            let connection = rusqlite::Connection::open(database.file()).unwrap();
            for name in LISTS {
                let plan = plan_on_sqlite(&connection, find(name));
                assert!(plan[0].ends_with("(organization_id=? AND id<?)"), "{name}: {plan:#?}");
                assert!(!plan.iter().any(|line| line.contains("TEMP")), "{name}: {plan:#?}");
            }
        }
        Database::Postgres { .. } => {
            let client = connect(&database.url()).await;
            client.batch_execute(MEMBERS).await.unwrap();
            client.batch_execute(OURS).await.unwrap();
            let plan = plan_on_postgres(&client, find(LISTS[0])).await;
            let is_backward =
                |line: &String| line.contains("Scan Backward using memberships_of_organization");
            assert!(plan.iter().any(is_backward), "{plan:#?}");
            assert!(!plan.iter().any(|line| line.contains("Sort")), "{plan:#?}");
        }
    }
}
