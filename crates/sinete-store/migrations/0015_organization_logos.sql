-- The logos of organizations, apart from their settings: they are read only to be shown.
CREATE TABLE organization_logos (
    organization_id   BYTEA PRIMARY KEY NOT NULL REFERENCES organizations (id),
    media_type        TEXT NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp', 'image/svg+xml')),
    bytes             BYTEA NOT NULL,
    changed_at        BIGINT NOT NULL
);
