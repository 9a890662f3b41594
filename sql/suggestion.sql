-- What history and feedback suggest to those who administer, one row a subject: questions that
-- somebody found answered rightly, to vouch for; terms for the glossary, from what was found wrong
-- ("revenue is net of discounts") and from words that were not understood, whose meaning is for
-- them to say; labels ("customers.phone should be hidden").
CREATE VIEW text2sql.suggestion AS
SELECT DISTINCT ON (kind, subject) id, kind, subject, proposal,
       count(*) OVER (PARTITION BY kind, subject) AS times, said_by, said
FROM (SELECT h.id, s.*, coalesce(h.note, h.question) AS said, h.role AS said_by
      FROM text2sql.history h
      JOIN text2sql.history_entry e ON e.id = h.id AND e.settled_at IS NULL
      CROSS JOIN LATERAL (
          SELECT 'verified_question', h.question, h.sql WHERE h.verdict = 'right' AND h.sql IS NOT NULL
          UNION ALL
          SELECT 'label', m[1], CASE WHEN m[2] = 'hidden' THEN 'hidden' ELSE 'no_values' END
          FROM regexp_match(h.note, '^\s*([\w.]+) (?:is|should be|must be|must stay) (hidden|no[_ ]values|private|confidential)\M') AS m
          WHERE h.verdict = 'wrong' AND m IS NOT NULL
          UNION ALL
          SELECT 'glossary', lower(m[1]), m[2]
          FROM regexp_match(h.note, '^\s*(.{1,60}?)\s+(?:is|are|means?|=)\s+(.+?)\s*\.?\s*$') AS m
          WHERE h.verdict = 'wrong' AND m IS NOT NULL
            AND h.note !~ '^\s*[\w.]+ (is|should be|must be|must stay) (hidden|no[_ ]values|private|confidential)\M'
          UNION ALL
          SELECT 'glossary', lower(word), NULL FROM unnest(h.words) AS word WHERE h.outcome = 'refused'
      ) AS s(kind, subject, proposal)) AS found
WHERE CASE kind
          WHEN 'verified_question' THEN NOT EXISTS (SELECT FROM text2sql.verified_question x WHERE lower(x.question) = lower(subject))
          WHEN 'glossary' THEN NOT EXISTS (SELECT FROM text2sql.glossary t WHERE lower(t.term) = subject)
          ELSE true
      END
ORDER BY kind, subject, proposal IS NULL, id DESC;
COMMENT ON VIEW text2sql.suggestion IS
    'What history and feedback suggest: questions to vouch for, terms of the glossary, labels';

-- One call takes a suggestion on, with the rights of the caller; a meaning or label of one's own
-- goes before the one proposed. Its SQL and table are looked up as the caller does, so it has no search_path of its
-- own, and names all that it calls with schemas.
CREATE FUNCTION text2sql.accept_suggestion(id bigint, subject text DEFAULT NULL, proposal text DEFAULT NULL) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    chosen record;
    relation pg_catalog.regclass;
BEGIN
    PERFORM text2sql.must_write('text2sql.accept_suggestion()');
    SELECT s.* INTO chosen FROM text2sql.suggestion s
    WHERE s.id OPERATOR(pg_catalog.=) accept_suggestion.id
      AND (accept_suggestion.subject IS NULL
           OR pg_catalog.lower(s.subject) OPERATOR(pg_catalog.=) pg_catalog.lower(accept_suggestion.subject))
    LIMIT 1;
    IF chosen.id IS NULL THEN
        RAISE EXCEPTION 'there is no suggestion %', id
            USING ERRCODE = 'no_data_found', HINT = 'SELECT * FROM text2sql.suggestion;';
    END IF;
    chosen.proposal := coalesce(accept_suggestion.proposal, chosen.proposal);
    IF chosen.proposal IS NULL THEN
        RAISE EXCEPTION 'what "%" means is for you to say', chosen.subject
            USING ERRCODE = 'null_value_not_allowed',
                  HINT = pg_catalog.format('SELECT text2sql.accept_suggestion(%s, %L, ''...'');', id, chosen.subject);
    END IF;
    IF chosen.kind OPERATOR(pg_catalog.=) 'verified_question' THEN
        PERFORM text2sql.remember(chosen.subject, chosen.proposal);
    ELSIF chosen.kind OPERATOR(pg_catalog.=) 'glossary' THEN
        INSERT INTO text2sql.glossary (term, meaning) VALUES (chosen.subject, chosen.proposal);
    ELSE
        relation := pg_catalog.to_regclass(chosen.subject);
        IF relation IS NOT NULL THEN
            PERFORM text2sql.label(relation, chosen.proposal);
        ELSE
            PERFORM text2sql.label(pg_catalog.regexp_replace(chosen.subject, '\.[^.]*$', '')::pg_catalog.regclass,
                                   substring(chosen.subject FROM '[^.]*$'), chosen.proposal);
        END IF;
    END IF;
    PERFORM text2sql.dismiss_suggestion(chosen.id);
    RETURN pg_catalog.format('%s: %s', chosen.subject, chosen.proposal);
END
$$;

CREATE FUNCTION text2sql.dismiss_suggestion(id bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM text2sql.must_write('text2sql.dismiss_suggestion()');
    UPDATE text2sql.history_entry e SET settled_at = now() WHERE e.id = dismiss_suggestion.id;
END
$$;
