-- Choirs: flags as numbers and letters, names in short, a leader whom no key names, birthdays, amounts in cents, states
-- that say nothing of who or when, singers who move from choir to choir.
CREATE TABLE choirs (choir_id INTEGER PRIMARY KEY, choir_nm TEXT NOT NULL, leader_id INTEGER, professional INTEGER NOT NULL);
CREATE TABLE singers (singer_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, birthday DATE, smoker TEXT NOT NULL,
    full_time INTEGER NOT NULL, hometown TEXT, choir_id INTEGER REFERENCES choirs(choir_id));
CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, singer_id INTEGER NOT NULL REFERENCES singers(singer_id),
    from_choir_id INTEGER NOT NULL REFERENCES choirs(choir_id), to_choir_id INTEGER NOT NULL REFERENCES choirs(choir_id));
CREATE TABLE verdicts (code TEXT PRIMARY KEY, description TEXT NOT NULL);
CREATE TABLE auditions (audition_id INTEGER PRIMARY KEY, singer_id INTEGER NOT NULL REFERENCES singers(singer_id),
    held_on DATE NOT NULL, fee_cents INTEGER NOT NULL, verdict_code TEXT REFERENCES verdicts(code));
CREATE TABLE leaves (leave_id INTEGER PRIMARY KEY, singer_id INTEGER NOT NULL REFERENCES singers(singer_id),
    decision TEXT NOT NULL, approved_by INTEGER REFERENCES singers(singer_id));
CREATE TABLE sponsors (sponsor_id INTEGER PRIMARY KEY, company TEXT NOT NULL, phone TEXT);
CREATE TABLE gifts (gift_id INTEGER PRIMARY KEY, sponsor_id INTEGER NOT NULL REFERENCES sponsors(sponsor_id),
    amount REAL NOT NULL, given_on DATE NOT NULL);
CREATE TABLE diagnosis (diagnosis_id INTEGER PRIMARY KEY, diagnosis_name TEXT NOT NULL);
CREATE TABLE complaints (complaint_id INTEGER PRIMARY KEY, singer_id INTEGER NOT NULL REFERENCES singers(singer_id),
    diagnosis_id INTEGER NOT NULL REFERENCES diagnosis(diagnosis_id));
INSERT INTO choirs VALUES (1,'Alba',1,1),(2,'Brio',2,0),(3,'Coda',NULL,0);
INSERT INTO singers VALUES (1,'Ada Berg','1990-11-05','Y',1,'Oslo',1),(2,'Ben Cole','1985-03-05','N',1,'Oslo',1),
    (3,'Cy Dahl','1999-11-30','N',0,'Moss',2),(4,'Di Ek','1970-06-01','Y',0,NULL,2);
INSERT INTO loans VALUES (1,3,1,2);
INSERT INTO verdicts VALUES ('A','Accepted'),('N','No-show');
INSERT INTO auditions VALUES (1,1,'2024-01-05',2500,'A'),(2,2,'2024-02-05',2500,'N'),(3,3,'2024-02-09',4000,'N');
INSERT INTO leaves VALUES (1,3,'approved',1),(2,4,'approved',1),(3,4,'denied',2);
INSERT INTO sponsors VALUES (1,'Moon Ltd',NULL),(2,'Fox Ltd','555'),(3,'Sun Ltd','556');
INSERT INTO gifts VALUES (1,1,100,'2024-01-01'),(2,1,200,'2024-02-01'),(3,2,50,'2024-02-03');
INSERT INTO diagnosis VALUES (1,'Cold'),(2,'Nodules');
INSERT INTO complaints VALUES (1,1,1),(2,2,1),(3,3,2);
