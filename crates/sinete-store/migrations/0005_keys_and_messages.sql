-- Signing keys, messages to be sent, and requests that may be repeated.

CREATE TABLE signing_keys (
    kid               TEXT PRIMARY KEY NOT NULL,
    -- What the key is for: tokens, or the security log's head.
    purpose           TEXT NOT NULL CHECK (purpose IN ('tokens', 'log')),
    algorithm         TEXT NOT NULL,
    public_jwk        TEXT NOT NULL,
    sealed_private    BYTEA NOT NULL,
    is_development    BIGINT NOT NULL DEFAULT 0,
    created_at        BIGINT NOT NULL,
    published_at      BIGINT NOT NULL,
    signs_from        BIGINT NOT NULL,
    signs_until       BIGINT,
    withdrawn_at      BIGINT,
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX signing_keys_of_algorithm ON signing_keys (purpose, algorithm);
-- One key per purpose and algorithm has no successor yet: two nodes cannot both rotate.
CREATE UNIQUE INDEX signing_keys_newest ON signing_keys (purpose, algorithm) WHERE signs_until IS NULL;

-- Every development key ever made here, so that one is known even when it comes back as a bare PEM.
CREATE TABLE development_keys (
    thumbprint        TEXT PRIMARY KEY NOT NULL,
    created_at        BIGINT NOT NULL
);

-- Messages are written in the transaction that causes them and sent afterwards, at least once.
CREATE TABLE outbox (
    id                BYTEA PRIMARY KEY NOT NULL,
    channel           TEXT NOT NULL CHECK (channel IN ('mail', 'sms')),
    -- Who it goes to and what it says; sealed, because it can hold a link or a code.
    sealed_message    BYTEA NOT NULL,
    created_at        BIGINT NOT NULL,
    -- After this it is worth nothing any more and is not sent.
    expires_at        BIGINT NOT NULL,
    next_attempt_at   BIGINT NOT NULL,
    attempts          BIGINT NOT NULL DEFAULT 0,
    claimed_until     BIGINT NOT NULL DEFAULT 0,
    sent_at           BIGINT,
    failed_at         BIGINT,
    last_problem      TEXT
);
CREATE INDEX outbox_waiting ON outbox (next_attempt_at) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE INDEX outbox_expiry ON outbox (expires_at);

CREATE TABLE idempotency_keys (
    caller            TEXT NOT NULL,
    key_digest        BYTEA NOT NULL,
    request_digest    BYTEA NOT NULL,
    -- The id of what the request made: the claim and the making are one act.
    made              TEXT NOT NULL,
    -- The answer to give again, once it is kept. One that shows a secret never is.
    status            BIGINT,
    sealed_reply      BYTEA,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    PRIMARY KEY (caller, key_digest)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (expires_at);

CREATE TABLE webhooks (
    id                BYTEA PRIMARY KEY NOT NULL,
    -- None: the operator's, told of everything.
    organization_id   BYTEA REFERENCES organizations (id),
    address           TEXT NOT NULL,
    sealed_secret     BYTEA NOT NULL,
    kinds             TEXT NOT NULL DEFAULT '[]',
    -- The last event it was told of.
    delivered_event   BYTEA,
    failures          BIGINT NOT NULL DEFAULT 0,
    next_attempt_at   BIGINT NOT NULL,
    claimed_until     BIGINT NOT NULL DEFAULT 0,
    paused_at         BIGINT,
    removed_at        BIGINT,
    created_at        BIGINT NOT NULL,
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX webhooks_of_organization ON webhooks (organization_id);
CREATE INDEX webhooks_waiting ON webhooks (next_attempt_at) WHERE paused_at IS NULL AND removed_at IS NULL;

CREATE TABLE webhook_deliveries (
    webhook_id        BYTEA NOT NULL REFERENCES webhooks (id),
    event_id          BYTEA NOT NULL,
    attempted_at      BIGINT NOT NULL,
    status            BIGINT,
    problem           TEXT,
    PRIMARY KEY (webhook_id, event_id, attempted_at)
);
