-- Whoever signs in writes a grant, a code and a family. Codes are found by the grant that they name, applications by the
-- memberships that agreed to them, and what a session gave by the session it was given in: so each row has fewer trees to be
-- entered into. Nothing that a grant refers to is ever deleted before it, and the statement that opens one looks at all of it.
UPDATE grants SET given_in = session_id WHERE given_in IS NULL AND session_id IS NOT NULL;
DROP INDEX grants_of_account;
CREATE INDEX grants_given_elsewhere ON grants (account_id) WHERE kind IN ('device', 'backchannel');
DROP INDEX grants_of_session;
DROP INDEX codes_of_grant;

-- only: postgres
ALTER TABLE grants DROP CONSTRAINT grants_session_id_fkey;
ALTER TABLE codes DROP CONSTRAINT codes_pkey, ADD PRIMARY KEY (grant_id, digest);
-- end

-- SQLite changes no table that is there, so they are made anew.
-- only: sqlite
PRAGMA defer_foreign_keys = ON;

CREATE TABLE codes_by_grant (
    grant_id          BYTEA NOT NULL REFERENCES grants (id),
    digest            BYTEA NOT NULL,
    client_id         TEXT NOT NULL,
    redirect_uri      TEXT NOT NULL,
    challenge         BYTEA NOT NULL,
    request           TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    spent_at          BIGINT,
    PRIMARY KEY (grant_id, digest)
) WITHOUT ROWID;
INSERT INTO codes_by_grant
    SELECT grant_id, digest, client_id, redirect_uri, challenge, request, created_at, expires_at, spent_at FROM codes;
DROP TABLE codes;
ALTER TABLE codes_by_grant RENAME TO codes;

CREATE TABLE families_by_id (
    id                BYTEA PRIMARY KEY NOT NULL,
    grant_id          BYTEA NOT NULL REFERENCES grants (id),
    client_id         TEXT NOT NULL,
    audience          TEXT NOT NULL,
    scope             TEXT NOT NULL,
    confirmation      TEXT,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    revoked_at        BIGINT,
    version           BIGINT NOT NULL DEFAULT 1,
    mark              BYTEA,
    newest            BYTEA,
    generation        BIGINT NOT NULL DEFAULT 0,
    idle_expires_at   BIGINT
) WITHOUT ROWID;
INSERT INTO families_by_id
    SELECT id, grant_id, client_id, audience, scope, confirmation, created_at, expires_at, revoked_at, version, mark, newest,
        generation, idle_expires_at FROM families;
DROP TABLE families;
ALTER TABLE families_by_id RENAME TO families;
CREATE INDEX families_of_grant ON families (grant_id);

CREATE TABLE grants_before AS SELECT * FROM grants;
DROP TABLE grants;
CREATE TABLE grants (
    id                BYTEA PRIMARY KEY NOT NULL,
    kind              TEXT NOT NULL CHECK (kind IN ('code', 'device', 'backchannel')),
    organization_id   BYTEA NOT NULL,
    membership_id     BYTEA NOT NULL,
    account_id        BYTEA NOT NULL,
    account_epoch     BIGINT NOT NULL,
    client_id         TEXT NOT NULL,
    client_epoch      BIGINT NOT NULL,
    session_id        BYTEA,
    scopes            TEXT NOT NULL,
    details           TEXT NOT NULL DEFAULT '[]',
    authentication    TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    revoked_at        BIGINT,
    revoked_because   TEXT,
    version           BIGINT NOT NULL DEFAULT 1,
    given_in          BYTEA
);
INSERT INTO grants
    SELECT id, kind, organization_id, membership_id, account_id, account_epoch, client_id, client_epoch, session_id, scopes,
        details, authentication, created_at, expires_at, revoked_at, revoked_because, version, given_in FROM grants_before;
DROP TABLE grants_before;
CREATE INDEX grants_of_membership ON grants (membership_id, client_id);
CREATE INDEX grants_of_client ON grants (client_id);
CREATE INDEX grants_expiry ON grants (expires_at);
CREATE INDEX grants_given_in ON grants (given_in) WHERE given_in IS NOT NULL;
CREATE INDEX grants_given_elsewhere ON grants (account_id) WHERE kind IN ('device', 'backchannel');
-- end
