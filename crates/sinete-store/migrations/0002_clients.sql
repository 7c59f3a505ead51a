-- Applications, services and agents, and who belongs to which organization.

CREATE TABLE clients (
    id                TEXT PRIMARY KEY NOT NULL,
    kind              TEXT NOT NULL CHECK (kind IN ('application', 'service', 'agent')),
    -- The organization it belongs to; none for an operator's or a self-registered client.
    organization_id   BYTEA REFERENCES organizations (id),
    -- Nobody vouches for a client that registered itself.
    is_self_registered BIGINT NOT NULL DEFAULT 0,
    name              TEXT NOT NULL,
    purpose           TEXT NOT NULL DEFAULT '',
    owner_id          BYTEA,
    condition         TEXT NOT NULL CHECK (condition IN ('enabled', 'suspended', 'ended')),
    condition_at      BIGINT NOT NULL,
    verified_at       BIGINT,
    scope             TEXT NOT NULL DEFAULT '',
    metadata          TEXT NOT NULL DEFAULT '{}',
    -- The registration token in force, and the one that replaces it when it is first used.
    registration_digest BYTEA,
    registration_next_digest BYTEA,
    epoch             BIGINT NOT NULL DEFAULT 0,
    created_at        BIGINT NOT NULL,
    used_at           BIGINT,
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX clients_of_organization ON clients (organization_id);
CREATE INDEX clients_of_owner ON clients (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX clients_unused ON clients (used_at, created_at) WHERE is_self_registered = 1;

-- Several secrets may be valid at once while one replaces another.
CREATE TABLE client_secrets (
    digest            BYTEA PRIMARY KEY NOT NULL,
    client_id         TEXT NOT NULL REFERENCES clients (id),
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT,
    revoked_at        BIGINT
);
CREATE INDEX client_secrets_of_client ON client_secrets (client_id);

CREATE TABLE assertion_replays (
    client_id         TEXT NOT NULL,
    assertion         BYTEA NOT NULL,
    expires_at        BIGINT NOT NULL,
    PRIMARY KEY (client_id, assertion)
);
CREATE INDEX assertion_replays_expiry ON assertion_replays (expires_at);

-- A person, a client, or nobody yet, in one organization. Its id is the `sub` of a person's tokens.
CREATE TABLE memberships (
    id                BYTEA PRIMARY KEY NOT NULL,
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    account_id        BYTEA REFERENCES accounts (id),
    client_id         TEXT REFERENCES clients (id),
    condition         TEXT NOT NULL CHECK (condition IN ('enabled', 'suspended', 'ended')),
    condition_at      BIGINT NOT NULL,
    profile           TEXT NOT NULL DEFAULT '{}',
    -- The name a provisioning system knows it by.
    external_id       TEXT,
    created_at        BIGINT NOT NULL,
    claimed_at        BIGINT,
    version           BIGINT NOT NULL DEFAULT 1,
    CHECK (account_id IS NULL OR client_id IS NULL)
);
CREATE UNIQUE INDEX memberships_account ON memberships (account_id, organization_id)
    WHERE account_id IS NOT NULL AND condition <> 'ended';
CREATE UNIQUE INDEX memberships_client ON memberships (client_id, organization_id)
    WHERE client_id IS NOT NULL AND condition <> 'ended';
CREATE UNIQUE INDEX memberships_external ON memberships (organization_id, external_id)
    WHERE external_id IS NOT NULL AND condition <> 'ended';
CREATE INDEX memberships_of_organization ON memberships (organization_id, id);

CREATE TABLE membership_roles (
    membership_id     BYTEA NOT NULL REFERENCES memberships (id),
    role_id           BYTEA NOT NULL REFERENCES roles (id),
    PRIMARY KEY (membership_id, role_id)
);
CREATE INDEX membership_roles_of_role ON membership_roles (role_id);

-- Bound to the address it was sent to, and to the membership it claims.
CREATE TABLE invitations (
    id                BYTEA PRIMARY KEY NOT NULL,
    digest            BYTEA NOT NULL,
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    membership_id     BYTEA NOT NULL REFERENCES memberships (id),
    lookup            TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    accepted_at       BIGINT,
    revoked_at        BIGINT
);
CREATE UNIQUE INDEX invitations_digest ON invitations (digest);
CREATE INDEX invitations_of_organization ON invitations (organization_id, id);
CREATE INDEX invitations_of_membership ON invitations (membership_id);

-- The only way to act inside an organization as a stranger, or as somebody else.
CREATE TABLE assignments (
    id                BYTEA PRIMARY KEY NOT NULL,
    kind              TEXT NOT NULL CHECK (kind IN ('administer', 'impersonate')),
    holder_id         BYTEA NOT NULL REFERENCES memberships (id),
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    account_id        BYTEA REFERENCES accounts (id),
    reason            TEXT NOT NULL,
    made_by           TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    ends_at           BIGINT NOT NULL,
    ended_at          BIGINT
);
CREATE INDEX assignments_of_holder ON assignments (holder_id, organization_id);
CREATE INDEX assignments_of_organization ON assignments (organization_id, id);

-- A long-lived key of a membership.
CREATE TABLE api_keys (
    id                BYTEA PRIMARY KEY NOT NULL,
    digest            BYTEA NOT NULL,
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    membership_id     BYTEA NOT NULL REFERENCES memberships (id),
    name              TEXT NOT NULL,
    scope             TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    used_at           BIGINT,
    revoked_at        BIGINT
);
CREATE UNIQUE INDEX api_keys_digest ON api_keys (digest);
CREATE INDEX api_keys_of_membership ON api_keys (membership_id);
CREATE INDEX api_keys_of_organization ON api_keys (organization_id, id);
