//! Selects the text of a migration for one engine.
//!
//! Both engines use the same text, except for blocks between `-- only: sqlite` or `-- only: postgres` and `--
//! end`.

use crate::database_info::DatabaseEngine;
use crate::failure::StoreFailure;

/// The text without the blocks for the other engine.
pub(super) fn select_engine_text(source: &str, engine: DatabaseEngine) -> Result<String, StoreFailure> {
    let mut only = None;
    let mut text = String::with_capacity(source.len());
    for (number, line) in source.lines().enumerate() {
        let wrong =
            |problem| Err(StoreFailure::Other(format!("line {} of the migration {problem}", number + 1)));
        let marked = match line.trim().strip_prefix("-- only:").map(str::trim) {
            Some("sqlite") => Some(DatabaseEngine::Sqlite),
            Some("postgres") => Some(DatabaseEngine::Postgres),
            Some(_) => return wrong("names an engine that does not exist"),
            None => None,
        };
        match (marked, line.trim() == "-- end", only) {
            (Some(_), _, Some(_)) => return wrong("opens a block inside a block"),
            (None, true, None) => return wrong("ends a block that was not opened"),
            (Some(engine), _, None) => only = Some(engine),
            (None, true, Some(_)) => only = None,
            (None, false, _) if only.is_none_or(|it| it == engine) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, false, _) => {}
        }
    }
    match only {
        None => Ok(text),
        Some(_) => Err(StoreFailure::Other("the last block of the migration is not ended".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &str = "CREATE TABLE a (b TEXT);
-- only: sqlite
CREATE TRIGGER s BEFORE UPDATE ON a BEGIN SELECT 1; END;
-- end
-- only: postgres
CREATE FUNCTION p() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
-- end
CREATE TABLE c (d TEXT);
";

    #[test]
    fn migration_text_keeps_the_blocks_of_its_engine() {
        let sqlite = select_engine_text(BOTH, DatabaseEngine::Sqlite).unwrap();
        let postgres = select_engine_text(BOTH, DatabaseEngine::Postgres).unwrap();
        for common in ["CREATE TABLE a", "CREATE TABLE c"] {
            assert!(sqlite.contains(common) && postgres.contains(common));
        }
        assert!(sqlite.contains("CREATE TRIGGER") && !sqlite.contains("CREATE FUNCTION"));
        assert!(postgres.contains("CREATE FUNCTION") && !postgres.contains("CREATE TRIGGER"));
    }

    #[test]
    fn migration_text_with_unpaired_markers_is_refused() {
        for text in [
            "-- only: mysql\n-- end",
            "-- only: sqlite\n-- only: postgres\n-- end",
            "-- end",
            "-- only: sqlite\nCREATE TABLE a (b TEXT);",
        ] {
            assert!(select_engine_text(text, DatabaseEngine::Sqlite).is_err(), "{text}");
        }
    }

    #[test]
    fn migrations_have_a_text_for_both_engines() {
        for (version, name, source) in crate::migrate::MIGRATIONS {
            for engine in [DatabaseEngine::Sqlite, DatabaseEngine::Postgres] {
                let text = select_engine_text(source, engine);
                assert!(text.is_ok_and(|text| !text.trim().is_empty()), "{version} {name} {engine}");
            }
        }
    }
}
