use super::*;

#[test]
fn statement_parameters_are_rewritten_except_in_quotes() {
    let statement = SqlStatement::new("t.v", "UPDATE t SET a = ?2, b = 'why? it''s' WHERE \"c?\" = ?1");
    assert_eq!(statement.postgres_text(), "UPDATE t SET a = $2, b = 'why? it''s' WHERE \"c?\" = $1");
    assert_eq!(statement.sqlite_text(), "UPDATE t SET a = ?2, b = 'why? it''s' WHERE \"c?\" = ?1");
}

#[test]
fn statement_of_a_conditional_row_uses_insert_or_fail_on_sqlite() {
    let text = "INSERT INTO t (a) SELECT ?1 FROM u WHERE u.b = ?2";
    let statement = SqlStatement::conditional_row("t.v", text);
    assert_eq!(statement.sqlite_text(), "INSERT OR FAIL INTO t (a) SELECT ?1 FROM u WHERE u.b = ?2");
    assert_eq!(SqlStatement::new("t.v", text).sqlite_text(), text);
    assert_eq!(SqlStatement::one_row("t.v", text).sqlite_text(), statement.sqlite_text());
    assert_eq!(statement.postgres_text(), "INSERT INTO t (a) SELECT $1 FROM u WHERE u.b = $2");
}

#[test]
fn statement_batching_follows_only_plain_single_row_inserts() {
    static FIRST: SqlStatement = SqlStatement::new("t.v", "INSERT INTO t (a, b) VALUES (?2, ?1)");
    static SECOND: SqlStatement = SqlStatement::new("u.v", "INSERT INTO u (a, b) VALUES (?1, '?', ?2)");
    static GUARD: SqlStatement = SqlStatement::new("w.v", "UPDATE w SET a = ?1 WHERE b = ?2");
    static THIRD: SqlStatement = SqlStatement::new("x.v", "INSERT INTO x (a) VALUES (?1)");
    assert_eq!(
        &*FIRST.postgres_joined_text(true, &[&SECOND]),
        "WITH touched AS (INSERT INTO t (a, b) VALUES ($2, $1)) INSERT INTO u (a, b) VALUES ($3, '?', $4)"
    );
    assert_eq!(
        &*GUARD.postgres_joined_text(true, &[&THIRD, &FIRST]),
        "WITH touched AS (UPDATE w SET a = $1 WHERE b = $2 RETURNING 1), \
         also_0 AS (INSERT INTO x (a) VALUES ($3)), \
         also_1 AS (INSERT INTO t (a, b) VALUES ($5, $4)) \
         SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM touched"
    );
    assert_eq!(
        &*GUARD.postgres_joined_text(false, &[&FIRST]),
        "WITH touched AS (UPDATE w SET a = $1 WHERE b = $2) INSERT INTO t (a, b) VALUES ($4, $3)"
    );
    assert!([&FIRST, &SECOND, &THIRD].iter().all(|it| it.can_follow(&GUARD)) && !GUARD.can_follow(&FIRST));
    for sql in ["INSERT INTO t (a) SELECT ?1", "INSERT INTO t (a) VALUES (?1), (?2)", "DELETE FROM t"] {
        assert!(!SqlStatement::new("o.v", sql).can_follow(&GUARD), "{sql}");
        assert!(!SqlStatement::one_row("o.v", sql).can_follow(&GUARD), "{sql}");
    }
    assert_eq!((GUARD.table(), FIRST.table()), (Some("w"), Some("t")));
}

#[test]
fn statement_batching_never_joins_an_insert_with_a_delete_of_its_table() {
    let insert = SqlStatement::new("t.add", "INSERT INTO t (a) VALUES (?1)");
    for sql in ["DELETE FROM t WHERE a = ?1", "UPDATE t SET a = ?1"] {
        assert!(!insert.can_follow(&SqlStatement::new("t.v", sql)), "{sql}");
    }
    assert!(insert.can_follow(&SqlStatement::new("u.v", "DELETE FROM u")) && insert.can_follow(&insert));
}

#[test]
fn statement_of_many_rows_uses_unnest_for_plain_inserts() {
    let statement = SqlStatement::new("t.v", "INSERT INTO t (a, b) VALUES (?1, ?2)");
    assert!(statement.is_plain_insert());
    assert_eq!(
        statement.postgres_multi_row_text(&["bytea", "int8"], 3),
        "INSERT INTO t (a, b) SELECT * FROM unnest($4::bytea[], $5::int8[])"
    );
    for sql in [
        "INSERT INTO t (a, b) VALUES (?2, ?1)",
        "INSERT INTO t (a, b) VALUES (?1, 1)",
        "INSERT INTO t (a) VALUES (?1) ON CONFLICT DO NOTHING",
        "INSERT INTO t (a) SELECT ?1",
        "UPDATE t SET a = ?1",
    ] {
        assert!(!SqlStatement::new("t.v", sql).is_plain_insert(), "{sql}");
    }
}

#[test]
fn statement_of_conditional_rows_is_listed_with_its_condition() {
    let statement = SqlStatement::conditional_row(
        "t.v",
        "INSERT INTO t (a, b) SELECT ?1, ?2 FROM u WHERE id = 1 AND version = ?3",
    );
    assert!(statement.is_plain_insert() && statement.is_conditional());
    assert_eq!(
        statement.postgres_multi_row_text(&["bytea", "int8", "int8"], 1),
        "INSERT INTO t (a, b) SELECT found.* \
         FROM unnest($2::bytea[], $3::int8[], $4::int8[]) AS listed (p1, p2, p3) \
         CROSS JOIN LATERAL (SELECT listed.p1, listed.p2 FROM u WHERE id = 1 AND version = listed.p3 OFFSET 0) \
         AS found RETURNING 1"
    );
    assert!(
        statement.postgres_guarded_text().starts_with("WITH touched AS (INSERT INTO t (a, b) SELECT $1, $2 ")
    );
    assert!(!SqlStatement::new("t.v", "INSERT INTO t (a) VALUES (?1)").is_conditional());
}

#[test]
fn statement_of_a_conditional_row_is_guarded_when_batched() {
    static GUARD: SqlStatement = SqlStatement::new("w.v", "UPDATE w SET a = ?1 WHERE b = ?2");
    static SURE: SqlStatement = SqlStatement::new("t.v", "INSERT INTO t (a) VALUES (?1)");
    static IF_SO: SqlStatement =
        SqlStatement::conditional_row("x.v", "INSERT INTO x (a) SELECT ?1 FROM u WHERE version = ?2");
    assert!(IF_SO.can_follow(&GUARD) && IF_SO.can_follow(&SURE));
    assert_eq!(
        &*GUARD.postgres_joined_text(true, &[&IF_SO, &SURE]),
        "WITH touched AS (UPDATE w SET a = $1 WHERE b = $2 RETURNING 1), \
         also_0 AS (INSERT INTO x (a) SELECT $3 FROM u WHERE version = $4 RETURNING 1), \
         also_1 AS (INSERT INTO t (a) VALUES ($5)) \
         SELECT 1 / CASE WHEN (SELECT count(*) FROM touched) = 1 AND (SELECT count(*) FROM also_0) = 1 THEN 1 ELSE 0 END"
    );
    assert_eq!(
        &*SURE.postgres_joined_text(true, &[&IF_SO]),
        "WITH touched AS (INSERT INTO t (a) VALUES ($1)), \
         also_0 AS (INSERT INTO x (a) SELECT $2 FROM u WHERE version = $3 RETURNING 1) \
         SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM also_0"
    );
}

#[test]
fn statement_that_may_touch_other_than_one_row_is_guarded() {
    let sure = SqlStatement::new("t.v", "INSERT INTO t (a) VALUES (?1)");
    assert_eq!(sure.postgres_guarded_text(), sure.postgres_text());
    for sql in [
        "INSERT INTO t (a) VALUES (?1), (?2)",
        "INSERT INTO t (a) VALUES (?1) ON CONFLICT DO NOTHING",
        "INSERT INTO t (a) SELECT b FROM u WHERE c = ?1",
        "UPDATE t SET a = ?1 WHERE id = ?2",
        "DELETE FROM t WHERE id = ?1",
    ] {
        let statement = SqlStatement::new("t.v", sql);
        let text = format!("({} RETURNING 1)", statement.postgres_text());
        assert!(statement.postgres_guarded_text().contains(&text), "{sql}");
    }
}
