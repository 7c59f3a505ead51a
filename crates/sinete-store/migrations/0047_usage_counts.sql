-- What happened, counted by day (UTC) when the events are sealed. A row with an organization id of zeros counts the whole
-- instance. Counts of active users also exist by week and month, because a user counts once in each.
CREATE TABLE usage_counts (
    organization_id   BYTEA NOT NULL,
    starts_at         BIGINT NOT NULL,
    counter           TEXT NOT NULL,
    total             BIGINT NOT NULL,
    PRIMARY KEY (organization_id, starts_at, counter)
);
CREATE INDEX usage_counts_age ON usage_counts (starts_at);

-- The last day (UTC) on which an account or a member was counted as active.
CREATE TABLE active_users (
    user_id           BYTEA PRIMARY KEY NOT NULL,
    active_on         BIGINT NOT NULL
);
CREATE INDEX active_users_age ON active_users (active_on);

-- The counts of deleted organizations are deleted.
CREATE INDEX organizations_ending ON organizations (ends_at) WHERE ends_at IS NOT NULL;
