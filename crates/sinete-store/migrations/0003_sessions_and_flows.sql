-- Signing in: sessions, passes through the flow engine, and what is sent and typed on the way.

CREATE TABLE sessions (
    id                BYTEA PRIMARY KEY NOT NULL,
    digest            BYTEA NOT NULL,
    account_id        BYTEA NOT NULL REFERENCES accounts (id),
    -- The account's epoch when the session began: a newer one has ended it.
    account_epoch     BIGINT NOT NULL,
    -- What was proven and when; assurance is computed from it, never stored.
    evidence          TEXT NOT NULL,
    authenticated_at  BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    used_at           BIGINT NOT NULL,
    -- It ends at whichever comes first: too long unused, or too old.
    idle_expires_at   BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    ended_at          BIGINT,
    device_digest     BYTEA,
    -- What the person is shown about it; personal, and gone with the account.
    description       TEXT NOT NULL DEFAULT '{}',
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX sessions_digest ON sessions (digest);
CREATE INDEX sessions_of_account ON sessions (account_id, id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Browsers and devices an account was seen on.
CREATE TABLE devices (
    account_id        BYTEA NOT NULL REFERENCES accounts (id),
    digest            BYTEA NOT NULL,
    description       TEXT NOT NULL DEFAULT '{}',
    first_seen_at     BIGINT NOT NULL,
    last_seen_at      BIGINT NOT NULL,
    PRIMARY KEY (account_id, digest)
);

CREATE TABLE flows (
    id                BYTEA PRIMARY KEY NOT NULL,
    digest            BYTEA NOT NULL,
    kind              TEXT NOT NULL,
    -- The state machine's own form, with the number of the form it is written in.
    state             TEXT NOT NULL,
    state_form        BIGINT NOT NULL,
    account_id        BYTEA,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    finished_at       BIGINT,
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX flows_digest ON flows (digest);
CREATE INDEX flows_expiry ON flows (expires_at);

-- Digits a person types. They are few, so their digest is keyed and their attempts are counted.
CREATE TABLE one_time_codes (
    flow_id           BYTEA NOT NULL REFERENCES flows (id),
    purpose           TEXT NOT NULL,
    digest            BYTEA NOT NULL,
    attempts          BIGINT NOT NULL DEFAULT 0,
    attempts_max      BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    spent_at          BIGINT,
    PRIMARY KEY (flow_id, purpose)
);
CREATE INDEX one_time_codes_expiry ON one_time_codes (expires_at);

CREATE TABLE magic_links (
    digest            BYTEA PRIMARY KEY NOT NULL,
    flow_id           BYTEA NOT NULL REFERENCES flows (id),
    purpose           TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    spent_at          BIGINT
);
CREATE INDEX magic_links_of_flow ON magic_links (flow_id);
CREATE INDEX magic_links_expiry ON magic_links (expires_at);

-- Failures and sends, counted where every node sees them, by account and factor or by target.
CREATE TABLE attempt_counters (
    subject           TEXT NOT NULL,
    factor            TEXT NOT NULL,
    count             BIGINT NOT NULL,
    since             BIGINT NOT NULL,
    blocked_until     BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (subject, factor)
);
CREATE INDEX attempt_counters_since ON attempt_counters (since);
