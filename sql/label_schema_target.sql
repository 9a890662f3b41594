-- The target of a label of schema $1 (oid): its name, whether the caller owns it.
SELECT nspname::text, pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE oid = $1
