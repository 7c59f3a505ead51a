-- The last verification of the security log by a command: when, what it found, and the head that it read.
CREATE TABLE log_verification (
    id                BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    verified_at       BIGINT NOT NULL,
    events            BIGINT NOT NULL,
    findings          BIGINT NOT NULL,
    head_position     BIGINT,
    head_hash         BYTEA
);
