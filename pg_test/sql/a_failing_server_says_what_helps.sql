-- What a user sees of each fault: the cause, and the command that helps. (Prose is asked once
-- more for SQL.)
\set base_url `echo "$TEXT2SQL_MODEL/faults/v1"`
CREATE TABLE customer (id int PRIMARY KEY, name text);
CREATE SERVER faults FOREIGN DATA WRAPPER text2sql
  OPTIONS (base_url :'base_url', model 'm', retries '0', read_timeout '300ms', total_timeout '600ms');
SET text2sql.server = 'faults';

DO $$
DECLARE
  fault text; message text; hint text;
BEGIN
  FOREACH fault IN ARRAY ARRAY['hang', 'head', 'drip', 'reset', 'truncate', 'huge', 'bomb', 'key',
    'busy', 'error', 'redirect', 'json', 'prose']
  LOOP
    BEGIN
      PERFORM text2sql(format('fault %s now', fault), strategy => 'zero_shot');
      RAISE NOTICE '% was answered', fault;
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
      RAISE NOTICE E'%: % %\n  %', fault, SQLSTATE,
        regexp_replace(message, '127.0.0.1:\d+', 'HOST', 'g'),
        regexp_replace(hint, '127.0.0.1:\d+', 'HOST', 'g');
    END;
  END LOOP;
END $$;

-- the administrator's word on private addresses holds for names and numbers
SET text2sql.allow_private_endpoints = off;
DO $$
BEGIN
  PERFORM text2sql('any customer', strategy => 'zero_shot');
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE '% %', SQLSTATE, SQLERRM;
END $$;
RESET text2sql.allow_private_endpoints;
CREATE ROLE asker;
SET ROLE asker;
SET text2sql.allow_private_endpoints = on;
RESET ROLE;

RESET text2sql.server;
DROP SERVER faults;
DROP TABLE customer;
DROP ROLE asker;
