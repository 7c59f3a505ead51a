-- The claims that were agreed to by their names, separated by spaces. Who agreed before was not asked.
ALTER TABLE consents ADD COLUMN claims TEXT NOT NULL DEFAULT '';
