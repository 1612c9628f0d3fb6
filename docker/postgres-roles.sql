-- Run by the postgres image on its first start alone, as the superuser, in the empty database that it made.
-- The owner migrates and has no rights beyond that database; the service gets its rights from the migrations.
\getenv owner_password DATABASE_OWNER_PASSWORD
\getenv service_password DATABASE_SERVICE_PASSWORD
CREATE ROLE wallet_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE wallet_service LOGIN PASSWORD :'service_password';
ALTER DATABASE :"DBNAME" OWNER TO wallet_owner;
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"DBNAME" TO wallet_service;
