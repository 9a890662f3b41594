-- A role by its number, shown by its name, which a dump that names a missing role can be restored with:
-- see src/api/role_name.rs.
CREATE TYPE text2sql.role_name (
    INPUT = text2sql.role_name_in, OUTPUT = text2sql.role_name_out, LIKE = oid
);
CREATE CAST (text2sql.role_name AS oid) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (text2sql.role_name AS regrole) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (regrole AS text2sql.role_name) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE CAST (oid AS text2sql.role_name) WITHOUT FUNCTION AS ASSIGNMENT;

-- Skips what is a missing role's, of which the type has warned.
CREATE FUNCTION text2sql.skip_missing() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF tg_relid NOT IN ('text2sql.quota'::regclass, 'text2sql.history_entry'::regclass) THEN
        RAISE EXCEPTION 'text2sql.skip_missing() is a trigger of the extension''s tables alone' USING ERRCODE = '42501';
    END IF;
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION text2sql.skip_missing() FROM PUBLIC;
