//! Rows that several batches insert, combined into one statement whose parameters are arrays.
//!
//! A row whose condition does not hold is left out, and the statement fails if one is: nothing happened then.

use crate::statement::SqlStatement;
use crate::value::SqlValue;
use crate::write_batch::{GuardConflict, GuardedStatement, WriteBatch};
use deadpool_postgres::ClientWrapper;
use std::error::Error;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

/// The rows of several batches, by table.
pub(super) struct MultiRowInsert<'act> {
    tables: Vec<TableInserts<'act>>,
}

/// The rows of several batches for one table.
struct TableInserts<'act> {
    statement: &'static SqlStatement,
    rows: Vec<&'act GuardedStatement>,
}

/// The combined statement, prepared on one connection, and its parameters.
pub(super) struct PreparedRows<'act> {
    statement: tokio_postgres::Statement,
    columns: Vec<ColumnArray<'act>>,
}

impl<'act> MultiRowInsert<'act> {
    /// The rows of these batches, each of whose statements inserts one row.
    pub(super) fn from_batches(batches: impl IntoIterator<Item = &'act WriteBatch>) -> Self {
        let mut tables: Vec<TableInserts<'_>> = Vec::new();
        for step in batches.into_iter().flat_map(WriteBatch::statements) {
            match tables.iter_mut().find(|table| table.statement.name() == step.statement.name()) {
                Some(table) => table.rows.push(step),
                None => tables.push(TableInserts { statement: step.statement, rows: vec![step] }),
            }
        }
        // In a fixed order, to limit the number of different texts.
        tables.sort_by_key(|table| table.statement.name());
        Self { tables }
    }

    /// The conflict of the condition that the batches share, if they share one.
    pub(super) fn shared_conflict(&self) -> Option<GuardConflict> {
        let conditional = self.tables.iter().find(|table| table.statement.is_conditional())?;
        conditional.rows.first().map(|step| step.conflict())
    }

    /// Prepares the combined statement on this connection.
    pub(super) async fn prepare(
        &self,
        client: &ClientWrapper,
    ) -> Result<PreparedRows<'act>, tokio_postgres::Error> {
        let mut texts = Vec::with_capacity(self.tables.len());
        let mut columns: Vec<ColumnArray<'_>> = Vec::new();
        for table in &self.tables {
            let alone = client.prepare_cached(table.statement.postgres_text()).await?;
            let types: Vec<_> = alone.params().iter().map(Type::name).collect();
            texts.push(TableInsertText::from_statement(table.statement, &types, columns.len()));
            let of_all =
                |index| ColumnArray::from_rows(table.rows.iter().map(|step| &step.parameters[..]), index);
            columns.extend((0..types.len()).map(of_all));
        }
        Ok(PreparedRows { statement: client.prepare_cached(&join_inserts(&texts)).await?, columns })
    }
}

impl PreparedRows<'_> {
    /// Inserts all rows or none.
    pub(super) async fn execute(&self, client: &ClientWrapper) -> Result<u64, tokio_postgres::Error> {
        client.execute_raw(&self.statement, &self.columns).await
    }
}

/// A statement that inserts the rows of one table.
struct TableInsertText {
    text: String,
    /// The array that gives the expected number of rows, if the statement leaves out rows whose condition
    /// does not hold.
    row_count_array: Option<String>,
}

impl TableInsertText {
    fn from_statement(statement: &SqlStatement, types: &[&str], before: usize) -> Self {
        let first = types.first().map(|kind| format!("${}::{kind}[]", before + 1));
        Self {
            text: statement.postgres_multi_row_text(types, before),
            row_count_array: first.filter(|_| statement.may_leave_out_its_row()),
        }
    }
}

/// Combines several inserts into one statement. It fails with a division by zero if one of them leaves out a
/// row.
fn join_inserts(lists: &[TableInsertText]) -> String {
    let join_ctes = |lists: &[TableInsertText]| {
        let numbered_lists = lists.iter().enumerate();
        numbered_lists
            .map(|(index, list)| format!("list_{index} AS ({})", list.text))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let counted_lists =
        lists.iter().enumerate().filter_map(|(index, list)| Some((index, list.row_count_array.as_ref()?)));
    let is_whole = |(index, array)| format!("(SELECT count(*) FROM list_{index}) = cardinality({array})");
    let are_whole: Vec<_> = counted_lists.map(is_whole).collect();
    match lists {
        _ if !are_whole.is_empty() => {
            let are_whole = are_whole.join(" AND ");
            format!("WITH {} SELECT 1 / CASE WHEN {are_whole} THEN 1 ELSE 0 END", join_ctes(lists))
        }
        [] => String::new(),
        [only] => only.text.clone(),
        [before @ .., last] => format!("WITH {} {}", join_ctes(before), last.text),
    }
}

/// One parameter of all rows, as an array.
#[derive(Debug)]
pub(super) struct ColumnArray<'row>(Vec<&'row SqlValue>);

impl<'row> ColumnArray<'row> {
    /// The values of all rows at this position.
    pub(super) fn from_rows(rows: impl Iterator<Item = &'row [SqlValue]>, index: usize) -> Self {
        Self(rows.filter_map(|parameters| parameters.get(index)).collect())
    }
}

impl ToSql for ColumnArray<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        self.0.to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        Vec::<&SqlValue>::accepts(kind)
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batched_inserts_count_conditional_rows_only() {
        static EVENT: SqlStatement = SqlStatement::new("a.add", "INSERT INTO a (id) VALUES (?1)");
        static TRAIL: SqlStatement = SqlStatement::new("b.add", "INSERT INTO b (id) VALUES (?1)");
        static IF_SO: SqlStatement =
            SqlStatement::conditional_row("a.add_if", "INSERT INTO a (id) SELECT ?1 FROM c WHERE n = ?2");
        let (event, audit_log) = (
            TableInsertText::from_statement(&EVENT, &["int8"], 0),
            TableInsertText::from_statement(&TRAIL, &["int8"], 3),
        );
        let if_so = TableInsertText::from_statement(&IF_SO, &["int8", "int8"], 1);
        let insert = "INSERT INTO a (id) SELECT * FROM unnest($1::int8[])";
        assert_eq!(join_inserts(&[]), "");
        assert_eq!(join_inserts(&[TableInsertText::from_statement(&EVENT, &["int8"], 0)]), insert);
        assert_eq!(
            join_inserts(&[
                TableInsertText::from_statement(&EVENT, &["int8"], 0),
                TableInsertText::from_statement(&TRAIL, &["int8"], 1)
            ]),
            format!("WITH list_0 AS ({insert}) INSERT INTO b (id) SELECT * FROM unnest($2::int8[])")
        );
        assert_eq!(
            join_inserts(&[event, if_so, audit_log]),
            format!(
                "WITH list_0 AS ({insert}), list_1 AS (INSERT INTO a (id) SELECT found.* \
                 FROM unnest($2::int8[], $3::int8[]) AS listed (p1, p2) \
                 CROSS JOIN LATERAL (SELECT listed.p1 FROM c WHERE n = listed.p2 OFFSET 0) AS found RETURNING 1), \
                 list_2 AS (INSERT INTO b (id) SELECT * FROM unnest($4::int8[])) \
                 SELECT 1 / CASE WHEN (SELECT count(*) FROM list_1) = cardinality($2::int8[]) THEN 1 ELSE 0 END"
            )
        );
    }
}
