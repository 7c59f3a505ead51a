//! How a statement is sent: prepared once for each connection and then by its name, or whole each time.
//!
//! A pooler that lends a server connection for one transaction only cannot keep what a connection has prepared.
//! There every statement is sent unnamed, with the types of its parameters: one message to the server and one
//! back, which plans it each time.

use crate::options::PreparedStatements;
use crate::value::SqlValue;
use deadpool_postgres::ClientWrapper;
use std::sync::Arc;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Error, Row, Statement};

/// A statement that can be sent.
pub(super) enum ReadyStatement {
    /// Prepared on this connection.
    Named(Statement),
    /// Its text.
    Unnamed(Arc<str>),
}

/// Prepares the statement on this connection, unless statements are sent whole.
pub(super) async fn prepare(
    mode: PreparedStatements,
    client: &ClientWrapper,
    sql: &str,
) -> Result<ReadyStatement, Error> {
    match mode {
        PreparedStatements::Named => client.prepare_cached(sql).await.map(ReadyStatement::Named),
        PreparedStatements::Unnamed => Ok(ReadyStatement::Unnamed(sql.into())),
    }
}

/// Runs a query.
pub(super) async fn query(
    mode: PreparedStatements,
    client: &ClientWrapper,
    sql: &str,
    parameters: &[SqlValue],
) -> Result<Vec<Row>, Error> {
    match mode {
        PreparedStatements::Named => {
            let parameters: Vec<_> = parameters.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
            client.query(&client.prepare_cached(sql).await?, &parameters).await
        }
        PreparedStatements::Unnamed => client.query_typed(sql, &with_types(parameters.iter())).await,
    }
}

impl ReadyStatement {
    /// Executes the statement and returns how many rows it touched.
    pub(super) async fn execute(
        &self,
        client: &ClientWrapper,
        parameters: &[&SqlValue],
    ) -> Result<u64, Error> {
        match self {
            Self::Named(statement) => client.execute_raw(statement, parameters.iter().copied()).await,
            Self::Unnamed(sql) => client.execute_typed(sql, &with_types(parameters.iter().copied())).await,
        }
    }
}

/// The parameters with their types. The server finds out the type of a null by itself, as it does for a prepared
/// statement.
fn with_types<'row>(
    parameters: impl Iterator<Item = &'row SqlValue>,
) -> Vec<(&'row (dyn ToSql + Sync), Type)> {
    parameters.map(|value| (value as &(dyn ToSql + Sync), parameter_type(value))).collect()
}

/// The type with which a value is sent.
fn parameter_type(value: &SqlValue) -> Type {
    match value {
        SqlValue::Null => Type::UNKNOWN,
        SqlValue::Integer(_) => Type::INT8,
        SqlValue::Text(_) => Type::TEXT,
        SqlValue::Blob(_) => Type::BYTEA,
    }
}
