//! What each op is in SQL. Each statement has a text of its own, so that it is prepared once a connection.

use super::{
    read::{key_row, silence},
    row::{maybe_text, micros, text, time, unsigned},
    write::Fault,
};
use crate::store::{Did, Expect, NewEvent, Op, OpenCall, SessionRow, StoreError, StoredFile};
use crate::{Timestamp, store::Status};
use sqlx::{
    PgConnection, Postgres, Row,
    postgres::{PgArguments, PgRow},
    query::Query,
};
use std::sync::Arc;

/// Does one op in the transaction that is open.
pub(super) async fn apply(conn: &mut PgConnection, op: &Op, process: i64) -> Result<Did, Fault> {
    match op {
        Op::OpenSession(row) => open_session(conn, row).await,
        Op::Append { session, at, status, events } => append(conn, session, *at, *status, events).await,
        Op::SetToken { session, expected, token } => set_token(conn, session, expected, token).await,
        Op::DeleteSession { session } => delete_session(conn, session).await,
        Op::BeginCall(call) => begin_call(conn, call, process).await,
        Op::EndCall { call_id } => {
            existed(conn, sqlx::query("delete from bdk.calls where call_id = $1").bind(call_id.as_bytes())).await
        }
        Op::ClaimKey { scope, key, fingerprint, call_id, now, expires } => {
            claim_key(conn, (scope, key), fingerprint, call_id, *now, *expires).await
        }
        Op::SettleKey { scope, key, outcome } => {
            let settle = sqlx::query("update bdk.keys set outcome = $3 where scope = $1 and key = $2");
            existed(conn, settle.bind(scope.as_bytes()).bind(key.as_bytes()).bind(outcome.as_bytes())).await
        }
        Op::ReleaseKey { scope, key } => {
            let release = sqlx::query("delete from bdk.keys where scope = $1 and key = $2");
            existed(conn, release.bind(scope.as_bytes()).bind(key.as_bytes())).await
        }
        Op::PutValue { space, key, value, now, expires, expect } => {
            put_value(conn, (space, key), value, *now, *expires, *expect).await
        }
        Op::DeleteValue { space, key, now } => {
            let delete =
                "delete from bdk.values where space = $1 and key = $2 returning expires is null or expires > $3";
            held(conn, sqlx::query(delete).bind(space.as_bytes()).bind(key.as_bytes()).bind(micros(*now))).await
        }
        Op::PutFile { space, path, file } => put_file(conn, space, path, file).await,
        Op::DeleteFile { space, path, now } => {
            let delete =
                "delete from bdk.files where space = $1 and path = $2 returning expires is null or expires > $3";
            held(conn, sqlx::query(delete).bind(space.as_bytes()).bind(path.as_bytes()).bind(micros(*now))).await
        }
        Op::Purge { now } => purge(conn, *now).await,
    }
}

type Statement<'q> = Query<'q, Postgres, PgArguments>;

/// How many rows it concerned.
async fn rows(conn: &mut PgConnection, statement: Statement<'_>) -> Result<u64, sqlx::Error> {
    Ok(silence(statement.execute(conn)).await?.rows_affected())
}

async fn first(conn: &mut PgConnection, statement: Statement<'_>) -> Result<Option<PgRow>, sqlx::Error> {
    silence(statement.fetch_optional(conn)).await
}

async fn existed(conn: &mut PgConnection, statement: Statement<'_>) -> Result<Did, Fault> {
    Ok(Did::Existed(rows(conn, statement).await? > 0))
}

/// What was deleted says whether it had not expired.
async fn held(conn: &mut PgConnection, statement: Statement<'_>) -> Result<Did, Fault> {
    Ok(Did::Existed(first(conn, statement).await?.map_or(Ok(false), |row| row.try_get(0))?))
}

async fn open_session(conn: &mut PgConnection, row: &SessionRow) -> Result<Did, Fault> {
    let insert =
        sqlx::query("insert into bdk.sessions values ($1, $2, $3, $4, $5, $6, $7, $8, 0) on conflict do nothing")
            .bind(row.id.as_bytes())
            .bind(row.owner.kind.as_bytes())
            .bind(row.owner.subject.as_bytes())
            .bind(row.facts.as_bytes())
            .bind(row.status.as_str())
            .bind(row.token.as_bytes())
            .bind(micros(row.created_at))
            .bind(micros(row.updated_at));
    match rows(conn, insert).await? {
        0 => Err(StoreError::Conflict.into()),
        _ => Ok(Did::Done),
    }
}

/// The row of the session is what gives the indexes: who has it locked is next.
async fn append(
    conn: &mut PgConnection,
    session: &str,
    at: Timestamp,
    status: Option<Status>,
    events: &[NewEvent],
) -> Result<Did, Fault> {
    let append = "with head as (
            update bdk.sessions
            set events = events + cardinality($4::text[]), updated_at = $2, status = coalesce($3, status)
            where id = $1
            returning events - cardinality($4::text[]) as first
        ), put as (
            insert into bdk.events
            select $1, first + n - 1, kind, $2, data
            from head, unnest($4::text[], $5::bytea[]) with ordinality as new (kind, data, n)
        )
        select first from head";
    let kinds: Vec<&str> = events.iter().map(|event| event.kind).collect();
    let data: Vec<&[u8]> = events.iter().map(|event| event.data.as_bytes()).collect();
    let append = sqlx::query(append)
        .bind(session.as_bytes())
        .bind(micros(at))
        .bind(status.map(Status::as_str))
        .bind(kinds)
        .bind(data);
    match first(conn, append).await? {
        Some(row) => Ok(Did::Index(unsigned(&row, 0)?)),
        None => Err(StoreError::UnknownSession.into()),
    }
}

async fn set_token(conn: &mut PgConnection, session: &str, expected: &str, token: &str) -> Result<Did, Fault> {
    let set = sqlx::query("update bdk.sessions set token = $3 where id = $1 and token = $2");
    if rows(conn, set.bind(session.as_bytes()).bind(expected.as_bytes()).bind(token.as_bytes())).await? > 0 {
        return Ok(Did::Done);
    }
    let ask = sqlx::query("select 1 from bdk.sessions where id = $1").bind(session.as_bytes());
    match first(conn, ask).await? {
        Some(_) => Err(StoreError::Conflict.into()),
        None => Err(StoreError::UnknownSession.into()),
    }
}

async fn delete_session(conn: &mut PgConnection, session: &str) -> Result<Did, Fault> {
    // its row first: whoever appends to it now is waited for, and nobody does afterwards
    let deleted = existed(conn, sqlx::query("delete from bdk.sessions where id = $1").bind(session.as_bytes())).await?;
    if deleted == Did::Existed(true) {
        rows(conn, sqlx::query("delete from bdk.events where session = $1").bind(session.as_bytes())).await?;
        rows(conn, sqlx::query("delete from bdk.files where session = $1").bind(session.as_bytes())).await?;
    }
    Ok(deleted)
}

async fn begin_call(conn: &mut PgConnection, call: &OpenCall, process: i64) -> Result<Did, Fault> {
    let (scope, key) = call.key.as_ref().map(|(scope, key)| (scope.as_bytes(), key.as_bytes())).unzip();
    let begin = "insert into bdk.calls (call_id, process, tool, session, scope, key, began) values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (call_id) do update set process = excluded.process, tool = excluded.tool, session = excluded.session,
            scope = excluded.scope, key = excluded.key, began = excluded.began";
    let begin = sqlx::query(begin)
        .bind(call.call_id.as_bytes())
        .bind(process)
        .bind(call.tool.as_bytes())
        .bind(call.session.as_ref().map(|session| session.as_bytes()))
        .bind(scope)
        .bind(key)
        .bind(micros(call.began));
    rows(conn, begin).await?;
    Ok(Did::Done)
}

/// The calls of other processes whose lock can be had: see `alive.rs`.
pub(super) async fn take_cut_off(conn: &mut PgConnection, process: i64) -> Result<Vec<OpenCall>, sqlx::Error> {
    let take = "delete from bdk.calls where process <> $1 and pg_try_advisory_xact_lock(process)
        returning call_id, tool, session, scope, key, began";
    let calls = silence(sqlx::query(take).bind(process).fetch_all(conn)).await?;
    let read = |row: &PgRow| {
        let key = maybe_text(row, 3)?.zip(maybe_text(row, 4)?);
        Ok(OpenCall {
            call_id: text(row, 0)?.into(),
            tool: text(row, 1)?,
            session: maybe_text(row, 2)?.map(Into::into),
            key: key.map(|(scope, key)| (scope.into(), key.into())),
            began: time(row.try_get(5)?)?,
        })
    };
    calls.iter().map(read).collect()
}

async fn claim_key(
    conn: &mut PgConnection,
    (scope, key): (&Arc<str>, &Arc<str>),
    fingerprint: &str,
    call_id: &str,
    now: Timestamp,
    expires: Timestamp,
) -> Result<Did, Fault> {
    let claim = "insert into bdk.keys as there (scope, key, fingerprint, call_id, outcome, expires)
        values ($1, $2, $3, $4, null, $6)
        on conflict (scope, key) do update
        set fingerprint = excluded.fingerprint, call_id = excluded.call_id, outcome = null, expires = excluded.expires
        where there.expires <= $5";
    let claim = sqlx::query(claim)
        .bind(scope.as_bytes())
        .bind(key.as_bytes())
        .bind(fingerprint.as_bytes())
        .bind(call_id.as_bytes())
        .bind(micros(now))
        .bind(micros(expires));
    if rows(conn, claim).await? > 0 {
        return Ok(Did::Done);
    }
    // the claim has locked the row that was in its way: it is still there
    let ask = sqlx::query("select fingerprint, call_id, outcome from bdk.keys where scope = $1 and key = $2");
    let taken = silence(ask.bind(scope.as_bytes()).bind(key.as_bytes()).fetch_one(conn)).await?;
    Err(StoreError::KeyTaken(Box::new(key_row(&taken)?)).into())
}

async fn put_value(
    conn: &mut PgConnection,
    (space, key): (&str, &str),
    value: &str,
    now: Timestamp,
    expires: Option<Timestamp>,
    expect: Expect,
) -> Result<Did, Fault> {
    // versions are of one sequence, and none is given twice
    const ANYTHING: &str = "insert into bdk.values values ($1, $2, $3, nextval('bdk.versions'), $4)
        on conflict (space, key) do update
        set value = excluded.value, version = excluded.version, expires = excluded.expires
        returning version";
    const ABSENT: &str = "insert into bdk.values as there values ($1, $2, $3, nextval('bdk.versions'), $4)
        on conflict (space, key) do update
        set value = excluded.value, version = excluded.version, expires = excluded.expires
        where there.expires <= $5
        returning version";
    const VERSION: &str = "update bdk.values set value = $3, version = nextval('bdk.versions'), expires = $4
        where space = $1 and key = $2 and (expires is null or expires > $5) and version = $6
        returning version";
    let put = match expect {
        Expect::Anything => ANYTHING,
        Expect::Absent => ABSENT,
        Expect::Version(_) => VERSION,
    };
    let put =
        sqlx::query(put).bind(space.as_bytes()).bind(key.as_bytes()).bind(value.as_bytes()).bind(expires.map(micros));
    let put = match expect {
        Expect::Anything => put,
        Expect::Absent => put.bind(micros(now)),
        // a version beyond what PostgreSQL holds is none that was given: they begin at 1
        Expect::Version(version) => put.bind(micros(now)).bind(i64::try_from(version).unwrap_or(0)),
    };
    match first(conn, put).await? {
        Some(row) => Ok(Did::Version(unsigned(&row, 0)?)),
        None => Err(StoreError::Conflict.into()),
    }
}

async fn put_file(conn: &mut PgConnection, space: &str, path: &str, file: &StoredFile) -> Result<Did, Fault> {
    let put = "insert into bdk.files values ($1, $2, $3, $4, $5, $6)
        on conflict (space, path) do update
        set meta = excluded.meta, session = excluded.session, expires = excluded.expires, bytes = excluded.bytes";
    let put = sqlx::query(put)
        .bind(space.as_bytes())
        .bind(path.as_bytes())
        .bind(file.meta.as_bytes())
        .bind(file.session.as_ref().map(|session| session.as_bytes()))
        .bind(file.expires.map(micros))
        .bind(&*file.bytes);
    rows(conn, put).await?;
    Ok(Did::Done)
}

async fn purge(conn: &mut PgConnection, now: Timestamp) -> Result<Did, Fault> {
    const PURGE: [&str; 3] = [
        "delete from bdk.values where expires <= $1",
        "delete from bdk.files where expires <= $1",
        "delete from bdk.keys where expires <= $1",
    ];
    for table in PURGE {
        rows(conn, sqlx::query(table).bind(micros(now))).await?;
    }
    Ok(Did::Done)
}
