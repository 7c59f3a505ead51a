-- The pictures of users. The id changes with the picture, and is the part of its URL that cannot be guessed.
CREATE TABLE account_pictures (
    account_id   BYTEA PRIMARY KEY NOT NULL REFERENCES accounts (id),
    id           BYTEA NOT NULL UNIQUE,
    media_type   TEXT NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/webp')),
    bytes        BYTEA NOT NULL,
    changed_at   BIGINT NOT NULL
);
