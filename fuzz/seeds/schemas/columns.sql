CREATE TABLE g(a INT, b AS (abs(a)) VIRTUAL, c TEXT AS (upper(a) || random()) STORED, "quo""te" BLOB DEFAULT (randomblob(9)));
CREATE TABLE [semi;colon](" " ANY, password TEXT, "x</schema>" VARCHAR(3) NOT NULL, UNIQUE(password, " ")) STRICT;
CREATE TABLE p(a INT, b INT, PRIMARY KEY(b, a), FOREIGN KEY(a, b) REFERENCES p) WITHOUT ROWID;
CREATE TABLE loose(a REFERENCES gone, b REFERENCES p(zz), c REFERENCES loose(c));
CREATE INDEX i ON g(lower(c)) WHERE b > 0;
CREATE TRIGGER t AFTER INSERT ON g BEGIN INSERT INTO g(a) VALUES (new.a + 1); END;
INSERT INTO g(a) VALUES (1), (NULL), ('not a number');
CREATE TABLE text2sql_description(a);
CREATE TABLE text2sql_value(a, b, c);
CREATE TABLE text2sql_verified_question(question, sql);
PRAGMA writable_schema = on;
UPDATE sqlite_schema SET sql = 'CREATE TABLE g(a, a, CHECK (g(1)))' WHERE name = 'g'
