use super::*;

fn error(url: &str) -> String {
    PostgresServer::new(url, None, None)
        .unwrap_err()
        .to_string()
}

#[test]
fn a_url_that_cannot_be_used_says_what_is_missing() {
    assert!(error("what is this").contains("is not a URL"));
    assert!(error("postgresql:///db").contains("names no host"));
    assert!(error("postgresql://db1/db").contains("names no user"));
    assert!(error("postgresql://me@db1/db?sslmode=require").contains("--postgres-ca"));
    let looked_at = |url: &str| {
        let server = PostgresServer::looked_at(url, None, None);
        server.unwrap_err().to_string()
    };
    let with_tls = looked_at("postgres://me@db1/db?sslmode=require");
    assert!(with_tls.contains("with --tls-ca FILE"), "{with_tls}");
    let refused = looked_at("postgres://me:hunter2@db1/db");
    assert!(
        refused.starts_with("the address has a password"),
        "{refused}"
    );
    assert!(!refused.contains("hunter2"), "{refused}");
}

#[test]
fn a_password_stays_out_of_the_url_and_of_all_texts() {
    let refused = error("postgresql://me:hunter2@db1/db");
    assert!(refused.contains("BAKEOFF_POSTGRES_PASSWORD"), "{refused}");
    assert!(!refused.contains("hunter2"), "{refused}");
    let server = PostgresServer::new("postgresql://me@db1:5433/db", Some("hunter2"), None);
    assert_eq!(
        format!("{:?}", server.unwrap()),
        "PostgresServer(me@db1:5433/db)"
    );
}

#[test]
fn each_host_of_a_url_is_a_server() {
    let url = "postgresql://me@db1:5433,db2/db?sslmode=disable";
    let several = PostgresServer::new(url, Some("hunter2"), None).unwrap();
    assert_eq!(several.to_string(), "me@db1:5433,db2:5432/db");
    let each = several.each();
    let names: Vec<String> = each.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["me@db1:5433/db", "me@db2:5432/db"]);
    for server in &each {
        assert_eq!(server.config.get_password(), several.config.get_password());
        assert_eq!(server.config.get_ssl_mode(), SslMode::Disable);
        assert_eq!(server.config.get_tcp_user_timeout(), Some(&GONE_AFTER));
    }
    let one = PostgresServer::new("postgresql://me@db1/db", None, None).unwrap();
    assert_eq!(one.each().len(), 1);
    assert_eq!(one.places(), [("db1".to_owned(), 5432)]);
}

#[test]
fn a_server_that_is_gone_is_noticed_within_minutes() {
    let named = PostgresServer::new("postgresql://me@db1/db", None, None).unwrap();
    let ours = PostgresServer::local("127.0.0.1:5432".parse().unwrap(), "me", "secret");
    for config in [named.config, ours.config] {
        assert!(config.get_keepalives());
        let asked_for = config.get_keepalives_interval().unwrap() * QUESTIONS;
        let noticed_after = config.get_keepalives_idle() + asked_for;
        assert!(noticed_after < Duration::from_secs(120));
        assert_eq!(config.get_tcp_user_timeout(), Some(&GONE_AFTER));
    }
}

#[tokio::test]
async fn nobody_at_the_address_is_a_clear_error() {
    let server = PostgresServer::new("postgresql://me@127.0.0.1:1/db", None, None).unwrap();
    let error = server.connect("").await.unwrap_err().to_string();
    let begin = "cannot connect to PostgreSQL at me@127.0.0.1:1/db: ";
    assert!(error.starts_with(begin), "{error}");
    assert!(error.contains("host and port"), "{error}");
}
