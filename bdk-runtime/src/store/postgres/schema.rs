//! The tables, and how they come to be: by versions, one process at a time.

use super::connect::Server;
use crate::Error;
use sqlx::{Connection, Executor, PgConnection};

/// What makes each version of the one before it: only ever appended to.
const STEPS: [&str; 1] = ["
    create table bdk.sessions (
        id bytea primary key,
        owner_kind bytea not null,
        owner_subject bytea not null,
        facts bytea not null,
        status text not null,
        token bytea not null unique,
        created_at bigint not null,
        updated_at bigint not null,
        events bigint not null
    );
    create index sessions_by_age on bdk.sessions (created_at, id);
    create index sessions_by_owner on bdk.sessions (owner_kind, owner_subject, created_at, id);
    create table bdk.events (
        session bytea not null,
        index bigint not null,
        kind text not null,
        at bigint not null,
        data bytea not null,
        primary key (session, index)
    );
    create table bdk.keys (
        scope bytea not null,
        key bytea not null,
        fingerprint bytea not null,
        call_id bytea not null,
        outcome bytea,
        expires bigint not null,
        primary key (scope, key)
    );
    create index keys_by_end on bdk.keys (expires);
    create table bdk.calls (
        call_id bytea primary key,
        process bigint not null,
        tool bytea not null,
        session bytea,
        scope bytea,
        key bytea,
        began bigint not null
    );
    create sequence bdk.versions;
    create table bdk.values (
        space bytea not null,
        key bytea not null,
        value bytea not null,
        version bigint not null,
        expires bigint,
        primary key (space, key)
    );
    create index values_by_end on bdk.values (expires) where expires is not null;
    create table bdk.files (
        space bytea not null,
        path bytea not null,
        meta bytea not null,
        session bytea,
        expires bigint,
        bytes bytea not null,
        primary key (space, path)
    );
    alter table bdk.files alter column bytes set storage external;
    create index files_by_session on bdk.files (session) where session is not null;
    create index files_by_end on bdk.files (expires) where expires is not null;
"];

/// "bdk" and a number of our own: whoever changes the schema holds this lock.
const LOCK: i64 = 0x0062_646b_0000_0001;

/// Makes the tables, or brings them up to date.
pub(super) async fn migrate(mut conn: PgConnection, server: &Server) -> Result<(), Error> {
    let found = apply(&mut conn).await.map_err(|e| server.refused(&e))?;
    let _ = conn.close().await;
    let known = STEPS.len();
    match usize::try_from(found) {
        Ok(found) if found <= known => Ok(()),
        _ => Err(Error::new(format!(
            "the schema `bdk` of the database is of version {found}, made by a newer bdk; this one knows versions up to {known}: \
             start the bot that was built last, or name another database"
        ))),
    }
}

/// The version that the schema has now.
async fn apply(conn: &mut PgConnection) -> Result<i32, sqlx::Error> {
    // others may be at it: the lock is waited for as long as that takes, and ends with the transaction
    let mut tx = conn.begin().await?;
    tx.execute("set local statement_timeout = 0").await?;
    sqlx::query("select pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *tx).await?;
    let there: (bool, bool) =
        sqlx::query_as("select to_regnamespace('bdk') is not null, to_regclass('bdk.schema') is not null")
            .fetch_one(&mut *tx)
            .await?;
    if !there.0 {
        // asked first: `if not exists` wants the right to create it also where it is there
        tx.execute("create schema bdk").await?;
    }
    if !there.1 {
        tx.execute("create table bdk.schema (version int not null); insert into bdk.schema values (0)").await?;
    }
    let found: i32 = sqlx::query_scalar("select version from bdk.schema").fetch_one(&mut *tx).await?;
    let Some(missing) = usize::try_from(found).ok().and_then(|found| STEPS.get(found..)) else { return Ok(found) };
    if missing.is_empty() {
        return Ok(found);
    }
    for step in missing {
        sqlx::raw_sql(*step).execute(&mut *tx).await?;
    }
    let version = i32::try_from(STEPS.len()).unwrap_or(i32::MAX);
    sqlx::query("update bdk.schema set version = $1").bind(version).execute(&mut *tx).await?;
    tx.commit().await?;
    Ok(version)
}
