-- What an API says of its objects, and who stands in which relation to them.
ALTER TABLE apis ADD COLUMN object_types TEXT NOT NULL DEFAULT '{}';

-- One for each API that says something of its objects. Whoever adds a relationship holds it, and whoever changes what the API
-- says changes it, so that nothing is added by what was said before.
CREATE TABLE relation_models (
    api_id            BYTEA PRIMARY KEY NOT NULL REFERENCES apis (id),
    version           BIGINT NOT NULL DEFAULT 1
);

-- What follows from what: to know who holds something of an object, read this relation of it. Then what counts is whoever
-- stands in it, or, where there is one, whoever stands in another relation to the objects that do.
CREATE TABLE relation_rules (
    api_id            BYTEA NOT NULL REFERENCES apis (id),
    object_type       TEXT NOT NULL,
    held              TEXT NOT NULL,
    read_relation     TEXT NOT NULL,
    read_kind         TEXT NOT NULL CHECK (read_kind IN ('set', 'object')),
    then_held         TEXT NOT NULL,
    PRIMARY KEY (api_id, object_type, held, read_relation, then_held)
);
CREATE INDEX relation_rules_read ON relation_rules (api_id, object_type, read_relation, then_held);

-- How many relationships an organization has at an API. Whoever changes them takes turns here.
CREATE TABLE relationship_books (
    api_id            BYTEA NOT NULL REFERENCES apis (id),
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    entries           BIGINT NOT NULL,
    version           BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (api_id, organization_id)
);

CREATE TABLE relationships (
    id                BYTEA PRIMARY KEY NOT NULL,
    api_id            BYTEA NOT NULL,
    organization_id   BYTEA NOT NULL,
    object_type       TEXT NOT NULL,
    object_id         TEXT NOT NULL,
    relation          TEXT NOT NULL,
    subject_kind      TEXT NOT NULL CHECK (subject_kind IN ('member', 'client', 'role', 'object', 'set')),
    -- The membership of a member or client, or the role; of an object nothing.
    subject_key       BYTEA NOT NULL,
    -- The type of an object; of others nothing.
    subject_type      TEXT NOT NULL,
    -- As it was named.
    subject_id        TEXT NOT NULL,
    -- The relation that a set is of; of others nothing.
    subject_relation  TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    FOREIGN KEY (api_id, organization_id) REFERENCES relationship_books (api_id, organization_id)
);
CREATE UNIQUE INDEX relationships_once ON relationships (api_id, organization_id, object_type, object_id, relation,
    subject_kind, subject_key, subject_type, subject_id, subject_relation);
CREATE INDEX relationships_of_organization ON relationships (api_id, organization_id, id);
CREATE INDEX relationships_of_object ON relationships (api_id, organization_id, object_type, object_id, id);
CREATE INDEX relationships_of_subject ON relationships (api_id, organization_id, subject_type, subject_id, id);
CREATE INDEX relationships_of_key ON relationships (api_id, organization_id, subject_key);
CREATE INDEX relationships_that_fit ON relationships (api_id, object_type, relation, subject_kind, subject_type,
    subject_relation);
