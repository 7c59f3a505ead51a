-- The servers that run on this database. Each writes its row about every 30 seconds.
CREATE TABLE nodes (
    id                BYTEA PRIMARY KEY NOT NULL,
    program_version   TEXT NOT NULL,
    schema_version    BIGINT NOT NULL,
    started_at        BIGINT NOT NULL,
    seen_at           BIGINT NOT NULL,
    stopped_at        BIGINT
);

-- How many requests each limit refused, by period, for all nodes together.
CREATE TABLE limit_counts (
    starts_at         BIGINT NOT NULL,
    limit_kind        TEXT NOT NULL,
    total             BIGINT NOT NULL,
    PRIMARY KEY (starts_at, limit_kind)
);
