-- What clients ask people to approve. It takes the place of backchannel_requests, which no program ever wrote to: there a
-- person had to be known, and here one who is not is asked like one who is.
CREATE TABLE approval_requests (
    digest            BYTEA PRIMARY KEY NOT NULL,
    id                BYTEA NOT NULL,
    client_id         TEXT NOT NULL REFERENCES clients (id),
    -- Who is asked; nobody, where the client named somebody whom nobody here is.
    account_id        BYTEA REFERENCES accounts (id),
    -- A stamp of whom the client means, known or not, by which its requests are counted.
    asked_of          BYTEA NOT NULL,
    request           TEXT NOT NULL,
    -- What the client is told once somebody answers; sealed, because it holds what the client waits with.
    sealed_notice     BYTEA,
    notice_due_at     BIGINT,
    notice_attempts   BIGINT NOT NULL DEFAULT 0,
    grant_id          BYTEA REFERENCES grants (id),
    poll_interval     BIGINT NOT NULL,
    polled_at         BIGINT,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    approved_at       BIGINT,
    denied_at         BIGINT,
    spent_at          BIGINT
);
CREATE UNIQUE INDEX approval_requests_id ON approval_requests (id);
CREATE INDEX approval_requests_of_account ON approval_requests (account_id, expires_at) WHERE account_id IS NOT NULL;
CREATE INDEX approval_requests_of_client ON approval_requests (client_id, asked_of, expires_at);
CREATE INDEX approval_requests_expiry ON approval_requests (expires_at);
CREATE INDEX approval_requests_of_grant ON approval_requests (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX approval_requests_due ON approval_requests (notice_due_at) WHERE notice_due_at IS NOT NULL;
