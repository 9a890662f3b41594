-- Columns of the unique keys of table ?1 of database ?2; NULL stands for an expression.
SELECT l.seq, i.name
FROM pragma_index_list(?1, ?2) AS l, pragma_index_info(l.name, ?2) AS i
WHERE l."unique" AND NOT l.partial AND l.origin <> 'pk'
ORDER BY l.seq, i.seqno
