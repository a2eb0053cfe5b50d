//! Every route but the call of a tool: what there is, and how the process is.

use super::{
    answer::Answer,
    artifacts, query,
    refused::{Code, Refused},
    session,
    surface::Surface,
};
use crate::near::near;
use axum::{
    Router,
    body::Body,
    extract::{FromRef, State},
    response::Response,
    routing::get,
};
use bytes::Bytes;
use http::{HeaderValue, Request, StatusCode, Uri, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Either};
use std::{convert::Infallible, sync::Arc};
use tokio_util::sync::CancellationToken;
use tower::Service;

/// The routes that are open to everybody who passes the gate.
pub(super) fn is_open(path: &str) -> bool {
    matches!(path, "/" | "/healthz" | "/readyz")
}

/// What the handlers know.
#[derive(Clone)]
struct Known {
    surface: Arc<Surface>,
    names: Arc<[String]>,
    closing: CancellationToken,
    sessions: session::Known,
}

impl FromRef<Known> for session::Known {
    fn from_ref(known: &Known) -> Self {
        known.sessions.clone()
    }
}

/// The router of everything but the hot route.
pub(super) struct Routes(Router);

impl Routes {
    pub(super) fn new(surface: Surface, sessions: session::Knowing, closing: CancellationToken) -> Self {
        let prefix = surface.prefix().to_owned();
        let under = |route: &str| format!("{prefix}/{route}");
        let [tools, info, openapi, artifact] = ["tools", "info", "openapi.json", "artifacts/{id}/content"].map(under);
        let mut names = ["/", "/healthz", "/readyz", "/v1/agents"].map(str::to_owned).to_vec();
        names.extend([tools.clone(), under("tools/{name}"), info.clone(), openapi.clone(), artifact.clone()]);
        names.extend(session::NAMES.map(under));
        #[cfg(feature = "mcp")]
        names.push(under("mcp"));
        let names: Arc<[String]> = names.into();
        let router = Router::new()
            .route("/", get(async |State(known): State<Known>| json(known.surface.index(&known.names))))
            .route("/healthz", get(async || json(Bytes::from_static(br#"{"ok":true}"#))))
            .route("/readyz", get(ready))
            .route("/v1/agents", get(async |State(known): State<Known>| json(known.surface.agents())))
            .route(&tools, get(self::tools))
            .route(&info, get(async |State(known): State<Known>| json(known.surface.info().await)))
            .route(&openapi, get(async |State(known): State<Known>| json(known.surface.openapi())))
            .route(&artifact, get(self::artifact));
        let sessions = session::Known(Arc::new(sessions));
        let router = session::add(router, &prefix)
            .fallback(unknown)
            .method_not_allowed_fallback(async |method: http::Method| {
                // axum names the methods that the route takes in `Allow`
                plain(&Refused::new(
                    Code::Method(""),
                    format!("this route does not take {method}; `Allow` says what it takes"),
                ))
            })
            .with_state(Known { surface: Arc::new(surface), names, closing, sessions });
        Self(router)
    }

    pub(super) async fn answer(&self, request: Request<Body>) -> Answer {
        // a router is ready at any time, and cheap to clone
        let Ok::<_, Infallible>(answer) = self.0.clone().call(request).await;
        answer.map(Either::Right)
    }
}

async fn ready(State(known): State<Known>) -> Response {
    if known.closing.is_cancelled() {
        let mut answer = json(Bytes::from_static(br#"{"ok":false,"status":"draining"}"#));
        *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        return answer;
    }
    json(Bytes::from_static(br#"{"ok":true,"status":"ready"}"#))
}

async fn tools(State(known): State<Known>, uri: Uri) -> Response {
    match query::read(&uri, ["cursor"]) {
        Ok([cursor]) => json(known.surface.tools(cursor.as_deref()).await),
        Err(refused) => plain(&refused),
    }
}

async fn artifact(State(known): State<Known>, request: Request<Body>) -> Response {
    let (parts, _) = request.into_parts();
    artifacts::content(known.surface.bot(), &parts).await.unwrap_or_else(|refused| plain(&refused))
}

async fn unknown(State(known): State<Known>, uri: Uri) -> Response {
    let path = uri.path();
    let routes = like(path, &known.names);
    let mut message = format!("there is no route `{path}`");
    for (i, route) in routes.iter().enumerate() {
        message.push_str(if i == 0 { "; did you mean " } else { ", " });
        message.extend(["`", route, "`"]);
    }
    message.push_str(if routes.is_empty() { "; `/` lists the routes" } else { "?" });
    plain(&Refused::new(Code::UnknownRoute, message))
}

/// The routes that may be meant by a path, wherever it begins: they are the nearest with what stands in the path for an id.
fn like<'a>(path: &str, routes: &'a [String]) -> Vec<&'a str> {
    let path = path.trim_end_matches('/');
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    let ends: Vec<(String, &str)> = routes.iter().filter_map(|route| Some((end(route, &parts)?, &**route))).collect();
    let mut found: Vec<&str> = Vec::new();
    for near in near(path, ends.iter().map(|(end, _)| &**end), 3) {
        found.extend(ends.iter().filter(|(end, _)| end == near).map(|(_, route)| *route));
    }
    found.truncate(3);
    found
}

/// The end of a route that is as long as a path, with the path's own parts for the route's ids.
fn end(route: &str, parts: &[&str]) -> Option<String> {
    let own: Vec<&str> = route.split('/').skip(1).collect();
    let own = own.get(own.len().checked_sub(parts.len())?..)?;
    // an id alone says nothing
    if own.first()?.starts_with('{') {
        return None;
    }
    let of = |(own, part): (&&str, &&str)| format!("/{}", if own.starts_with('{') { part } else { own });
    Some(own.iter().zip(parts).map(of).collect())
}

fn json(body: Bytes) -> Response {
    let mut answer = Response::new(Body::from(body));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// A refused request as axum wants it.
fn plain(refused: &Refused) -> Response {
    let mut answer = refused.answer().map(|body| Body::new(body.map_err(axum::Error::new)));
    if refused.code == Code::Method("") {
        answer.headers_mut().remove(http::header::ALLOW);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::like;

    #[test]
    fn a_path_finds_the_routes_that_it_may_mean() {
        let routes =
            ["/", "/healthz", "/b/v1/tools", "/b/v1/tools/{name}", "/b/v1/session", "/b/v1/session/{id}/events"];
        let routes = routes.map(str::to_owned);
        for (path, meant) in [
            ("/tool/about", &["/b/v1/tools/{name}"][..]),
            ("/b/v1/tool/about", &["/b/v1/tools/{name}"]),
            ("/b/v1/session/ses_x/evnts", &["/b/v1/session/{id}/events"]),
            ("/session/ses_x/evnts", &["/b/v1/session/{id}/events"]),
            ("/v1/tools", &["/b/v1/tools"]),
            ("/helthz", &["/healthz"]),
            ("/b/v1/tools/a/b", &[]),
            ("/", &[]),
        ] {
            assert_eq!(like(path, &routes), meant, "{path}");
        }
    }
}
