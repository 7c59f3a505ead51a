-- What clients were allowed, and the tokens that hang from it.

-- Remembers an agreement. It is asked again when it does not cover the request.
CREATE TABLE consents (
    membership_id     BYTEA NOT NULL REFERENCES memberships (id),
    client_id         TEXT NOT NULL REFERENCES clients (id),
    audience          TEXT NOT NULL,
    scope             TEXT NOT NULL,
    -- An agreement with an unverified client counts within the session and for the host it was given for.
    session_id        BYTEA,
    redirect_host     TEXT,
    agreed_at         BIGINT NOT NULL,
    revoked_at        BIGINT,
    version           BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (membership_id, client_id, audience)
);
CREATE INDEX consents_of_client ON consents (client_id);

-- One authorization. Everything issued under it dies with it.
CREATE TABLE grants (
    id                BYTEA PRIMARY KEY NOT NULL,
    kind              TEXT NOT NULL CHECK (kind IN ('code', 'device', 'backchannel')),
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    membership_id     BYTEA NOT NULL REFERENCES memberships (id),
    account_id        BYTEA NOT NULL REFERENCES accounts (id),
    account_epoch     BIGINT NOT NULL,
    client_id         TEXT NOT NULL REFERENCES clients (id),
    client_epoch      BIGINT NOT NULL,
    -- Unset when the grant outlives the session it was given in.
    session_id        BYTEA REFERENCES sessions (id),
    -- The scopes agreed to, per audience, and the RFC 9396 details: what was asked, never what is held.
    scopes            TEXT NOT NULL,
    details           TEXT NOT NULL DEFAULT '[]',
    -- How and when the person proved who they are, for the tokens issued later.
    authentication    TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    revoked_at        BIGINT,
    revoked_because   TEXT,
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX grants_of_membership ON grants (membership_id, client_id);
CREATE INDEX grants_of_account ON grants (account_id);
CREATE INDEX grants_of_client ON grants (client_id);
CREATE INDEX grants_of_session ON grants (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX grants_expiry ON grants (expires_at);

-- A spent code is kept while its grant lives: a second presentation must be recognised.
CREATE TABLE codes (
    digest            BYTEA PRIMARY KEY NOT NULL,
    grant_id          BYTEA NOT NULL REFERENCES grants (id),
    client_id         TEXT NOT NULL,
    redirect_uri      TEXT NOT NULL,
    challenge         BYTEA NOT NULL,
    -- What else the token request must be held against: nonce, resources, binding.
    request           TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    spent_at          BIGINT
);
CREATE INDEX codes_of_grant ON codes (grant_id);

-- A line of refresh tokens, of which only the newest counts.
CREATE TABLE families (
    id                BYTEA PRIMARY KEY NOT NULL,
    grant_id          BYTEA NOT NULL REFERENCES grants (id),
    client_id         TEXT NOT NULL,
    audience          TEXT NOT NULL,
    scope             TEXT NOT NULL,
    -- The key the tokens are bound to, where they are.
    confirmation      TEXT,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    revoked_at        BIGINT,
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX families_of_grant ON families (grant_id);

CREATE TABLE refresh_tokens (
    digest            BYTEA PRIMARY KEY NOT NULL,
    family_id         BYTEA NOT NULL REFERENCES families (id),
    generation        BIGINT NOT NULL,
    created_at        BIGINT NOT NULL,
    idle_expires_at   BIGINT NOT NULL,
    spent_at          BIGINT
);
CREATE UNIQUE INDEX refresh_tokens_of_family ON refresh_tokens (family_id, generation);

CREATE TABLE pushed_requests (
    digest            BYTEA PRIMARY KEY NOT NULL,
    client_id         TEXT NOT NULL REFERENCES clients (id),
    request           TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    taken_at          BIGINT
);
CREATE INDEX pushed_requests_expiry ON pushed_requests (expires_at);

-- One step of a token exchange. Revoking what it came from ends it.
CREATE TABLE delegations (
    id                BYTEA PRIMARY KEY NOT NULL,
    grant_id          BYTEA NOT NULL REFERENCES grants (id),
    parent_id         BYTEA REFERENCES delegations (id),
    actor_client_id   TEXT NOT NULL REFERENCES clients (id),
    audience          TEXT NOT NULL,
    scope             TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    revoked_at        BIGINT
);
CREATE INDEX delegations_of_grant ON delegations (grant_id);
CREATE INDEX delegations_of_parent ON delegations (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX delegations_expiry ON delegations (expires_at);

-- Access tokens are not stored; one that was revoked is, until it would have expired anyway.
CREATE TABLE revoked_jtis (
    jti               TEXT PRIMARY KEY NOT NULL,
    revoked_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL
);
CREATE INDEX revoked_jtis_expiry ON revoked_jtis (expires_at);

CREATE TABLE device_requests (
    digest            BYTEA PRIMARY KEY NOT NULL,
    user_code_digest  BYTEA NOT NULL,
    client_id         TEXT NOT NULL REFERENCES clients (id),
    request           TEXT NOT NULL,
    grant_id          BYTEA REFERENCES grants (id),
    poll_interval     BIGINT NOT NULL,
    polled_at         BIGINT,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    approved_at       BIGINT,
    denied_at         BIGINT,
    spent_at          BIGINT
);
CREATE UNIQUE INDEX device_requests_user_code ON device_requests (user_code_digest);
CREATE INDEX device_requests_expiry ON device_requests (expires_at);
CREATE INDEX device_requests_of_grant ON device_requests (grant_id) WHERE grant_id IS NOT NULL;

CREATE TABLE backchannel_requests (
    digest            BYTEA PRIMARY KEY NOT NULL,
    client_id         TEXT NOT NULL REFERENCES clients (id),
    membership_id     BYTEA NOT NULL REFERENCES memberships (id),
    request           TEXT NOT NULL,
    grant_id          BYTEA REFERENCES grants (id),
    poll_interval     BIGINT NOT NULL,
    polled_at         BIGINT,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    approved_at       BIGINT,
    denied_at         BIGINT,
    spent_at          BIGINT
);
CREATE INDEX backchannel_requests_of_membership ON backchannel_requests (membership_id, expires_at);
CREATE INDEX backchannel_requests_expiry ON backchannel_requests (expires_at);
CREATE INDEX backchannel_requests_of_grant ON backchannel_requests (grant_id) WHERE grant_id IS NOT NULL;
