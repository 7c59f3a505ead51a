-- What somebody holds is kept from when a code is given out until it is redeemed, and from one renewal to the next. It counts
-- only at the version of service_facts. A role that is taken from a person therefore changes it, as one that is taken from a
-- service does. One that is given does so where the person gave somebody something before: people who join did not, and leave
-- the version alone.
-- only: sqlite
CREATE TRIGGER service_facts_taken_from_people AFTER DELETE ON membership_roles
    WHEN NOT EXISTS (SELECT 1 FROM memberships m WHERE m.id = OLD.membership_id AND m.client_id IS NOT NULL)
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_given_to_people AFTER INSERT ON membership_roles
    WHEN EXISTS (SELECT 1 FROM grants g WHERE g.membership_id = NEW.membership_id)
    BEGIN UPDATE service_facts SET version = version + 1; END;
-- end
-- only: postgres
CREATE FUNCTION has_given_something(membership bytea) RETURNS boolean LANGUAGE sql SET search_path FROM CURRENT AS $body$
    SELECT EXISTS (SELECT 1 FROM grants g WHERE g.membership_id = membership)
$body$;
CREATE CONSTRAINT TRIGGER service_facts_taken_from_people AFTER DELETE ON membership_roles
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NOT is_of_service(OLD.membership_id))
    EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_given_to_people AFTER INSERT ON membership_roles
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (has_given_something(NEW.membership_id))
    EXECUTE FUNCTION count_service_change();
ALTER TABLE membership_roles
    ENABLE ALWAYS TRIGGER service_facts_taken_from_people,
    ENABLE ALWAYS TRIGGER service_facts_given_to_people;
-- end
