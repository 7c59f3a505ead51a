-- A family keeps its newest token itself, and of the older ones nothing but the mark that all of them bear: whoever shows
-- the mark and not the newest token uses one that was exchanged before. Families that began before have neither, and are
-- renewed no more.
ALTER TABLE families ADD COLUMN mark BYTEA;
ALTER TABLE families ADD COLUMN newest BYTEA;
ALTER TABLE families ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;
ALTER TABLE families ADD COLUMN idle_expires_at BIGINT;
-- Each renewal writes the row anew, into the same page where there is room.
-- only: postgres
ALTER TABLE families SET (fillfactor = 70);
-- end
