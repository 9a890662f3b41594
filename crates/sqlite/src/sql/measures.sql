-- Terms and what they stand for, and how measures are computed.
SELECT CAST(term AS TEXT), CAST(meaning AS TEXT), CAST(expression AS TEXT), CAST(grain AS TEXT), CAST(filter AS TEXT)
FROM main.text2sql_glossary
WHERE term IS NOT NULL AND (meaning IS NOT NULL OR expression IS NOT NULL AND grain IS NOT NULL) ORDER BY term
