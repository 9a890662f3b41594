-- An agency: a table called like a verb that asks, states that are dates as well, sizes.
CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT, born_on DATE);
CREATE TABLE houses (id INTEGER PRIMARY KEY, address TEXT, city TEXT, kind TEXT, area_sqm INTEGER, rooms INTEGER,
    owner_id INTEGER REFERENCES owners(id));
CREATE TABLE deliveries (id INTEGER PRIMARY KEY, house_id INTEGER REFERENCES houses(id), arrival_time TIMESTAMP,
    unit_fee REAL);
CREATE TABLE labels (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE house_labels (house_id INTEGER REFERENCES houses(id), label_id INTEGER REFERENCES labels(id),
    PRIMARY KEY (house_id, label_id));
CREATE TABLE visits (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owners(id),
    house_id INTEGER REFERENCES houses(id), entered_on DATE);
CREATE TABLE furniture (id INTEGER PRIMARY KEY, name TEXT, house_id INTEGER REFERENCES houses(id), price REAL);
CREATE TABLE guests (id INTEGER PRIMARY KEY, name TEXT, active TEXT, is_regular INTEGER, pets INTEGER, diet TEXT);
CREATE TABLE stays (id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guests(id), amount REAL, nights INTEGER);
CREATE TABLE defects (id INTEGER PRIMARY KEY, house_id INTEGER REFERENCES houses(id), severity TEXT, found_on DATE,
    monthly_cost REAL);
CREATE TABLE listings (id INTEGER PRIMARY KEY, house_id INTEGER REFERENCES houses(id), price INTEGER, status TEXT,
    listed_on DATE, sold_on DATE);
CREATE TABLE offers (id INTEGER PRIMARY KEY, listing_id INTEGER REFERENCES listings(id), amount INTEGER);
INSERT INTO owners VALUES (1,'Ida Moe','1970-04-01');
INSERT INTO houses VALUES (1,'Alder Way 1','Oslo','cottage',80,3,1),(2,'Birch Way 2','Oslo','villa',200,7,1),
    (3,'Cedar Way 3','Bergen','villa',150,6,NULL);
INSERT INTO deliveries VALUES (1,1,'2025-01-05 10:00:00',2);
INSERT INTO visits VALUES (1,1,3,'2025-05-05');
INSERT INTO furniture VALUES (1,'Table',1,120);
INSERT INTO guests VALUES (1,'Ola Lie','Y',1,0,'vegan'),(2,'Per Vik','N',0,1,'none');
INSERT INTO stays VALUES (1,1,90,2);
INSERT INTO labels VALUES (1,'sunny');
INSERT INTO house_labels VALUES (1,1);
INSERT INTO defects VALUES (1,1,'severe','2025-01-05',20),(2,2,'mild','2025-02-05',5);
INSERT INTO listings VALUES (1,1,300,'sold','2025-01-10','2025-03-01'),(2,2,900,'on hold','2025-02-01',NULL);
INSERT INTO offers VALUES (1,1,290),(2,1,300),(3,2,800);
