//! The keys of the database.

use crate::config::key::{ConfigKey, ConfigKeyEntry};
use crate::config::parse;
use sinete_store::{ConnectionPooling, DatabaseAddress, PreparedStatements};

/// The database URL.
pub static DATABASE_URL: ConfigKey<DatabaseAddress> = ConfigKey::text(
    ConfigKeyEntry::new(
        "database_url",
        "The database URL. SQLite is for one node and needs no installation; PostgreSQL 15 or newer is for one or \
         several nodes, and needs `?sslmode=verify-full` on another machine. A password in it is never shown.",
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
        "Connections of one node to PostgreSQL. Not used with SQLite.",
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
        "How long the database may take to answer before the request is answered 503. Waiting for other requests, for \
         a connection and for a lock of another process is included. A distant database, or a busy disk, may need more.",
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
        "Whether `serve` migrates the schema before it listens. Several nodes may start at the same time. If `false`, \
         `serve` refuses an old schema until you run `sinete migrate`.",
        "`true` or `false`",
        "false",
    )
    .with_default("true"),
    |flag| flag,
);

/// How a pooler lends its connections.
pub static DATABASE_POOLING: ConfigKey<ConnectionPooling> = ConfigKey::text(
    ConfigKeyEntry::new(
        "database.pooling",
        "How a connection pooler between Sinete and PostgreSQL, such as PgBouncer, lends its connections to the server: \
         for a session, which is also right without a pooler, or for a transaction. With `transaction` the role needs \
         settings, which `serve` names if they are missing.",
        "`session` or `transaction`",
        "\"transaction\"",
    )
    .with_default("session"),
    parse::pooling,
);

/// How statements are sent.
pub static DATABASE_PREPARED_STATEMENTS: ConfigKey<PreparedStatements> = ConfigKey::text(
    ConfigKeyEntry::new(
        "database.prepared_statements",
        "Whether a statement is prepared once for each connection to PostgreSQL and then sent by its name, or sent whole \
         each time. A pooler with transaction pooling must keep track of prepared statements for `named`, as PgBouncer \
         does from 1.21 on with `max_prepared_statements`. `unnamed` costs PostgreSQL a plan for each statement.",
        "`named` or `unnamed`",
        "\"named\"",
    )
    .with_derived_default("`named` with session pooling, `unnamed` with transaction pooling", |config| {
        match config.database.prepared_statements {
            PreparedStatements::Named => "named".to_owned(),
            PreparedStatements::Unnamed => "unnamed".to_owned(),
        }
    }),
    parse::prepared_statements,
);
