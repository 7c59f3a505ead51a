-- A session that rested too long counts for one factor until somebody proves more, however much it is used
-- afterwards. Sessions from before have not been seen resting.

ALTER TABLE sessions ADD COLUMN rested_at BIGINT;
