-- Note the rows of {table} that are new or changed. Plain SQL, for connections without this
-- library too; no conflict can arise, whatever the writing statement says about them.
CREATE TRIGGER IF NOT EXISTS {inserted} AFTER INSERT ON {table} BEGIN
    INSERT INTO text2sql_value_change(table_name, place) SELECT {name}, NEW.rowid
    WHERE NOT EXISTS (SELECT 1 FROM text2sql_value_change
                      WHERE table_name = {name} AND place = NEW.rowid);
END;
CREATE TRIGGER IF NOT EXISTS {updated} AFTER UPDATE ON {table} BEGIN
    INSERT INTO text2sql_value_change(table_name, place) SELECT {name}, NEW.rowid
    WHERE NOT EXISTS (SELECT 1 FROM text2sql_value_change
                      WHERE table_name = {name} AND place = NEW.rowid);
END;
