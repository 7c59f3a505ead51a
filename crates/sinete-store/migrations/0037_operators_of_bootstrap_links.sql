-- How many people ran the instance when the link was made: it stops working as soon as more do.
ALTER TABLE bootstrap_links ADD COLUMN operators BIGINT NOT NULL DEFAULT 0;
