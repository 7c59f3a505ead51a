-- The roles that an invitation offered: whoever accepts it gets its membership only while that carries none beside them.
ALTER TABLE invitations ADD COLUMN offered_roles TEXT NOT NULL DEFAULT '[]';

-- What those that wait offered was not kept. They offer what their memberships carry today.
-- only: sqlite
UPDATE invitations SET offered_roles = COALESCE((
    SELECT '["' || group_concat(
        lower(substr(hex(x.role_id), 1, 8) || '-' || substr(hex(x.role_id), 9, 4) || '-' || substr(hex(x.role_id), 13, 4)
            || '-' || substr(hex(x.role_id), 17, 4) || '-' || substr(hex(x.role_id), 21, 12)), '","') || '"]'
    FROM membership_roles x WHERE x.membership_id = invitations.membership_id), '[]')
    WHERE accepted_at IS NULL AND revoked_at IS NULL;
-- end
-- only: postgres
UPDATE invitations SET offered_roles = COALESCE((
    SELECT '["' || string_agg(encode(x.role_id, 'hex')::uuid::text, '","') || '"]'
    FROM membership_roles x WHERE x.membership_id = invitations.membership_id), '[]')
    WHERE accepted_at IS NULL AND revoked_at IS NULL;
-- end
