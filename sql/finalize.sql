-- Rights and comments; runs after everything else in the extension has been created.

-- Every function runs with the caller's rights: PUBLIC may call all of them.
GRANT USAGE ON SCHEMA text2sql TO PUBLIC;

COMMENT ON SCHEMA text2sql IS 'Functions around text2sql() and ask(): reports, checks, searches';

COMMENT ON FUNCTION text2sql(text, text, text, text[], text, json) IS
    'The SQL that answers a question; it is not run';
COMMENT ON FUNCTION ask(text, text, text, text[], text, json) IS
    'The rows that answer a question, one JSON object a row';
COMMENT ON FUNCTION ask_record(text, text, text, text[], text, json) IS
    'The rows that answer a question, typed by a column definition list';
COMMENT ON FUNCTION ask_cursor(text, refcursor, text, text, text[], text, json) IS
    'A cursor over the rows that answer a question, with their own columns and types';
COMMENT ON FUNCTION ask_summary(text, text, text, text[], text, json) IS
    'The answer to a question in words, every figure one of the rows';
COMMENT ON FUNCTION ask_chart(text, text, text, text, text, text[], text, json, integer) IS
    'The answer to a question as a chart: bar, line, points or spark; text, svg or html';
COMMENT ON FUNCTION text2sql.create_view(text, text, text, text, text[], text, boolean, json) IS
  'makes a view of the SQL that answers a question, with the question as its comment';
COMMENT ON FUNCTION text2sql.describe(text, text, json) IS
    'What a query returns, in words; it is not run';
COMMENT ON FUNCTION text2sql.fix(text, text, text, json) IS
    'A query mended by the model, tried out read-only';
COMMENT ON FUNCTION text2sql.remember(text, text) IS
    'Vouch for the SQL of a question, which answers it from then on';
COMMENT ON FUNCTION text2sql.explain(text, text, text, text[], text, boolean, json) IS
    'How a question is answered: links, steps, notices, SQL or error, as JSON';
COMMENT ON FUNCTION text2sql.answer(text, text, text, text[], text, boolean, json) IS
    'What answers a question or why nothing does, as one row; no error is raised';
COMMENT ON FUNCTION text2sql.preview(text, text, text, text[], text, json) IS
    'What would be sent to the model first; nothing is sent';
COMMENT ON FUNCTION text2sql.summarize_tables(text[], text) IS
    'One sentence a table, asked for where there is none; those of one''s own tables are kept';
COMMENT ON FUNCTION text2sql.check(text, json) IS
    'Whether a query may run, and which tables and columns it reads; it is not run';
COMMENT ON FUNCTION text2sql.run(text, json) IS
    'Run a query read-only, under guard and limits; one JSON object a row';
COMMENT ON FUNCTION text2sql.run_record(text, json) IS
    'Run a query read-only, under guard and limits, typed by a column definition list';
COMMENT ON FUNCTION text2sql.search_columns(text, integer) IS
    'Columns whose names and comments fit a phrase, best first';
COMMENT ON FUNCTION text2sql.search_values(text, regclass[], integer) IS
    'Stored values that look like a phrase, best first';
COMMENT ON FUNCTION text2sql.join_path(text[], text[]) IS
    'How the tables of two lists of columns (table.column) are joined over keys';
COMMENT ON FUNCTION text2sql.index_values(regclass[], text[], integer) IS
    'Index the distinct values of text columns of your tables, or bring the index up to date';
COMMENT ON FUNCTION text2sql.unindex_values(regclass[], text[]) IS
    'Take columns of your tables out of the index of values';
COMMENT ON FUNCTION text2sql.label(regclass, text) IS
    'Label a table of yours: hidden, no values, values; NULL takes the label back';
COMMENT ON FUNCTION text2sql.label(regclass, text, text) IS
    'Label a column of a table of yours: hidden, no values, values; NULL takes the label back';
COMMENT ON FUNCTION text2sql.label_schema(regnamespace, text) IS
    'Label a schema of yours: hidden, no values, values; NULL takes the label back';
COMMENT ON FUNCTION text2sql.grant(text, text) IS
    'Give a role, or public, the privilege to ask, vouch, administer or audit';
COMMENT ON FUNCTION text2sql.revoke(text, text) IS
    'Take the privilege to ask, vouch, administer or audit from a role, or from public';
COMMENT ON FUNCTION text2sql.rights(text) IS
    'What a privilege consists of, in the words of GRANT';
COMMENT ON FUNCTION text2sql.grantee(text) IS
    'A role as GRANT names it';
COMMENT ON FUNCTION text2sql.period(text) IS
    'The number of the present hour, day or month in UTC, and its end';
COMMENT ON FUNCTION text2sql.keep_count() IS
    'Trigger: each limit of an hour, a day or a month has a sequence that counts';
COMMENT ON FUNCTION text2sql.is_of(oid, regrole) IS
    'Whether a limit of a role holds for another';
COMMENT ON FUNCTION text2sql.quota_used(integer) IS
    'How much of a limit is used, of those that hold for you';
COMMENT ON FUNCTION text2sql.feedback(bigint, text, text) IS
    'Say of a question of yours in the history whether its answer was right or wrong, and why';
COMMENT ON FUNCTION text2sql.accept(bigint, text, text) IS
    'Take a suggestion on: vouch for the question, put the term into the glossary, label';
COMMENT ON FUNCTION text2sql.dismiss(bigint) IS
    'Make no more of a question of the history';
COMMENT ON FUNCTION text2sql.endpoints() IS
    'Where the servers of models are, by their numbers';
COMMENT ON FUNCTION text2sql.keep_endpoints() IS
    'Event trigger: keys stay with the place they were given for';
COMMENT ON FUNCTION text2sql.resolve_label() IS
    'Trigger: finds what a label''s names mean';
COMMENT ON FUNCTION text2sql.follow_labelled() IS
    'Event trigger: labels follow renames and go with what is dropped';
COMMENT ON FUNCTION text2sql.tell_of_change(oid) IS
    'Tells every session that a relation changed';
COMMENT ON FUNCTION text2sql.tell_of_comments() IS
    'Event trigger: tells every session of a changed comment';
COMMENT ON FUNCTION text2sql.tell_of_index() IS
    'Trigger: tells every session of a change of the index of values';
COMMENT ON FUNCTION text2sql.forget_lost_values() IS
    'Takes columns that were dropped or labelled out of the index of values';
COMMENT ON FUNCTION text2sql.embed_columns(text[], text) IS
    'Have the server''s embedding model make vectors of the columns that you may read and that have none';
COMMENT ON FUNCTION text2sql.embedded_text(text, text) IS
    'What is embedded for a column or table of this name and comment';
COMMENT ON FUNCTION text2sql.rows_written(regclass) IS
    'Rows of a table inserted, updated and deleted so far, by PostgreSQL''s counters';
COMMENT ON FUNCTION text2sql.forget_lost_columns() IS
    'Event trigger: takes columns that were dropped or withdrawn out of the index of values';
COMMENT ON FUNCTION text2sql.forget_values_of_column() IS
    'Trigger: takes a column''s values out of the index with its entry';
