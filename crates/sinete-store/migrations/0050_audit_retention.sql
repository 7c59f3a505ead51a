-- How far the audit log of an organization was removed: entries from before this time have passed its retention.
CREATE TABLE audit_horizons (
    organization_id   BYTEA PRIMARY KEY NOT NULL,
    removed_before    BIGINT NOT NULL
);

-- An entry is deleted only behind the horizon of its organization, and a horizon is at least 30 days behind the signed
-- head of the security log and only moves forward. 30 days are 2592000000000 microseconds.
-- only: sqlite
DROP TRIGGER audit_no_delete;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
    WHEN NOT EXISTS (SELECT 1 FROM audit_horizons z
        WHERE z.organization_id = OLD.organization_id AND OLD.at < z.removed_before)
    BEGIN SELECT RAISE(ABORT, 'audit is append-only: the entry has not passed its retention'); END;
CREATE TRIGGER audit_horizons_old BEFORE INSERT ON audit_horizons
    WHEN NEW.removed_before > (SELECT COALESCE(MAX(h.sealed_at), 0) - 2592000000000 FROM log_head h)
    BEGIN SELECT RAISE(ABORT, 'audit_horizons: entries are kept for 30 days at least'); END;
CREATE TRIGGER audit_horizons_forward BEFORE UPDATE ON audit_horizons
    WHEN NEW.removed_before <= OLD.removed_before OR NEW.organization_id <> OLD.organization_id
        OR NEW.removed_before > (SELECT COALESCE(MAX(h.sealed_at), 0) - 2592000000000 FROM log_head h)
    BEGIN SELECT RAISE(ABORT, 'audit_horizons: a horizon moves forward, and entries are kept for 30 days at least'); END;
CREATE TRIGGER audit_horizons_no_delete BEFORE DELETE ON audit_horizons
    BEGIN SELECT RAISE(ABORT, 'audit_horizons cannot be removed'); END;
-- end
-- only: postgres
-- The triggers of the logs call this function: it lets two deletions pass, that of what a verified archive contains and that
-- of entries of an audit log behind their horizon.
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
    ELSIF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'audit' THEN
        IF EXISTS (SELECT 1 FROM audit_horizons z
            WHERE z.organization_id = OLD.organization_id AND OLD.at < z.removed_before) THEN
            RETURN OLD;
        END IF;
    END IF;
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP;
END
$body$;
CREATE FUNCTION require_old_horizon() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    IF NEW.removed_before > (SELECT COALESCE(MAX(h.sealed_at), 0) - 2592000000000 FROM log_head h) THEN
        RAISE EXCEPTION 'audit_horizons: entries are kept for 30 days at least';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF NEW.removed_before <= OLD.removed_before OR NEW.organization_id <> OLD.organization_id THEN
            RAISE EXCEPTION 'audit_horizons: a horizon moves forward';
        END IF;
    END IF;
    RETURN NEW;
END
$body$;
CREATE TRIGGER audit_horizons_old BEFORE INSERT OR UPDATE ON audit_horizons
    FOR EACH ROW EXECUTE FUNCTION require_old_horizon();
CREATE TRIGGER audit_horizons_kept BEFORE DELETE ON audit_horizons
    FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_horizons_not_emptied BEFORE TRUNCATE ON audit_horizons
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- end
