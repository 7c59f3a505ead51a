-- A grant has one code at most, and refresh tokens of which only the newest is kept: all of it stands in the grant's own row.
ALTER TABLE grants ADD COLUMN code_digest BYTEA;
ALTER TABLE grants ADD COLUMN code_redirect_uri TEXT;
ALTER TABLE grants ADD COLUMN code_challenge BYTEA;
-- What else the token request must be held against: nonce, resources, binding.
ALTER TABLE grants ADD COLUMN code_request TEXT;
ALTER TABLE grants ADD COLUMN code_expires_at BIGINT;
-- A spent code stays: a second presentation must be recognised.
ALTER TABLE grants ADD COLUMN code_spent_at BIGINT;
-- What all refresh tokens of the grant bear, and the newest of them, each as a digest.
ALTER TABLE grants ADD COLUMN refresh_mark BYTEA;
ALTER TABLE grants ADD COLUMN refresh_newest BYTEA;
ALTER TABLE grants ADD COLUMN refresh_generation BIGINT NOT NULL DEFAULT 0;
ALTER TABLE grants ADD COLUMN refresh_audience TEXT;
ALTER TABLE grants ADD COLUMN refresh_scope TEXT;
-- The key that they are bound to, where they are.
ALTER TABLE grants ADD COLUMN refresh_confirmation TEXT;
ALTER TABLE grants ADD COLUMN refresh_idle_expires_at BIGINT;
ALTER TABLE grants ADD COLUMN refresh_expires_at BIGINT;

-- Redeeming and renewing write the row anew, into the same page where there is room.
-- only: postgres
ALTER TABLE grants SET (fillfactor = 70);
UPDATE grants SET code_digest = c.digest, code_redirect_uri = c.redirect_uri, code_challenge = c.challenge,
    code_request = c.request, code_expires_at = c.expires_at, code_spent_at = c.spent_at
    FROM (SELECT DISTINCT ON (grant_id) * FROM codes
        ORDER BY grant_id, CASE WHEN spent_at IS NULL THEN 1 ELSE 0 END, created_at DESC, digest) c
    WHERE c.grant_id = grants.id AND grants.kind = 'code';
-- end
-- Row by row, and without keeping what could be taken back. Should it fail, the whole migration is undone.
-- only: sqlite
UPDATE OR FAIL grants SET (code_digest, code_redirect_uri, code_challenge, code_request, code_expires_at, code_spent_at) =
    (SELECT c.digest, c.redirect_uri, c.challenge, c.request, c.expires_at, c.spent_at FROM codes c
        WHERE c.grant_id = grants.id
        ORDER BY CASE WHEN c.spent_at IS NULL THEN 1 ELSE 0 END, c.created_at DESC, c.digest LIMIT 1)
    WHERE kind = 'code';
-- end

-- Refresh tokens that were handed out before name a family, which nobody knows any more. One that was ended had been used
-- twice: so has its grant.
UPDATE grants SET revoked_at = (SELECT MIN(f.revoked_at) FROM families f WHERE f.grant_id = grants.id),
    revoked_because = 'its refresh tokens were revoked', version = version + 1
    WHERE revoked_at IS NULL AND id IN (SELECT grant_id FROM families WHERE revoked_at IS NOT NULL);

-- Dropped with its rows, a table is kept in memory until the end; like this only the keys of its rows are.
-- only: sqlite
DELETE FROM codes;
DELETE FROM families;
-- end
DROP TABLE codes;
DROP TABLE families;
