-- A music school: dates and times, a self reference, two keys to one table, a linking table, short names.
CREATE TABLE rooms (id INTEGER PRIMARY KEY, name TEXT, floor INTEGER, seats INTEGER);
CREATE TABLE teachers (id INTEGER PRIMARY KEY, fname TEXT, lname TEXT, salary REAL, city TEXT,
    hired_on DATE, mentor_id INTEGER REFERENCES teachers(id), phone TEXT);
CREATE TABLE instruments (code TEXT PRIMARY KEY, name TEXT, family TEXT, price REAL);
CREATE TABLE lessons (id INTEGER PRIMARY KEY, teacher_id INTEGER REFERENCES teachers(id),
    instrument_code TEXT REFERENCES instruments(code), room_id INTEGER REFERENCES rooms(id),
    held_on DATE, minutes INTEGER);
CREATE TABLE pupils (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, sex TEXT, city TEXT);
CREATE TABLE attendance (pupil_id INTEGER REFERENCES pupils(id),
    lesson_id INTEGER REFERENCES lessons(id), PRIMARY KEY (pupil_id, lesson_id));
CREATE TABLE payments (id INTEGER PRIMARY KEY, pupil_id INTEGER REFERENCES pupils(id), method TEXT,
    units INTEGER, unit_price REAL, due_on DATE, paid_at TIMESTAMP);
CREATE TABLE moves (id INTEGER PRIMARY KEY, instrument_code TEXT REFERENCES instruments(code),
    from_room_id INTEGER REFERENCES rooms(id), to_room_id INTEGER REFERENCES rooms(id));
INSERT INTO rooms VALUES (1,'Attic',3,10),(2,'Hall',0,200),(3,'Studio',1,25);
INSERT INTO teachers VALUES (1,'Ada','Berg',5200,'Oslo','2015-03-01',NULL,'11'),
    (2,'Ben','Cole',4100,'Bergen','2019-09-15',1,NULL),(3,'Cy','Dahl',3900,'Oslo','2021-01-10',1,'33');
INSERT INTO instruments VALUES ('vn','Violin','Strings',900),('pn','Piano','Keys',7000),('fl','Flute','Woodwind',400);
INSERT INTO lessons VALUES (1,1,'vn',1,'2023-02-01',45),(2,1,'pn',2,'2023-05-01',60),
    (3,2,'fl',3,'2024-02-01',30),(4,3,'vn',1,'2024-03-01',45);
INSERT INTO pupils VALUES (1,'Eli',9,'M','Oslo'),(2,'Fia',12,'F','Bergen'),(3,'Gus',15,'M','Oslo'),(4,'Ida',15,'F',NULL);
INSERT INTO attendance VALUES (1,1),(2,1),(2,2),(3,3);
INSERT INTO moves VALUES (1,'vn',1,2),(2,'pn',2,3),(3,'vn',2,1);
INSERT INTO payments VALUES (1,1,'card',2,30,'2024-01-31','2024-01-20 10:00:00'),
    (2,1,'cash',1,30,'2024-02-29','2024-03-02 09:30:00'),(3,2,'card',4,25,'2024-03-31','2024-03-28 18:00:00');
