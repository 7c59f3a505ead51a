-- What a message is about, for those who look after its delivery; never to whom it goes.
ALTER TABLE outbox ADD COLUMN kind TEXT NOT NULL DEFAULT 'invitation';
