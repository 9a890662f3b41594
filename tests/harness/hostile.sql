-- What the hostile soak (tests/test_hostile.py) looks after: sentinels, secrets, and who asks.
CREATE EXTENSION text2sql;
CREATE EXTENSION pg_trgm;
CREATE EXTENSION dblink;
CREATE EXTENSION postgres_fdw;
CREATE ROLE mallory LOGIN;
CREATE ROLE alice LOGIN;
CREATE ROLE eve;  -- somebody else, of whom rows tell
-- as a hash that is stored as it is
CREATE ROLE vault LOGIN PASSWORD 'md5c0ffeec0ffeec0ffeec0ffeec0ffee00';
GRANT CREATE ON DATABASE hostile TO mallory;

-- sentinels
CREATE TABLE caught (by text);
CREATE TABLE facts (id int PRIMARY KEY, word text);
INSERT INTO facts SELECT g, 'canary-row ' || g FROM generate_series(1, 20) g;
CREATE SEQUENCE numbers;
GRANT SELECT, INSERT, UPDATE ON caught, facts TO mallory, alice;
GRANT USAGE, UPDATE ON SEQUENCE numbers TO mallory, alice;

-- secrets
CREATE TABLE forbidden (id int, note text);
INSERT INTO forbidden SELECT g, 'canary-forbidden ' || g % 3 FROM generate_series(1, 30) g;
CREATE TABLE staff (login text, password text);
INSERT INTO staff SELECT 'user ' || g, 'canary-password ' || g % 3 FROM generate_series(1, 30) g;
GRANT SELECT ON staff TO alice;
CREATE TABLE tenant (who name, note text);
INSERT INTO tenant VALUES ('alice', 'alice''s'), ('mallory', 'mallory''s'), ('eve', 'canary-tenant');
ALTER TABLE tenant ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON tenant USING (who = current_user);
GRANT SELECT ON tenant TO mallory, alice;
SELECT lo_from_bytea(0, 'canary-large');
ANALYZE;
SELECT count(*) FROM text2sql.index_values(ARRAY['forbidden']::regclass[]);
INSERT INTO text2sql.history_entry (asked_at, session_role, role, session_role_id, role_id, function, question, server, outcome, words, ms, calls, tokens, sent)
VALUES (now(), 'eve', 'eve', 'eve', 'eve', 'ask', 'canary-own', 'canary-own', 'answered', '{}', 0, 1, 0, '[{"at": 0, "model": "canary-own"}]');

-- the model, with a key for everybody; and this database as a foreign server
CREATE SERVER hostile FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'url', model 'm', embedding_model 'e', retries '1');
GRANT USAGE ON FOREIGN SERVER hostile TO alice;
CREATE USER MAPPING FOR PUBLIC SERVER hostile OPTIONS (api_key 'canary-key-0123456789abcdef');
CREATE SERVER loop FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host :'host', dbname 'hostile');
GRANT USAGE ON FOREIGN SERVER loop TO mallory;
CREATE USER MAPPING FOR PUBLIC SERVER loop OPTIONS (user 'mallory', password_required 'false');
