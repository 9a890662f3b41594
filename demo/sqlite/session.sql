-- Questions, the SQL that text2sql() writes for each, and the rows that it gives.
.load target/sqlite/text2sql
.mode box
.headers on
.print sqlite> SELECT ask FROM ask('How many customers do we have?');
.mode list
.headers off
SELECT text2sql('How many customers do we have?');
.mode box
.headers on
SELECT ask FROM ask('How many customers do we have?');
.print
.print sqlite> SELECT ask FROM ask('How many orders did each store get in 2023?');
.mode list
.headers off
SELECT text2sql('How many orders did each store get in 2023?');
.mode box
.headers on
SELECT ask FROM ask('How many orders did each store get in 2023?');
.print
.print sqlite> SELECT ask FROM ask('Show the 3 most expensive products');
.mode list
.headers off
SELECT text2sql('Show the 3 most expensive products');
.mode box
.headers on
SELECT ask FROM ask('Show the 3 most expensive products');
.print
.print sqlite> SELECT ask FROM ask('Which store has the largest floor area?');
.mode list
.headers off
SELECT text2sql('Which store has the largest floor area?');
.mode box
.headers on
SELECT ask FROM ask('Which store has the largest floor area?');
.print
.print sqlite> SELECT ask FROM ask('How many orders were cancelled?');
.mode list
.headers off
SELECT text2sql('How many orders were cancelled?');
.mode box
.headers on
SELECT ask FROM ask('How many orders were cancelled?');
.print
