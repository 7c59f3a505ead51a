-- What SAML providers said about somebody, until the browser that brought it comes for it. An assertion counts once: it is
-- kept for as long as it would be believed.
CREATE TABLE saml_answers (
    digest            BYTEA PRIMARY KEY NOT NULL,
    connection_id     BYTEA NOT NULL REFERENCES connections (id),
    flow_id           BYTEA NOT NULL,
    assertion         BYTEA NOT NULL,
    -- What it says, until it was used.
    answer            TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    spent_at          BIGINT
);
CREATE UNIQUE INDEX saml_answers_of_connection ON saml_answers (connection_id, assertion);
CREATE INDEX saml_answers_expired ON saml_answers (expires_at);
