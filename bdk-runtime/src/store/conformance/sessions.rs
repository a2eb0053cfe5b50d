//! Sessions, their events and their tokens.

use super::super::{Did, Expect, Op, Owner, SessionPage, SessionRow, Status, StoreError, StoredFile};
use super::{Shared, append, at, event, fresh, id, is_conflict, is_unknown, laws, one, opened, session};
use crate::Timestamp;
use futures_util::future::join_all;
use std::{sync::Arc, time::Duration};

laws![
    a_session_comes_back_as_it_was_opened,
    instants_come_back_to_the_microsecond,
    a_session_that_is_there_is_not_opened_again,
    what_is_not_there_is_none_and_no_error,
    events_follow_each_other_and_come_back_in_pages,
    appending_moves_updated_at_and_the_status_where_one_is_given,
    appending_nothing_tells_the_next_index_and_changes_the_status,
    nothing_is_appended_to_a_session_that_is_not_there,
    one_batch_opens_a_session_and_appends_to_it,
    one_batch_appends_twice_and_to_several_sessions,
    a_batch_whose_last_op_fails_leaves_nothing,
    an_empty_batch_does_nothing,
    sixty_four_at_once_leave_no_gap,
    events_of_any_size_come_back,
    a_token_is_changed_by_whoever_has_it,
    of_many_that_change_a_token_at_once_one_wins,
    sessions_are_listed_the_youngest_first,
    sessions_of_one_instant_page_without_loss_or_repetition,
    an_owner_is_kind_and_subject,
    a_deleted_session_takes_its_events_and_files_along,
    of_many_that_open_one_id_at_once_one_wins,
    texts_hold_any_character,
];

async fn a_session_comes_back_as_it_was_opened(store: Shared) {
    for status in [Status::Waiting, Status::Running, Status::Completed, Status::Failed] {
        let row =
            SessionRow { status, facts: r#"{"title":"Ümläut 🦀"}"#.to_owned(), updated_at: at(7), ..session() };
        one(&store, Op::OpenSession(row.clone().into())).await.unwrap();
        assert_eq!(store.session(&row.id).await.unwrap().as_ref(), Some(&row));
        assert_eq!(store.session_of_token(&row.token).await.unwrap().as_ref(), Some(&row));
    }
}

async fn instants_come_back_to_the_microsecond(store: Shared) {
    for text in [
        "2026-12-01T08:00:00.123456Z",
        "2026-12-01T08:00:00.999999Z",
        "1969-12-31T23:59:59.999999Z",
        "0000-01-01T00:00:00Z",
        "9999-12-30T21:59:59.999999Z",
    ] {
        let instant: Timestamp = text.parse().unwrap();
        let row = SessionRow { created_at: instant, updated_at: instant, ..session() };
        one(&store, Op::OpenSession(row.clone().into())).await.unwrap();
        let events = vec![event("session.started", "{}")];
        one(&store, Op::Append { session: row.id.clone(), at: instant, status: None, events }).await.unwrap();
        let back = store.session(&row.id).await.unwrap().unwrap();
        assert_eq!((back.created_at, back.updated_at), (instant, instant), "{text}");
        assert_eq!(store.events(&row.id, 0, 1).await.unwrap()[0].at, instant, "{text}");
    }
}

async fn a_session_that_is_there_is_not_opened_again(store: Shared) {
    let row = opened(&store).await;
    let other = SessionRow { id: row.id.clone(), facts: "[]".to_owned(), ..session() };
    assert!(is_conflict(one(&store, Op::OpenSession(other.into())).await));
    assert_eq!(store.session(&row.id).await.unwrap(), Some(row));
}

async fn what_is_not_there_is_none_and_no_error(store: Shared) {
    let name = fresh("nobody");
    assert_eq!(store.session(&name).await.unwrap(), None);
    assert_eq!(store.session_of_token(&name).await.unwrap(), None);
    assert_eq!(store.events(&name, 0, 10).await.unwrap(), []);
    assert_eq!(one(&store, Op::DeleteSession { session: name.clone() }).await.unwrap(), Did::Existed(false));
    let owner = Owner { kind: "user".to_owned(), subject: name.to_string() };
    let page = SessionPage { owner: Some(&owner), limit: 10, ..SessionPage::default() };
    assert_eq!(store.sessions(page).await.unwrap(), []);
}

async fn events_follow_each_other_and_come_back_in_pages(store: Shared) {
    let row = opened(&store).await;
    let mut told = Vec::new();
    for n in 0..10 {
        let events = (0..n % 3 + 1).map(|k| event("action.result", format!("{{\"n\":{n},\"k\":{k}}}"))).collect();
        told.push(one(&store, append(&row.id, events)).await.unwrap());
    }
    let firsts = [0, 1, 3, 6, 7, 9, 12, 13, 15, 18].map(Did::Index);
    assert_eq!(told, firsts);
    let all = store.events(&row.id, 0, usize::MAX).await.unwrap();
    assert_eq!(all.iter().map(|e| e.index).collect::<Vec<_>>(), (0..19).collect::<Vec<_>>());
    assert_eq!((&*all[2].kind, all[2].at, &*all[2].data), ("action.result", at(5), r#"{"n":1,"k":1}"#));
    assert_eq!(store.events(&row.id, 4, 3).await.unwrap(), all[4..7]);
    assert_eq!(store.events(&row.id, 17, 100).await.unwrap(), all[17..]);
    assert_eq!(store.events(&row.id, 19, 100).await.unwrap(), []);
    assert_eq!(store.events(&row.id, u64::MAX, 100).await.unwrap(), []);
    assert_eq!(store.events(&row.id, 0, 0).await.unwrap(), []);
    assert_eq!(store.session(&row.id).await.unwrap().unwrap().events, 19);
}

async fn appending_moves_updated_at_and_the_status_where_one_is_given(store: Shared) {
    let row = opened(&store).await;
    let turn = |millis, status| Op::Append {
        session: row.id.clone(),
        at: at(millis),
        status,
        events: vec![event("turn.started", "{}")],
    };
    one(&store, turn(10, Some(Status::Running))).await.unwrap();
    let back = store.session(&row.id).await.unwrap().unwrap();
    assert_eq!((back.status, back.updated_at, back.created_at), (Status::Running, at(10), at(0)));
    one(&store, turn(20, None)).await.unwrap();
    let back = store.session(&row.id).await.unwrap().unwrap();
    assert_eq!((back.status, back.updated_at, back.events), (Status::Running, at(20), 2));
}

async fn appending_nothing_tells_the_next_index_and_changes_the_status(store: Shared) {
    let row = opened(&store).await;
    one(&store, append(&row.id, vec![event("turn.started", "{}"); 3])).await.unwrap();
    let nothing = |status| Op::Append { session: row.id.clone(), at: at(30), status, events: Vec::new() };
    assert_eq!(one(&store, nothing(Some(Status::Failed))).await.unwrap(), Did::Index(3));
    let back = store.session(&row.id).await.unwrap().unwrap();
    assert_eq!((back.status, back.updated_at, back.events), (Status::Failed, at(30), 3));
}

async fn nothing_is_appended_to_a_session_that_is_not_there(store: Shared) {
    let name = fresh("ses");
    assert!(is_unknown(one(&store, append(&name, vec![event("turn.started", "{}")])).await));
    assert!(is_unknown(one(&store, append(&name, Vec::new())).await));
    assert_eq!(store.events(&name, 0, 10).await.unwrap(), []);
}

async fn one_batch_opens_a_session_and_appends_to_it(store: Shared) {
    let row = session();
    let batch = vec![
        Op::OpenSession(row.clone().into()),
        append(&row.id, vec![event("session.started", "{}"), event("turn.started", "{}")]),
    ];
    assert_eq!(store.write(batch).await.unwrap(), [Did::Done, Did::Index(0)]);
    assert_eq!(store.events(&row.id, 0, 10).await.unwrap().len(), 2);
    assert_eq!(store.session(&row.id).await.unwrap().unwrap().events, 2);
}

async fn one_batch_appends_twice_and_to_several_sessions(store: Shared) {
    let (a, b) = (opened(&store).await, opened(&store).await);
    let batch = vec![
        append(&a.id, vec![event("actions.requested", "{}")]),
        append(&b.id, vec![event("actions.requested", "{}"); 2]),
        append(&a.id, vec![event("action.result", "{}")]),
    ];
    assert_eq!(store.write(batch).await.unwrap(), [Did::Index(0), Did::Index(0), Did::Index(1)]);
    let kinds: Vec<_> = store.events(&a.id, 0, 10).await.unwrap().into_iter().map(|e| e.kind).collect();
    assert_eq!(kinds, ["actions.requested", "action.result"]);
}

async fn a_batch_whose_last_op_fails_leaves_nothing(store: Shared) {
    let row = opened(&store).await;
    let (space, key) = (fresh("space"), fresh("key"));
    let value = |expect| Op::PutValue {
        space: space.clone(),
        key: "k".to_owned(),
        value: "1".to_owned(),
        now: at(0),
        expires: None,
        expect,
    };
    let claim = |scope: &Arc<str>| Op::ClaimKey {
        scope: scope.clone(),
        key: key.clone(),
        fingerprint: "f".to_owned(),
        call_id: fresh("call"),
        now: at(0),
        expires: at(1000),
    };
    let taken = fresh("scope");
    one(&store, claim(&taken)).await.unwrap();
    let failing: Vec<Op> = vec![
        append(&fresh("ses"), vec![event("turn.started", "{}")]),
        Op::OpenSession(row.clone().into()),
        Op::SetToken { session: row.id.clone(), expected: "another".to_owned(), token: "t".to_owned() },
        Op::SetToken { session: fresh("ses"), expected: "t".to_owned(), token: "t".to_owned() },
        claim(&taken),
        value(Expect::Version(u64::MAX >> 1)),
    ];
    for last in failing {
        let what = format!("{last:?}");
        let new = session();
        let call_id = fresh("call");
        let open = super::super::OpenCall {
            call_id: call_id.clone(),
            tool: "add".to_owned(),
            session: None,
            key: None,
            began: at(0),
        };
        let file = StoredFile { meta: String::new(), session: None, expires: None, bytes: Arc::from(&b"abc"[..]) };
        let large = StoredFile { bytes: vec![7; 100_000].into(), ..file.clone() };
        let put = |path: &str, file| Op::PutFile { space: space.clone(), path: path.to_owned(), file };
        let batch = vec![
            Op::OpenSession(new.clone().into()),
            append(&new.id, vec![event("session.started", "{}")]),
            append(&row.id, vec![event("turn.started", "{}")]),
            Op::SetToken { session: row.id.clone(), expected: row.token.clone(), token: id::random() },
            Op::BeginCall(open.into()),
            claim(&space),
            // where it is the value that fails, it is the only one of its key: what is asked depends on no op before it
            put("small", file),
            put("large", large),
            Op::PutValue {
                space: space.clone(),
                key: "other".to_owned(),
                value: "1".to_owned(),
                now: at(0),
                expires: None,
                expect: Expect::Absent,
            },
            last,
        ];
        store.write(batch).await.expect_err(&what);
        assert_eq!(store.session(&new.id).await.unwrap(), None, "{what}");
        assert_eq!(store.events(&new.id, 0, 1).await.unwrap(), [], "{what}");
        assert_eq!(store.session(&row.id).await.unwrap().as_ref(), Some(&row), "{what}");
        assert_eq!(store.events(&row.id, 0, 1).await.unwrap(), [], "{what}");
        assert_eq!(store.idempotency(&space, &key, at(0)).await.unwrap(), None, "{what}");
        assert_eq!(store.keys(&space, "", at(0)).await.unwrap(), [""; 0], "{what}");
        assert_eq!(store.files(&space, "", at(0)).await.unwrap(), [""; 0], "{what}");
        assert_eq!(one(&store, Op::EndCall { call_id }).await.unwrap(), Did::Existed(false), "{what}");
    }
}

async fn an_empty_batch_does_nothing(store: Shared) {
    assert_eq!(store.write(Vec::new()).await.unwrap(), []);
}

async fn sixty_four_at_once_leave_no_gap(store: Shared) {
    let row = opened(&store).await;
    let writers = (0..64).map(|writer| {
        let (store, id) = (store.clone(), row.id.clone());
        tokio::spawn(async move {
            let mut firsts = Vec::new();
            for n in 0..5 {
                let events = vec![event("action.result", format!("[{writer},{n}]")); 2];
                let Did::Index(first) = one(&store, append(&id, events)).await.unwrap() else { panic!("an index") };
                firsts.push((first, format!("[{writer},{n}]")));
            }
            firsts
        })
    });
    let firsts: Vec<_> = join_all(writers).await.into_iter().flat_map(Result::unwrap).collect();
    let events = store.events(&row.id, 0, usize::MAX).await.unwrap();
    assert_eq!(events.iter().map(|e| e.index).collect::<Vec<_>>(), (0..640).collect::<Vec<_>>());
    for (first, data) in firsts {
        let there = &events[usize::try_from(first).unwrap()..][..2];
        assert!(there.iter().all(|e| e.data == data), "the index that was told is where they are");
    }
    assert_eq!(store.session(&row.id).await.unwrap().unwrap().events, 640);
}

async fn events_of_any_size_come_back(store: Shared) {
    let row = opened(&store).await;
    let sizes = [0, 1, 65_535, 65_536, 300_000, 5 << 20];
    let texts: Vec<_> = sizes.iter().map(|&size| "ä".repeat(size / 2) + &"x".repeat(size % 2)).collect();
    one(&store, append(&row.id, texts.iter().map(|t| event("action.result", t.clone())).collect())).await.unwrap();
    let back = store.events(&row.id, 0, 10).await.unwrap();
    assert!(back.iter().map(|e| &e.data).eq(&texts));
}

async fn a_token_is_changed_by_whoever_has_it(store: Shared) {
    let row = opened(&store).await;
    let (second, third) = (id::random(), id::random());
    let set = |expected: &str, token: &str| Op::SetToken {
        session: row.id.clone(),
        expected: expected.to_owned(),
        token: token.to_owned(),
    };
    assert_eq!(one(&store, set(&row.token, &second)).await.unwrap(), Did::Done);
    assert_eq!(store.session_of_token(&row.token).await.unwrap(), None);
    assert_eq!(store.session_of_token(&second).await.unwrap().unwrap().token, second);
    assert!(is_conflict(one(&store, set(&row.token, &third)).await));
    assert_eq!(store.session_of_token(&third).await.unwrap(), None);
    let nobody = Op::SetToken { session: fresh("ses"), expected: second.clone(), token: third };
    assert!(is_unknown(one(&store, nobody).await));
    let back = store.session(&row.id).await.unwrap().unwrap();
    assert_eq!(back, SessionRow { token: second, ..row });
}

async fn of_many_that_change_a_token_at_once_one_wins(store: Shared) {
    let row = opened(&store).await;
    let tries = (0..64).map(|_| {
        let (store, session, expected) = (store.clone(), row.id.clone(), row.token.clone());
        tokio::spawn(async move { one(&store, Op::SetToken { session, expected, token: id::random() }).await })
    });
    let answers: Vec<_> = join_all(tries).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers.iter().filter(|a| a.is_ok()).count(), 1);
    assert_eq!(answers.into_iter().filter(|a| matches!(a, Err(StoreError::Conflict))).count(), 63);
}

async fn sessions_are_listed_the_youngest_first(store: Shared) {
    let owner = session().owner;
    let mut rows = Vec::new();
    for millis in [30_u64, 10, 20, 50, 40] {
        let created_at = at(millis);
        let row = SessionRow { owner: owner.clone(), created_at, ..session() };
        one(&store, Op::OpenSession(row.clone().into())).await.unwrap();
        rows.push(row);
    }
    opened(&store).await; // another one's
    rows.sort_by_key(|row| std::cmp::Reverse(row.created_at));
    let page = SessionPage { owner: Some(&owner), after: None, limit: 3 };
    assert_eq!(store.sessions(page).await.unwrap(), rows[..3]);
    let page = SessionPage { after: Some((rows[2].created_at, &rows[2].id)), ..page };
    assert_eq!(store.sessions(page).await.unwrap(), rows[3..]);
    assert_eq!(store.sessions(SessionPage { limit: 0, ..page }).await.unwrap(), []);
    let everybodys = SessionPage { owner: None, after: None, limit: usize::MAX };
    let ids: Vec<_> = store.sessions(everybodys).await.unwrap();
    assert!(ids.iter().filter(|row| row.owner == owner).eq(&rows), "also without an owner");
    assert!(ids.windows(2).all(|two| (two[0].created_at, &two[0].id) > (two[1].created_at, &two[1].id)));
}

async fn sessions_of_one_instant_page_without_loss_or_repetition(store: Shared) {
    let owner = session().owner;
    let mut ids = Vec::new();
    for _ in 0..10 {
        let row = SessionRow { owner: owner.clone(), created_at: at(60_000_000), ..session() };
        ids.push(row.id.clone());
        one(&store, Op::OpenSession(row.into())).await.unwrap();
    }
    ids.sort_by(|a, b| b.cmp(a));
    for whose in [Some(&owner), None] {
        let mut seen: Vec<Arc<str>> = Vec::new();
        let mut after = Some((at(60_000_000) + Duration::from_micros(1), Arc::from("")));
        loop {
            let behind = after.as_ref().map(|(at, id)| (*at, &**id));
            let rows = store.sessions(SessionPage { owner: whose, after: behind, limit: 3 }).await.unwrap();
            let Some(last) = rows.last() else { break };
            after = Some((last.created_at, last.id.clone()));
            seen.extend(rows.iter().filter(|row| row.owner == owner).map(|row| row.id.clone()));
            if last.created_at < at(60_000_000) {
                break;
            }
        }
        assert_eq!(seen, ids, "owner given: {}", whose.is_some());
    }
}

async fn an_owner_is_kind_and_subject(store: Shared) {
    let user = opened(&store).await;
    let service = Owner { kind: "service".to_owned(), ..user.owner.clone() };
    let page = SessionPage { owner: Some(&service), after: None, limit: 10 };
    assert_eq!(store.sessions(page).await.unwrap(), []);
}

async fn a_deleted_session_takes_its_events_and_files_along(store: Shared) {
    let (row, other) = (opened(&store).await, opened(&store).await);
    let space = fresh("space");
    let file = |session: Option<&Arc<str>>, size: usize| StoredFile {
        meta: String::new(),
        session: session.cloned(),
        expires: None,
        bytes: vec![1; size].into(),
    };
    let put = |path: &str, file| Op::PutFile { space: space.clone(), path: path.to_owned(), file };
    let batch = vec![
        append(&row.id, vec![event("turn.started", "{}"); 3]),
        append(&other.id, vec![event("turn.started", "{}"); 2]),
        put("its", file(Some(&row.id), 3)),
        put("its-large", file(Some(&row.id), 70_000)),
        put("others", file(Some(&other.id), 3)),
        put("nobodys", file(None, 3)),
    ];
    store.write(batch).await.unwrap();
    assert_eq!(one(&store, Op::DeleteSession { session: row.id.clone() }).await.unwrap(), Did::Existed(true));
    assert_eq!(store.session(&row.id).await.unwrap(), None);
    assert_eq!(store.session_of_token(&row.token).await.unwrap(), None);
    assert_eq!(store.events(&row.id, 0, 10).await.unwrap(), []);
    assert_eq!(store.files(&space, "", at(0)).await.unwrap(), ["nobodys", "others"]);
    assert_eq!(store.events(&other.id, 0, 10).await.unwrap().len(), 2);
    let page = SessionPage { owner: Some(&row.owner), after: None, limit: 10 };
    assert_eq!(store.sessions(page).await.unwrap(), []);
    assert_eq!(one(&store, Op::DeleteSession { session: row.id.clone() }).await.unwrap(), Did::Existed(false));
    assert!(is_unknown(one(&store, append(&row.id, vec![event("turn.started", "{}")])).await));
    // a new one of this id begins at the beginning
    let again = SessionRow { id: row.id.clone(), ..session() };
    let batch = vec![Op::OpenSession(again.into()), append(&row.id, vec![event("session.started", "{}")])];
    assert_eq!(store.write(batch).await.unwrap(), [Did::Done, Did::Index(0)]);
    assert_eq!(store.events(&row.id, 0, 10).await.unwrap().len(), 1);
}

async fn of_many_that_open_one_id_at_once_one_wins(store: Shared) {
    let id = fresh("ses");
    let tries = (0..32).map(|_| {
        let (store, row) = (store.clone(), SessionRow { id: id.clone(), ..session() });
        let batch = vec![Op::OpenSession(row.into()), append(&id, vec![event("session.started", "{}")])];
        tokio::spawn(async move { store.write(batch).await })
    });
    let answers: Vec<_> = join_all(tries).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers.iter().filter(|a| a.is_ok()).count(), 1);
    assert!(answers.into_iter().filter(Result::is_err).all(is_conflict));
    assert_eq!(store.events(&id, 0, 10).await.unwrap().len(), 1);
}

async fn texts_hold_any_character(store: Shared) {
    let odd = "a\0b\u{1}'\"\\\n%_*\u{7f}ä€🦀\u{10ffff}".to_owned();
    let row = session();
    let row = SessionRow {
        id: format!("{}{odd}", row.id).into(),
        owner: Owner { kind: odd.clone(), subject: format!("{}{odd}", row.owner.subject) },
        facts: odd.clone(),
        token: format!("{}{odd}", row.token),
        ..row
    };
    one(&store, Op::OpenSession(row.clone().into())).await.unwrap();
    assert_eq!(store.session(&row.id).await.unwrap().as_ref(), Some(&row));
    assert_eq!(store.session_of_token(&row.token).await.unwrap().as_ref(), Some(&row));
    let page = SessionPage { owner: Some(&row.owner), after: None, limit: 10 };
    assert_eq!(store.sessions(page).await.unwrap(), std::slice::from_ref(&row));
    one(&store, append(&row.id, vec![event("turn.started", odd.clone())])).await.unwrap();
    assert_eq!(store.events(&row.id, 0, 1).await.unwrap()[0].data, odd);
    let (cut, _) = row.id.split_at(row.id.len() - odd.len() + 1);
    assert_eq!(store.session(cut).await.unwrap(), None, "a text does not end at a NUL");
}
