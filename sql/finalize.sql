-- Rights and comments; runs after everything else of the extension was made.
GRANT USAGE ON SCHEMA text2sql TO PUBLIC;
