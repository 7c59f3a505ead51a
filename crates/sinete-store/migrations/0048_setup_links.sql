-- Links with which another party prepares single sign-on, SCIM and a domain of an organization, without an account.
CREATE TABLE setup_links (
    id                BYTEA PRIMARY KEY NOT NULL,
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    digest            BYTEA NOT NULL UNIQUE,
    -- The browser that opened it, and no other.
    session_digest    BYTEA UNIQUE,
    made_by           TEXT NOT NULL,
    -- The id that a prepared connection has.
    connection_id     BYTEA NOT NULL,
    domain            TEXT,
    -- The digest of a SCIM token, which becomes an API key when an owner confirms.
    scim_digest       BYTEA,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    opened_at         BIGINT,
    revoked_at        BIGINT,
    confirmed_at      BIGINT,
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX setup_links_of_organization ON setup_links (organization_id, id);
CREATE INDEX setup_links_expired ON setup_links (expires_at);
