-- What looks like a credential or a personal secret counts as labelled 'no_values', by name, by
-- comment or by its values, until it is labelled 'values' or text2sql.withhold_secrets is off.
SET client_min_messages = warning;
CREATE EXTENSION pg_trgm;
CREATE SCHEMA t_secrets;
SET search_path = t_secrets, public;
CREATE TABLE staff (id int PRIMARY KEY, name text, password_hash text, api_key text, note text,
                    door text, shipping text, token_count int, remark text);
COMMENT ON COLUMN staff.door IS 'Access code: the one time password of the day';
INSERT INTO staff SELECT g, 'Name ' || g, 'hunter' || g, 'letmein' || g,
    'AKIAIOSFODNN7EXAMPL' || chr(64 + g), 'opensesame' || g, 'Pier ' || g, g, 'Remark ' || g
FROM generate_series(1, 5) g;
CREATE TABLE shop_user (id int PRIMARY KEY, name text, pin int);
INSERT INTO shop_user VALUES (1, 'Name 1', 4711);
ANALYZE staff;                            -- shop_user was never analysed
-- no sample, statistic or search contains one
SELECT value, column_name FROM text2sql.search_values('hunter3') UNION ALL
SELECT value, column_name FROM text2sql.search_values('letmein3') UNION ALL
SELECT value, column_name FROM text2sql.search_values('AKIAIOSFODNN7EXAMPLC') UNION ALL
SELECT value, column_name FROM text2sql.search_values('opensesame3');
SELECT value, column_name FROM text2sql.search_values('Pier 3') ORDER BY score DESC LIMIT 1;
SELECT column_name, statistics FROM text2sql.search_columns('staff password hash', 1);
SELECT column_name, statistics FROM text2sql.search_columns('staff note', 1);
-- a prompt says what was withheld and why
CREATE TEMP VIEW prompt AS
    SELECT string_agg(content, E'\n') AS text
    FROM text2sql.preview('How many staff have the key letmein3?', tables => '{staff,shop_user}', strategy => 'zero_shot');
CREATE SERVER t_secrets FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'http://127.0.0.1:1/v1', model 'm');
SET text2sql.server = 't_secrets';
SELECT regexp_matches(text, '(hunter|letmein\d*''|AKIA|opensesame|4711)') FROM prompt;
SELECT line FROM prompt, regexp_split_to_table(text, E'\n') line WHERE line ~ 'withheld' ORDER BY 1;
SELECT text2sql.explain('How many staff are there?', strategy => 'builtin') -> 'withheld';
-- nor is one copied into the index of values
SELECT column_name, distinct_values, skipped FROM text2sql.index_values('{staff,shop_user}');
SELECT column_name FROM text2sql.value_index WHERE table_name = 'staff'::regclass ORDER BY 1;
-- a label releases the values of one column or of all; 'no_values' on the table overrides it
SELECT text2sql.label('staff', 'api_key', 'values');
SELECT value, column_name FROM text2sql.search_values('letmein3', '{staff}', 1);
SELECT text2sql.label('staff', 'values');
SELECT value, column_name FROM text2sql.search_values('AKIAIOSFODNN7EXAMPLC', '{staff}', 1);
SELECT text2sql.label('staff', 'no_values');
SELECT count(*) FROM text2sql.search_values('letmein3', '{staff}', 1);
SELECT text2sql.label('staff', NULL), text2sql.label('staff', 'api_key', NULL);
SELECT count(*) FROM text2sql.search_values('letmein3', '{staff}', 1);
-- keys of documents at any depth, and fields of composite types
CREATE EXTENSION hstore;
CREATE TYPE login AS (username text, password text);
CREATE DOMAIN checked_login AS login CHECK (true);
CREATE TYPE member AS (since date, logins checked_login[]);
CREATE TYPE address AS (street text, city text);
CREATE TABLE visitor (id int PRIMARY KEY, doc jsonb, pairs hstore, docs json[], entry login, former member[], home address, plain jsonb);
INSERT INTO visitor SELECT g, jsonb_build_object('city', 'Oslo', 'auth', jsonb_build_object('password', 'hunter' || g)),
    hstore('token', 'letmein' || g) || hstore('city', 'Oslo'), ARRAY[json_build_object('pin', 4711)],
    ROW('Ann', 'opensesame' || g)::login, ARRAY[ROW('2000-01-01', ARRAY[ROW('Ann', 'opensesame' || g)::login]::checked_login[])]::member[], ROW('Main', 'Oslo')::address, '{"city": "Bergen"}'
FROM generate_series(1, 2) g;
INSERT INTO visitor SELECT 10 + g, doc, pairs, docs, entry, former, home, plain FROM visitor, generate_series(1, 9) g WHERE id = 1;
ANALYZE visitor;
SELECT text2sql.explain('How many visitors are there?', strategy => 'builtin') -> 'withheld';
SELECT line FROM text2sql.preview('Which visitors are from Bergen?', tables => '{visitor}', strategy => 'zero_shot') p, regexp_split_to_table(p.content, E'\n') line
WHERE line ~ 'withheld|Bergen''|hunter|letmein|opensesame|4711' AND line !~ 'Which' ORDER BY 1;
SELECT value, column_name FROM unnest('{hunter1,letmein1,opensesame1,4711}'::text[]) w, text2sql.search_values(w, '{visitor}', 5);
-- only a superuser may change the setting
SET text2sql.withhold_secrets = off;
SELECT value, column_name FROM text2sql.search_values('hunter3', '{staff}', 1) UNION ALL
SELECT value, column_name FROM text2sql.search_values('AKIAIOSFODNN7EXAMPLC', '{staff}', 1);
SET text2sql.withhold_secrets = on;
SELECT count(*) FROM text2sql.search_values('hunter3', '{staff}', 1);
CREATE ROLE t_secrets_role;
SET ROLE t_secrets_role;
SET text2sql.withhold_secrets = off;
RESET ROLE;
DROP ROLE t_secrets_role;
DROP SERVER t_secrets;
DROP VIEW prompt;
DROP SCHEMA t_secrets CASCADE;
DROP EXTENSION pg_trgm CASCADE;
