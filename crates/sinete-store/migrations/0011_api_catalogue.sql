-- Counts the changes of what APIs define and to whom they are offered, whoever makes them. What a node keeps of
-- that in memory counts only at this number.
CREATE TABLE api_catalogue (
    id                BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    version           BIGINT NOT NULL
);
INSERT INTO api_catalogue (id, version) VALUES (1, 1);

-- only: sqlite
CREATE TRIGGER apis_added AFTER INSERT ON apis
    BEGIN UPDATE api_catalogue SET version = version + 1; END;
CREATE TRIGGER apis_changed AFTER UPDATE ON apis
    BEGIN UPDATE api_catalogue SET version = version + 1; END;
CREATE TRIGGER apis_removed AFTER DELETE ON apis
    BEGIN UPDATE api_catalogue SET version = version + 1; END;
CREATE TRIGGER api_permissions_added AFTER INSERT ON api_permissions
    BEGIN UPDATE api_catalogue SET version = version + 1; END;
CREATE TRIGGER api_permissions_changed AFTER UPDATE ON api_permissions
    BEGIN UPDATE api_catalogue SET version = version + 1; END;
CREATE TRIGGER api_permissions_removed AFTER DELETE ON api_permissions
    BEGIN UPDATE api_catalogue SET version = version + 1; END;
CREATE TRIGGER api_offers_added AFTER INSERT ON api_offers
    BEGIN UPDATE api_catalogue SET version = version + 1; END;
CREATE TRIGGER api_offers_changed AFTER UPDATE ON api_offers
    BEGIN UPDATE api_catalogue SET version = version + 1; END;
CREATE TRIGGER api_offers_removed AFTER DELETE ON api_offers
    BEGIN UPDATE api_catalogue SET version = version + 1; END;
-- end
-- only: postgres
CREATE FUNCTION count_api_change() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
    UPDATE api_catalogue SET version = version + 1;
    RETURN NULL;
END
$body$;
CREATE TRIGGER apis_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON apis
    FOR EACH STATEMENT EXECUTE FUNCTION count_api_change();
CREATE TRIGGER api_permissions_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON api_permissions
    FOR EACH STATEMENT EXECUTE FUNCTION count_api_change();
CREATE TRIGGER api_offers_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON api_offers
    FOR EACH STATEMENT EXECUTE FUNCTION count_api_change();
-- end
