-- Links in messages about an account that already happened: whoever opens one answers for the account's owner.
CREATE TABLE account_links (
    digest            BYTEA PRIMARY KEY NOT NULL,
    account_id        BYTEA NOT NULL REFERENCES accounts (id),
    purpose           TEXT NOT NULL CHECK (purpose IN ('not_me')),
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    spent_at          BIGINT
);
CREATE INDEX account_links_of_account ON account_links (account_id);
CREATE INDEX account_links_expiry ON account_links (expires_at);
