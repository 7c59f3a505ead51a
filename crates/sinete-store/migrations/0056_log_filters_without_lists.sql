-- SQLite evaluates the condition of an index for each row that is written, and for a list of more than two values it first
-- fills a temporary table. The conditions of three indexes cost every event three of these. Comparisons cost none. On
-- PostgreSQL nothing changes: its planner finds that the comparisons imply the list.
-- only: sqlite
DROP INDEX security_log_of_organization_address;
DROP INDEX security_log_of_address;
DROP INDEX security_log_of_kind;
CREATE INDEX security_log_of_organization_address ON security_log (organization_id, address, id)
    WHERE address IS NOT NULL AND kind <> 'token.issued' AND kind <> 'token.exchanged' AND kind <> 'code.redeemed'
    AND kind <> 'refresh_token.rotated' AND kind <> 'refresh_token.used';
CREATE INDEX security_log_of_address ON security_log (address, id)
    WHERE address IS NOT NULL AND kind <> 'token.issued' AND kind <> 'token.exchanged' AND kind <> 'code.redeemed'
    AND kind <> 'refresh_token.rotated' AND kind <> 'refresh_token.used';
CREATE INDEX security_log_of_kind ON security_log (kind, id)
    WHERE kind <> 'token.issued' AND kind <> 'token.exchanged' AND kind <> 'code.redeemed'
    AND kind <> 'refresh_token.rotated' AND kind <> 'refresh_token.used';
-- end
