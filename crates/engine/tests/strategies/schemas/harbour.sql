-- Boats for rent: what is said of things by their states, rates, dates and single measures.
CREATE TABLE boats (boat_id INTEGER PRIMARY KEY, name TEXT NOT NULL, callsign TEXT, electric BOOLEAN, hourly_fee REAL);
CREATE TABLE skippers (skipper_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, email TEXT, hired_on DATE,
    insured BOOLEAN, newsletter BOOLEAN);
CREATE TABLE rentals (rental_id INTEGER PRIMARY KEY, boat INTEGER NOT NULL REFERENCES boats(boat_id),
    skipper_id INTEGER NOT NULL REFERENCES skippers(skipper_id), booked_on DATE, ended_on DATE, method TEXT, price REAL,
    hours REAL);
CREATE TABLE deposits (deposit_id INTEGER PRIMARY KEY, rental_id INTEGER NOT NULL REFERENCES rentals(rental_id),
    method TEXT NOT NULL, paid REAL);
CREATE TABLE damages (damage_id INTEGER PRIMARY KEY, rental_id INTEGER NOT NULL REFERENCES rentals(rental_id),
    severity INTEGER);
CREATE TABLE reviews (review_id INTEGER PRIMARY KEY, skipper_id INTEGER NOT NULL REFERENCES skippers(skipper_id),
    stars INTEGER);
INSERT INTO boats VALUES (1,'Heron','KITTIWAKES',1,15),(2,'Tern','TERN1',0,30);
INSERT INTO skippers VALUES (1,'Ada','Berg','a@x','2020-01-01',1,0),(2,'Ben','Cole','b@x','2018-01-01',0,1);
INSERT INTO rentals VALUES (1,1,1,'2025-05-01','2025-05-02','card',40,2),(2,2,2,'2025-06-01',NULL,'cash',90,3),
    (3,1,2,'2025-06-02',NULL,'card',60,4);
INSERT INTO deposits VALUES (1,1,'card',30),(2,2,'cash',80);
INSERT INTO damages VALUES (1,1,2),(2,3,5);
INSERT INTO reviews VALUES (1,1,1),(2,2,5);
