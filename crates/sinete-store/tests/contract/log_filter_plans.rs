//! Every filter of the audit log and of the security log reads a range of its own index, in the order of ids: on SQLite
//! without statistics, on PostgreSQL with them.

use super::both_engines;
use super::database::{Database, connect};
use super::probe::{NOW, connect as open, patient};
use super::query_plans::{OURS, plan_on_postgres, plan_on_sqlite};
use crate::{StoreAccess, all_statements, migrate};

both_engines!(query_plan_of_log_filters_reads_a_range_of_their_index);

/// The statements of the filters, and the index of each.
const FILTERS: &[(&str, &str)] = &[
    ("audit.page_of_actor", "audit_of_actor"),
    ("audit.latest_of_actor", "audit_of_actor"),
    ("audit.page_of_kind", "audit_of_kind"),
    ("audit.latest_of_kind", "audit_of_kind"),
    ("audit.page_of_actor_and_kind", "audit_of_actor"),
    ("audit.latest_of_actor_and_kind", "audit_of_actor"),
    ("audit.page_of_subject", "audit_of_subject"),
    ("audit.latest_of_subject", "audit_of_subject"),
    ("audit.of_address", "security_log_of_organization_address"),
    ("audit.newest_of_address", "security_log_of_organization_address"),
    ("sign_ins.page", "security_log_sign_ins"),
    ("sign_ins.latest", "security_log_sign_ins"),
    ("sign_ins.page_of_actor", "security_log_sign_ins_of_actor"),
    ("sign_ins.latest_of_actor", "security_log_sign_ins_of_actor"),
    ("sign_ins.page_at_client", "security_log_sign_ins_at_client"),
    ("sign_ins.latest_at_client", "security_log_sign_ins_at_client"),
    ("sign_ins.page_of_address", "security_log_of_organization_address"),
    ("sign_ins.latest_of_address", "security_log_of_organization_address"),
    ("security_log.newest_of_kind", "security_log_of_kind"),
    ("security_log.newest_of_address", "security_log_of_address"),
    ("security_log.newest_of_organization_address", "security_log_of_organization_address"),
];

/// The logs of five organizations, of which tokens are the most, and current planner statistics. With fewer rows, one index
/// is as good as another.
const LOGS: &str = "SET session_replication_role = replica;
    INSERT INTO audit (id, organization_id, at, kind, actor_kind, actor_id, subject_kind, subject_id, detail)
        SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), decode(lpad(to_hex(n % 5), 32, '0'), 'hex'), n,
        'kind' || n % 7, 'member', 'actor' || n % 30, 'role', 'role' || n % 50, '{}' FROM generate_series(1, 20000) n;
    INSERT INTO security_log (id, at, kind, actor_kind, actor_id, organization_id, client_id, detail, salt, address)
        SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), n,
        CASE WHEN n % 4 = 0 THEN 'grant.given' WHEN n % 4 = 1 THEN 'kind' || n % 7
        WHEN n % 4 = 2 THEN 'token.exchanged' ELSE 'token.issued' END,
        'membership', 'actor' || n % 300, decode(lpad(to_hex(n % 5), 32, '0'), 'hex'), 'client' || n % 20, '{}',
        'salt', '192.0.2.' || n % 199 FROM generate_series(1, 200000) n;
    ANALYZE;";

/// SQLite makes one for every row and index whose condition has a list of more than two values.
#[tokio::test]
async fn security_log_event_is_written_without_a_temporary_table_on_sqlite() {
    let database = Database::sqlite();
    let store = open(&database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    let connection = rusqlite::Connection::open(database.file()).unwrap();
    for name in ["security_log.append", "security_log.append_at"] {
        let statement = all_statements().find(|it| it.name() == name).unwrap();
        let instructions = list_instructions(&connection, statement.sqlite_text());
        assert!(!instructions.iter().any(|it| it == "OpenEphemeral"), "{name}: {instructions:?}");
    }
    let with_list = "INSERT INTO grants (id, kind) VALUES (x'01', 'code')";
    assert!(list_instructions(&connection, with_list).iter().any(|it| it == "OpenEphemeral"));
}

/// The instructions that SQLite runs for a statement.
fn list_instructions(connection: &rusqlite::Connection, sql: &str) -> Vec<String> {
    let mut explained = connection.prepare(&format!("EXPLAIN {sql}")).unwrap();
    let parameters = vec![rusqlite::types::Value::Null; explained.parameter_count()];
    let names = explained.query_map(rusqlite::params_from_iter(parameters), |row| row.get(1)).unwrap();
    names.map(Result::unwrap).collect()
}

async fn query_plan_of_log_filters_reads_a_range_of_their_index(database: Database) {
    let store = open(&database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    let find = |name: &str| all_statements().find(|it| it.name() == name).unwrap();
    match &database {
        Database::Sqlite(_) => {
            let connection = rusqlite::Connection::open(database.file()).unwrap();
            for (name, index) in FILTERS {
                let plan = plan_on_sqlite(&connection, find(name));
                let is_range = plan[0].ends_with("id>? AND id<?)") || plan[0].ends_with(",id)<(?,?))");
                let is_own = plan[0].contains(&format!(" INDEX {index} ("));
                let is_sorted = plan.iter().any(|line| line.contains("TEMP"));
                assert!(is_range && is_own && !is_sorted, "{name}: {plan:#?}");
            }
        }
        Database::Postgres { .. } => {
            let client = connect(&database.url()).await;
            client.batch_execute(LOGS).await.unwrap();
            client.batch_execute(OURS).await.unwrap();
            for (name, index) in FILTERS {
                let plan = plan_on_postgres(&client, find(name)).await;
                let is_used = plan.iter().any(|line| line.contains(&format!("using {index} ")));
                assert!(is_used && !plan.iter().any(|line| line.contains("Sort")), "{name}: {plan:#?}");
            }
        }
    }
}
