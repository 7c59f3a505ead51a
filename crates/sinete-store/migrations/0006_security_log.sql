-- What happened. Rows are added and never changed: a trigger refuses anything else on both engines.

CREATE TABLE security_log (
    id                BYTEA PRIMARY KEY NOT NULL,
    at                BIGINT NOT NULL,
    kind              TEXT NOT NULL,
    actor_kind        TEXT NOT NULL,
    actor_id          TEXT,
    subject_kind      TEXT,
    subject_id        TEXT,
    organization_id   BYTEA,
    client_id         TEXT,
    request_id        BYTEA,
    detail            TEXT NOT NULL,
    -- Salted hash of the personal row, so that erasing that row leaves the chain whole.
    personal_hash     BYTEA
);
CREATE INDEX security_log_of_organization ON security_log (organization_id, id) WHERE organization_id IS NOT NULL;
CREATE INDEX security_log_of_actor ON security_log (actor_id, id) WHERE actor_id IS NOT NULL;
CREATE INDEX security_log_of_subject ON security_log (subject_id, id) WHERE subject_id IS NOT NULL;

-- Where the request came from. It can be erased, never altered.
CREATE TABLE security_log_personal (
    event_id          BYTEA PRIMARY KEY NOT NULL,
    salt              BYTEA NOT NULL,
    address           TEXT,
    user_agent        TEXT
);

-- The place of each event in the chain; each hash covers its event and the hash before it.
CREATE TABLE log_chain (
    position          BIGINT PRIMARY KEY NOT NULL,
    event_id          BYTEA NOT NULL,
    hash              BYTEA NOT NULL
);
CREATE UNIQUE INDEX log_chain_event ON log_chain (event_id);

-- The signed end of the chain. There is one, and older ones are not kept: a shortened chain has no head.
CREATE TABLE log_head (
    id                BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    position          BIGINT NOT NULL,
    hash              BYTEA NOT NULL,
    sealed_at         BIGINT NOT NULL,
    kid               TEXT NOT NULL,
    signature         BYTEA NOT NULL
);

-- What an organization is shown of what was done in it and to it.
CREATE TABLE audit (
    id                BYTEA PRIMARY KEY NOT NULL,
    organization_id   BYTEA NOT NULL,
    at                BIGINT NOT NULL,
    kind              TEXT NOT NULL,
    actor_kind        TEXT NOT NULL,
    actor_id          TEXT,
    actor_name        TEXT NOT NULL DEFAULT '',
    subject_kind      TEXT,
    subject_id        TEXT,
    reason            TEXT NOT NULL DEFAULT '',
    detail            TEXT NOT NULL
);
CREATE INDEX audit_of_organization ON audit (organization_id, id);
CREATE INDEX audit_of_actor ON audit (organization_id, actor_id, id);
CREATE INDEX audit_of_kind ON audit (organization_id, kind, id);

-- only: sqlite
CREATE TRIGGER security_log_no_update BEFORE UPDATE ON security_log
    BEGIN SELECT RAISE(ABORT, 'security_log is append-only'); END;
CREATE TRIGGER security_log_no_delete BEFORE DELETE ON security_log
    BEGIN SELECT RAISE(ABORT, 'security_log is append-only'); END;
CREATE TRIGGER security_log_personal_no_update BEFORE UPDATE ON security_log_personal
    BEGIN SELECT RAISE(ABORT, 'security_log_personal can be erased, not altered'); END;
CREATE TRIGGER log_chain_no_update BEFORE UPDATE ON log_chain
    BEGIN SELECT RAISE(ABORT, 'log_chain is append-only'); END;
CREATE TRIGGER log_chain_no_delete BEFORE DELETE ON log_chain
    BEGIN SELECT RAISE(ABORT, 'log_chain is append-only'); END;
CREATE TRIGGER log_head_no_delete BEFORE DELETE ON log_head
    BEGIN SELECT RAISE(ABORT, 'log_head cannot be removed'); END;
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
-- end
-- only: postgres
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP;
END
$body$;
CREATE TRIGGER security_log_append_only BEFORE UPDATE OR DELETE ON security_log
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER security_log_not_emptied BEFORE TRUNCATE ON security_log
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER security_log_personal_unaltered BEFORE UPDATE ON security_log_personal
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_chain_append_only BEFORE UPDATE OR DELETE ON log_chain
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_chain_not_emptied BEFORE TRUNCATE ON log_chain
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_head_kept BEFORE DELETE ON log_head
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_head_not_emptied BEFORE TRUNCATE ON log_head
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_not_emptied BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- end
