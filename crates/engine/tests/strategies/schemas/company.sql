-- A company: roles in keys, two keys between two tables, a table that links two, states told by
-- flags and by dates.
CREATE TABLE departments (id INTEGER PRIMARY KEY, name TEXT, city TEXT, head_id INTEGER REFERENCES employees(id));
CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, email TEXT, salary REAL, hired_on DATE, born_on DATE,
    department_id INTEGER REFERENCES departments(id), manager_id INTEGER REFERENCES employees(id));
CREATE TABLE projects (id INTEGER PRIMARY KEY, name TEXT, is_active BOOLEAN NOT NULL, budget REAL, started_on DATE,
    lead_id INTEGER REFERENCES employees(id));
CREATE TABLE assignments (project_id INTEGER REFERENCES projects(id), employee_id INTEGER REFERENCES employees(id),
    PRIMARY KEY (project_id, employee_id));
CREATE TABLE airports (code TEXT PRIMARY KEY, name TEXT, city TEXT, founded INTEGER);
CREATE TABLE trips (id INTEGER PRIMARY KEY, employee_id INTEGER REFERENCES employees(id), delay_minutes INTEGER,
    origin_code TEXT REFERENCES airports(code), destination_code TEXT REFERENCES airports(code), departed_at TIMESTAMP);
CREATE TABLE invoices (id INTEGER PRIMARY KEY, employee_id INTEGER REFERENCES employees(id), amount REAL,
    urgency TEXT, paid BOOLEAN NOT NULL, settled_on DATE, issued_on DATE NOT NULL);
INSERT INTO departments VALUES (1,'Sales','Oslo',1),(2,'Research','Bergen',2),(3,'Legal','Oslo',NULL);
INSERT INTO employees VALUES (1,'Ada Berg','ada@c',90,'2015-03-01','1970-01-01',1,NULL),
    (2,'Ben Cole',NULL,80,'2019-09-15','1985-05-05',2,1),(3,'Cy Dahl','cy@c',95,'2021-01-10','1990-10-10',1,1);
INSERT INTO projects VALUES (1,'Apollo',1,1000,'2023-01-01',1),(2,'Borealis',0,500,'2024-01-01',3);
INSERT INTO assignments VALUES (1,1),(1,2),(2,3);
INSERT INTO airports VALUES ('OSL','Gardermoen','Oslo',1939),('BGO','Flesland','Bergen',1940),('LHR','Heathrow','London',1941);
INSERT INTO trips VALUES (1,1,0,'OSL','BGO','2024-02-01 08:00:00'),(2,2,15,'BGO','LHR','2024-03-01 09:00:00'),
    (3,3,NULL,'OSL','LHR','2024-03-05 10:00:00');
INSERT INTO invoices VALUES (1,1,100,'urgent',1,'2024-02-10','2024-02-01'),(2,2,250,'normal',0,NULL,'2024-03-02'),
    (3,2,70,'normal',1,'2024-04-01','2024-03-12');
