-- What was read of rows under row security, or through views, is forgotten after the call: a
-- session that changes its tenant finds the new tenant's values and no other's.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS text2sql;
CREATE SCHEMA t_tenants;
SET search_path = t_tenants;
CREATE TABLE contact (id int PRIMARY KEY, tenant text, city text);
INSERT INTO contact VALUES (1, 'acme', 'Zanzibar'), (2, 'bolt', 'Quito');
ALTER TABLE contact ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON contact USING (tenant = current_setting('app.tenant', true));
CREATE TABLE membership (role name, tenant text);
CREATE TABLE invoice (id int PRIMARY KEY, tenant text, subject text);
INSERT INTO invoice VALUES (1, 'acme', 'Anvils'), (2, 'bolt', 'Bolts');
CREATE VIEW my_invoice AS SELECT i.id, i.subject FROM invoice i JOIN membership m ON m.tenant = i.tenant AND m.role = current_user;
CREATE TABLE shipment (id int PRIMARY KEY, tenant text, harbour text);
INSERT INTO shipment VALUES (1, 'acme', 'Aden'), (2, 'bolt', 'Brest');
ALTER TABLE shipment ENABLE ROW LEVEL SECURITY;
CREATE POLICY member ON shipment USING (tenant IN (SELECT m.tenant FROM membership m WHERE m.role = current_user));
CREATE ROLE regress_tenant;
GRANT USAGE ON SCHEMA t_tenants TO regress_tenant;
GRANT SELECT ON contact, my_invoice, shipment, membership TO regress_tenant;
CREATE FUNCTION pg_temp.found() RETURNS SETOF text LANGUAGE sql VOLATILE AS $$
  SELECT w || ': ' || coalesce((SELECT string_agg(value, ', ') FROM text2sql.search_values(w, '{contact,my_invoice,shipment}')), 'not found')
  FROM unnest('{Zanzibar,Quito,Anvils,Bolts,Aden,Brest}'::text[]) w $$;
CREATE FUNCTION pg_temp.in_prompt() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT 'in the prompt: ' || coalesce(string_agg(w, ', '), 'none') FROM unnest('{Zanzibar,Quito,Anvils,Bolts,Aden,Brest}'::text[]) w
  WHERE EXISTS (SELECT FROM text2sql.preview('Contacts with their city, subject of the invoice and harbour of the shipment',
                                             strategy => 'zero_shot', server => 't_tenants') p WHERE p.content LIKE '%' || w || '%') $$;
CREATE SERVER t_tenants FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'http://127.0.0.1:9/v1', model 'm');
GRANT USAGE ON FOREIGN SERVER t_tenants TO regress_tenant;
SET text2sql.schemas = 't_tenants';
INSERT INTO membership VALUES ('regress_tenant', 'acme');
SET ROLE regress_tenant;
SET text2sql.value_search_timeout = '10s';
SET app.tenant = 'acme';
SELECT pg_temp.in_prompt();
SELECT pg_temp.found();
-- another tenant, in the same session
SET app.tenant = 'bolt';
RESET ROLE;
UPDATE membership SET tenant = 'bolt';
SET ROLE regress_tenant;
SELECT pg_temp.found();
SELECT pg_temp.in_prompt();
-- nor does the conversation tell what a former answer was found by
SET search_path = t_tenants, public;
SET text2sql.follow_ups = on;
SET app.tenant = 'acme';
SELECT text2sql('How many contacts in zanzibar?', strategy => 'builtin');
SET app.tenant = 'bolt';
SELECT content LIKE '%zanzibar%' AS asked, content LIKE '%Zanzibar%' AS found
FROM text2sql.preview('and in total?', strategy => 'zero_shot', server => 't_tenants') WHERE role = 'user';
SET text2sql.follow_ups = off;
SET search_path = t_tenants;
RESET ROLE;
-- DISCARD ALL forgets everything, what was read of other tables too
RESET search_path;
SET text2sql.progress = on;
SET client_min_messages = notice;
SELECT count(*) FROM text2sql.search_columns('harbour', 1);
SELECT count(*) FROM text2sql.search_columns('harbour', 1);
DISCARD ALL;
SET text2sql.progress = on;
SELECT count(*) FROM text2sql.search_columns('harbour', 1);
SET client_min_messages = warning;
DROP SERVER t_tenants CASCADE;
DROP SCHEMA t_tenants CASCADE;
DROP ROLE regress_tenant;
