-- How organizations are connected to providers of their own, and which of their domains lead to which.
CREATE TABLE connections (
    id                BYTEA PRIMARY KEY NOT NULL,
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    -- Who the provider is. It never changes: the people it knows are known by it.
    issuer            TEXT NOT NULL,
    chosen            TEXT NOT NULL,
    sealed_secret     BYTEA,
    is_enabled        BIGINT NOT NULL DEFAULT 0,
    created_at        BIGINT NOT NULL,
    removed_at        BIGINT,
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX connections_of_organization ON connections (organization_id, id) WHERE removed_at IS NULL;
CREATE INDEX connections_enabled ON connections (id) WHERE is_enabled = 1 AND removed_at IS NULL;
ALTER TABLE domains ADD COLUMN connection_id BYTEA REFERENCES connections (id);
CREATE INDEX domains_of_connection ON domains (connection_id) WHERE connection_id IS NOT NULL;
