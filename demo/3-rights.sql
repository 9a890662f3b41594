-- The extension, and a role that may read everything but personal data.
CREATE EXTENSION text2sql;

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'analyst') THEN
        CREATE ROLE analyst LOGIN;
    END IF;
END
$$;

GRANT SELECT ON ALL TABLES IN SCHEMA public TO analyst;
REVOKE SELECT ON customers FROM analyst;
GRANT SELECT (id, first_name, last_name, email, phone, birth_date, segment, signed_up_on, newsletter, referred_by)
    ON customers TO analyst;

-- What no question may be about, and what may be named but never shown to a model.
SECURITY LABEL FOR text2sql ON COLUMN customers.tax_number IS 'hidden';
SECURITY LABEL FOR text2sql ON COLUMN customers.email IS 'no_values';
SECURITY LABEL FOR text2sql ON COLUMN customers.phone IS 'no_values';
