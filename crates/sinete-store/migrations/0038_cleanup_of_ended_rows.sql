-- Cleanup finds what ended by an index, however much there is, and what refers to a key is found when the key goes.
CREATE INDEX devices_last_seen ON devices (last_seen_at);
CREATE INDEX api_keys_end ON api_keys (COALESCE(revoked_at, expires_at));
CREATE INDEX client_secrets_end ON client_secrets (COALESCE(revoked_at, expires_at));
CREATE INDEX invitations_end ON invitations (COALESCE(revoked_at, expires_at)) WHERE accepted_at IS NULL;
CREATE INDEX assignments_end ON assignments (COALESCE(ended_at, ends_at));
CREATE INDEX delegations_of_api_key ON delegations (api_key_id) WHERE api_key_id IS NOT NULL;
