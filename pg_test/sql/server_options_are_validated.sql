-- A wrong option is refused with the right ones named; what belongs to superusers is theirs.
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (modell 'm');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (model 'm', api_key 'in the wrong place');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (provider 'acme');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'file:///etc/passwd');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'http://169.254.169.254/v1');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'https://me:secret@example.org/v1');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (temperature '3');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (read_timeout 'soon');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (extra '{"model": "another"}');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (headers '{"Authorization": "Bearer x"}');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (query 'api_key=secret');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (key_header 'Host');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (proxy 'http://me:secret@proxy.example.org:3128');
CREATE SERVER s FOREIGN DATA WRAPPER text2sql OPTIONS (provider 'OLLAMA', model 'm', read_timeout '2min', query 'api-version=1');
ALTER SERVER s OPTIONS (ADD retries '99');
ALTER SERVER s OPTIONS (ADD retries '1');
CREATE USER MAPPING FOR PUBLIC SERVER s OPTIONS (model 'm');
CREATE USER MAPPING FOR PUBLIC SERVER s OPTIONS (api_key ' ');
CREATE USER MAPPING FOR PUBLIC SERVER s OPTIONS (api_key 'k');
ALTER FOREIGN DATA WRAPPER text2sql OPTIONS (ADD model 'm');
-- a model has no tables
CREATE FOREIGN TABLE t (x int) SERVER s OPTIONS (model 'm');

-- an ordinary role with USAGE on the wrapper makes servers, but names no files or variables
CREATE ROLE server_owner;
GRANT USAGE ON FOREIGN DATA WRAPPER text2sql TO server_owner;
SET ROLE server_owner;
CREATE SERVER mine FOREIGN DATA WRAPPER text2sql OPTIONS (model 'm', api_key_file '/etc/passwd');
CREATE SERVER mine FOREIGN DATA WRAPPER text2sql OPTIONS (model 'm', api_key_env 'PATH');
CREATE SERVER mine FOREIGN DATA WRAPPER text2sql OPTIONS (model 'm', proxy 'http://proxy.example.org:3128');
CREATE SERVER mine FOREIGN DATA WRAPPER text2sql OPTIONS (model 'm', ca_file '/etc/passwd');
CREATE SERVER mine FOREIGN DATA WRAPPER text2sql OPTIONS (model 'm');
RESET ROLE;
-- nor sends a key that a superuser provided somewhere else
ALTER SERVER mine OPTIONS (ADD api_key_env 'SOME_KEY');
SET ROLE server_owner;
ALTER SERVER mine OPTIONS (ADD base_url 'https://example.org/v1');
ALTER SERVER mine OPTIONS (DROP api_key_env, ADD base_url 'https://example.org/v1');
RESET ROLE;

SELECT srvname, srvoptions FROM pg_foreign_server ORDER BY srvname;
DROP SERVER s CASCADE;
DROP SERVER mine;
REVOKE USAGE ON FOREIGN DATA WRAPPER text2sql FROM server_owner;
DROP ROLE server_owner;
