-- Indexes for the filters of the audit log and of the security log. The kinds that a token writes are left out, so that a
-- token costs as much as before: they are the most frequent ones, and are found by reading the log backwards.
CREATE INDEX audit_of_subject ON audit (organization_id, subject_id, id);

-- The sign-ins of an organization, which its audit log contains for as long as the security log has them.
CREATE INDEX security_log_sign_ins ON security_log (organization_id, id) WHERE kind = 'grant.given';
CREATE INDEX security_log_sign_ins_of_actor ON security_log (organization_id, actor_id, id) WHERE kind = 'grant.given';
CREATE INDEX security_log_sign_ins_at_client ON security_log (organization_id, client_id, id) WHERE kind = 'grant.given';

CREATE INDEX security_log_of_organization_address ON security_log (organization_id, address, id)
    WHERE address IS NOT NULL
    AND kind NOT IN ('token.issued', 'code.redeemed', 'refresh_token.rotated', 'refresh_token.used');
CREATE INDEX security_log_of_address ON security_log (address, id)
    WHERE address IS NOT NULL
    AND kind NOT IN ('token.issued', 'code.redeemed', 'refresh_token.rotated', 'refresh_token.used');
CREATE INDEX security_log_of_kind ON security_log (kind, id)
    WHERE kind NOT IN ('token.issued', 'code.redeemed', 'refresh_token.rotated', 'refresh_token.used');
