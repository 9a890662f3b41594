-- A key goes to its server in one header and shows nowhere else.
\set base_url `echo "$TEXT2SQL_MODEL/keys/v1"`
\set key 'sk-regress-0123456789abcdef'
CREATE TABLE customer (id int PRIMARY KEY, name text);
CREATE SERVER keys FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'm');
CREATE USER MAPPING FOR PUBLIC SERVER keys OPTIONS (api_key :'key');
CREATE ROLE asker;
GRANT SELECT ON customer TO asker;
GRANT USAGE ON FOREIGN SERVER keys TO asker;
SET ROLE asker;
SET text2sql.server = 'keys';
SET text2sql.cache = off;
SET text2sql.strategy = 'zero_shot';

SELECT text2sql('How many customers?');
SELECT text2sql.explain('How many customers?')::text LIKE '%0123456789%' AS in_report;
SELECT text2sql.explain('echo, how many customers?')::text LIKE '%0123456789%' AS in_report_of_failure;

-- not in the error, although the server repeats it
DO $$
DECLARE
  message text; detail text; hint text; context text;
BEGIN
  PERFORM text2sql('echo, how many customers?');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
    hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT;
  RAISE NOTICE '%: % HINT: %', SQLSTATE, regexp_replace(message, '127.0.0.1:\d+', 'HOST'), hint;
  RAISE NOTICE 'shown: %', concat(message, detail, hint, context) LIKE '%cdef%';
END $$;

-- not to those who may use the server, by catalogs, settings or generated queries
SELECT umoptions FROM pg_user_mappings WHERE srvname = 'keys';
SELECT count(*) AS shown FROM information_schema.user_mapping_options
  WHERE option_value LIKE '%0123456789%';
SELECT count(*) AS shown FROM pg_settings WHERE name LIKE 'text2sql%' AND setting LIKE '%0123456789%';
SELECT count(*) AS shown FROM pg_foreign_server WHERE srvoptions::text LIKE '%0123456789%';
RESET ROLE;

-- it was sent as a header and nowhere else
\set requests `"$TEXT2SQL_TOOLS/model" requests keys`
SELECT request->>'number' AS number, request->'headers'->>'authorization' AS authorization,
  replace(request::text, request->'headers'->>'authorization', '') LIKE '%0123456789%' AS elsewhere
FROM json_array_elements(:'requests'::json) AS request;

RESET text2sql.server;
RESET text2sql.strategy;
DROP SERVER keys CASCADE;
DROP TABLE customer;
DROP ROLE asker;
