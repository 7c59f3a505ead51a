-- An exchange writes an event with every token, as the four other kinds do. It is left out of the indexes of the filters for
-- the same reason.
DROP INDEX security_log_of_organization_address;
DROP INDEX security_log_of_address;
DROP INDEX security_log_of_kind;
CREATE INDEX security_log_of_organization_address ON security_log (organization_id, address, id)
    WHERE address IS NOT NULL
    AND kind NOT IN ('token.issued', 'token.exchanged', 'code.redeemed', 'refresh_token.rotated', 'refresh_token.used');
CREATE INDEX security_log_of_address ON security_log (address, id)
    WHERE address IS NOT NULL
    AND kind NOT IN ('token.issued', 'token.exchanged', 'code.redeemed', 'refresh_token.rotated', 'refresh_token.used');
CREATE INDEX security_log_of_kind ON security_log (kind, id)
    WHERE kind NOT IN ('token.issued', 'token.exchanged', 'code.redeemed', 'refresh_token.rotated', 'refresh_token.used');
