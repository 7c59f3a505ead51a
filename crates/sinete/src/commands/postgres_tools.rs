//! Instructions for PostgreSQL's own backup tools.

use crate::config::raw_value::RawValue;
use crate::config::{ConfigSources, keys};
use url::Url;

/// The instructions for a backup.
pub fn backup_instructions(origins: &ConfigSources) -> String {
    let address = database_address(origins);
    format!(
        "this database is on PostgreSQL, which backs up with its own tools:\n  \
         pg_dump --format=custom --file=sinete.dump '{address}'\n\
         Set PGPASSWORD or use ~/.pgpass for the password. For a copy up to the last moment, archive the \
         write-ahead log and use pg_basebackup."
    )
}

/// The instructions for a restore.
pub fn restore_instructions(origins: &ConfigSources) -> String {
    let address = database_address(origins);
    format!(
        "this database is on PostgreSQL, which restores with its own tools, into an empty database:\n  \
         pg_restore --exit-on-error --no-owner --single-transaction --dbname='{address}' sinete.dump\n\
         Set PGPASSWORD or use ~/.pgpass for the password. Then run \
         `sinete log verify` and `sinete admin restored`, before any server starts."
    )
}

/// The configured URL without its password.
fn database_address(origins: &ConfigSources) -> String {
    let raw_value =
        origins.effective_value(keys::DATABASE_URL.entry.name).map(|located_value| &located_value.raw);
    let (Some(RawValue::Untyped(text)) | Some(RawValue::Text(text))) = raw_value else {
        return String::new();
    };
    strip_password(text).unwrap_or_default()
}

fn strip_password(text: &str) -> Option<String> {
    let mut url = Url::parse(text).ok()?;
    url.set_password(None).ok()?;
    let parameters: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, _)| name != "password")
        .map(|(name, value)| (name.into(), value.into()))
        .collect();
    url.set_query(None);
    if !parameters.is_empty() {
        url.query_pairs_mut().extend_pairs(parameters);
    }
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn database_url_is_printed_without_its_password() {
        for (text, expected) in [
            (
                "postgres://ana:hush@db:5433/sinete?sslmode=verify-full",
                "postgres://ana@db:5433/sinete?sslmode=verify-full",
            ),
            (
                "postgres://ana@db/sinete?password=hush&sslmode=disable",
                "postgres://ana@db/sinete?sslmode=disable",
            ),
            ("postgres://db/sinete?password=hush", "postgres://db/sinete"),
        ] {
            assert_eq!(strip_password(text).as_deref(), Some(expected));
        }
    }
}
