-- What the role of the nightly processes needs in the schema of a ledger: rows, not tables. The owner of the schema runs
-- `concilia migrate` and then this, once more after each upgrade:
--
--   psql -v schema=public -v role=concilia_night -f grants.sql DATABASE
GRANT USAGE ON SCHEMA :"schema" TO :"role";
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA :"schema" TO :"role";
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA :"schema" TO :"role";
