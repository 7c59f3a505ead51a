-- Whether a client was ever a member is asked before it is forgotten: not of everybody who is one.
CREATE INDEX memberships_of_client ON memberships (client_id) WHERE client_id IS NOT NULL;
