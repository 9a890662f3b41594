-- Texts in the arrays of JSON documents, as deep as two arrays and in documents of up to 1,024 bytes: the search
-- finds them, and a prompt shows the condition that does.
LOAD 'text2sql';
SET client_min_messages = warning;
CREATE SCHEMA t_documents;
SET search_path = t_documents, public;
SET text2sql.schemas = 't_documents';
CREATE TABLE parcel (id int PRIMARY KEY, info jsonb, stops json);
INSERT INTO parcel VALUES
    (1, '{"tags": ["fragile", "express"], "carrier": "Heron Freight"}', '[["Lisbon", "Ghent"], "Oslo"]'),
    (2, '{"items": [{"name": "garden hose", "parts": ["brass nozzle", ["rubber seal"]]}]}', '[]'),
    (3, jsonb_build_object('note', repeat('long ', 150), 'tags', '["bird bath"]'::jsonb), NULL);
CREATE FUNCTION pg_temp.found(phrase text) RETURNS text LANGUAGE sql VOLATILE AS $$
    SELECT coalesce(max(table_name || '.' || column_name || ': ' || value), 'nothing') FROM text2sql.search_values(phrase, NULL, 1) $$;
SELECT phrase, pg_temp.found(phrase)
FROM unnest('{fragil,Heron Freight,Lisbon,Oslo,garden hose,brass nozzel,rubber seal,bird bath}'::text[]) AS phrase;
-- so it does where the table was analysed
ANALYZE parcel;
SELECT phrase, pg_temp.found(phrase) FROM unnest('{Ghent,express,rubber seal}'::text[]) AS phrase;
-- as conditions that run
SELECT condition, (SELECT run FROM text2sql.run('SELECT id FROM parcel WHERE ' || condition)) AS run
FROM unnest('{fragile,Heron Freight,Lisbon,brass nozzle,bird bath}'::text[]) WITH ORDINALITY AS phrases(phrase, n),
    LATERAL (SELECT text2sql.preview('Which parcels have ' || phrase || '?', strategy => 'zero_shot') AS p) previews,
    LATERAL (SELECT (regexp_match((p).content, '(parcel\.\w+ *(?:::|->)[^\n]*''[^\n]*'')'))[1] AS condition) conditions
WHERE (p).role = 'user' ORDER BY n;
-- whatever the keys are called: each condition is a line of its own and finds one row
CREATE TABLE crate (id int PRIMARY KEY, info json);
INSERT INTO crate SELECT n, json_build_object(key, json_build_object(key, 'Harbour ' || town))
FROM unnest(ARRAY['a"b', 'a''b', 'a\b', 'a.b', '', E'two\nlines', ''' OR true --', E'\\'' OR true --\n'],
            '{Lisbon,Ghent,Turin,Oslo,Riga,Porto,Cork,Genoa}'::text[]) WITH ORDINALITY AS named(key, town, n);
SELECT condition, (SELECT string_agg(run::text, ' ') FROM text2sql.run('SELECT id FROM crate WHERE ' || condition)) AS run
FROM unnest('{Lisbon,Ghent,Turin,Oslo,Riga,Porto,Cork,Genoa}'::text[]) WITH ORDINALITY AS towns(town, n),
    LATERAL (SELECT text2sql.preview('Which crates have Harbour ' || town || '?', strategy => 'zero_shot') AS p) previews,
    LATERAL (SELECT (regexp_match((p).content, '\n(crate\.info -[^\n]*' || town || '[^\n]*)'))[1] AS condition) conditions
WHERE (p).role = 'user' ORDER BY n;
-- which PostgreSQL cannot read
CREATE TABLE husk (id int PRIMARY KEY, info json);
INSERT INTO husk VALUES (1, '{"nul\u0000": "Harbour Bari", "plain": "Harbour Kiel\u0000", "other": "Harbour Bari"}');
SELECT regexp_matches((p).content, 'info json keys ([^\n]*)', 'g') FROM text2sql.preview('Which crates and husks are there?', strategy => 'zero_shot') AS p
WHERE (p).role = 'user';
DROP SCHEMA t_documents CASCADE;
