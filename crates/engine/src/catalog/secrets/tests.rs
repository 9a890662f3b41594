use super::*;

fn class_of(name: &str) -> TypeClass {
    match name {
        "" => TypeClass::Text,
        "integer" => TypeClass::Integer,
        "number" => TypeClass::Number,
        "boolean" => TypeClass::Boolean,
        "date" => TypeClass::Date,
        "timestamp" => TypeClass::Timestamp,
        "enum" => TypeClass::Enum,
        "json" => TypeClass::Json,
        other => panic!("{other} is no class"),
    }
}

#[test]
fn names_and_comments_are_judged_by_their_words() {
    let lines = include_str!("tests.txt").lines();
    let mut wrong = Vec::new();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let parts: Vec<&str> = line.split('|').collect();
        let [name, class, comment, expected] = parts[..] else { panic!("{line}: four parts") };
        let comment = Some(comment).filter(|comment| !comment.is_empty());
        let found = of_column(name, comment, class_of(class));
        if found.unwrap_or_default() != expected {
            wrong.push(format!("{line}: {found:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn values_are_judged_by_their_form() {
    let check =
        |value: &str, expected: Option<&str>| assert_eq!(of_value(value), expected, "{value}");
    let b64 = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ";
    let hash = Some("password hash");
    check("$2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW", hash);
    check("$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b27vQ", hash);
    check("$6$rounds=5000$salt$IxDD3jeSOb5eB1CX5LBsqZFVkJdido3OUILO5Ifz5iwMuTS4XMS130MTSuDD", hash);
    check("md5d41d8cd98f00b204e9800998ecf8427e", hash);
    check("pbkdf2_sha256$260000$abc$def0123456789", hash);
    check("{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", hash);
    check("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0", Some("token"));
    check("Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N", Some("token"));
    check("-----BEGIN RSA PRIVATE KEY-----\nMIIB…", Some("private key"));
    check("-----BEGIN CERTIFICATE-----\nMIIB…", None);
    check("AKIAIOSFODNN7EXAMPLE", Some("key"));
    check("aws_access_key_id=AKIAIOSFODNN7EXAMPLE", Some("key"));
    check("my-AKIA=AKIAIOSFODNN7EXAMPLE", Some("key"));
    check(&format!("ghp_{b64}"), Some("key"));
    check(&format!("sk-proj-{b64}"), Some("key"));
    check("postgres://app:hunter2@db.example/shop", Some("password"));
    check("https://example.com/a:b@c", None);
    check("4111 1111 1111 1111", Some("card number"));
    check("5500005555555559", Some("card number"));
    check("378282246310005", Some("card number"));
    check("4111 1111 1111 1112", None);
    check("1700000000000000", None);
    check("GB82 WEST 1234 5698 7654 32", Some("bank account"));
    check("DE89370400440532013000", Some("bank account"));
    check("DE89370400440532013001", None);
    for plain in [
        "New York",
        "d41d8cd98f00b204e9800998ecf8427e",
        "sk-SK",
        "ASIA PACIFIC REGION",
        "a.b.c",
        "Call 4111 or 5500 for help",
        "user@example.com",
        "2024-01-31 12:00:00",
        "$5 coupon for all of you",
    ] {
        check(plain, None);
    }
}

#[test]
fn a_column_is_judged_by_all_its_values() {
    let looks = |values: &[&str]| {
        let mut looks = Looks::default();
        values.iter().for_each(|value| looks.see(value));
        looks.verdict()
    };
    assert_eq!(looks(&["a", "b", "AKIAIOSFODNN7EXAMPLE"]), Some("key"));
    assert_eq!(looks(&["4111111111111111", "5500005555555559"]), Some("card number"));
    // by chance
    assert_eq!(looks(&["4111111111111111", "4000000000000000", "4000000000000001"]), None);
}

#[test]
fn a_label_goes_before_the_words() {
    let values = |label: Values| label.judged("password", None, TypeClass::Text);
    assert_eq!(values(Values::Shown), Values::Secret("password"));
    assert_eq!(values(Values::Labelled), Values::Labelled);
    assert!(values(Values::Released).let_out("AKIAIOSFODNN7EXAMPLE"));
    assert!(!Values::Shown.let_out("AKIAIOSFODNN7EXAMPLE") && Values::Shown.let_out("Paris"));
}

#[test]
fn a_document_holds_a_secret_if_a_key_at_any_depth_is_called_one() {
    let check = |value: &str, expect: Option<&str>| assert_eq!(of_value(value), expect, "{value}");
    check(r#"{"password": "hunter2"}"#, Some("password"));
    check(r#"{"user": {"auth": [{"apiKey": "letmein"}]}}"#, Some("key"));
    check(r#"[{"pin": 1234}]"#, Some("PIN"));
    check(r#""name"=>"Ann", "password"=>"hunter2""#, Some("password"));
    check(r#"{"{\"token\": \"letmein\"}"}"#, Some("token"));
    check(r#"{"text": "{\"password\": \"hunter2\"}"}"#, Some("password"));
    check("<user><password>hunter2</password></user>", Some("password"));
    check(r#"{"password_changed_at": "2024-01-01", "token": true, "tokens": 5}"#, None);
    check(r#"{"city": "password: none", "name": "Ann"}"#, None);
    check(r#""password" is a word"#, None);
    check("the password: hunter2", None);
}
