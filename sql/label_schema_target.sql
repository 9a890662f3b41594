-- What a label of schema $1 (oid) is kept under: its name, whether the caller owns it.
SELECT nspname::text, pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE oid = $1
