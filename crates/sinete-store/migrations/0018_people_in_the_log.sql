-- Events are looked up by the person they are about or by whom they were done; by a client, a token or a grant never.
-- The tokens of services are most of a busy log, and are kept out of indexes that nobody asks for them.
DROP INDEX security_log_of_actor;
DROP INDEX security_log_of_subject;
CREATE INDEX security_log_of_actor ON security_log (actor_id, id) WHERE actor_kind IN ('account', 'membership');
CREATE INDEX security_log_of_subject ON security_log (subject_id, id) WHERE subject_kind IN ('account', 'membership');
