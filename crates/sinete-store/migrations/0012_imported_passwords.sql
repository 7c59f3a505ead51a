-- How a password that came with somebody from elsewhere was hashed there; empty once it is one of ours.
ALTER TABLE credentials ADD COLUMN imported_as TEXT;
CREATE INDEX credentials_imported ON credentials (imported_as)
    WHERE imported_as IS NOT NULL AND removed_at IS NULL;

-- Whose address somebody signs in with, proven or not, is found without reading everybody's.
CREATE INDEX contacts_lookup ON contacts (lookup, kind);
