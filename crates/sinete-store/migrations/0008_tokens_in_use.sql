-- What a token hangs on once it has been exchanged, and which session a grant was given in.

-- Nothing was ever kept in the table that this one takes the place of: no release could exchange a token.
DROP TABLE delegations;

-- One exchange of a token or key for a token. It ends with what it came from: the token that was exchanged,
-- the exchange before it, the grant or key at the root, and the client that acts.
CREATE TABLE delegations (
    id                BYTEA PRIMARY KEY NOT NULL,
    -- What everything hangs on in the end; neither where a machine's own token was exchanged.
    grant_id          BYTEA REFERENCES grants (id),
    api_key_id        BYTEA REFERENCES api_keys (id),
    parent_id         BYTEA REFERENCES delegations (id),
    -- The id of the token that was exchanged; a key has none.
    parent_jti        TEXT,
    actor_client_id   TEXT NOT NULL REFERENCES clients (id),
    actor_epoch       BIGINT NOT NULL,
    audience          TEXT NOT NULL,
    scope             TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    revoked_at        BIGINT,
    CHECK (grant_id IS NULL OR api_key_id IS NULL)
);
CREATE INDEX delegations_of_grant ON delegations (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX delegations_of_parent ON delegations (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX delegations_expiry ON delegations (expires_at);

-- The session a grant was given in, also where the grant outlives it: those who hold one are told of its end.
ALTER TABLE grants ADD COLUMN given_in BYTEA;
CREATE INDEX grants_given_in ON grants (given_in) WHERE given_in IS NOT NULL;
