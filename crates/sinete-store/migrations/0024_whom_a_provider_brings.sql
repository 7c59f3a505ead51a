-- What organizations know those by whom they removed or switched off, as digests: so that a provider's word does not bring
-- them back as somebody new. Whether it counts is decided by the membership as it is then.
CREATE TABLE former_members (
    organization_id   BYTEA NOT NULL REFERENCES organizations (id),
    digest            BYTEA NOT NULL,
    membership_id     BYTEA NOT NULL REFERENCES memberships (id),
    PRIMARY KEY (organization_id, digest, membership_id)
);
CREATE INDEX former_members_of_membership ON former_members (membership_id);

-- Whether the owner of the account ever proved something of their own on the device. A provider's word alone makes it known
-- to them, and no device to guess on.
ALTER TABLE devices ADD COLUMN is_proven BIGINT NOT NULL DEFAULT 1;
