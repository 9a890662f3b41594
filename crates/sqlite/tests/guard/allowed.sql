-- Queries that a careful guard still lets through, one a line.
SELECT * FROM item
SELECT count(*), avg(price), group_concat(name, ', ') FROM item
SELECT name FROM item WHERE name LIKE 'a%' OR name GLOB 'b*' ORDER BY price DESC LIMIT 3 OFFSET 1
SELECT strftime('%Y', 'now'), date('now', '-1 day'), julianday('2024-01-01'), unixepoch('now')
SELECT upper(name), substr(name, 1, 2), instr(name, 'a'), replace(name, 'a', 'b') FROM item
SELECT CAST(price AS REAL) / nullif(id, 0), iif(price > 1, 'dear', 'cheap') FROM item
SELECT round(price, 2), abs(price), max(1, price), random(), printf('%.2f', price) FROM item
SELECT rank() OVER (PARTITION BY name ORDER BY price), lag(price) OVER (ORDER BY id) FROM item
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n
WITH a AS (SELECT * FROM item), b AS (SELECT * FROM a) SELECT count(*) FROM b
SELECT i.name, s.amount FROM item AS i LEFT JOIN other.sale AS s ON s.item_id = i.id
SELECT name FROM item EXCEPT SELECT name FROM item WHERE id = 1
SELECT json_extract('{"a":1}', '$.a'), value FROM json_each('[1,2]')
SELECT * FROM cheap
SELECT count(*) FROM cheap JOIN item USING (id)
SELECT title FROM note WHERE note MATCH 'fox' ORDER BY rank
SELECT snippet(note, 0, '[', ']', '…', 5), bm25(note) FROM note WHERE note MATCH 'fox'
SELECT id FROM area WHERE x0 < 2 AND x1 > 0
VALUES (1, 2), (3, 4)
SELECT (SELECT max(price) FROM item AS inner_item WHERE inner_item.id = item.id) FROM item
SELECT name COLLATE NOCASE FROM item GROUP BY 1 HAVING count(*) > 0
SELECT DISTINCT rowid, _rowid_ FROM item WHERE id IN (SELECT item_id FROM other.sale)
SELECT name FROM item WHERE 'red bread' LIKE '%' || name || '%'
SELECT i.name FROM item AS i JOIN note AS n ON instr(n.body, i.name) > 0 OR n.title LIKE i.name
SELECT trim(name, 'a'), trim(name, substr(name, 1, 1)), replace(name, substr(name, 1, 1), '-') FROM item
SELECT zeroblob(1000000), hex(zeroblob(100000)), printf('%100000d', 1) WHERE 1 < 0
SELECT json_group_array(json_object('id', id, 'name', name)), json_patch('{"a":1}', '{"b":2}') FROM item
