-- Everything a person ever was a member of, also what has ended: asked for when their account is deleted.
CREATE INDEX memberships_of_account ON memberships (account_id) WHERE account_id IS NOT NULL;
