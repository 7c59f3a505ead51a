//! The query plans of the reads of many rows by their ids, and of the check whether an organization has users.

use super::both_engines;
use super::database::{Database, connect};
use super::probe::{NOW, connect as open, patient};
use super::query_plans::{OURS, plan_on_postgres, plan_on_sqlite};
use crate::id_batch::any_in_batch;
use crate::{SqlStatement, StoreAccess, all_statements, migrate};

both_engines!(
    query_plan_of_a_batch_starts_from_the_given_ids,
    query_plan_of_whether_an_organization_has_users_reads_only_its_members
);

/// An organization may have a hundred thousand members, and no planner knows it without statistics.
async fn query_plan_of_a_batch_starts_from_the_given_ids(database: Database) {
    let store = open(&database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    let is_batch = |it: &&SqlStatement| it.sqlite_text().contains(any_in_batch!());
    let batches: Vec<_> = all_statements().filter(is_batch).collect();
    assert!(batches.len() >= 8, "{}", batches.len());
    for batch in batches {
        let plan = read_plan(&database, batch).await;
        let reads_organization = |line: &String| {
            line.starts_with("SEARCH ") && line.contains("organization_id")
                || line.contains("Index Cond: ") && line.contains("organization_id")
        };
        assert!(!plan.iter().any(reads_organization), "{}: {plan:#?}", batch.name());
    }
}

/// Without statistics, an index of the users of all organizations seems as good.
async fn query_plan_of_whether_an_organization_has_users_reads_only_its_members(database: Database) {
    let store = open(&database, &patient(StoreAccess::Serve)).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    let check = all_statements().find(|it| it.name() == "organizations.any_user").unwrap();
    let plan = read_plan(&database, check).await;
    let reads_members = |line: &String| {
        line.ends_with(" (organization_id=?)") || line.ends_with("Index Cond: (organization_id = $1)")
    };
    assert!(plan.iter().any(reads_members), "{plan:#?}");
}

async fn read_plan(database: &Database, statement: &SqlStatement) -> Vec<String> {
    match database {
        Database::Sqlite(_) => {
            plan_on_sqlite(&rusqlite::Connection::open(database.file()).unwrap(), statement)
        }
        Database::Postgres { .. } => {
            let client = connect(&database.url()).await;
            client.batch_execute(OURS).await.unwrap();
            plan_on_postgres(&client, statement).await
        }
    }
}
