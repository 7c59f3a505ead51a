-- Domains are looked at again and again: when the proof of one was last seen, and since when it is missing.
ALTER TABLE domains ADD COLUMN confirmed_at BIGINT;
ALTER TABLE domains ADD COLUMN missing_since BIGINT;
ALTER TABLE domains ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
CREATE INDEX domains_looked_at ON domains (checked_at) WHERE verified_at IS NOT NULL;
