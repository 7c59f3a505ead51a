//! The cost of a statement grows with the depth of an index and not with the number of rows: none scans a
//! table that grows with the number of users, except those with a stated reason.

use super::both_engines;
use super::database::{Database, connect};
use super::probe::{NOW, connect as open, patient};
use crate::driver::postgres::batched_read;
use crate::{SqlStatement, StoreAccess, all_statements, migrate};
use std::collections::BTreeSet;

both_engines!(
    query_plans_never_scan_a_growing_table,
    query_plan_of_the_audit_log_reads_an_id_range,
    query_plan_of_member_search_reads_one_index_range_in_order,
    query_plan_of_account_search_reads_a_range_of_ids
);

/// Statements that scan a whole table or index, and why that is acceptable.
const WHOLE: &[(&str, &str)] = &[
    ("api_keys.issue", "rows that wait for a referenced key, which SQLite searches only if there are any"),
    ("bootstrap_links.end_others", "as many rows as bootstrap links"),
    ("client_secrets.add", "its own parameters"),
    ("connections.add", "its own parameters"),
    ("connections.any", "the first enabled connection"),
    ("connections.enabled", "only for the doctor command, over the enabled connections"),
    ("delegations.of_account", "a common table expression with the active exchanges of one account"),
    ("domains.add", "its own parameters"),
    ("instance.fix_passkey_domain", "only after the issuer changed"),
    ("log_archive.webhook_floor", "only before a cut, over all webhooks"),
    ("log_chain.place_many", "its own parameters"),
    ("log_erasures.list", "erasures since the last archive run"),
    ("log_erasures.request", "whether there is a first archived segment"),
    ("log_segments.list", "one row for each file of the archive, for verification and archiving"),
    ("logout_deliveries.queue_everybodys", "all sessions end"),
    ("nodes.forget", "as many rows as nodes of the last day"),
    ("nodes.list", "as many rows as nodes of the last day"),
    ("offered.offered", "a table of one row"),
    ("registrations.forget_clients", "tables whose rows live for minutes, and clients in index order"),
    ("registrations.forget_secrets", "tables whose rows live for minutes, and clients in index order"),
    ("registrations.unused", "clients in index order, no further than needed"),
    ("relationships.reach", "a common table expression of the evaluation, within its limits"),
    ("relationships.objects", "a common table expression of the search, within its limits"),
    ("relationships.subjects", "a common table expression of the search, within its limits"),
    ("restored.end_sessions", "a restore ends all of them"),
    ("restored.finish_flows", "a restore ends all of them"),
    ("restored.revoke_grants", "a restore ends all of them"),
    ("restored.spend_account_links", "a restore ends all of them"),
    ("restored.spend_bootstrap_links", "a restore ends all of them"),
    ("restored.take_pushed_requests", "a restore ends all of them"),
    ("sessions.end_everybodys", "all sessions end"),
    ("signing_keys.history", "as many rows as signing keys"),
    ("signing_keys.standing", "as many rows as signing keys"),
    ("standing.of_exchanged_api_key", "a chain of at most five actors"),
    ("standing.of_exchanged_assignment", "a chain of at most five actors"),
    ("standing.of_exchanged_grant", "a chain of at most five actors"),
    ("standing.of_exchanged_own", "a chain of at most five actors"),
    ("sweep.any_bootstrap_links", "as many rows as bootstrap links"),
    ("sweep.bootstrap_links", "as many rows as bootstrap links"),
    ("webhook_walk.find", "the first row"),
    ("webhooks.add", "a table of one row"),
    ("webhooks.wake", "as many rows as webhooks"),
];

/// Tables that no statement may scan, whatever the reason: they have millions of rows on an instance with a
/// million users.
const GROWING: &[&str] = &[
    "accounts",
    "contacts",
    "credentials",
    "memberships",
    "membership_roles",
    "member_words",
    "security_log",
    "log_chain",
    "audit",
    "relationships",
    "relation_rules",
];

/// The tables that a statement scans on SQLite, by its query plan.
fn whole_on_sqlite(connection: &rusqlite::Connection, statement: &SqlStatement) -> Vec<String> {
    let lines = plan_on_sqlite(connection, statement).into_iter();
    lines.filter_map(|line| Some(line.strip_prefix("SCAN ")?.to_owned())).collect()
}

/// The query plan of SQLite.
pub(super) fn plan_on_sqlite(connection: &rusqlite::Connection, statement: &SqlStatement) -> Vec<String> {
    let sql = format!("EXPLAIN QUERY PLAN {}", statement.sqlite_text());
    let mut explained = connection.prepare(&sql).unwrap();
    let parameters = vec![rusqlite::types::Value::Null; explained.parameter_count()];
    let lines = explained
        .query_map(rusqlite::params_from_iter(parameters), |row| row.get::<_, String>(3))
        .unwrap()
        .map(Result::unwrap);
    lines.collect()
}

/// The same on PostgreSQL, where a table is scanned only if there is no other way.
async fn whole_on_postgres(client: &tokio_postgres::Client, statement: &SqlStatement) -> Vec<String> {
    let mut plan = plan_on_postgres(client, statement).await;
    if statement.is_batched_read() || statement.may_leave_out_its_row() {
        let alone = client.prepare(statement.postgres_text()).await.unwrap();
        let types: Vec<_> = alone.params().iter().map(tokio_postgres::types::Type::name).collect();
        let text = match statement.is_batched_read() {
            true => batched_read::write_batched_text(statement, &types).to_owned(),
            false => statement.postgres_multi_row_text(&types, 0),
        };
        let together = plan_of(client, &text).await;
        let by_index = together.iter().zip(together.iter().skip(1));
        for (line, next) in by_index.filter(|(line, _)| line.contains("Index") && line.contains(" Scan ")) {
            assert!(next.trim().starts_with("Index Cond: "), "{}: {line}", statement.name());
        }
        plan.extend(together);
    }
    plan.iter().filter_map(|line| Some(line.split_once("Seq Scan on ")?.1.to_owned())).collect()
}

/// The generic query plan of PostgreSQL.
pub(super) async fn plan_on_postgres(
    client: &tokio_postgres::Client,
    statement: &SqlStatement,
) -> Vec<String> {
    plan_of(client, statement.postgres_text()).await
}

async fn plan_of(client: &tokio_postgres::Client, text: &str) -> Vec<String> {
    let prepared = client.prepare(text).await.unwrap();
    let arguments = vec!["NULL"; prepared.params().len()].join(", ");
    let arguments = if arguments.is_empty() { String::new() } else { format!("({arguments})") };
    client.batch_execute(&format!("PREPARE explained AS {text}")).await.unwrap();
    let lines = client.query(&format!("EXPLAIN EXECUTE explained{arguments}"), &[]).await.unwrap();
    client.batch_execute("DEALLOCATE explained").await.unwrap();
    lines.iter().map(|row| row.get(0)).collect()
}

/// The planner settings of our sessions.
pub(super) const OURS: &str = "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off; \
                    SET enable_mergejoin = off; SET random_page_cost = 1; SET jit = off";

/// A few active grants with codes and refresh tokens, and current planner statistics.
const FEW_GRANTS: &str = "SET session_replication_role = replica;
    INSERT INTO grants (id, kind, organization_id, membership_id, account_id, account_epoch, client_id, client_epoch,
        scopes, authentication, created_at, expires_at, code_digest, code_redirect_uri, code_challenge, code_request,
        code_expires_at, refresh_mark, refresh_newest, refresh_audience, refresh_scope, refresh_idle_expires_at,
        refresh_expires_at)
        SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), 'code', 'o', 'm', 'a', 0, 'app', 0, '{}', '{}', 0, 9,
        'c', '', '', '{}', 9, 'm', 'n', 'https://api.example', '', 9, 9 FROM generate_series(1, 64) n;
    ANALYZE;";

#[tokio::test]
async fn query_plan_of_a_guard_reads_only_related_rows() {
    let database = Database::postgres().await;
    let store = open(&database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    let client = connect(&database.url()).await;
    client.batch_execute(FEW_GRANTS).await.unwrap();
    client.batch_execute(OURS).await.unwrap();
    let changes =
        ["codes.spend", "codes.spend_and_begin", "families.begin", "families.rotate", "families.use_again"];
    let exchanges = ["delegations.begin_of_grant", "delegations.begin_of_exchanged_grant"];
    for name in changes.into_iter().chain(exchanges) {
        let statement = all_statements().find(|statement| statement.name() == name).unwrap();
        let plan = plan_on_postgres(&client, statement).await;
        let reads = |line: &&String| line.contains("Scan ") && line.contains(" on grants");
        let grants: Vec<_> = plan.iter().filter(reads).collect();
        // A statement that changes the grant looks it up once.
        assert_eq!(grants.len(), 1, "{name} looks at its grant: {plan:#?}");
        assert!(grants.iter().all(|line| line.contains("grants_pkey")), "{name}: {plan:#?}");
    }
}

/// The tables that grow with every sign-in and every token.
const GROWING_WITH_TRAFFIC: &[&str] = &["grants", "consents", "sessions", "delegations"];

/// A plan is made once for each connection, often while the tables are empty and every index seems as good as
/// another. Where a table grows with the traffic, and in every question about a token, a statement that names a row
/// by a unique index must not leave the planner a choice.
#[tokio::test]
async fn query_plan_made_on_empty_tables_finds_single_rows_by_a_unique_index() {
    let database = Database::postgres().await;
    let store = open(&database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    let client = connect(&database.url()).await;
    client.batch_execute(OURS).await.unwrap();
    let unique = list_unique_indexes(&client).await;
    let mut complaints = BTreeSet::new();
    for statement in all_statements() {
        let plan = plan_on_postgres(&client, statement).await;
        let missed = plan.iter().enumerate().filter(|(at, line)| {
            let table =
                line.split(" on ").nth(1).and_then(|on| on.split_whitespace().next()).unwrap_or_default();
            let grows = GROWING_WITH_TRAFFIC.contains(&table);
            let is_of_token = statement.name().starts_with("standing.") && table == "memberships";
            (grows || is_of_token) && misses_unique_index(&plan, *at, &unique)
        });
        complaints.extend(missed.map(|(_, line)| format!("{}: {}", statement.name(), line.trim())));
    }
    assert!(complaints.is_empty(), "{}", Vec::from_iter(complaints).join("\n"));
}

/// A unique index: its name, its table and its columns.
struct UniqueIndex {
    name: String,
    table: String,
    columns: Vec<String>,
}

async fn list_unique_indexes(client: &tokio_postgres::Client) -> Vec<UniqueIndex> {
    let sql = "SELECT i.indexrelid::regclass::text, i.indrelid::regclass::text, \
               array_agg(a.attname::text) FROM pg_index i \
               JOIN pg_attribute a ON a.attrelid = i.indexrelid \
               WHERE i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL \
               AND i.indrelid::regclass::text NOT LIKE 'pg_%' GROUP BY 1, 2";
    let rows = client.query(sql, &[]).await.unwrap();
    let read =
        |row: &tokio_postgres::Row| UniqueIndex { name: row.get(0), table: row.get(1), columns: row.get(2) };
    rows.iter().map(read).collect()
}

/// Whether this line of a plan reads an index with repeated values, and what it filters afterwards would have
/// found the row in a unique one.
fn misses_unique_index(plan: &[String], at: usize, unique: &[UniqueIndex]) -> bool {
    let Some((_, scan)) = plan[at].split_once(" using ") else { return false };
    let mut split_whitespace = scan.split_whitespace();
    let (Some(index), Some(_), Some(table)) =
        (split_whitespace.next(), split_whitespace.next(), split_whitespace.next())
    else {
        return false;
    };
    if unique.iter().any(|unique_index| unique_index.name == index) {
        return false;
    }
    let conditions: String = plan[at + 1..]
        .iter()
        .map(|line| line.trim())
        .take_while(|line| line.starts_with("Index Cond: ") || line.starts_with("Filter: "))
        .collect();
    let is_given = |column: &String| conditions.contains(&format!("({column} = "));
    unique.iter().any(|unique_index| unique_index.table == table && unique_index.columns.iter().all(is_given))
}

async fn query_plans_never_scan_a_growing_table(database: Database) {
    let store = open(&database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    let mut full_scans = Vec::new();
    match &database {
        Database::Sqlite(_) => {
            let connection = rusqlite::Connection::open(database.file()).unwrap();
            for statement in all_statements() {
                full_scans
                    .extend(whole_on_sqlite(&connection, statement).into_iter().map(|it| (statement, it)));
            }
        }
        Database::Postgres { .. } => {
            let client = connect(&database.url()).await;
            client.batch_execute(OURS).await.unwrap();
            for statement in all_statements() {
                full_scans.extend(
                    whole_on_postgres(&client, statement).await.into_iter().map(|it| (statement, it)),
                );
            }
        }
    }
    let is_whole = |table: &str| GROWING.contains(&table.split(' ').next().unwrap_or_default());
    let excused = ["instance.fix_passkey_domain"];
    let unexpected = full_scans.iter().filter(|(statement, read)| {
        let is_explained = WHOLE.iter().any(|(name, _)| *name == statement.name());
        !is_explained || (is_whole(read) && !excused.contains(&statement.name()))
    });
    let complaints: BTreeSet<_> =
        unexpected.map(|(it, read)| format!("{} reads all of {read}", it.name())).collect();
    assert!(complaints.is_empty(), "{}", Vec::from_iter(complaints).join("\n"));
    // Every listed exception exists and has a reason.
    let statement_names: BTreeSet<_> = all_statements().map(SqlStatement::name).collect();
    assert!(WHOLE.iter().all(|(name, why)| statement_names.contains(name) && !why.is_empty()));
}

/// The audit logs of a hundred organizations, and current planner statistics.
const HUNDRED_TRAILS: &str = "SET session_replication_role = replica;
    INSERT INTO audit (id, organization_id, at, kind, actor_kind, actor_id, detail)
        SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), decode(lpad(to_hex(n % 100), 32, '0'), 'hex'), n,
        'kind' || n % 7, 'member', 'actor' || n % 3, '{}' FROM generate_series(1, 20000) n;
    ANALYZE;";

async fn query_plan_of_the_audit_log_reads_an_id_range(database: Database) {
    let store = open(&database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    let walks = all_statements()
        .filter(|it| ["audit.page", "audit.latest"].iter().any(|prefix| it.name().starts_with(prefix)));
    let walks: Vec<_> = walks.collect();
    assert_eq!(walks.len(), 10);
    match &database {
        Database::Sqlite(_) => {
            let connection = rusqlite::Connection::open(database.file()).unwrap();
            for walk in walks {
                let plan = plan_on_sqlite(&connection, walk);
                let [line] = plan.as_slice() else { panic!("{}: {plan:#?}", walk.name()) };
                let is_bounded = line.ends_with("id>? AND id<?)")
                    || line.contains(",id)>(?,?) AND ") && line.ends_with(",id)<(?,?))");
                assert!(line.contains("audit_of_") && is_bounded, "{}: {line}", walk.name());
            }
        }
        Database::Postgres { .. } => {
            let client = connect(&database.url()).await;
            client.batch_execute(HUNDRED_TRAILS).await.unwrap();
            client.batch_execute(OURS).await.unwrap();
            for walk in walks {
                let plan = plan_on_postgres(&client, walk).await;
                let bounds: Vec<_> = plan.iter().filter(|line| line.contains("Index Cond: ")).collect();
                let is_bounded = |line: &&String| {
                    let has_both = |above, below| line.contains(above) && line.contains(below);
                    let of_ids = has_both("(id > ", "(id < ");
                    let of_rows = has_both(", id) > ROW(", ", id) < ROW(");
                    line.contains("(organization_id = ") && (of_ids || of_rows)
                };
                assert!(!bounds.is_empty() && bounds.iter().all(is_bounded), "{}: {plan:#?}", walk.name());
                assert!(!plan.iter().any(|line| line.contains("Sort")), "{}: {plan:#?}", walk.name());
            }
        }
    }
}

/// Ten thousand members with three index terms each, and current planner statistics.
const TEN_THOUSAND_MEMBERS: &str = "SET session_replication_role = replica;
    INSERT INTO memberships (id, organization_id, condition, condition_at, created_at)
        SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), decode(lpad(to_hex(n % 2), 32, '0'), 'hex'), 'enabled', 0, 0
        FROM generate_series(1, 10000) n;
    INSERT INTO member_words (organization_id, word, membership_id)
        SELECT m.organization_id, convert_to('word' || k || '-' || row_number() OVER (), 'UTF8'), m.id
        FROM memberships m, generate_series(1, 3) k;
    ANALYZE;";

async fn query_plan_of_member_search_reads_one_index_range_in_order(database: Database) {
    let store = open(&database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    let search = all_statements().find(|it| it.name() == "member_words.find").unwrap();
    match &database {
        Database::Sqlite(_) => {
            let connection = rusqlite::Connection::open(database.file()).unwrap();
            let plan = plan_on_sqlite(&connection, search);
            let (first, rest) = plan.split_first().unwrap();
            assert!(
                first.starts_with("SEARCH w USING ") && first.contains("organization_id=? AND "),
                "{plan:#?}"
            );
            assert!(first.contains("(word,membership_id)>(?,?) AND (word,membership_id)<(?,?)"), "{plan:#?}");
            assert!(!rest.iter().any(|line| line.contains("TEMP B-TREE")), "{plan:#?}");
        }
        Database::Postgres { .. } => {
            let client = connect(&database.url()).await;
            client.batch_execute(TEN_THOUSAND_MEMBERS).await.unwrap();
            client.batch_execute(OURS).await.unwrap();
            let plan = plan_on_postgres(&client, search).await;
            let walk =
                plan.iter().position(|line| line.contains("Scan using member_words_pkey on member_words w"));
            let bounds = plan.get(walk.unwrap_or(usize::MAX - 1) + 1).unwrap_or_else(|| panic!("{plan:#?}"));
            assert!(
                bounds.contains("ROW(word, membership_id) > ROW(")
                    && bounds.contains("ROW(word, membership_id) <= ROW("),
                "{plan:#?}"
            );
            assert!(!plan.iter().any(|line| line.contains("Sort")), "{plan:#?}");
        }
    }
}

async fn query_plan_of_account_search_reads_a_range_of_ids(database: Database) {
    let store = open(&database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    let search = all_statements().find(|it| it.name() == "accounts.search").unwrap();
    match &database {
        Database::Sqlite(_) => {
            let connection = rusqlite::Connection::open(database.file()).unwrap();
            let plan = plan_on_sqlite(&connection, search);
            assert!(
                plan[0].starts_with("SEARCH accounts ") && plan[0].ends_with("(id>? AND id<?)"),
                "{plan:#?}"
            );
            assert!(!plan.iter().any(|line| line.contains("TEMP B-TREE")), "{plan:#?}");
            let is_range = |line: &&String| line.ends_with("(account_id>? AND account_id<?)");
            assert_eq!(plan.iter().filter(is_range).count(), 2, "{plan:#?}");
        }
        Database::Postgres { .. } => {
            let client = connect(&database.url()).await;
            client.batch_execute(OURS).await.unwrap();
            let plan = plan_on_postgres(&client, search).await;
            let is_range = |line: &String| line.contains("(id > ") && line.contains("(id <= ");
            assert!(plan.iter().any(is_range), "{plan:#?}");
            let is_range =
                |line: &&String| line.contains("(account_id > ") && line.contains("(account_id <= ");
            assert_eq!(plan.iter().filter(is_range).count(), 2, "{plan:#?}");
        }
    }
}
