-- A foreign key makes PostgreSQL lock the row it refers to at every insert, and everybody who signs in to an application
-- then locks the same row of it. What is referred to here is never deleted, or, a client, only long after it ended, and the
-- statements that insert look at all of it themselves. SQLite has one writer and takes no such locks.
-- only: postgres
ALTER TABLE grants
    DROP CONSTRAINT grants_organization_id_fkey,
    DROP CONSTRAINT grants_membership_id_fkey,
    DROP CONSTRAINT grants_account_id_fkey,
    DROP CONSTRAINT grants_client_id_fkey;
ALTER TABLE delegations
    DROP CONSTRAINT delegations_actor_client_id_fkey;
-- end
