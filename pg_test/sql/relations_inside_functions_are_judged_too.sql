-- A superuser's question reads no key, password or statistics through another user's function or
-- view, nor the extension's own tables; honest functions and views pass. Views of other roles are
-- not sampled for a superuser.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS text2sql;
-- 13 has no role to drop a superuser's rights to
SELECT current_setting('server_version_num')::int < 140000 AS insists \gset
\if :insists
SET text2sql.allow_superuser = on;
\endif
CREATE SCHEMA t_inside;
CREATE ROLE regress_mallory;
GRANT USAGE, CREATE ON SCHEMA t_inside TO regress_mallory;
CREATE SERVER t_inside FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'http://127.0.0.1:9/v1', model 'm');
CREATE USER MAPPING FOR postgres SERVER t_inside OPTIONS (api_key 'sk-inside-0123456789');
SET ROLE regress_mallory;
SET search_path = t_inside;
CREATE FUNCTION reads(sql text) RETURNS SETOF text STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE sql; END $$;
CREATE FUNCTION keys() RETURNS SETOF text STABLE LANGUAGE sql AS $$ SELECT umoptions::text FROM pg_catalog.pg_user_mapping $$;
CREATE VIEW news AS SELECT reads('SELECT umoptions::text FROM pg_catalog.pg_user_mapping') AS headline;
CREATE VIEW more_news AS SELECT keys() AS headline;
CREATE TABLE item (id int PRIMARY KEY, name text);
INSERT INTO item VALUES (1, 'lamp'), (2, 'chair');
CREATE FUNCTION item_name(item int) RETURNS text STABLE LANGUAGE sql AS $$ SELECT name FROM t_inside.item i WHERE i.id = item $$;
CREATE FUNCTION items() RETURNS bigint STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT count(*) FROM t_inside.item); END $$;
CREATE VIEW named AS SELECT id, item_name(id) AS called, items() AS of FROM item;
CREATE VIEW sizes AS SELECT c.relname::text AS name, r.rolname::text AS owner
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_roles r ON r.oid = c.relowner WHERE c.oid = 't_inside.item'::regclass;
GRANT SELECT ON ALL TABLES IN SCHEMA t_inside TO PUBLIC;
RESET ROLE;
CREATE FUNCTION pg_temp.tried(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE row text;
BEGIN
  SELECT string_agg(r::text, ' ') INTO row FROM text2sql.run(query) r;
  RETURN coalesce(row, 'no rows');
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT pg_temp.tried('SELECT headline FROM news');
SELECT pg_temp.tried('SELECT headline FROM more_news');
SELECT pg_temp.tried(format('SELECT reads(%L)', sql)) FROM (VALUES
  ('SELECT rolpassword::text FROM pg_catalog.pg_authid'),
  ('SELECT a::text FROM pg_catalog.pg_authid a'),
  ('SELECT passwd::text FROM pg_catalog.pg_shadow'),
  ('SELECT umoptions::text FROM pg_catalog.pg_user_mappings'),
  ('SELECT option_value::text FROM information_schema.user_mapping_options'),
  ('SELECT stavalues1::text FROM pg_catalog.pg_statistic'),
  ('SELECT most_common_vals::text FROM pg_catalog.pg_stats'),
  ('SELECT stxdmcv::text FROM pg_catalog.pg_statistic_ext_data'),
  ('SELECT subconninfo FROM pg_catalog.pg_subscription'),
  ('SELECT data::text FROM pg_catalog.pg_largeobject'),
  ('SELECT chunk_data::text FROM pg_toast.pg_toast_2619'),
  ('SELECT value FROM text2sql.indexed_value'),
  ('SELECT key FROM text2sql.verified_question'),
  ('SELECT role::text FROM text2sql.ledger'),
  ('SELECT term FROM text2sql.glossary')) AS a(sql);
-- with a superuser's own rights too
SET text2sql.allow_superuser = on;
SELECT pg_temp.tried('SELECT headline FROM more_news');
RESET text2sql.allow_superuser;
\if :insists
SET text2sql.allow_superuser = on;
\endif
-- honest ones
SELECT pg_temp.tried('SELECT id, item_name(id) AS name, items() AS of FROM item');
SELECT pg_temp.tried('SELECT * FROM named ORDER BY id');
SELECT pg_temp.tried('SELECT * FROM sizes');
-- nothing of it in a prompt: the views are not looked into, and for their owner nothing is found
SET text2sql.schemas = 't_inside';
SELECT bool_or(content LIKE '%sk-inside%') AS key_in_prompt, bool_or(content LIKE '%headline%') AS view_in_prompt
    FROM text2sql.preview('Which headlines and names are there?', strategy => 'zero_shot', server => 't_inside');
SELECT value, column_name FROM text2sql.search_values('sk-inside-0123456789', '{news,more_news}');
SELECT value, column_name FROM text2sql.search_values('lamp', '{named}');
SET ROLE regress_mallory;
SELECT value, column_name FROM text2sql.search_values('lamp', '{named}');
RESET ROLE;
DROP SERVER t_inside CASCADE;
DROP SCHEMA t_inside CASCADE;
DROP OWNED BY regress_mallory;
DROP ROLE regress_mallory;
