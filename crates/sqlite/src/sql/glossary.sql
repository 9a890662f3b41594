-- Terms and what they stand for.
SELECT CAST(term AS TEXT), CAST(meaning AS TEXT) FROM main.text2sql_hint
WHERE term IS NOT NULL AND meaning IS NOT NULL ORDER BY term
