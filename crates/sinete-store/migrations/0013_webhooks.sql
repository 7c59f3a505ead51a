-- Addresses that are told of events: how far each has come in the log, and what it made of each event.

ALTER TABLE webhooks ADD COLUMN description TEXT NOT NULL DEFAULT '';
-- Everything up to this place in the log's chain was told, or is none of its business.
ALTER TABLE webhooks ADD COLUMN position BIGINT NOT NULL DEFAULT 0;
-- Up to this place there is something it may have to be told of.
ALTER TABLE webhooks ADD COLUMN wanted_position BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN failing_since BIGINT;
ALTER TABLE webhooks ADD COLUMN pause_reason TEXT CHECK (pause_reason IN ('failing', 'gone', 'stopped'));
-- The earlier secret, which signs too until its time is over.
ALTER TABLE webhooks ADD COLUMN sealed_previous_secret BYTEA;
ALTER TABLE webhooks ADD COLUMN previous_secret_until BIGINT;
CREATE INDEX webhooks_behind ON webhooks (next_attempt_at, id)
    WHERE paused_at IS NULL AND removed_at IS NULL AND position < wanted_position;

-- How far the chain was looked through for those who have to be told.
CREATE TABLE webhook_walk (
    id                BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    position          BIGINT NOT NULL
);
INSERT INTO webhook_walk (id, position) SELECT 1, COALESCE(MAX(position), 0) FROM log_chain;

-- Nobody wrote here before: an attempt has an id of its own now, by which it is listed.
DROP TABLE webhook_deliveries;
CREATE TABLE webhook_attempts (
    id                BYTEA PRIMARY KEY NOT NULL,
    webhook_id        BYTEA NOT NULL REFERENCES webhooks (id),
    event_id          BYTEA NOT NULL,
    kind              TEXT NOT NULL,
    -- What it answered; nothing where it was not reached.
    status            BIGINT,
    outcome           TEXT NOT NULL CHECK (outcome IN ('told', 'again', 'paused')),
    attempted_at      BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL
);
CREATE INDEX webhook_attempts_of_webhook ON webhook_attempts (webhook_id, id);
CREATE INDEX webhook_attempts_expiry ON webhook_attempts (expires_at);
