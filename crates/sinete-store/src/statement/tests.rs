use super::*;

#[test]
fn parameters_are_rewritten_and_quoted_question_marks_are_not() {
    let statement = SqlStatement::new("t.v", "UPDATE t SET a = ?2, b = 'why? it''s' WHERE \"c?\" = ?1");
    assert_eq!(statement.postgres(), "UPDATE t SET a = $2, b = 'why? it''s' WHERE \"c?\" = $1");
    assert_eq!(statement.sqlite(), "UPDATE t SET a = ?2, b = 'why? it''s' WHERE \"c?\" = ?1");
}

#[test]
fn sqlite_copies_no_pages_for_a_row_that_hangs_on_a_condition() {
    let text = "INSERT INTO t (a) SELECT ?1 FROM u WHERE u.b = ?2";
    let statement = SqlStatement::conditional_row("t.v", text);
    assert_eq!(statement.sqlite(), "INSERT OR FAIL INTO t (a) SELECT ?1 FROM u WHERE u.b = ?2");
    assert_eq!(SqlStatement::new("t.v", text).sqlite(), text);
    assert_eq!(SqlStatement::one_row("t.v", text).sqlite(), statement.sqlite());
    assert_eq!(statement.postgres(), "INSERT INTO t (a) SELECT $1 FROM u WHERE u.b = $2");
}

#[test]
fn whoever_inserts_its_parameters_as_one_row_may_follow_and_nobody_else() {
    static FIRST: SqlStatement = SqlStatement::new("t.v", "INSERT INTO t (a, b) VALUES (?2, ?1)");
    static SECOND: SqlStatement = SqlStatement::new("u.v", "INSERT INTO u (a, b) VALUES (?1, '?', ?2)");
    static GUARD: SqlStatement = SqlStatement::new("w.v", "UPDATE w SET a = ?1 WHERE b = ?2");
    static THIRD: SqlStatement = SqlStatement::new("x.v", "INSERT INTO x (a) VALUES (?1)");
    assert_eq!(
        &*FIRST.postgres_with(true, &[&SECOND]),
        "WITH touched AS (INSERT INTO t (a, b) VALUES ($2, $1)) INSERT INTO u (a, b) VALUES ($3, '?', $4)"
    );
    assert_eq!(
        &*GUARD.postgres_with(true, &[&THIRD, &FIRST]),
        "WITH touched AS (UPDATE w SET a = $1 WHERE b = $2 RETURNING 1), \
         also_0 AS (INSERT INTO x (a) VALUES ($3)), \
         also_1 AS (INSERT INTO t (a, b) VALUES ($5, $4)) \
         SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM touched"
    );
    assert_eq!(
        &*GUARD.postgres_with(false, &[&FIRST]),
        "WITH touched AS (UPDATE w SET a = $1 WHERE b = $2) INSERT INTO t (a, b) VALUES ($4, $3)"
    );
    assert!([&FIRST, &SECOND, &THIRD].iter().all(|it| it.may_follow(&GUARD)) && !GUARD.may_follow(&FIRST));
    for sql in ["INSERT INTO t (a) SELECT ?1", "INSERT INTO t (a) VALUES (?1), (?2)", "DELETE FROM t"] {
        assert!(!SqlStatement::new("o.v", sql).may_follow(&GUARD), "{sql}");
        assert!(!SqlStatement::one_row("o.v", sql).may_follow(&GUARD), "{sql}");
    }
    assert_eq!((GUARD.table(), FIRST.table()), (Some("w"), Some("t")));
}

#[test]
fn what_takes_the_place_of_something_does_not_go_with_what_takes_that_away() {
    let insert = SqlStatement::new("t.add", "INSERT INTO t (a) VALUES (?1)");
    for sql in ["DELETE FROM t WHERE a = ?1", "UPDATE t SET a = ?1"] {
        assert!(!insert.may_follow(&SqlStatement::new("t.v", sql)), "{sql}");
    }
    assert!(insert.may_follow(&SqlStatement::new("u.v", "DELETE FROM u")) && insert.may_follow(&insert));
}

#[test]
fn many_rows_are_inserted_by_whoever_inserts_its_parameters_as_they_come() {
    let statement = SqlStatement::new("t.v", "INSERT INTO t (a, b) VALUES (?1, ?2)");
    assert!(statement.lists_its_parameters());
    assert_eq!(
        statement.postgres_listed(&["bytea", "int8"], 3),
        "INSERT INTO t (a, b) SELECT * FROM unnest($4::bytea[], $5::int8[])"
    );
    for sql in [
        "INSERT INTO t (a, b) VALUES (?2, ?1)",
        "INSERT INTO t (a, b) VALUES (?1, 1)",
        "INSERT INTO t (a) VALUES (?1) ON CONFLICT DO NOTHING",
        "INSERT INTO t (a) SELECT ?1",
        "UPDATE t SET a = ?1",
    ] {
        assert!(!SqlStatement::new("t.v", sql).lists_its_parameters(), "{sql}");
    }
}

#[test]
fn rows_that_hang_on_a_condition_are_listed_with_it_and_guarded_alone() {
    let statement = SqlStatement::conditional_row(
        "t.v",
        "INSERT INTO t (a, b) SELECT ?1, ?2 FROM u WHERE id = 1 AND version = ?3",
    );
    assert!(statement.lists_its_parameters() && statement.is_conditional());
    assert_eq!(
        statement.postgres_listed(&["bytea", "int8", "int8"], 1),
        "INSERT INTO t (a, b) SELECT listed.p1, listed.p2 \
         FROM unnest($2::bytea[], $3::int8[], $4::int8[]) AS listed (p1, p2, p3), \
         u WHERE id = 1 AND version = listed.p3 RETURNING 1"
    );
    assert!(statement.postgres_guarded().starts_with("WITH touched AS (INSERT INTO t (a, b) SELECT $1, $2 "));
    assert!(!SqlStatement::new("t.v", "INSERT INTO t (a) VALUES (?1)").is_conditional());
}

#[test]
fn a_row_that_hangs_on_a_condition_follows_with_a_guard_of_its_own() {
    static GUARD: SqlStatement = SqlStatement::new("w.v", "UPDATE w SET a = ?1 WHERE b = ?2");
    static SURE: SqlStatement = SqlStatement::new("t.v", "INSERT INTO t (a) VALUES (?1)");
    static IF_SO: SqlStatement =
        SqlStatement::conditional_row("x.v", "INSERT INTO x (a) SELECT ?1 FROM u WHERE version = ?2");
    assert!(IF_SO.may_follow(&GUARD) && IF_SO.may_follow(&SURE));
    assert_eq!(
        &*GUARD.postgres_with(true, &[&IF_SO, &SURE]),
        "WITH touched AS (UPDATE w SET a = $1 WHERE b = $2 RETURNING 1), \
         also_0 AS (INSERT INTO x (a) SELECT $3 FROM u WHERE version = $4 RETURNING 1), \
         also_1 AS (INSERT INTO t (a) VALUES ($5)) \
         SELECT 1 / CASE WHEN (SELECT count(*) FROM touched) = 1 AND (SELECT count(*) FROM also_0) = 1 THEN 1 ELSE 0 END"
    );
    assert_eq!(
        &*SURE.postgres_with(true, &[&IF_SO]),
        "WITH touched AS (INSERT INTO t (a) VALUES ($1)), \
         also_0 AS (INSERT INTO x (a) SELECT $2 FROM u WHERE version = $3 RETURNING 1) \
         SELECT 1 / CASE WHEN count(*) = 1 THEN 1 ELSE 0 END FROM also_0"
    );
}

#[test]
fn whatever_can_touch_another_number_of_rows_than_one_is_guarded() {
    let sure = SqlStatement::new("t.v", "INSERT INTO t (a) VALUES (?1)");
    assert_eq!(sure.postgres_guarded(), sure.postgres());
    for sql in [
        "INSERT INTO t (a) VALUES (?1), (?2)",
        "INSERT INTO t (a) VALUES (?1) ON CONFLICT DO NOTHING",
        "INSERT INTO t (a) SELECT b FROM u WHERE c = ?1",
        "UPDATE t SET a = ?1 WHERE id = ?2",
        "DELETE FROM t WHERE id = ?1",
    ] {
        let statement = SqlStatement::new("t.v", sql);
        let text = format!("({} RETURNING 1)", statement.postgres());
        assert!(statement.postgres_guarded().contains(&text), "{sql}");
    }
}
