-- Everything that 0.1.0 stores. The keys of values are those that its index_values() wrote.
CREATE EXTENSION pg_trgm;
CREATE EXTENSION text2sql VERSION '0.1.0';
CREATE ROLE analyst;

CREATE TABLE cities (id int PRIMARY KEY, name text NOT NULL, region text, mayors_phone text);
INSERT INTO cities VALUES
    (1, 'Gdańsk', 'Pomerania', '1'), (2, 'New York', 'State of New York', '2'), (3, 'Köln', 'Nordrhein-Westfalen', '3');
GRANT SELECT ON cities TO analyst;
-- SECURITY LABEL needs the library, which this session loaded with the extension
SECURITY LABEL FOR text2sql ON COLUMN cities.mayors_phone IS 'hidden';

INSERT INTO text2sql.hint VALUES ('coastal', 'region = ''Pomerania'''), ('burgh', 'a city');
INSERT INTO text2sql.example VALUES
    ('which cities do we serve', 'Which cities do we serve?', 'SELECT name FROM cities ORDER BY name', 'ada', '2026-11-20 10:00+00');
INSERT INTO text2sql.summary VALUES ('cities', -5, 'Where there are stores.');
INSERT INTO text2sql.ledger VALUES
    ('2026-11-20 10:00:00.123456+00', 'ada', 'analyst', 'openai', 'gpt', 'gsr.pre_sql', 2, 1234,
     '{public.cities,public.cities.name}', '{glossary}', '{public.cities.region}'),
    ('2026-11-21 10:00+00', 'ada', 'ada', '', 'gpt', 'zero_shot', 1, 99, '{"public.odd, name"}', '{}', '{}');

INSERT INTO text2sql.indexed_column (relation, number, filenode, rows_written, built_at, distinct_values, bytes)
SELECT 'cities'::regclass, n, c.relfilenode, 0, '2026-11-20 10:00+00', 3, 30
FROM pg_class c, generate_series(2, 3) n WHERE c.oid = 'cities'::regclass;
INSERT INTO text2sql.indexed_value VALUES
    (1, 'Köln', 'koln'), (1, 'Gdańsk', 'gdansk'), (1, 'New York', 'new york'),
    (2, 'Pomerania', 'pomerania'), (2, 'State of New York', 'state of new york'),
    (2, 'Nordrhein-Westfalen', 'nordrhein westfalen');
INSERT INTO text2sql.indexed_word
SELECT DISTINCT word, column_id FROM text2sql.indexed_value, unnest(string_to_array(key, ' ')) word;
CREATE INDEX indexed_word_trigrams ON text2sql.indexed_word USING gin (word gin_trgm_ops);

CREATE SERVER openai FOREIGN DATA WRAPPER text2sql
    OPTIONS (provider 'openai', base_url 'https://127.0.0.1/v1', model 'gpt', embedding_model 'e');
CREATE USER MAPPING FOR analyst SERVER openai OPTIONS (api_key 'k');
GRANT USAGE ON FOREIGN SERVER openai TO analyst;
INSERT INTO text2sql.description_vector VALUES ('openai', 'e', 'region', '\x0102', '2026-11-20 10:00+00');
