-- Counts the changes of everything that a service's own token hangs on, whoever makes them: the service, its secrets,
-- whoever owns it, its organization, its membership there with its roles, and what APIs define. What a node decided
-- before counts again only at this number, which is asked for in the statement that records the token.
CREATE TABLE service_facts (
    id                BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    version           BIGINT NOT NULL
);
INSERT INTO service_facts (id, version) VALUES (1, 1);

-- A service, secret, organization or role that is added was not decided on yet, so only a role that is given counts. What
-- clients that registered themselves change does not count: they have no such tokens, and nothing is kept about them.
-- only: sqlite
CREATE TRIGGER service_facts_clients_changed AFTER UPDATE ON clients
    WHEN (OLD.is_self_registered = 0 OR NEW.is_self_registered = 0)
        AND (OLD.version IS NOT NEW.version OR OLD.epoch IS NOT NEW.epoch OR OLD.condition IS NOT NEW.condition
        OR OLD.organization_id IS NOT NEW.organization_id OR OLD.owner_id IS NOT NEW.owner_id
        OR OLD.scope IS NOT NEW.scope OR OLD.metadata IS NOT NEW.metadata OR OLD.kind IS NOT NEW.kind
        OR OLD.is_self_registered IS NOT NEW.is_self_registered OR OLD.verified_at IS NOT NEW.verified_at)
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_clients_removed AFTER DELETE ON clients WHEN OLD.is_self_registered = 0
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_secrets_changed AFTER UPDATE ON client_secrets
    WHEN EXISTS (SELECT 1 FROM clients c WHERE c.id = OLD.client_id AND c.is_self_registered = 0)
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_secrets_removed AFTER DELETE ON client_secrets
    WHEN EXISTS (SELECT 1 FROM clients c WHERE c.id = OLD.client_id AND c.is_self_registered = 0)
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_organizations_changed AFTER UPDATE ON organizations
    WHEN OLD.condition IS NOT NEW.condition OR OLD.ends_at IS NOT NEW.ends_at OR OLD.kind IS NOT NEW.kind
        OR OLD.settings IS NOT NEW.settings
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_organizations_removed AFTER DELETE ON organizations
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_memberships_changed AFTER UPDATE ON memberships
    WHEN OLD.condition IS NOT NEW.condition OR ((OLD.account_id IS NOT NULL OR OLD.client_id IS NOT NULL)
        AND (OLD.account_id IS NOT NEW.account_id OR OLD.client_id IS NOT NEW.client_id
        OR OLD.organization_id IS NOT NEW.organization_id))
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_memberships_removed AFTER DELETE ON memberships
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_accounts_changed AFTER UPDATE ON accounts
    WHEN OLD.condition IS NOT NEW.condition
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_accounts_removed AFTER DELETE ON accounts
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_roles_changed AFTER UPDATE ON roles
    WHEN OLD.name IS NOT NEW.name OR OLD.is_built_in IS NOT NEW.is_built_in
        OR OLD.permissions IS NOT NEW.permissions OR OLD.organization_id IS NOT NEW.organization_id
        OR OLD.removed_at IS NOT NEW.removed_at
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_roles_removed AFTER DELETE ON roles
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_carried_added AFTER INSERT ON membership_roles
    WHEN EXISTS (SELECT 1 FROM memberships m WHERE m.id = NEW.membership_id AND m.client_id IS NOT NULL)
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_carried_changed AFTER UPDATE ON membership_roles
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_carried_removed AFTER DELETE ON membership_roles
    WHEN EXISTS (SELECT 1 FROM memberships m WHERE m.id = OLD.membership_id AND m.client_id IS NOT NULL)
    BEGIN UPDATE service_facts SET version = version + 1; END;
CREATE TRIGGER service_facts_apis_changed AFTER UPDATE ON api_catalogue
    BEGIN UPDATE service_facts SET version = version + 1; END;
-- end
-- Counted as a transaction ends, when it takes no other lock any more: nobody waits here for somebody who waits for them.
-- only: postgres
LOCK TABLE organizations, memberships, membership_roles, roles, clients, client_secrets, accounts, api_catalogue
    IN SHARE ROW EXCLUSIVE MODE;
-- Once in a transaction, whatever it changes. The number never comes again, not even on a server that took over from another
-- and lost its last changes: it is at least the time.
CREATE FUNCTION count_service_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
BEGIN
    IF current_setting('sinete.counted', true) IS DISTINCT FROM pg_current_xact_id()::text THEN
        UPDATE service_facts
            SET version = GREATEST(version + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) WHERE id = 1;
        PERFORM set_config('sinete.counted', pg_current_xact_id()::text, true);
    END IF;
    RETURN NULL;
END
$body$;
-- What these two ask of a row never changes while others refer to it.
CREATE FUNCTION is_of_service(membership bytea) RETURNS boolean LANGUAGE sql SET search_path FROM CURRENT AS $body$
    SELECT EXISTS (SELECT 1 FROM memberships m WHERE m.id = membership AND m.client_id IS NOT NULL)
$body$;
CREATE FUNCTION is_vouched_for(client text) RETURNS boolean LANGUAGE sql SET search_path FROM CURRENT AS $body$
    SELECT EXISTS (SELECT 1 FROM clients c WHERE c.id = client AND c.is_self_registered = 0)
$body$;
CREATE CONSTRAINT TRIGGER service_facts_clients_changed AFTER UPDATE ON clients
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN ((OLD.is_self_registered = 0 OR NEW.is_self_registered = 0)
        AND (OLD.version IS DISTINCT FROM NEW.version OR OLD.epoch IS DISTINCT FROM NEW.epoch
        OR OLD.condition IS DISTINCT FROM NEW.condition OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
        OR OLD.owner_id IS DISTINCT FROM NEW.owner_id OR OLD.scope IS DISTINCT FROM NEW.scope
        OR OLD.metadata IS DISTINCT FROM NEW.metadata OR OLD.kind IS DISTINCT FROM NEW.kind
        OR OLD.is_self_registered IS DISTINCT FROM NEW.is_self_registered
        OR OLD.verified_at IS DISTINCT FROM NEW.verified_at))
    EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_clients_removed AFTER DELETE ON clients
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.is_self_registered = 0)
    EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_secrets_changed AFTER UPDATE OR DELETE ON client_secrets
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (is_vouched_for(OLD.client_id))
    EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_organizations_changed AFTER UPDATE ON organizations
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.condition IS DISTINCT FROM NEW.condition OR OLD.ends_at IS DISTINCT FROM NEW.ends_at
        OR OLD.kind IS DISTINCT FROM NEW.kind OR OLD.settings IS DISTINCT FROM NEW.settings)
    EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_organizations_removed AFTER DELETE ON organizations
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_memberships_changed AFTER UPDATE ON memberships
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.condition IS DISTINCT FROM NEW.condition
        OR ((OLD.account_id IS NOT NULL OR OLD.client_id IS NOT NULL)
        AND (OLD.account_id IS DISTINCT FROM NEW.account_id OR OLD.client_id IS DISTINCT FROM NEW.client_id
        OR OLD.organization_id IS DISTINCT FROM NEW.organization_id)))
    EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_memberships_removed AFTER DELETE ON memberships
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_accounts_changed AFTER UPDATE ON accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.condition IS DISTINCT FROM NEW.condition)
    EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_accounts_removed AFTER DELETE ON accounts
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_roles_changed AFTER UPDATE ON roles
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.name IS DISTINCT FROM NEW.name OR OLD.is_built_in IS DISTINCT FROM NEW.is_built_in
        OR OLD.permissions IS DISTINCT FROM NEW.permissions
        OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
        OR OLD.removed_at IS DISTINCT FROM NEW.removed_at)
    EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_roles_removed AFTER DELETE ON roles
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_carried_added AFTER INSERT ON membership_roles
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (is_of_service(NEW.membership_id))
    EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_carried_changed AFTER UPDATE ON membership_roles
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_carried_removed AFTER DELETE ON membership_roles
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (is_of_service(OLD.membership_id))
    EXECUTE FUNCTION count_service_change();
CREATE CONSTRAINT TRIGGER service_facts_apis_changed AFTER UPDATE ON api_catalogue
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION count_service_change();
-- Also where changes come from another server.
ALTER TABLE clients
    ENABLE ALWAYS TRIGGER service_facts_clients_changed,
    ENABLE ALWAYS TRIGGER service_facts_clients_removed;
ALTER TABLE client_secrets
    ENABLE ALWAYS TRIGGER service_facts_secrets_changed;
ALTER TABLE organizations
    ENABLE ALWAYS TRIGGER service_facts_organizations_changed,
    ENABLE ALWAYS TRIGGER service_facts_organizations_removed;
ALTER TABLE memberships
    ENABLE ALWAYS TRIGGER service_facts_memberships_changed,
    ENABLE ALWAYS TRIGGER service_facts_memberships_removed;
ALTER TABLE accounts
    ENABLE ALWAYS TRIGGER service_facts_accounts_changed,
    ENABLE ALWAYS TRIGGER service_facts_accounts_removed;
ALTER TABLE roles
    ENABLE ALWAYS TRIGGER service_facts_roles_changed,
    ENABLE ALWAYS TRIGGER service_facts_roles_removed;
ALTER TABLE membership_roles
    ENABLE ALWAYS TRIGGER service_facts_carried_added,
    ENABLE ALWAYS TRIGGER service_facts_carried_changed,
    ENABLE ALWAYS TRIGGER service_facts_carried_removed;
ALTER TABLE api_catalogue
    ENABLE ALWAYS TRIGGER service_facts_apis_changed;
-- end
