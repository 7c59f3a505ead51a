-- People, organizations and what they may do.
--
-- House rules for every table: ids are 16 bytes, times are microseconds since 1970, flags are 0 or 1,
-- documents are JSON text. A thing that is revoked, ended or deleted keeps its row: ids are never reused.
-- `version` counts changes, for guards and entity tags. Whether a row still counts is decided when it is
-- read, from its times and conditions; no clean-up job is ever needed for correctness.

CREATE TABLE instance (
    id                BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    instance_id       BYTEA NOT NULL,
    created_at        BIGINT NOT NULL,
    -- A known text sealed with the instance key, to notice a wrong key at start.
    key_check         BYTEA NOT NULL,
    -- The domain passkeys are bound to, fixed once the first one could exist.
    passkey_domain    TEXT,
    settings          TEXT NOT NULL DEFAULT '{}',
    version           BIGINT NOT NULL DEFAULT 1
);

CREATE TABLE bootstrap_links (
    digest            BYTEA PRIMARY KEY NOT NULL,
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    spent_at          BIGINT
);

CREATE TABLE accounts (
    id                BYTEA PRIMARY KEY NOT NULL,
    condition         TEXT NOT NULL CHECK (condition IN ('enabled', 'suspended', 'ended')),
    language          TEXT,
    -- The OpenID standard claims the person keeps about themselves.
    profile           TEXT NOT NULL DEFAULT '{}',
    -- Sessions and grants of an older epoch have ended.
    epoch             BIGINT NOT NULL DEFAULT 0,
    created_at        BIGINT NOT NULL,
    condition_at      BIGINT NOT NULL,
    version           BIGINT NOT NULL DEFAULT 1
);

-- E-mail addresses and telephone numbers. An address is unique among verified ones only: claiming one
-- proves nothing and blocks nobody.
CREATE TABLE contacts (
    id                BYTEA PRIMARY KEY NOT NULL,
    account_id        BYTEA NOT NULL REFERENCES accounts (id),
    kind              TEXT NOT NULL CHECK (kind IN ('email', 'phone')),
    address           TEXT NOT NULL,
    lookup            TEXT NOT NULL,
    is_primary        BIGINT NOT NULL DEFAULT 0,
    created_at        BIGINT NOT NULL,
    verified_at       BIGINT
);
CREATE UNIQUE INDEX contacts_verified ON contacts (kind, lookup) WHERE verified_at IS NOT NULL;
CREATE UNIQUE INDEX contacts_of_account ON contacts (account_id, kind, lookup);

-- Somebody known to another provider. There is no way to look one up by e-mail address.
CREATE TABLE identities (
    provider          TEXT NOT NULL,
    subject           TEXT NOT NULL,
    account_id        BYTEA NOT NULL REFERENCES accounts (id),
    created_at        BIGINT NOT NULL,
    PRIMARY KEY (provider, subject)
);
CREATE INDEX identities_of_account ON identities (account_id);

CREATE TABLE credentials (
    id                BYTEA PRIMARY KEY NOT NULL,
    account_id        BYTEA NOT NULL REFERENCES accounts (id),
    kind              TEXT NOT NULL CHECK (kind IN ('passkey', 'password', 'totp', 'recovery_codes')),
    name              TEXT NOT NULL DEFAULT '',
    -- A passkey's own id, by which a sign-in without an identifier finds it.
    handle            BYTEA,
    -- A passkey's public part, a password's hash, or a sealed seed.
    material          BYTEA NOT NULL,
    -- A passkey's signature counter, or the last time step a TOTP seed was used for.
    counter           BIGINT NOT NULL DEFAULT 0,
    created_at        BIGINT NOT NULL,
    used_at           BIGINT,
    confirmed_at      BIGINT,
    disabled_at       BIGINT,
    removed_at        BIGINT,
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX credentials_handle ON credentials (handle) WHERE handle IS NOT NULL;
CREATE INDEX credentials_of_account ON credentials (account_id);

CREATE TABLE recovery_codes (
    digest            BYTEA PRIMARY KEY NOT NULL,
    credential_id     BYTEA NOT NULL REFERENCES credentials (id),
    spent_at          BIGINT
);
CREATE INDEX recovery_codes_of_credential ON recovery_codes (credential_id);

CREATE TABLE organizations (
    id                BYTEA PRIMARY KEY NOT NULL,
    -- Two are made at first start: the operators' own, and the home of people nobody invited.
    kind              TEXT NOT NULL DEFAULT 'customer' CHECK (kind IN ('customer', 'operator', 'home')),
    slug              TEXT NOT NULL,
    name              TEXT NOT NULL,
    condition         TEXT NOT NULL CHECK (condition IN ('enabled', 'suspended', 'ended')),
    condition_at      BIGINT NOT NULL,
    condition_by      TEXT NOT NULL DEFAULT '',
    condition_reason  TEXT NOT NULL DEFAULT '',
    settings          TEXT NOT NULL DEFAULT '{}',
    -- Set when deletion was asked for; it takes effect then and can be taken back before.
    ends_at           BIGINT,
    created_at        BIGINT NOT NULL,
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX organizations_slug ON organizations (slug);
CREATE UNIQUE INDEX organizations_special ON organizations (kind) WHERE kind <> 'customer';

-- A domain vouches for addresses once its DNS proof was seen, and for one organization only.
CREATE TABLE domains (
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    domain            TEXT NOT NULL,
    proof             TEXT NOT NULL,
    created_at        BIGINT NOT NULL,
    verified_at       BIGINT,
    checked_at        BIGINT,
    PRIMARY KEY (organization_id, domain)
);
CREATE UNIQUE INDEX domains_verified ON domains (domain) WHERE verified_at IS NOT NULL;

-- What a built-in role holds is the program's catalogue; what another role holds stands here.
CREATE TABLE roles (
    id                BYTEA PRIMARY KEY NOT NULL,
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    name              TEXT NOT NULL,
    description       TEXT NOT NULL DEFAULT '',
    is_built_in       BIGINT NOT NULL DEFAULT 0,
    permissions       TEXT NOT NULL DEFAULT '[]',
    created_at        BIGINT NOT NULL,
    removed_at        BIGINT,
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX roles_name ON roles (organization_id, name) WHERE removed_at IS NULL;

-- Resource servers. One without an organization belongs to the instance.
CREATE TABLE apis (
    id                BYTEA PRIMARY KEY NOT NULL,
    organization_id   BYTEA REFERENCES organizations (id),
    identifier        TEXT NOT NULL,
    name              TEXT NOT NULL,
    condition         TEXT NOT NULL CHECK (condition IN ('enabled', 'suspended', 'ended')),
    is_offered_to_all BIGINT NOT NULL DEFAULT 0,
    default_scope     TEXT NOT NULL DEFAULT '',
    token_lifetime    BIGINT,
    algorithm         TEXT,
    unverified_clients TEXT NOT NULL DEFAULT 'irreversible_refused',
    -- Types of RFC 9396 details this API understands, each with its JSON Schema.
    detail_types      TEXT NOT NULL DEFAULT '{}',
    created_at        BIGINT NOT NULL,
    version           BIGINT NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX apis_identifier ON apis (identifier) WHERE condition <> 'ended';
CREATE INDEX apis_of_organization ON apis (organization_id);

CREATE TABLE api_permissions (
    api_id            BYTEA NOT NULL REFERENCES apis (id),
    resource          TEXT NOT NULL,
    action            TEXT NOT NULL,
    english           TEXT NOT NULL,
    portuguese        TEXT,
    is_irreversible   BIGINT NOT NULL DEFAULT 0,
    -- The order its API lists it in.
    place             BIGINT NOT NULL,
    PRIMARY KEY (api_id, resource, action)
);
CREATE INDEX api_permissions_of_resource ON api_permissions (resource);

CREATE TABLE api_offers (
    api_id            BYTEA NOT NULL REFERENCES apis (id),
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    PRIMARY KEY (api_id, organization_id)
);
CREATE INDEX api_offers_of_organization ON api_offers (organization_id);
