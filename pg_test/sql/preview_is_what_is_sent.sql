-- text2sql.preview() shows the first round of every strategy as it is then sent, byte for byte,
-- and sends nothing itself; with a hint, chosen tables, and values kept back too.
\set base_url `echo "$TEXT2SQL_MODEL/preview/v1"`
SET client_min_messages = warning;
CREATE SCHEMA t_preview;
SET search_path = t_preview, public;
CREATE TABLE kind (id int PRIMARY KEY, label text UNIQUE);
COMMENT ON COLUMN kind.label IS E'two\n lines, "quoted" & <tagged>, größer';
CREATE TABLE thing (id int PRIMARY KEY, kind_id int REFERENCES kind, weight numeric, "odd ""name" text);
INSERT INTO kind VALUES (1, 'tent'), (2, E'tab\tand\nbreak');
INSERT INTO thing VALUES (1, 1, 2.5, 'a'), (2, 2, 3.5, 'b');
ANALYZE;
CREATE SERVER t_preview FOREIGN DATA WRAPPER text2sql OPTIONS (base_url :'base_url', model 'script');
CREATE SERVER t_preview_tools FOREIGN DATA WRAPPER text2sql
    OPTIONS (base_url :'base_url', model 'script', native_tools 'on');
SET text2sql.schemas = 't_preview';

CREATE TEMP TABLE way (number int, strategy text, server text, send_values text, tables text[], hint text);
INSERT INTO way VALUES (1, 'zero_shot', 't_preview', 'on', NULL, NULL), (2, 'gsr', 't_preview', 'on', NULL, 'A "tent" is a kind'),
    (3, 'mag', 't_preview', 'on', NULL, NULL), (4, 'interactive', 't_preview', 'on', NULL, NULL),
    (5, 'interactive', 't_preview_tools', 'on', NULL, NULL), (6, 'gsr', 't_preview', 'off', NULL, NULL),
    (7, 'gsr', 't_preview', 'on', '{kind}', NULL), (8, 'builtin', 't_preview', 'on', NULL, NULL);
-- the same question but for its number, which tells the requests apart
CREATE FUNCTION question(number int) RETURNS text LANGUAGE sql AS
    $$ SELECT 'Preview ' || number || E': which kind of thing weighs most, \u00e9.g. a tent?' $$;
CREATE TEMP TABLE shown (number int, place bigint, role text, content text);
CREATE FUNCTION previewed(w way) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('text2sql.send_values', w.send_values, true);
    INSERT INTO shown SELECT w.number, p.place, p.role, p.content
    FROM text2sql.preview(question(w.number), w.hint, w.strategy, w.tables, w.server) WITH ORDINALITY
         AS p(step, role, content, place);
END $$;
CREATE FUNCTION asked(w way) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('text2sql.send_values', w.send_values, true);
    PERFORM text2sql.explain(question(w.number), w.hint, w.strategy, w.tables, w.server);
END $$;
SELECT count(previewed(way)) FROM way;
SELECT count(*) AS rows_of_ledger FROM text2sql.ledger WHERE server LIKE 't\_preview%';
\set requests `"$TEXT2SQL_TOOLS/model" requests preview`
SELECT json_array_length(:'requests'::json) AS sent_by_preview;

SELECT count(asked(way)) FROM way;
\set requests `"$TEXT2SQL_TOOLS/model" requests preview`
-- requests of a first round are those sent before any reply: none holds an assistant's message;
-- strategies that ask again with a fresh conversation are told apart by what comes first
CREATE TEMP TABLE sent AS
SELECT w.number, row_number() OVER (PARTITION BY w.number ORDER BY (r->>'number')::int, m.place) AS place,
       m.message->>'role' AS role, m.message->>'content' AS content
FROM json_array_elements(:'requests'::json) AS r
JOIN way w ON r->'body'->>'messages' LIKE '%Preview ' || w.number || ':%' OR (w.number = 3
    AND r->'body'->>'messages' NOT LIKE '%Preview %'),
     json_array_elements(r->'body'->'messages') WITH ORDINALITY AS m(message, place);
SELECT w.number, w.strategy, count(s.*) AS messages,
       count(*) FILTER (WHERE EXISTS (SELECT FROM sent t WHERE (t.number, t.role, t.content) = (s.number, s.role, s.content))) AS as_sent
FROM way w LEFT JOIN shown s USING (number) GROUP BY 1, 2 ORDER BY 1;
-- and in the order shown, where the first round is one request
SELECT count(*) AS otherwise FROM shown s JOIN sent t USING (number, place)
WHERE s.number <> 3 AND (s.role, s.content) IS DISTINCT FROM (t.role, t.content);

DROP TABLE way, shown, sent CASCADE;
DROP SERVER t_preview;
DROP SERVER t_preview_tools;
DROP SCHEMA t_preview CASCADE;
RESET text2sql.schemas;
