-- What somebody holds is kept from when a code is given out until it is redeemed, and counts only at the version of
-- service_facts. A role that is taken from a person therefore changes it, as one that is taken from a service does. One that
-- is given takes nothing from what was kept, so that people who join still leave the version alone.
-- only: sqlite
CREATE TRIGGER service_facts_carried_by_people_removed AFTER DELETE ON membership_roles
    WHEN NOT EXISTS (SELECT 1 FROM memberships m WHERE m.id = OLD.membership_id AND m.client_id IS NOT NULL)
    BEGIN UPDATE service_facts SET version = version + 1; END;
-- end
-- only: postgres
CREATE CONSTRAINT TRIGGER service_facts_carried_by_people_removed AFTER DELETE ON membership_roles
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NOT is_of_service(OLD.membership_id))
    EXECUTE FUNCTION count_service_change();
ALTER TABLE membership_roles
    ENABLE ALWAYS TRIGGER service_facts_carried_by_people_removed;
-- end
