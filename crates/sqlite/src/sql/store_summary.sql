INSERT INTO {table}(table_name, fingerprint, summary) VALUES (?1, ?2, ?3)
ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint, summary = excluded.summary
