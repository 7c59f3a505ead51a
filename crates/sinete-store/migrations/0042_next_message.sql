-- When another message may be sent for the flow, as whoever walks through it is told.
ALTER TABLE one_time_codes ADD COLUMN next_message_at BIGINT NOT NULL DEFAULT 0;
