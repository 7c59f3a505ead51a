-- What directories say of users and groups, beside the memberships and roles that these are.
CREATE TABLE provisioned_users (
    membership_id     BYTEA PRIMARY KEY NOT NULL REFERENCES memberships (id),
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    user_name         TEXT NOT NULL,
    -- The name in the spelling that names are compared in.
    lookup            TEXT NOT NULL,
    -- What is in no profile, as the directory has it.
    attributes        TEXT NOT NULL DEFAULT '{}'
);
CREATE UNIQUE INDEX provisioned_users_lookup ON provisioned_users (organization_id, lookup);

CREATE TABLE provisioned_groups (
    role_id           BYTEA PRIMARY KEY NOT NULL REFERENCES roles (id),
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    -- What the directory calls the group; nothing, where it found a role and calls it by its name.
    display_name      TEXT,
    external_id       TEXT,
    -- Whether a directory made it: then a directory may rename and remove it.
    is_made           BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX provisioned_groups_external ON provisioned_groups (organization_id, external_id)
    WHERE external_id IS NOT NULL;

-- When a membership last changed; nothing, where it was not noted yet.
ALTER TABLE memberships ADD COLUMN changed_at BIGINT;
-- People and places of an organization are counted and passed over by the thousand.
CREATE INDEX memberships_of_people ON memberships (organization_id, id)
    WHERE client_id IS NULL AND condition <> 'ended';
