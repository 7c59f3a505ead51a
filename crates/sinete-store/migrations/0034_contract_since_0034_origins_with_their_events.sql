-- Where a request came from stands in the row of its event, so that an event is written once. It can be erased, all of it at
-- once, and never altered; nothing else of an event can be changed, and no event removed.
ALTER TABLE security_log ADD COLUMN salt BYTEA;
ALTER TABLE security_log ADD COLUMN address TEXT;
ALTER TABLE security_log ADD COLUMN user_agent TEXT
    CHECK (salt IS NOT NULL OR (address IS NULL AND user_agent IS NULL));

-- only: sqlite
DROP TRIGGER security_log_no_update;
-- Row by row, and without keeping what could be taken back: in one piece this would need memory for all that is carried over.
-- Should it fail, the whole migration is undone.
UPDATE OR FAIL security_log SET (salt, address, user_agent) =
    (SELECT p.salt, p.address, p.user_agent FROM security_log_personal p WHERE p.event_id = security_log.id)
    WHERE personal_hash IS NOT NULL;
-- What was put beside an event that says there is nothing is carried over as well, so that a check finds it.
UPDATE security_log SET salt = p.salt, address = p.address, user_agent = p.user_agent
    FROM security_log_personal p WHERE p.event_id = security_log.id AND personal_hash IS NULL;
-- Dropped with its rows, a table is kept in memory until the end; like this only the keys of its rows are.
DELETE FROM security_log_personal;
-- end
-- only: postgres
DROP TRIGGER security_log_append_only ON security_log;
UPDATE security_log SET salt = p.salt, address = p.address, user_agent = p.user_agent
    FROM security_log_personal p WHERE p.event_id = security_log.id;
-- end
DROP TABLE security_log_personal;

-- only: sqlite
CREATE TRIGGER security_log_no_update BEFORE UPDATE OF id, at, kind, actor_kind, actor_id, subject_kind, subject_id,
    organization_id, client_id, request_id, detail, personal_hash ON security_log
    BEGIN SELECT RAISE(ABORT, 'security_log is append-only'); END;
-- Whoever gave a row the number of another one could put it in that one's place.
CREATE TRIGGER security_log_only_erased BEFORE UPDATE ON security_log
    WHEN NEW.rowid <> OLD.rowid OR NEW.salt IS NOT NULL OR NEW.address IS NOT NULL OR NEW.user_agent IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'security_log is append-only: where a request came from can be erased, not altered'); END;
-- end
-- only: postgres
CREATE TRIGGER security_log_append_only BEFORE DELETE OR UPDATE OF id, at, kind, actor_kind, actor_id, subject_kind,
    subject_id, organization_id, client_id, request_id, detail, personal_hash ON security_log
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER security_log_only_erased BEFORE UPDATE ON security_log FOR EACH ROW
    WHEN (NEW.salt IS NOT NULL OR NEW.address IS NOT NULL OR NEW.user_agent IS NOT NULL)
    EXECUTE FUNCTION refuse_change();
-- end
