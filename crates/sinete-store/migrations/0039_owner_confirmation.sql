-- Whether an owner stands behind what is set about a connection. Provisioned memberships are claimed only through one that is
-- confirmed. Of those there are, it is not known who set them up: an owner saves them once.
ALTER TABLE connections ADD COLUMN is_confirmed BIGINT NOT NULL DEFAULT 0;
