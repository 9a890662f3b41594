-- For looking up equal keys; made after the values are there, which is quicker.
CREATE INDEX {schema}.text2sql_value_key ON text2sql_value_entry(key);
INSERT INTO {schema}.text2sql_value(text2sql_value) VALUES ('rebuild');
