//! The keys of the database.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use sinete_store::DatabaseAddress;

/// The database URL.
pub static DATABASE_URL: ConfigKey<DatabaseAddress> = ConfigKey::text(
    ConfigKeyEntry::new(
        "database_url",
        "The database. SQLite serves one node and needs nothing installed; PostgreSQL 15 or newer serves \
         several; one on another machine needs `?sslmode=verify-full`. A password in it is never shown.",
        "`sqlite://` and a path, or `postgres://` and a server",
        "\"postgres://sinete@db.example.com/sinete?sslmode=verify-full\"",
    )
    .with_derived_default("`sqlite://` and the file `sinete.db` in `data_dir`", |config| {
        config.database.address.to_string()
    }),
    parse::database_url,
);

/// The number of pooled connections.
pub static DATABASE_POOL_SIZE: ConfigKey<usize> = ConfigKey::number(
    ConfigKeyEntry::new(
        "database.pool_size",
        "How many connections one node keeps to a PostgreSQL server. SQLite does not need to be told.",
        "a number from 1 to 500",
        "32",
    )
    .with_default("16"),
    |number| parse::integer_in_range(number, 1, 500),
);

/// The maximum response time of the database.
pub static DATABASE_ANSWER_SECONDS: ConfigKey<u32> = ConfigKey::number(
    ConfigKeyEntry::new(
        "database.answer_seconds",
        "How long the database may take to answer before whoever asked is told to come back later. Waiting for other \
         requests, for a connection and for a lock that another process holds is part of that time. A database far \
         away, or on a disk that others keep busy, may need more.",
        "a number of seconds from 1 to 300",
        "5",
    )
    .with_default("2"),
    |number| parse::integer_in_range(number, 1, 300),
);

/// Whether `serve` applies migrations.
pub static DATABASE_MIGRATE_ON_START: ConfigKey<bool> = ConfigKey::flag(
    ConfigKeyEntry::new(
        "database.migrate_on_start",
        "Whether `serve` brings the schema up to date before it listens. Several nodes may start together. \
         When off, `serve` refuses an old schema until `sinete migrate` was run.",
        "`true` or `false`",
        "false",
    )
    .with_default("true"),
    |flag| flag,
);
