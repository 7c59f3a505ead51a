-- Clients that are still to be told that a session ended (OpenID Connect Back-Channel Logout). A row is written in the
-- transaction that ends the session and goes once the client was told. The first attempt is made during the logout;
-- whatever is left is tried again by any node.
CREATE TABLE logout_deliveries (
    session_id        BYTEA NOT NULL,
    client_id         TEXT NOT NULL,
    membership_id     BYTEA NOT NULL,
    -- Before this it is not tried again; while a node tries, nobody else does until then.
    due_at            BIGINT NOT NULL,
    attempts          BIGINT NOT NULL DEFAULT 0,
    expires_at        BIGINT NOT NULL,
    PRIMARY KEY (session_id, client_id, membership_id)
);
CREATE INDEX logout_deliveries_due ON logout_deliveries (due_at);
CREATE INDEX logout_deliveries_expired ON logout_deliveries (expires_at);
