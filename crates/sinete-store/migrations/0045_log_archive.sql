-- Closed segments of the log that are in an archive. A row is written after the file was read back and verified, and never
-- changes. The rows follow each other without a gap, and the head of the log is never part of one.
CREATE TABLE log_segments (
    first_position    BIGINT PRIMARY KEY NOT NULL,
    last_position     BIGINT NOT NULL CHECK (last_position >= first_position),
    previous_hash     BYTEA NOT NULL,
    hash              BYTEA NOT NULL,
    last_at           BIGINT NOT NULL,
    file_name         TEXT NOT NULL,
    file_bytes        BIGINT NOT NULL,
    file_digest       BYTEA NOT NULL,
    archived_at       BIGINT NOT NULL,
    kid               TEXT NOT NULL,
    signature         BYTEA NOT NULL
);

-- How far the log was cut: everything up to this position is in the archive only. The chain goes on from this hash.
CREATE TABLE log_checkpoint (
    id                BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    position          BIGINT NOT NULL,
    hash              BYTEA NOT NULL,
    cut_at            BIGINT NOT NULL,
    kid               TEXT NOT NULL,
    signature         BYTEA NOT NULL
);

-- Which process archives the log: the time until which it may identifies it.
CREATE TABLE log_archiver (
    id                BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    claimed_until     BIGINT NOT NULL
);
INSERT INTO log_archiver (id, claimed_until) VALUES (1, 0);

-- Accounts and memberships whose addresses and user agents must be erased from the archive too.
CREATE TABLE log_erasures (
    who               TEXT PRIMARY KEY NOT NULL
);

-- only: sqlite
DROP TRIGGER security_log_no_delete;
CREATE TRIGGER security_log_no_delete BEFORE DELETE ON security_log
    WHEN NOT EXISTS (SELECT 1 FROM log_chain c JOIN log_checkpoint k ON c.position <= k.position
        WHERE c.event_id = OLD.id AND c.position <= (SELECT s.last_position FROM log_segments s
            WHERE s.first_position <= c.position ORDER BY s.first_position DESC LIMIT 1))
    BEGIN SELECT RAISE(ABORT, 'security_log is append-only: the event is not in a verified archive'); END;
DROP TRIGGER log_chain_no_delete;
CREATE TRIGGER log_chain_no_delete BEFORE DELETE ON log_chain
    WHEN EXISTS (SELECT 1 FROM security_log e WHERE e.id = OLD.event_id)
        OR NOT EXISTS (SELECT 1 FROM log_checkpoint k WHERE OLD.position <= k.position
            AND OLD.position <= (SELECT s.last_position FROM log_segments s
                WHERE s.first_position <= OLD.position ORDER BY s.first_position DESC LIMIT 1))
    BEGIN SELECT RAISE(ABORT, 'log_chain is append-only: the position is not in a verified archive'); END;
CREATE TRIGGER log_segments_follow BEFORE INSERT ON log_segments
    WHEN NEW.first_position <> (SELECT COALESCE(MAX(s.last_position), 0) + 1 FROM log_segments s)
        OR NEW.last_position >= (SELECT COALESCE(MAX(h.position), 0) FROM log_head h)
    BEGIN SELECT RAISE(ABORT, 'log_segments is append-only: a segment follows the one before it and ends before the head'); END;
CREATE TRIGGER log_segments_no_update BEFORE UPDATE ON log_segments
    BEGIN SELECT RAISE(ABORT, 'log_segments is append-only'); END;
CREATE TRIGGER log_segments_no_delete BEFORE DELETE ON log_segments
    BEGIN SELECT RAISE(ABORT, 'log_segments is append-only'); END;
CREATE TRIGGER log_checkpoint_archived BEFORE INSERT ON log_checkpoint
    WHEN NEW.position > (SELECT COALESCE(MAX(s.last_position), 0) FROM log_segments s)
    BEGIN SELECT RAISE(ABORT, 'log_checkpoint: only what is archived can be cut'); END;
CREATE TRIGGER log_checkpoint_forward BEFORE UPDATE ON log_checkpoint
    WHEN NEW.position <= OLD.position OR NEW.position > (SELECT COALESCE(MAX(s.last_position), 0) FROM log_segments s)
    BEGIN SELECT RAISE(ABORT, 'log_checkpoint: only what is archived can be cut'); END;
CREATE TRIGGER log_checkpoint_no_delete BEFORE DELETE ON log_checkpoint
    BEGIN SELECT RAISE(ABORT, 'log_checkpoint cannot be removed'); END;
-- end
-- only: postgres
-- The triggers of the log call this function: it lets one deletion pass, that of what a verified archive contains.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    IF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'security_log' THEN
        IF EXISTS (SELECT 1 FROM log_chain c JOIN log_checkpoint k ON c.position <= k.position
            WHERE c.event_id = OLD.id AND c.position <= (SELECT s.last_position FROM log_segments s
                WHERE s.first_position <= c.position ORDER BY s.first_position DESC LIMIT 1)) THEN
            RETURN OLD;
        END IF;
    ELSIF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'log_chain' THEN
        IF NOT EXISTS (SELECT 1 FROM security_log e WHERE e.id = OLD.event_id)
            AND EXISTS (SELECT 1 FROM log_checkpoint k WHERE OLD.position <= k.position
                AND OLD.position <= (SELECT s.last_position FROM log_segments s
                    WHERE s.first_position <= OLD.position ORDER BY s.first_position DESC LIMIT 1)) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP;
END
$body$;
CREATE FUNCTION require_segment_order() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    IF NEW.first_position <> (SELECT COALESCE(MAX(s.last_position), 0) + 1 FROM log_segments s)
        OR NEW.last_position >= (SELECT COALESCE(MAX(h.position), 0) FROM log_head h) THEN
        RAISE EXCEPTION 'log_segments is append-only: a segment follows the one before it and ends before the head';
    END IF;
    RETURN NEW;
END
$body$;
CREATE FUNCTION require_archived_cut() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    IF NEW.position > (SELECT COALESCE(MAX(s.last_position), 0) FROM log_segments s) THEN
        RAISE EXCEPTION 'log_checkpoint: only what is archived can be cut';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF NEW.position <= OLD.position THEN
            RAISE EXCEPTION 'log_checkpoint: only what is archived can be cut';
        END IF;
    END IF;
    RETURN NEW;
END
$body$;
CREATE TRIGGER log_segments_follow BEFORE INSERT ON log_segments
    FOR EACH ROW EXECUTE FUNCTION require_segment_order();
CREATE TRIGGER log_segments_append_only BEFORE UPDATE OR DELETE ON log_segments
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_segments_not_emptied BEFORE TRUNCATE ON log_segments
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_checkpoint_archived BEFORE INSERT OR UPDATE ON log_checkpoint
    FOR EACH ROW EXECUTE FUNCTION require_archived_cut();
CREATE TRIGGER log_checkpoint_kept BEFORE DELETE ON log_checkpoint
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER log_checkpoint_not_emptied BEFORE TRUNCATE ON log_checkpoint
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- end
