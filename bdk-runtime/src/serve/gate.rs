//! The gate in front of every route: under which names the bot is asked (`Host`), and from which pages (`Origin`).
//!
//! A page that resolves its own name to this machine (DNS rebinding) still sends that name as `Host`; a page of another
//! site sends its own `Origin`. Both stop here, before anything else is looked at.

use super::refused::Refused;
use crate::Error;
use http::{
    HeaderValue,
    header::{HOST, ORIGIN},
    request::Parts,
};
use std::net::{IpAddr, Ipv4Addr};
use url::Url;

/// The names and origins that are allowed beside the bot's own.
pub(super) struct Gate {
    hosts: Vec<Box<str>>,
    origins: Vec<Box<str>>,
}

/// What the gate found out of a request that passes.
pub(super) struct Passed {
    /// The listed origin of another site, which its browser must be told.
    pub(super) cross_origin: Option<HeaderValue>,
}

impl Gate {
    pub(super) fn new(hosts: &[String], origins: &[String], public_url: Option<&str>) -> Result<Self, Error> {
        let mut gate = Self { hosts: Vec::new(), origins: Vec::new() };
        for host in hosts {
            match name(host) {
                Some(name) => gate.hosts.push(name.to_ascii_lowercase().into()),
                None => {
                    return Err(Error::new(format!(
                        "`{host}` is no host name to allow: write the name alone, such as `bot.example.com`"
                    )));
                }
            }
        }
        for origin in origins {
            gate.origins.push(self::origin(origin).ok_or_else(|| {
                Error::new(format!(
                    "`{origin}` is no origin to allow: write scheme and host, such as `https://app.example.com`"
                ))
            })?);
        }
        if let Some(url) = public_url {
            let (host, origin) = public(url).ok_or_else(|| {
                Error::new(format!(
                    "`{url}` is no public URL: write the address others use, such as `https://bot.example.com`"
                ))
            })?;
            gate.hosts.push(host);
            gate.origins.push(origin);
        }
        Ok(gate)
    }

    /// Lets a request pass, or says what would let it.
    pub(super) fn check(&self, parts: &Parts, local: IpAddr) -> Result<Passed, Refused> {
        let mut hosts = parts.headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return Err(Refused::invalid("a request has one `Host` header"));
        };
        let host = host.to_str().unwrap_or_default();
        self.name(host, local)?;
        // a target with a host of its own, as proxies send it, wins over `Host` in HTTP's eyes: both must be ours
        if let Some(authority) = parts.uri.authority() {
            self.name(authority.as_str(), local)?;
        }
        Ok(Passed { cross_origin: self.origin(parts, host)? })
    }

    /// Whether it is a name of ours.
    fn name(&self, authority: &str, local: IpAddr) -> Result<(), Refused> {
        let Some(name) = name(authority) else {
            return Err(Refused::invalid("the `Host` header is no host name"));
        };
        if is_loopback_name(name) {
            return Ok(());
        }
        // the address itself cannot be rebound
        if self.hosts.iter().any(|ours| ours.eq_ignore_ascii_case(name)) || address(name) == Some(local) {
            return Ok(());
        }
        Err(Refused::forbidden(
            "this bot is not asked under that host name: start it with `--allowed-host NAME` or `--public-url URL` to allow it",
        ))
    }

    fn origin(&self, parts: &Parts, host: &str) -> Result<Option<HeaderValue>, Refused> {
        let mut origins = parts.headers.get_all(ORIGIN).iter();
        let Some(value) = origins.next() else { return Ok(None) };
        if let (Ok(origin), None) = (value.to_str(), origins.next()) {
            if self.origins.iter().any(|ours| ours.eq_ignore_ascii_case(origin)) {
                return Ok(Some(value.clone()));
            }
            // a page of the bot's own: the name it was asked under has passed already
            let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            if own.is_some_and(|own| own.eq_ignore_ascii_case(host)) {
                return Ok(None);
            }
        }
        Err(Refused::forbidden(
            "pages of that origin may not call this bot: start it with `--allowed-origin ORIGIN` to allow them",
        ))
    }
}

/// The name in `name`, `name:port`, `[v6]` or `[v6]:port`.
fn name(authority: &str) -> Option<&str> {
    let end = match authority.strip_prefix('[') {
        Some(v6) => v6.find(']')? + 2,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let (name, port) = authority.split_at(end);
    let port = port.is_empty() || port.strip_prefix(':').is_some_and(|p| p.bytes().all(|b| b.is_ascii_digit()));
    let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'[' | b']' | b':');
    (port && !name.is_empty() && name.bytes().all(legal)).then_some(name)
}

fn address(name: &str) -> Option<IpAddr> {
    match name.strip_prefix('[').and_then(|n| n.strip_suffix(']')) {
        Some(v6) => v6.parse().ok().map(IpAddr::V6),
        None => name.parse().ok().map(IpAddr::V4),
    }
}

/// `localhost`, 127.0.0.0/8, `[::1]`.
fn is_loopback_name(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
        || match name.as_bytes().first() {
            Some(b'1') => name.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback()),
            Some(b'[') => address(name).is_some_and(|ip| ip.is_loopback()),
            _ => false,
        }
}

/// An origin as browsers write it: lower case, without a default port.
fn origin(text: &str) -> Option<Box<str>> {
    let url = Url::parse(text).ok()?;
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    (matches!(url.scheme(), "http" | "https") && bare).then(|| url.origin().ascii_serialization().into())
}

/// A public URL's host and origin.
fn public(text: &str) -> Option<(Box<str>, Box<str>)> {
    let url = Url::parse(text).ok()?;
    let host = url.host_str()?.to_ascii_lowercase().into();
    matches!(url.scheme(), "http" | "https").then(|| (host, url.origin().ascii_serialization().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 7));

    fn gate() -> Gate {
        let one = |s: &str| vec![s.to_owned()];
        Gate::new(&one("Bot.example.com"), &one("https://app.example.com/"), Some("https://public.example.com/bot"))
            .unwrap()
    }
    fn check(host: &str, origin: Option<&str>) -> u16 {
        let mut request = http::Request::builder().uri("/").header(HOST, host);
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        match gate().check(&parts, HERE) {
            Ok(_) => 200,
            Err(refused) => refused.answer().status().as_u16(),
        }
    }

    #[test]
    fn loopback_names_listed_names_and_the_socket_s_own_address_pass_with_any_port() {
        for host in ["localhost", "LOCALHOST:3000", "127.0.0.1:1", "127.8.8.8", "[::1]:3000", "[0:0::1]"] {
            assert_eq!(check(host, None), 200, "{host}");
        }
        for host in ["bot.example.com", "BOT.example.com:8443", "public.example.com", "10.0.0.7:3000"] {
            assert_eq!(check(host, None), 200, "{host}");
        }
    }

    #[test]
    fn other_names_are_refused_however_near_they_look() {
        for host in [
            "evil.example",
            "localhost.evil.example",
            "evil.localhost",
            "127.0.0.1.evil.example",
            "1.evil.example",
            "10.0.0.8",
            "notbot.example.com",
            "bot.example.com.",
            "[::2]",
        ] {
            assert_eq!(check(host, None), 403, "{host}");
        }
        for host in ["", ":3000", "localhost:x", "user@localhost", "localhost, evil.example", "[::1", "[::1]x", "a/b"] {
            assert_eq!(check(host, None), 400, "{host}");
        }
    }

    #[test]
    fn own_and_listed_origins_pass_and_no_other_does() {
        for origin in
            ["http://localhost:3000", "https://localhost:3000", "https://app.example.com", "https://public.example.com"]
        {
            assert_eq!(check("localhost:3000", Some(origin)), 200, "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://evil.example",
            "http://localhost:5173",
            "http://localhost",
            "file://localhost:3000",
            "https://app.example.com:8443",
            "https://app.example.com.evil.example",
            "http://app.example.com",
        ] {
            assert_eq!(check("localhost:3000", Some(origin)), 403, "{origin}");
        }
    }

    #[test]
    fn what_cannot_be_allowed_is_told_at_the_start() {
        let list = |s: &str| vec![s.to_owned()];
        for wrong in ["", "https://bot.example.com", "a b", "*"] {
            assert!(Gate::new(&list(wrong), &[], None).is_err(), "{wrong}");
        }
        for wrong in ["app.example.com", "null", "https://app.example.com/path", "ftp://app.example.com"] {
            assert!(Gate::new(&[], &list(wrong), None).is_err(), "{wrong}");
        }
        for wrong in ["bot.example.com", "ftp://bot.example.com"] {
            assert!(Gate::new(&[], &[], Some(wrong)).is_err(), "{wrong}");
        }
    }
}
