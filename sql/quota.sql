-- Limits that a role cannot raise. What one query may take ('rows', 'bytes', 'time' in milliseconds,
-- 'cost' as the planner estimates it) lowers the settings text2sql.max_rows and their like; what is
-- asked of 'questions', 'calls', 'tokens' and 'money' is counted by the hour, the day or the month,
-- in UTC. A limit of a role is one for all of its members together, as they log in or SET ROLE.
CREATE TABLE text2sql.quota (
    role text2sql.role_name,                -- NULL: everybody
    server name,                            -- NULL: any, and none
    what text NOT NULL,
    per text NOT NULL,
    max numeric NOT NULL CHECK (max >= 0),
    set_by name NOT NULL DEFAULT current_user,
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    CONSTRAINT per_query CHECK (what IN ('rows', 'bytes', 'time', 'cost') AND per = 'query'
        OR what IN ('questions', 'calls', 'tokens', 'money') AND per IN ('hour', 'day', 'month'))
);
COMMENT ON TABLE text2sql.quota IS 'Limits that a role cannot raise, for those who administer';
COMMENT ON COLUMN text2sql.quota.server IS 'For calls to this server, and for questions while it is set';
COMMENT ON COLUMN text2sql.quota.set_by IS 'Whom errors say to ask';
CREATE TRIGGER skip_missing BEFORE INSERT ON text2sql.quota
    FOR EACH ROW WHEN (new.role::oid = 4294967295::oid) EXECUTE FUNCTION text2sql.skip_missing();
ALTER TABLE text2sql.quota ENABLE ALWAYS TRIGGER skip_missing;
SELECT pg_catalog.pg_extension_config_dump('text2sql.quota', '');
SELECT pg_catalog.pg_extension_config_dump('text2sql.quota_id_seq', '');

-- The period that a count is of, by number, and its end.
CREATE FUNCTION text2sql.period(per text, OUT number bigint, OUT until timestamptz)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE per WHEN 'hour' THEN floor(extract(epoch FROM t) / 3600)
                    WHEN 'day' THEN floor(extract(epoch FROM t) / 86400)
                    WHEN 'month' THEN extract(year FROM t) * 12 + extract(month FROM t) END::bigint,
           CASE WHEN per <> 'query' THEN date_trunc(per, t) + ('1 ' || per)::interval END AT TIME ZONE 'UTC'
    FROM (SELECT clock_timestamp() AT TIME ZONE 'UTC') AS now(t)
$$;

-- What was taken is counted in a sequence, whose value no ROLLBACK takes back: the period's number,
-- and in the lower 40 bits the count in it, money in millionths. src/store/quota.rs counts.
--
-- Who may write limits does not own the sequences, so the trigger runs as their owner. A row of any other table,
-- whose columns have types and casts of somebody else, is not looked at.
CREATE FUNCTION text2sql.keep_count() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF tg_relid <> 'text2sql.quota'::regclass THEN
        RAISE EXCEPTION 'text2sql.keep_count() is a trigger of text2sql.quota alone' USING ERRCODE = '42501';
    END IF;
    IF tg_op <> 'INSERT' THEN
        EXECUTE format('DROP SEQUENCE IF EXISTS text2sql.%I', concat('quota_', old.id));
    END IF;
    IF tg_op <> 'DELETE' AND new.per <> 'query' THEN
        EXECUTE format('CREATE SEQUENCE IF NOT EXISTS text2sql.%I OWNED BY text2sql.quota.id', concat('quota_', new.id));
    END IF;
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION text2sql.keep_count() FROM PUBLIC;
CREATE TRIGGER keep_count AFTER INSERT OR DELETE OR UPDATE OF role, server, what, per ON text2sql.quota
    FOR EACH ROW EXECUTE FUNCTION text2sql.keep_count();

-- Whether a limit holds for somebody: superusers are members of every role, and mean none of them.
CREATE FUNCTION text2sql.is_of(member oid, role regrole) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT role IS NULL OR role::oid = member
        OR pg_has_role(member, role, 'MEMBER')
           AND NOT (SELECT rolsuper FROM pg_roles WHERE oid = member)
$$;

CREATE FUNCTION text2sql.quota_used(id integer) RETURNS numeric
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN value >> 40 >= p.number
                THEN trim_scale((value & 1099511627775) / CASE q.what WHEN 'money' THEN 1e6 ELSE 1 END)
                ELSE 0 END
    FROM text2sql.quota q
    CROSS JOIN LATERAL text2sql.period(q.per) p
    CROSS JOIN LATERAL coalesce(pg_sequence_last_value(to_regclass(format('text2sql.quota_%s', q.id))), 0) AS value
    WHERE q.id = quota_used.id AND q.per <> 'query'
      AND (has_table_privilege(session_user, 'text2sql.quota', 'SELECT')
           OR text2sql.is_of(to_regrole(quote_ident(session_user)), q.role))
$$;

CREATE VIEW text2sql.quota_usage WITH (security_barrier) AS
SELECT q.role, q.server, q.what, q.per, q.max, text2sql.quota_used(q.id) AS used, p.until, q.set_by
FROM text2sql.quota q
CROSS JOIN LATERAL text2sql.period(q.per) p
WHERE has_table_privilege('text2sql.quota', 'SELECT') OR text2sql.is_of(to_regrole(quote_ident(session_user)), q.role)
   OR text2sql.is_of(to_regrole(quote_ident(current_user)), q.role);
COMMENT ON VIEW text2sql.quota_usage IS 'The limits that apply to you, and how much of each is used';
GRANT SELECT ON text2sql.quota_usage TO PUBLIC;
