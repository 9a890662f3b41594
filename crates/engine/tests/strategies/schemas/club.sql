-- A sports club: people in several parts, a table that links a thing with others of its kind.
CREATE TABLE people (id INTEGER PRIMARY KEY, FName TEXT, LName TEXT, height REAL, weight REAL, born_on DATE, city TEXT);
CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT, captain_id INTEGER REFERENCES people(id));
CREATE TABLE gymnasts (person_id INTEGER PRIMARY KEY REFERENCES people(id), points REAL,
    team_id INTEGER REFERENCES teams(id));
CREATE TABLE trainers (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES people(id), licence TEXT);
CREATE TABLE halls (id INTEGER PRIMARY KEY, name TEXT, street TEXT);
CREATE TABLE mats (id INTEGER PRIMARY KEY, colour TEXT, hall_id INTEGER REFERENCES halls(id));
CREATE TABLE courses (id INTEGER PRIMARY KEY, title TEXT, hall_id INTEGER REFERENCES halls(id),
    trainer_id INTEGER REFERENCES trainers(id));
CREATE TABLE enrolments (course_id INTEGER REFERENCES courses(id), person_id INTEGER REFERENCES people(id),
    PRIMARY KEY (course_id, person_id));
CREATE TABLE requirements (course_id INTEGER REFERENCES courses(id), required_id INTEGER REFERENCES courses(id),
    PRIMARY KEY (course_id, required_id));
CREATE TABLE course_attendance (course_id INTEGER, person_id INTEGER, held_on DATE,
    FOREIGN KEY (course_id, person_id) REFERENCES enrolments(course_id, person_id));
INSERT INTO people VALUES (1,'Ada','Berg',1.7,60,'1990-01-01','Oslo'),(2,'Ben','Cole',1.9,80,'1985-05-05','Bergen'),
    (3,'Cy','Dahl',1.8,75,'2001-02-03','Oslo');
INSERT INTO teams VALUES (1,'Comets',2),(2,'Owls',3);
INSERT INTO gymnasts VALUES (1,57.5,1),(3,60.1,2);
INSERT INTO trainers VALUES (1,2,'A');
INSERT INTO halls VALUES (1,'North','Alder Way'),(2,'South','Birch Way');
INSERT INTO mats VALUES (1,'red',1),(2,'blue',1),(3,'red',2);
INSERT INTO courses VALUES (1,'Floor',1,1),(2,'Rings',1,1),(3,'Vault',2,1);
INSERT INTO enrolments VALUES (1,1),(2,1),(2,3);
INSERT INTO requirements VALUES (2,1),(3,1);
INSERT INTO course_attendance VALUES (2,1,'2025-01-01');
