-- Each renewal added a row. What is known of a family's tokens is known by the family itself.
DROP TABLE refresh_tokens;
