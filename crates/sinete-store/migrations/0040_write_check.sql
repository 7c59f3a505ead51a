-- A row that is changed to find out whether anything can be written: nothing else reads or writes it.
CREATE TABLE write_check (
    id                BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    checks            BIGINT NOT NULL
);
INSERT INTO write_check (id, checks) VALUES (1, 0);
