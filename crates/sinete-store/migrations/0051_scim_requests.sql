-- The last successful SCIM request of an organization and its last failed ones, so that an administrator finds out why a
-- directory fails. Nodes write them a few seconds later; neither the query, the body nor the token is here.
CREATE TABLE scim_requests (
    id                BYTEA PRIMARY KEY NOT NULL,
    organization_id   BYTEA NOT NULL,
    at                BIGINT NOT NULL,
    -- Who sent it, by kind and id.
    actor             TEXT NOT NULL,
    method            TEXT NOT NULL,
    path              TEXT NOT NULL,
    status            BIGINT NOT NULL,
    scim_type         TEXT,
    detail            TEXT NOT NULL,
    -- The externalId that the directory sent.
    target            TEXT
);
CREATE INDEX scim_requests_of_organization ON scim_requests (organization_id, id);
CREATE INDEX scim_requests_age ON scim_requests (at);

-- The holders of a role are listed page by page, in the order of their ids.
CREATE INDEX membership_roles_by_holder ON membership_roles (role_id, membership_id);
DROP INDEX membership_roles_of_role;
