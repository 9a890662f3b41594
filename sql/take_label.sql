-- Removes the label of column $3 of relation $2 of schema $1.
DELETE FROM text2sql.label
WHERE schema = $1 AND relation IS NOT DISTINCT FROM $2::name AND column_name IS NOT DISTINCT FROM $3::name
