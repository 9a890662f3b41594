-- A short session: each question, the SQL that text2sql() writes for it, the rows that it gives.
\pset footer off

\set question 'How many customers do we have?'
\echo 'demo=#' SELECT text2sql(:'question');
\unset sql
SELECT text2sql(:'question') AS sql \gset
\if :{?sql}
\echo :sql
\echo
:sql;
\endif

\set question 'How many orders are there per status?'
\echo 'demo=#' SELECT text2sql(:'question');
\unset sql
SELECT text2sql(:'question') AS sql \gset
\if :{?sql}
\echo :sql
\echo
:sql;
\endif

\set question 'Show the 5 most expensive products'
\echo 'demo=#' SELECT text2sql(:'question');
\unset sql
SELECT text2sql(:'question') AS sql \gset
\if :{?sql}
\echo :sql
\echo
:sql;
\endif

\set question 'What is the average salary of store managers?'
\echo 'demo=#' SELECT text2sql(:'question');
\unset sql
SELECT text2sql(:'question') AS sql \gset
\if :{?sql}
\echo :sql
\echo
:sql;
\endif

\set question 'Which store has the largest floor area?'
\echo 'demo=#' SELECT text2sql(:'question');
\unset sql
SELECT text2sql(:'question') AS sql \gset
\if :{?sql}
\echo :sql
\echo
:sql;
\endif

\set question 'How many orders did each store get in 2023?'
\echo 'demo=#' SELECT text2sql(:'question');
\unset sql
SELECT text2sql(:'question') AS sql \gset
\if :{?sql}
\echo :sql
\echo
:sql;
\endif

\echo 'And one that the database cannot answer:'
\set question 'Which customers like jazz?'
\echo 'demo=#' SELECT text2sql(:'question');
SELECT text2sql(:'question');
