-- Terms and what they stand for.
SELECT CAST(term AS TEXT), CAST(meaning AS TEXT), NULL, NULL, NULL FROM main.text2sql_glossary
WHERE term IS NOT NULL AND meaning IS NOT NULL ORDER BY term
