-- The owner of a server who is no superuser may not send the keys of others elsewhere.
SET client_min_messages = warning;
CREATE ROLE t_key_owner;
CREATE ROLE t_key_user;
GRANT USAGE ON FOREIGN DATA WRAPPER text2sql TO t_key_owner;
SET ROLE t_key_owner;
CREATE SERVER t_key FOREIGN DATA WRAPPER text2sql OPTIONS (base_url 'https://api.example.com/v1', model 'm');
-- a server of his own, with his own key
CREATE USER MAPPING FOR CURRENT_USER SERVER t_key OPTIONS (api_key 'own');
ALTER SERVER t_key OPTIONS (SET base_url 'https://api.example.com/v2');
RESET ROLE;
CREATE USER MAPPING FOR t_key_user SERVER t_key OPTIONS (api_key 'a superuser gave it');
SET ROLE t_key_owner;
ALTER SERVER t_key OPTIONS (SET base_url 'https://elsewhere.example.com/v1');
ALTER SERVER t_key OPTIONS (DROP base_url);
ALTER SERVER t_key OPTIONS (ADD provider 'ollama');
ALTER SERVER t_key OPTIONS (ADD headers '{"x": "y"}');
ALTER SERVER t_key OPTIONS (ADD query 'to=elsewhere');
ALTER SERVER t_key OPTIONS (ADD key_header 'x-elsewhere');
-- what does not move it may be altered
ALTER SERVER t_key OPTIONS (SET model 'n');
RESET ROLE;
SELECT srvoptions FROM pg_foreign_server WHERE srvname = 't_key';
DROP USER MAPPING FOR t_key_user SERVER t_key;
CREATE USER MAPPING FOR PUBLIC SERVER t_key OPTIONS (api_key 'for all');
SET ROLE t_key_owner;
ALTER SERVER t_key OPTIONS (SET base_url 'https://elsewhere.example.com/v1');
RESET ROLE;
-- a superuser may
ALTER SERVER t_key OPTIONS (SET base_url 'https://api.example.com/v3');
DROP USER MAPPING FOR PUBLIC SERVER t_key;
SET ROLE t_key_owner;
ALTER SERVER t_key OPTIONS (SET base_url 'https://api.example.com/v4');
RESET ROLE;
DROP SERVER t_key CASCADE;
DROP OWNED BY t_key_owner;
DROP ROLE t_key_owner, t_key_user;
