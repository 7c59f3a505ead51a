-- The words that members are found by, folded as the program folds them. They are compared as bytes, alike on both engines.
CREATE TABLE member_words (
    organization_id   BYTEA NOT NULL,
    word              BYTEA NOT NULL,
    membership_id     BYTEA NOT NULL REFERENCES memberships (id) ON DELETE CASCADE,
    -- Whether only those find by it who may read clients.
    is_of_client      BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (organization_id, word, membership_id)
);
CREATE INDEX member_words_of_member ON member_words (membership_id, word);

-- Whose words are to be written. Whoever changes what somebody is found by, with whatever program, takes the words away in the
-- same transaction and leaves this; the next search writes them. The mark is another each time, so that words of what was
-- read before a change are never written after it.
CREATE TABLE member_words_due (
    organization_id   BYTEA NOT NULL,
    membership_id     BYTEA NOT NULL REFERENCES memberships (id) ON DELETE CASCADE,
    mark              BYTEA NOT NULL,
    PRIMARY KEY (organization_id, membership_id)
);
CREATE INDEX member_words_due_of_member ON member_words_due (membership_id);

-- only: sqlite
CREATE TRIGGER member_words_member_made AFTER INSERT ON memberships
    BEGIN
        INSERT INTO member_words_due (organization_id, membership_id, mark)
            VALUES (NEW.organization_id, NEW.id, randomblob(16));
    END;
CREATE TRIGGER member_words_member_changed AFTER UPDATE ON memberships
    WHEN OLD.profile IS NOT NEW.profile OR OLD.condition IS NOT NEW.condition OR OLD.account_id IS NOT NEW.account_id
        OR OLD.client_id IS NOT NEW.client_id
    BEGIN
        INSERT INTO member_words_due (organization_id, membership_id, mark)
            VALUES (NEW.organization_id, NEW.id, randomblob(16))
            ON CONFLICT (organization_id, membership_id) DO UPDATE SET mark = excluded.mark;
        DELETE FROM member_words WHERE membership_id = NEW.id;
    END;
CREATE TRIGGER member_words_invited AFTER INSERT ON invitations
    BEGIN
        INSERT INTO member_words_due (organization_id, membership_id, mark)
            VALUES (NEW.organization_id, NEW.membership_id, randomblob(16))
            ON CONFLICT (organization_id, membership_id) DO UPDATE SET mark = excluded.mark;
        DELETE FROM member_words WHERE membership_id = NEW.membership_id;
    END;
-- Whoever accepts is the member's account from then on, which is seen there: after the member, as everybody takes them.
CREATE TRIGGER member_words_invitation_changed AFTER UPDATE ON invitations
    WHEN OLD.lookup IS NOT NEW.lookup OR OLD.revoked_at IS NOT NEW.revoked_at
    BEGIN
        INSERT INTO member_words_due (organization_id, membership_id, mark)
            VALUES (NEW.organization_id, NEW.membership_id, randomblob(16))
            ON CONFLICT (organization_id, membership_id) DO UPDATE SET mark = excluded.mark;
        DELETE FROM member_words WHERE membership_id = NEW.membership_id;
    END;
CREATE TRIGGER member_words_client_renamed AFTER UPDATE ON clients
    WHEN OLD.name IS NOT NEW.name
    BEGIN
        INSERT INTO member_words_due (organization_id, membership_id, mark)
            SELECT m.organization_id, m.id, randomblob(16) FROM memberships m WHERE m.client_id = NEW.id
            ON CONFLICT (organization_id, membership_id) DO UPDATE SET mark = excluded.mark;
        DELETE FROM member_words
            WHERE membership_id IN (SELECT m.id FROM memberships m WHERE m.client_id = NEW.id);
    END;
INSERT INTO member_words_due (organization_id, membership_id, mark)
    SELECT organization_id, id, randomblob(16) FROM memberships WHERE condition <> 'ended';
-- end
-- only: postgres
-- The mark comes first: whoever writes words waits there, and what they wrote is seen afterwards and taken away.
CREATE FUNCTION forget_member_words(organization bytea, membership bytea) RETURNS void LANGUAGE plpgsql
    SET search_path FROM CURRENT AS $body$
BEGIN
    INSERT INTO member_words_due (organization_id, membership_id, mark)
        VALUES (organization, membership, uuid_send(gen_random_uuid()))
        ON CONFLICT (organization_id, membership_id) DO UPDATE SET mark = excluded.mark;
    DELETE FROM member_words WHERE membership_id = membership;
END
$body$;
CREATE FUNCTION forget_words_of_member() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
BEGIN
    PERFORM forget_member_words(NEW.organization_id, NEW.id);
    RETURN NULL;
END
$body$;
CREATE FUNCTION forget_words_of_invited() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
BEGIN
    PERFORM forget_member_words(NEW.organization_id, NEW.membership_id);
    RETURN NULL;
END
$body$;
CREATE FUNCTION forget_words_of_client() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $body$
BEGIN
    PERFORM forget_member_words(m.organization_id, m.id) FROM memberships m WHERE m.client_id = NEW.id;
    RETURN NULL;
END
$body$;
CREATE TRIGGER member_words_member_made AFTER INSERT ON memberships
    FOR EACH ROW EXECUTE FUNCTION forget_words_of_member();
CREATE TRIGGER member_words_member_changed AFTER UPDATE ON memberships FOR EACH ROW
    WHEN (OLD.profile IS DISTINCT FROM NEW.profile OR OLD.condition IS DISTINCT FROM NEW.condition
        OR OLD.account_id IS DISTINCT FROM NEW.account_id OR OLD.client_id IS DISTINCT FROM NEW.client_id)
    EXECUTE FUNCTION forget_words_of_member();
CREATE TRIGGER member_words_invited AFTER INSERT ON invitations
    FOR EACH ROW EXECUTE FUNCTION forget_words_of_invited();
CREATE TRIGGER member_words_invitation_changed AFTER UPDATE ON invitations FOR EACH ROW
    WHEN (OLD.lookup IS DISTINCT FROM NEW.lookup OR OLD.revoked_at IS DISTINCT FROM NEW.revoked_at)
    EXECUTE FUNCTION forget_words_of_invited();
CREATE TRIGGER member_words_client_renamed AFTER UPDATE ON clients FOR EACH ROW
    WHEN (OLD.name IS DISTINCT FROM NEW.name)
    EXECUTE FUNCTION forget_words_of_client();
INSERT INTO member_words_due (organization_id, membership_id, mark)
    SELECT organization_id, id, uuid_send(gen_random_uuid()) FROM memberships WHERE condition <> 'ended';
-- end
