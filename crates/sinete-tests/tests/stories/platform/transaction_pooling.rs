//! A server behind PgBouncer with transaction pooling.

use crate::harness::database::{TestDatabase, TestEngine};
use crate::harness::pgbouncer::{PgBouncer, is_installed, role_settings};
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use serde_json::json;
use tempfile::TempDir;
use tokio_postgres::NoTls;

async fn run_sql(url: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
    drop(client);
    connection.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transaction_pooling_preserves_single_use_of_tokens() {
    const FAMILIES: usize = 8;
    if !is_installed() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let database = TestDatabase::create(TestEngine::Postgres, &folder).await;
    let name = database.url.rsplit_once('/').unwrap().1;
    run_sql(&database.url, &role_settings(name).0).await;
    let pooler = PgBouncer::before(&database.url);
    let url = pooler.url(&database.url);
    let settings = [("SINETE_DATABASE_URL", url.as_str()), ("SINETE_DATABASE_POOLING", "transaction")];
    let world = World::start_with_config(TestEngine::Postgres, &settings).await;

    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let service = books.create_service("clerk", "invoices:read").await;
    service.request_client_credentials(&[]).await.assert_granted();
    let mut tokens = Vec::new();
    for _ in 0..FAMILIES {
        tokens.push(books.issue_tokens(&app, "openid offline_access invoices:read").await.1.refresh_token());
    }
    // At the same time, so that they share transactions and connections to the server.
    let renewals = tokens.iter().map(async |token| {
        let mut newest = token.clone();
        for _ in 0..5 {
            newest = app.refresh_tokens(&newest, &[]).await.assert_granted().refresh_token();
        }
        (token, newest)
    });
    let families = join_all(renewals.collect()).await;

    // A rotated token is refused and revokes its family, and no other.
    let [(first, newest), (_, of_another), ..] = &families[..] else { panic!("there are several families") };
    assert_eq!(app.refresh_tokens(first, &[]).await.status, 400);
    assert_eq!(app.refresh_tokens(newest, &[]).await.status, 400);
    app.refresh_tokens(of_another, &[]).await.assert_granted();
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let redeemed = join_all((0..3).map(|_| app.redeem_code(&code, &[])).collect()).await;
    assert_eq!(redeemed.iter().filter(|reply| reply.status == 200).count(), 1);
    world.stop().await;
    drop(pooler);
    database.drop_database().await;
}
