-- ask_chart draws an answer: for a terminal, as SVG, or as one page.
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA t_chart;
CREATE TABLE t_chart.sale (id int PRIMARY KEY, store text, day date, amount numeric);
COMMENT ON COLUMN t_chart.sale.store IS 'Name of the store';
INSERT INTO t_chart.sale SELECT n, (ARRAY['Paris', 'Gdańsk', '<Oslo>'])[1 + n % 3], date '2024-01-01' + n, n FROM generate_series(1, 8) AS n;
SET text2sql.schemas = 't_chart';
SELECT ask_chart('How many sales per store?');
SELECT ask_chart('How many sales per store?', width => 30);
SELECT ask_chart('How many sales are there?');
SELECT ask_chart('How many sales per store?', 'spark');
SELECT ask_chart('What is the total amount of sales by day?', 'spark');
SELECT drawn LIKE '<svg %</svg>%', drawn LIKE '%&lt;Oslo&gt;%', drawn LIKE '%<Oslo>%' FROM ask_chart('How many sales per store?', 'bar', 'svg') AS drawn;
SELECT page LIKE '<!DOCTYPE html>%', page LIKE '%<td>&lt;Oslo&gt;</td>%', page LIKE '%GROUP BY store%', page ~ 'https?://(?!www.w3.org)' FROM ask_chart('How many sales per store?', format => 'html') AS page;
-- what cannot be drawn, and names that are not there
SELECT ask_chart('Which stores have sales?');
SELECT ask_chart('How many sales per store?', 'pie');
SELECT ask_chart('How many sales per store?', 'bar', 'png');
SELECT ask_chart('How many unicorns are there?');
SELECT ask_chart(NULL) IS NULL;
-- the limits hold
SELECT ask_chart('How many sales per store?', options => '{"max_result_size": "1kB", "max_rows": 2}');
DROP SCHEMA t_chart CASCADE;
