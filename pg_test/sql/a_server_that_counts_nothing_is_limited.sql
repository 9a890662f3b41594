-- Limits in tokens and money hold whatever a server reports: where it reports no tokens they are estimated, and a reply
-- that is of no use is paid all the same.
SELECT text2sql(NULL);
\set base_url `echo "$TEXT2SQL_MODEL/uncounted/v1"`
CREATE SCHEMA t_uncounted;
SET search_path = t_uncounted, public;
SET text2sql.schemas = 't_uncounted';
SET text2sql.history = on;
CREATE TABLE planet (id int PRIMARY KEY, name text);
CREATE SERVER uncounted FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'm', embedding_model 'e',
    price_per_million_prompt_tokens '1', price_per_million_completion_tokens '1');
SET text2sql.server = 'uncounted';
CREATE FUNCTION outcome(question text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN text2sql(question, strategy => 'zero_shot');
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END $$;

-- a question's own limit
SELECT (usage ->> 'prompt_tokens')::int > 100 AS read, (usage ->> 'completion_tokens')::int > 5 AS written,
       (usage ->> 'estimated_tokens')::int = (usage ->> 'prompt_tokens')::int + (usage ->> 'completion_tokens')::int AS all_estimated
FROM (SELECT text2sql.explain('How many planets are there?', strategy => 'zero_shot')::json -> 'usage') AS report(usage);
SET text2sql.max_question_tokens = 100;
SELECT outcome('What is broken?');
SELECT calls FROM text2sql.history ORDER BY id DESC LIMIT 1;
RESET text2sql.max_question_tokens;

-- a role's limit of tokens, and one of money
INSERT INTO text2sql.quota VALUES (NULL, 'uncounted', 'tokens', 'month', 100) RETURNING id \gset
SELECT outcome('How many planets are there now?');
SELECT outcome('How many planets are there then?');
DELETE FROM text2sql.quota;
INSERT INTO text2sql.quota VALUES (NULL, 'uncounted', 'money', 'month', 0.0001);
SELECT outcome('How many planets were there?');
SELECT outcome('How many planets will there be?');
DELETE FROM text2sql.quota;

-- a filtered reply costs what the server says
INSERT INTO text2sql.quota VALUES (NULL, 'uncounted', 'tokens', 'month', 10000);
SELECT outcome('What is filtered?');
SELECT used FROM text2sql.quota_usage;
SELECT outcome, calls, tokens, cost FROM text2sql.history ORDER BY id DESC LIMIT 1;
DELETE FROM text2sql.quota;

-- vectors of columns too, counted and in the history
INSERT INTO text2sql.quota VALUES (NULL, 'uncounted', 'tokens', 'month', 10000);
SELECT columns FROM text2sql.embed_columns();
SELECT used BETWEEN 1 AND 100 AS counted FROM text2sql.quota_usage;
SELECT function, outcome, calls, tokens BETWEEN 1 AND 100 AS counted FROM text2sql.history ORDER BY id DESC LIMIT 1;
DELETE FROM text2sql.quota;
DROP SERVER uncounted;
DROP SCHEMA t_uncounted CASCADE;
