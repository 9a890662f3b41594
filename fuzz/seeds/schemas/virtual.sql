CREATE VIRTUAL TABLE f USING fts5(title, body);
CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);
CREATE VIRTUAL TABLE u USING ask_table('how many orders are there');
INSERT INTO f VALUES ('a', 'b');
CREATE TABLE f_more(id REFERENCES f);
CREATE VIEW v AS SELECT * FROM pragma_table_info('f'), json_each('[1,2]'), sqlite_schema;
CREATE TABLE sqlite_stat1x(a);
ANALYZE;
BEGIN;
CREATE TABLE left_open(a)
