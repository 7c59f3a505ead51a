//! The whole content of a database as text, to show that nothing changed. The security log, what is
//! counted from it, the last SCIM requests and the signing keys, which the server writes by itself, are left out.

use super::world::World;
use rusqlite::types::Value;
use std::collections::BTreeMap;
use tokio_postgres::NoTls;

/// The rows of each table, as text.
pub type DatabaseDump = BTreeMap<String, Vec<String>>;

/// Tables that the server writes by itself.
const EXCLUDED_TABLES: [&str; 10] = [
    "active_users",
    "development_keys",
    "limit_counts",
    "log_chain",
    "log_head",
    "nodes",
    "scim_requests",
    "security_log",
    "signing_keys",
    "usage_counts",
];

impl World {
    /// Dumps every table except the excluded ones.
    pub async fn dump_database(&self) -> DatabaseDump {
        let url = self.database_url();
        let mut dump = match url.strip_prefix("sqlite://") {
            Some(path) => dump_sqlite(path),
            None => dump_postgres(url).await,
        };
        dump.retain(|table, _| !EXCLUDED_TABLES.contains(&table.as_str()));
        assert!(dump.len() > 20 && dump["organizations"].len() > 1, "the database was not read");
        dump
    }
}

impl World {
    /// The number of rows of each table, the excluded ones included.
    pub async fn count_rows(&self) -> BTreeMap<String, usize> {
        let url = self.database_url();
        let dump = match url.strip_prefix("sqlite://") {
            Some(path) => dump_sqlite(path),
            None => dump_postgres(url).await,
        };
        dump.into_iter().map(|(table, rows)| (table, rows.len())).collect()
    }

    /// Every column, with its table.
    pub async fn list_columns(&self) -> Vec<(String, String)> {
        let url = self.database_url();
        if let Some(path) = url.strip_prefix("sqlite://") {
            let database = rusqlite::Connection::open(path).unwrap();
            let columns = "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'";
            let mut columns = database.prepare(columns).unwrap();
            let pair = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
            return columns.query_map([], pair).unwrap().map(Result::unwrap).collect();
        }
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        let columns = "SELECT table_name::text, column_name::text FROM information_schema.columns \
                       WHERE table_schema = 'public'";
        let rows = client.query(columns, &[]).await.unwrap();
        let table_columns = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        drop(client);
        connection.await.unwrap().unwrap();
        table_columns
    }
}

fn dump_sqlite(path: &str) -> DatabaseDump {
    let database = rusqlite::Connection::open(path).unwrap();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let mut tables = database.prepare(tables).unwrap();
    let tables: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let rows_of = |table: &String| {
        let mut all = database.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = all.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            let values: Vec<Value> = (0..columns).map(|column| row.get(column).unwrap()).collect();
            Ok(format!("{values:?}"))
        };
        let mut rows: Vec<String> = all.query_map([], row).unwrap().map(Result::unwrap).collect();
        rows.sort_unstable();
        (table.clone(), rows)
    };
    tables.iter().map(rows_of).collect()
}

async fn dump_postgres(url: &str) -> DatabaseDump {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let tables = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public'";
    let mut dump = DatabaseDump::new();
    for table in client.query(tables, &[]).await.unwrap() {
        let table: String = table.get(0);
        let rows = client.query(&format!("SELECT t::text FROM {table} t"), &[]).await.unwrap();
        let mut rows: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        rows.sort_unstable();
        dump.insert(table, rows);
    }
    drop(client);
    connection.await.unwrap().unwrap();
    dump
}
