-- Addresses that people were reached at before, and may have back for a while.
CREATE TABLE address_changes (
    digest            BYTEA PRIMARY KEY NOT NULL,
    account_id        BYTEA NOT NULL REFERENCES accounts (id),
    former            TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    spent_at          BIGINT
);
CREATE INDEX address_changes_of_account ON address_changes (account_id);
CREATE INDEX address_changes_expiry ON address_changes (expires_at);
