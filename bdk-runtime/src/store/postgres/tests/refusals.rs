//! What a bot says that cannot have its database.

use super::super::Postgres;
use super::server::{database, run, shared};

async fn refusal(url: &str) -> String {
    let error = Postgres::connect(url).await.err().expect("it is refused");
    let said = format!("{error}\n{error:?}");
    assert!(!said.contains("p4ss"), "the password is in: {said}");
    error.to_string()
}

#[tokio::test]
async fn a_wrong_password_is_named_with_what_to_do_and_without_the_password() {
    database().await;
    let said = refusal(&shared().url("postgres").replace("p4ss", "p4ssX")).await;
    assert!(said.contains("as user `bdk`: password authentication failed for user \"bdk\""), "{said}");
    assert!(said.contains(&format!("PostgreSQL at 127.0.0.1:{}", shared().port())), "{said}");
    assert!(said.contains("PGPASSWORD, or in ~/.pgpass"), "{said}");
}

#[tokio::test]
async fn an_unknown_database_is_named_with_how_to_create_it() {
    database().await;
    let said = refusal(&shared().url("nowhere")).await;
    assert!(said.contains("database `nowhere` as user `bdk`: database \"nowhere\" does not exist"), "{said}");
    assert!(said.ends_with("create it with: createdb --owner=bdk nowhere"), "{said}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    // port 1 is nobody's
    let said = refusal("postgres://bdk:p4ss@127.0.0.1:1/bots").await;
    assert!(said.starts_with("PostgreSQL at 127.0.0.1:1, database `bots` as user `bdk`: Connection refused"), "{said}");
    assert!(said.contains("check that the server runs"), "{said}");
    let said = refusal("postgres://bdk:p4ss@[::1]:1/bots").await;
    assert!(said.starts_with("PostgreSQL at ::1:1, database `bots`"), "{said}");
    assert!(!said.contains("lookup"), "an address needs no lookup: {said}");
    let said = refusal("postgres://bdk:p4ss@%2Fnowhere/bots").await;
    assert!(said.starts_with("PostgreSQL at /nowhere/.s.PGSQL.5432, database `bots`"), "{said}");
}

#[tokio::test]
async fn a_url_that_is_none_is_told_without_its_text() {
    let said = refusal("postgres://bdk:p4ss@host:port/bots").await;
    assert!(said.contains("invalid port number"), "{said}");
    assert!(said.contains("postgres://USER:PASSWORD@HOST:PORT/DATABASE"), "{said}");
    let said = refusal("postgres://bdk:p4ss@host/bots?sslmode=maybe").await;
    assert!(said.contains("maybe"), "{said}");
}

#[tokio::test]
async fn a_newer_schema_is_refused_with_both_versions() {
    let url = database().await;
    Postgres::connect(&url).await.unwrap();
    run(&url, "update bdk.schema set version = 99").await;
    let said = refusal(&url).await;
    assert!(said.contains("of version 99, made by a newer bdk; this one knows versions up to 1"), "{said}");
}

#[tokio::test]
async fn a_database_of_another_encoding_is_refused() {
    database().await;
    let create = "create database latin encoding 'LATIN1' locale 'C' template template0";
    run(&shared().socket_url("postgres"), create).await;
    let said = refusal(&shared().socket_url("latin")).await;
    assert!(
        said.contains("`latin` has the encoding LATIN1; create one with: create database latin encoding"),
        "{said}"
    );
}

#[tokio::test]
async fn a_user_who_may_not_make_a_schema_is_told_which_right_is_missing_and_one_made_for_it_will_do() {
    let url = database().await;
    let name = url.rsplit_once('/').unwrap().1;
    run(&url, &format!("create user guest_{name} password 'p4ss'")).await;
    let guests = url.replace("bdk:p4ss%2Fw%25rd", &format!("guest_{name}:p4ss"));
    let said = refusal(&guests).await;
    assert!(said.contains(&format!("grant create on database {name} to guest_{name}")), "{said}");
    run(&url, &format!("create schema bdk authorization guest_{name}")).await;
    Postgres::connect(&guests).await.unwrap();
}

#[tokio::test]
async fn tls_is_used_where_the_server_has_it_and_verified_where_that_is_asked() {
    let url = database().await;
    let url = shared().url(url.rsplit_once('/').unwrap().1);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::copy(shared().certificate(), file.path()).unwrap();
    Postgres::connect(&format!("{url}?sslmode=require")).await.unwrap();
    Postgres::connect(&format!("{url}?sslmode=verify-full&sslrootcert={}", file.path().display())).await.unwrap();
    let said = refusal(&format!("{url}?sslmode=verify-full")).await;
    assert!(said.contains("TLS: ") && said.contains("sslrootcert=FILE"), "{said}");
}

#[tokio::test]
async fn a_server_without_tls_is_refused_where_it_is_asked() {
    let url = database().await;
    // there is none over a unix socket
    Postgres::connect(&url).await.unwrap();
    let said = refusal(&format!("{url}?sslmode=require")).await;
    assert!(said.contains("TLS: server does not support TLS") && said.contains("sslmode=disable"), "{said}");
}
