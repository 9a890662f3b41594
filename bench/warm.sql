-- Warm text2sql() on the demo: every question of demo/questions.tsv, :rounds times in one session.
\pset footer off
\pset border 2
SET client_min_messages = warning;
CREATE TEMP TABLE questions (question text, right_sql text);
\copy questions FROM 'demo/questions.tsv' WHERE question NOT LIKE '#%' AND right_sql <> 'REFUSE'

CREATE TEMP TABLE times (what text, question text, ms numeric);

CREATE FUNCTION pg_temp.measure(rounds integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    q record;
    began timestamptz;
    what text;
BEGIN
    FOR round IN 0 .. rounds LOOP
        FOR q IN SELECT * FROM questions LOOP
            BEGIN
                began := clock_timestamp();
                PERFORM text2sql(q.question);
                what := 'text2sql(), answered';
            EXCEPTION WHEN OTHERS THEN
                what := 'text2sql(), abstained';
            END;
            CONTINUE WHEN round = 0;  -- warms the caches
            INSERT INTO times VALUES (what, q.question, 1000 * extract(epoch FROM clock_timestamp() - began));
            began := clock_timestamp();
            EXECUTE q.right_sql;
            INSERT INTO times VALUES ('the right query itself', q.question, 1000 * extract(epoch FROM clock_timestamp() - began));
        END LOOP;
    END LOOP;
END
$$;
SELECT pg_temp.measure(:rounds) \g /dev/null

\echo figures: warm
SELECT what AS "warm, demo", count(DISTINCT question) AS questions,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 2) AS "median ms",
       round(percentile_cont(0.95) WITHIN GROUP (ORDER BY ms)::numeric, 2) AS "p95 ms",
       round(max(ms), 2) AS "max ms"
FROM times GROUP BY what ORDER BY what DESC;
