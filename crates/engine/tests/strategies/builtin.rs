//! Strategy `builtin` by the forms it covers: a question and the SQL it becomes, or a refusal.

use text2sql_engine::ask;
use text2sql_engine::engine::{Engine, Question};
use text2sql_engine::report::Report;
use text2sql_engine::settings::Settings;

use crate::support::{Patient, database};

/// A music school: dates and times, a self reference, two keys to one table, a linking table, short names.
const SCHOOL: &str = "
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
";

/// A company: roles in keys, two keys between two tables, a table that links two, states told by
/// flags and by dates.
const COMPANY: &str = "
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
";

/// A shop: orders with a total, lines with pieces and prices, ratings, stock.
const SHOP: &str = "
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, category TEXT, price REAL, stock INTEGER);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), ordered_on DATE,
    shipping_cost REAL, total_amount REAL, payment_method TEXT);
CREATE TABLE order_items (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id),
    product_id INTEGER REFERENCES products(id), quantity INTEGER, unit_price REAL);
CREATE TABLE reviews (id INTEGER PRIMARY KEY, product_id INTEGER REFERENCES products(id),
    customer_id INTEGER REFERENCES customers(id), rating INTEGER);
CREATE TABLE rentals (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), days INTEGER);
INSERT INTO rentals VALUES (1,1,3);
INSERT INTO customers VALUES (1,'Ada','Oslo'),(2,'Ben','Bergen');
INSERT INTO products VALUES (1,'Garden Hose','Garden',25,10),(2,'Lamp','Home',40,0);
INSERT INTO orders VALUES (1,1,'2025-01-10',5,55,'card'),(2,2,'2025-02-11',0,40,'cash');
INSERT INTO order_items VALUES (1,1,1,2,25),(2,2,2,1,40);
INSERT INTO reviews VALUES (1,1,1,5),(2,2,1,3);
";

/// An agency: a table called like a verb that asks, states that are dates as well, sizes.
const AGENCY: &str = "
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
";

/// A sports club: people in several parts, a table that links a thing with others of its kind.
const CLUB: &str = "
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
";

/// A trade: states told by flags and dates, units of measure, amounts that joins repeat.
const TRADE: &str = "
CREATE TABLE departments (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE degrees (id INTEGER PRIMARY KEY, title TEXT, department_id INTEGER REFERENCES departments(id));
CREATE TABLE employees (id INTEGER PRIMARY KEY, name TEXT, salary REAL, department_id INTEGER REFERENCES departments(id));
CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT, length_minutes INTEGER, release_year INTEGER, rating TEXT);
CREATE TABLE calls (id INTEGER PRIMARY KEY, caller TEXT, duration_seconds INTEGER);
CREATE TABLE parcels (id INTEGER PRIMARY KEY, code TEXT, weight_grams INTEGER);
CREATE TABLE tunnels (id INTEGER PRIMARY KEY, name TEXT, length REAL);
CREATE TABLE quotes (id INTEGER PRIMARY KEY, bidder TEXT, offer TEXT);
CREATE TABLE pupils (id INTEGER PRIMARY KEY, name TEXT, major INTEGER);
CREATE TABLE cars (id INTEGER PRIMARY KEY, make TEXT, model TEXT, color TEXT, horsepower INTEGER);
CREATE TABLE todos (id INTEGER PRIMARY KEY, title TEXT, done BOOLEAN NOT NULL, due_on DATE);
CREATE TABLE sales (id INTEGER PRIMARY KEY, region TEXT, amt REAL, sold_on DATE);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, country TEXT, joined_on DATE);
CREATE TABLE suppliers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, category TEXT, price_cents INTEGER,
    supplier_id INTEGER REFERENCES suppliers(id));
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), status TEXT, ordered_on DATE,
    delivered_on DATE, deleted_at TIMESTAMP, ship_name TEXT);
CREATE TABLE order_lines (id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id),
    product_id INTEGER REFERENCES products(id), quantity INTEGER, unit_price REAL);
CREATE TABLE invoices (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), amount REAL,
    issued_on DATE, paid_on DATE);
INSERT INTO departments VALUES (1,'Law'),(2,'Arts'),(3,'Physics');
INSERT INTO degrees VALUES (1,'LLB',1),(2,'LLM',1),(3,'Painting',2);
INSERT INTO employees VALUES (1,'Ada Berg',90,1),(2,'Ben Cole',40,1),(3,'Cy Dahl',60,2);
INSERT INTO films VALUES (1,'Long',200,2001,'R'),(2,'Short',80,1999,'PG'),(3,'Middle',125,2005,'G');
INSERT INTO calls VALUES (1,'Ada',400),(2,'Ben',6);
INSERT INTO parcels VALUES (1,'A1',2500),(2,'B2',700),(3,'C3',3);
INSERT INTO tunnels VALUES (1,'North',2500),(2,'South',3.5);
INSERT INTO quotes VALUES (1,'Ada','9.50'),(2,'Ben','100.00');
INSERT INTO pupils VALUES (1,'Eli',600),(2,'Fia',600),(3,'Gus',520);
INSERT INTO cars VALUES (1,'Volvo','V40','red',120),(2,'Fiat','Panda','blue',60);
INSERT INTO todos VALUES (1,'Wash',1,'2024-01-01'),(2,'Cook',0,'2024-02-01'),(3,'Read',0,NULL);
INSERT INTO sales VALUES (1,'North',10,'2024-01-05'),(2,'North',15,'2024-02-05'),(3,'South',7,'2024-02-06');
INSERT INTO customers VALUES (1,'Anna Schmidt','Berlin','Germany','2023-03-05'),(2,'Bo Lie','Oslo','Norway','2023-03-20'),
    (3,'Cal Hill','Austin','USA','2022-01-01'),(4,'Dee Fox','Boston','USA','2024-01-01');
INSERT INTO suppliers VALUES (1,'Acme','USA'),(2,'Nord','Norway');
INSERT INTO products VALUES (1,'Lamp','Home',2500,1),(2,'Hose','Garden',1200,2),(3,'Desk','Home',900,1);
INSERT INTO orders VALUES (1,1,'open','2024-01-01','2024-01-09',NULL,'A. Schmidt'),(2,2,'closed','2024-02-01',NULL,NULL,'B'),
    (3,3,'closed','2024-02-02','2023-12-30','2024-03-01 10:00:00','C');
INSERT INTO order_lines VALUES (1,1,1,2,25),(2,1,2,5,12),(3,2,1,1,25),(4,3,3,1,9);
INSERT INTO invoices VALUES (1,1,110,'2024-01-02','2024-01-20'),(2,1,5,'2024-02-02',NULL),(3,2,25,'2024-02-03',NULL),
    (4,3,9,'2024-02-04','2024-03-01');
";

/// Small tables, each for something that users found answered wrongly.
const TRIALS: &str = "
CREATE TABLE artists (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE albums (id INTEGER PRIMARY KEY, title TEXT, artist_id INTEGER REFERENCES artists(id));
CREATE TABLE tracks (id INTEGER PRIMARY KEY, name TEXT, album_id INTEGER REFERENCES albums(id), genre TEXT);
CREATE TABLE invoices (id INTEGER PRIMARY KEY, issued_on DATE, total REAL);
CREATE TABLE invoice_lines (id INTEGER PRIMARY KEY, invoice_id INTEGER REFERENCES invoices(id),
    track_id INTEGER REFERENCES tracks(id), quantity INTEGER, unit_price REAL);
CREATE TABLE actors (actor_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT);
CREATE TABLE films (film_id INTEGER PRIMARY KEY, title TEXT);
CREATE TABLE film_actor (actor_id INTEGER REFERENCES actors(actor_id), film_id INTEGER REFERENCES films(film_id),
    PRIMARY KEY (actor_id, film_id));
CREATE TABLE t_cust (cust_id INTEGER PRIMARY KEY, cust_nm TEXT);
CREATE TABLE t_ord (ord_id INTEGER PRIMARY KEY, cust_id INTEGER REFERENCES t_cust(cust_id), amt REAL);
CREATE TABLE totals (id INTEGER PRIMARY KEY, label TEXT, n INTEGER);
CREATE TABLE dim_date (date_id INTEGER PRIMARY KEY, year INTEGER, month INTEGER, day INTEGER);
CREATE TABLE fact_visits (id INTEGER PRIMARY KEY, date_id INTEGER REFERENCES dim_date(date_id), visitors INTEGER);
CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE item_attributes (item_id INTEGER REFERENCES items(id), attr TEXT, val TEXT);
CREATE TABLE contracts (id INTEGER PRIMARY KEY, signed_on DATE, expires_on DATE);
CREATE TABLE exams (id INTEGER PRIMARY KEY, subject TEXT, score INTEGER, year INTEGER);
CREATE TABLE learnings (id INTEGER PRIMARY KEY, course TEXT, started_on DATE, completed_on DATE);
CREATE TABLE games (id INTEGER PRIMARY KEY, home TEXT, away TEXT);
CREATE TABLE paintings (id INTEGER PRIMARY KEY, title TEXT, painted_year INTEGER, sold_on DATE);
CREATE TABLE surveys (id INTEGER PRIMARY KEY, region TEXT, approval_percent INTEGER);
CREATE TABLE cities (id INTEGER PRIMARY KEY, name TEXT, population INTEGER);
CREATE TABLE debtors (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE debts (id INTEGER PRIMARY KEY, debtor_id INTEGER REFERENCES debtors(id), amount_owed REAL);
CREATE TABLE candidates (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE votes (id INTEGER PRIMARY KEY, candidate_id INTEGER REFERENCES candidates(id));
INSERT INTO artists VALUES (1,'Ada'),(2,'Ben');
INSERT INTO albums VALUES (1,'Dawn',1),(2,'Dusk',1),(3,'Noon',2);
INSERT INTO tracks VALUES (1,'One',1,'rock'),(2,'Two',1,'jazz'),(3,'Three',2,'rock'),(4,'Four',3,'jazz');
INSERT INTO invoices VALUES (1,'2024-01-01',30),(2,'2024-02-01',10);
INSERT INTO invoice_lines VALUES (1,1,1,2,5),(2,1,3,4,5),(3,2,4,1,10);
INSERT INTO actors VALUES (1,'Eli','Moe'),(2,'Fia','Lie'),(3,'Gus','Dal');
INSERT INTO films VALUES (9,'Alpha'),(1,'Beta');
INSERT INTO film_actor VALUES (1,9),(1,1),(2,1),(3,1);
INSERT INTO t_cust VALUES (1,'Acme'),(2,'Brio');
INSERT INTO t_ord VALUES (1,1,5),(2,1,6),(3,2,7);
INSERT INTO totals VALUES (1,'x',7);
INSERT INTO dim_date VALUES (1,2023,3,1),(2,2023,4,1),(3,2024,3,1);
INSERT INTO fact_visits VALUES (1,1,10),(2,2,20),(3,3,40);
INSERT INTO items VALUES (1,'Shirt'),(2,'Hat');
INSERT INTO item_attributes VALUES (1,'color','red'),(1,'size','M'),(2,'color','blue');
INSERT INTO contracts VALUES (1,'2024-05-01','2025-05-01'),(2,'2023-05-01','2024-05-01');
INSERT INTO exams VALUES (1,'Maths',70,2023),(2,'Maths',90,2024),(3,'Law',80,2024);
INSERT INTO learnings VALUES (1,'Floor','2024-01-01',NULL),(2,'Rings','2024-01-01','2024-02-01');
INSERT INTO games VALUES (1,'Ajax','Brann'),(2,'Cork','Ajax'),(3,'Brann','Cork');
INSERT INTO paintings VALUES (1,'Sea',1890,NULL),(2,'Sun',1920,'2020-01-01');
INSERT INTO surveys VALUES (1,'North',35),(2,'South',55);
INSERT INTO cities VALUES (1,'Oslo',700000),(2,'Tokyo',14000000),(3,'Hamburg',1900000);
INSERT INTO debtors VALUES (1,'Ida Vik'),(2,'Jon Ås'),(3,'Kai Lo');
INSERT INTO debts VALUES (1,1,60),(2,2,50),(3,2,40);
INSERT INTO candidates VALUES (1,'Liv Bo'),(2,'Mia Fu');
INSERT INTO votes VALUES (1,1),(2,1),(3,2);
";

fn sql(question: &str) -> Result<String, String> {
    sql_with_hint(SCHOOL, question, None)
}

fn sql_with_hint(schema: &str, question: &str, hint: Option<&str>) -> Result<String, String> {
    let database = database(schema);
    let settings = Settings::default();
    let engine = Engine { database: &database, model: None, cancel: &Patient, settings: &settings };
    let hint = hint.map(str::to_owned);
    let question = Question { text: question.to_owned(), hint, ..Question::default() };
    match ask::text2sql(&engine, &question) {
        Ok(answer) => Ok(answer.query.sql().to_owned()),
        Err(error) => Err(format!("{}: {}", error.code(), error.detail().unwrap_or_default())),
    }
}

#[test]
fn questions_become_queries() {
    check_cases(SCHOOL, include_str!("builtin.txt"));
}

#[test]
fn questions_about_a_company_become_queries() {
    check_cases(COMPANY, include_str!("company.txt"));
}

#[test]
fn questions_about_an_agency_become_queries() {
    check_cases(AGENCY, include_str!("agency.txt"));
}

#[test]
fn questions_about_a_club_become_queries() {
    check_cases(CLUB, include_str!("club.txt"));
}

#[test]
fn questions_about_a_shop_become_queries() {
    check_cases(SHOP, include_str!("shop.txt"));
}

#[test]
fn a_value_that_is_stored_once_is_not_in_several_places() {
    let report = report(COMPANY, "Which employees work on Apollo?");
    let doubts = report.steps.iter().filter(|s| s.note.contains("several places")).count();
    assert_eq!(doubts, 0, "{:?}", report.steps);
}

#[test]
fn a_table_is_meant_by_its_own_name_before_another_of_the_same_stem() {
    let reviews = "CREATE TABLE reviewers (reviewer_id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE reviews (review_id INTEGER PRIMARY KEY, stars INTEGER,
            reviewer_id INTEGER REFERENCES reviewers(reviewer_id));
        INSERT INTO reviewers VALUES (1,'Sam'); INSERT INTO reviews VALUES (1,5,1);";
    check_cases(
        reviews,
        "reviews per reviewer\nSELECT reviewers.name, count(*) FROM reviewers JOIN reviews ON \
         reviewers.reviewer_id = reviews.reviewer_id GROUP BY reviewers.reviewer_id",
    );
}

#[test]
fn the_way_between_others_says_which_link_is_meant() {
    let links = "CREATE TABLE clubs (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE pupils (id INTEGER PRIMARY KEY, nick TEXT);
        CREATE TABLE teachers (id INTEGER PRIMARY KEY, lname TEXT);
        CREATE TABLE takes_part (pupil_id INTEGER REFERENCES pupils(id), club_id INTEGER REFERENCES clubs(id));
        CREATE TABLE teacher_takes_part (teacher_id INTEGER REFERENCES teachers(id),
            club_id INTEGER REFERENCES clubs(id));
        INSERT INTO clubs VALUES (1,'Chess'); INSERT INTO pupils VALUES (1,'Eli');
        INSERT INTO teachers VALUES (1,'Berg'); INSERT INTO takes_part VALUES (1,1);
        INSERT INTO teacher_takes_part VALUES (1,1);";
    check_cases(
        links,
        "How many clubs does Berg take part in?\nSELECT count(DISTINCT clubs.id) FROM clubs JOIN \
         teacher_takes_part ON clubs.id = teacher_takes_part.club_id JOIN teachers ON teachers.id = \
         teacher_takes_part.teacher_id WHERE teachers.lname = 'Berg'",
    );
}

#[test]
fn what_no_key_relates_is_not_passed_over() {
    let apart = "CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE organizations (id INTEGER PRIMARY KEY, title TEXT);
        INSERT INTO authors VALUES (1,'Ada'); INSERT INTO organizations VALUES (1,'Post');";
    check_cases(
        apart,
        "Which authors are not part of any organization?\n22T01: What must not be there is related \
         in no one way. Not understood: \"not\", \"organization\".\n\nHow many authors have organizations?\n22T01: No keys connect the tables \
         authors, organizations.",
    );
}

/// The rows of a query, in no order.
fn rows(schema: &str, sql: &str) -> Vec<String> {
    let database = database(schema);
    let mut statement = database.connection().prepare(sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
    let width = statement.column_count();
    let row = |row: &rusqlite::Row<'_>| {
        let value = |c| row.get::<_, rusqlite::types::Value>(c).map(|v| format!("{v:?}"));
        (0..width).map(value).collect::<rusqlite::Result<Vec<String>>>().map(|v| v.join("|"))
    };
    let found = statement.query_map([], row).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut rows = found.unwrap_or_else(|e| panic!("{sql}: {e}"));
    rows.sort();
    rows
}

#[test]
fn no_word_is_left_out() {
    check_judged(TRADE, include_str!("every_word.txt"));
}

#[test]
fn what_users_found_wrong_is_right_or_refused() {
    check_judged(TRIALS, include_str!("trials.txt"));
}

fn check_judged(schema: &str, cases: &str) {
    let cases = cases.split("\n\n");
    let wrong: Vec<String> = cases.filter_map(|case| judged(schema, case).err()).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A case of `every_word.txt` or `trials.txt`: what is wrong with what came of it.
fn judged(schema: &str, case: &str) -> Result<(), String> {
    let mut lines = case.lines().filter(|l| !l.starts_with('#'));
    let Some(question) = lines.next() else { return Ok(()) };
    let (question, answered) = match question.strip_prefix('!') {
        Some(question) => (question, true),
        None => (question, false),
    };
    let (hints, lines): (Vec<&str>, Vec<&str>) = lines.partition(|l| l.starts_with("hint: "));
    let hint = hints.first().and_then(|h| h.strip_prefix("hint: "));
    let (refusals, golds): (Vec<&str>, Vec<&str>) =
        lines.into_iter().partition(|line| line.starts_with("refused:"));
    match sql_with_hint(schema, question, hint) {
        Ok(sql) if golds.iter().any(|gold| rows(schema, gold) == rows(schema, &sql)) => Ok(()),
        Ok(sql) => Err(format!("{question}\n  wrong {sql}")),
        Err(refusal) if answered => Err(format!("{question}\n  refused {refusal}")),
        Err(refusal) => match refusals.first().map(|line| line["refused:".len()..].trim()) {
            Some(word) if !refusal.contains(word) => {
                Err(format!("{question}\n  does not name \"{word}\": {refusal}"))
            }
            _ => Ok(()),
        },
    }
}

/// Each case: a question, its hint if it has one, and the SQL or the refusal it comes to.
fn check_cases(schema: &str, cases: &str) {
    let mut wrong = Vec::new();
    for case in cases.split("\n\n") {
        let mut lines = case.lines().filter(|l| !l.starts_with('#'));
        let Some(question) = lines.next() else { continue };
        let (hints, sqls): (Vec<&str>, Vec<&str>) = lines.partition(|l| l.starts_with("hint: "));
        let hint = hints.first().and_then(|h| h.strip_prefix("hint: "));
        let expected = *sqls.first().expect("a query");
        let got = sql_with_hint(schema, question, hint).unwrap_or_else(|refusal| refusal);
        if got != expected {
            let report = report(schema, question);
            let read = report.steps.first().map(|step| &*step.note).unwrap_or_default();
            wrong.push(format!("{question}\n  expected {expected}\n  got      {got}\n  {read}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_the_database_does_not_hold_is_refused_with_the_words() {
    let check = |question: &str, word: &str| {
        let refusal = sql(question).expect_err(question);
        assert!(refusal.starts_with("22T01") && refusal.contains(word), "{question}: {refusal}");
    };
    check("What will the weather be tomorrow?", "weather");
    check("Which pupils like chocolate?", "chocolate");
    check("Who is the president of Norway?", "president");
    check("Delete all pupils", "Delete");
    check("qwer asdf", "qwer");
}

#[test]
fn a_word_that_would_change_the_answer_is_not_passed_over() {
    let check = |question: &str, word: &str| {
        let refusal = sql(question).expect_err(question);
        assert!(refusal.starts_with("22T01") && refusal.contains(word), "{question}: {refusal}");
    };
    check("What is the median price of instruments?", "median");
    check("Who are our best pupils?", "best");
    check("Average lesson value", "Average");
    check("the heaviest instrument", "heaviest");
    check("What is the total price of instruments in 2024?", "2024");
    check("How many instruments are out of lessons?", "out");
    check("What is the unit price per room?", "each");
    check("What is the price per family of instruments?", "total");
    // an attendance is not as old as its pupil
    check("the oldest attendance", "the oldest");
}

#[test]
fn the_glossary_says_what_words_mean() {
    let database = database(SCHOOL);
    let glossary = "CREATE TABLE text2sql_hint (term TEXT PRIMARY KEY, meaning TEXT NOT NULL);
        INSERT INTO text2sql_hint VALUES ('evening lesson', 'minutes > 50'),
            ('income', 'units * unit_price'), ('staff', 'teachers');";
    database.connection().execute_batch(glossary).expect("a glossary");
    let settings = Settings::default();
    let engine = Engine { database: &database, model: None, cancel: &Patient, settings: &settings };
    let check = |question: &str, expected: &str| {
        let question = Question { text: question.to_owned(), ..Question::default() };
        let answer = ask::text2sql(&engine, &question).expect(&question.text);
        assert_eq!(answer.query.sql(), expected, "{}", question.text);
    };
    check("How many evening lessons are there?", "SELECT count(*) FROM lessons WHERE minutes > 50");
    check("How many staff are there?", "SELECT count(*) FROM teachers");
    check("What is the total income?", "SELECT sum(units * unit_price) AS income FROM payments");
}

/// What came of a question, for `explain()`.
fn report(schema: &str, question: &str) -> Report {
    let database = database(schema);
    let settings = Settings::default();
    let engine = Engine { database: &database, model: None, cancel: &Patient, settings: &settings };
    let question = Question { text: question.to_owned(), ..Question::default() };
    ask::explain(&engine, &question, false).expect("nobody cancels")
}

#[test]
fn interpretations_are_ranked_and_the_chosen_one_comes_first() {
    let report = report(SCHOOL, "What are the different cities?");
    let [first, second, ..] = report.interpretations.as_slice() else {
        panic!("pupils and teachers have cities: {:?}", report.interpretations)
    };
    assert!(first.score >= second.score && first.sql != second.sql);
    assert!(second.why.contains("rather than"), "{}", second.why);
}

#[test]
fn a_refusal_suggests_a_question_that_has_an_answer() {
    let check = |question: &str, about: &str| {
        let failure = report(SCHOOL, question).error.expect(question);
        let hint = failure.hint.expect("a suggestion");
        assert!(hint.contains(about), "{question}: {hint}");
        let asked = hint.split('\'').nth(1).expect("a command to type");
        sql(asked).unwrap_or_else(|refusal| panic!("{asked}: {refusal}"));
    };
    check("Which pupils like chocolate?", "pupils has id, name, age, sex, city");
    check("How happy are the teachers?", "teachers has");
    check("qwer asdf", "Tables: ");
}

#[test]
fn a_refusal_leads_on_to_the_question_without_what_was_not_understood() {
    let hint = |question: &str| {
        let failure = report(TRADE, question).error.expect(question);
        failure.hint.expect("a suggestion")
    };
    let near = hint("How many international customers are there?");
    assert!(near.starts_with("SELECT text2sql('How many customers are there?');"), "{near}");
    for question in ["help", "What can I ask?", "Which tables are there?"] {
        let examples = hint(question);
        assert!(examples.matches("SELECT text2sql(").count() > 2, "{question}: {examples}");
    }
}

#[test]
fn every_word_is_accounted_for() {
    let accounting = |question: &str| -> Vec<(String, String)> {
        let told = report(TRADE, question).accounting.into_iter();
        told.map(|account| (account.words, account.role)).collect()
    };
    let told = accounting("Please show international films longer than 3 hours");
    let role = |word: &str| {
        let found = told.iter().find(|(words, _)| words == word);
        found.map(|(_, role)| role.as_str()).unwrap_or_default()
    };
    assert_eq!(role("Please"), "courtesy");
    assert_eq!(role("international"), "unread");
    assert_eq!((role("films"), role("3"), role("hours")), ("table", "number", "phrase"));
    let told = accounting("How many customers from Norway are there?");
    assert!(told.iter().all(|(_, role)| role != "unread"), "{told:?}");
    let told = accounting("customers from Norway");
    assert!(told.contains(&(String::new(), "default: customers.name".to_owned())), "{told:?}");
}
