-- What an ordinary role has put into the extension's schema, which fits better than PostgreSQL's own.
CREATE ROLE stranger;
CREATE EXTENSION text2sql VERSION '0.1.0';
GRANT CREATE ON SCHEMA public TO stranger;
SET ROLE stranger;
CREATE FUNCTION public.same(oid, regclass) RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'called as %', current_user; END $$;
CREATE FUNCTION public.same(oid, regprocedure) RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'called as %', current_user; END $$;
CREATE OPERATOR public.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = public.same);
CREATE OPERATOR public.= (LEFTARG = oid, RIGHTARG = regprocedure, FUNCTION = public.same);
RESET ROLE;
