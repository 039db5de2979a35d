//! Who takes part: the ways from the load generator to the backends.

use std::time::Duration;

use crate::phases::{FINISHED, package};
use crate::result::Contestant;

mod arguments;
pub mod start;

/// One way to the backends.
#[derive(Debug, Clone)]
pub struct Contender {
    /// Its name in tables, and on the command line.
    pub name: String,

    /// What it is.
    pub what: String,

    kind: Kind,

    /// Threads or processes that serve clients; its own choice if none is given.
    workers: Option<u32>,
}

#[derive(Debug, Clone)]
enum Kind {
    Direct,

    Floor { announce: bool },

    Haproxy { template: &'static str },

    Nginx { template: &'static str },

    Phase(Setup),
}

/// How a phase is started.
#[derive(Debug, Clone, Copy)]
struct Setup {
    number: u8,

    announce: bool,

    peek: Option<Duration>,

    pool: Option<&'static str>,

    tls: bool,
}

impl Contender {
    /// No proxy at all: what the machine can do.
    pub fn direct() -> Self {
        Self::new("direct", "no proxy: wrk talks to a backend", Kind::Direct)
    }

    /// Our own relay without features: what a proxy can do at best.
    pub fn floor() -> Self {
        let what = "a relay of ours without any feature, with a PROXY header";
        Self::new("floor", what, Kind::Floor { announce: true })
    }

    /// The same without a PROXY header.
    pub fn plain_floor() -> Self {
        let what = "a relay of ours without any feature";
        Self::new("floor", what, Kind::Floor { announce: false })
    }

    /// HAProxy by one of our configurations.
    pub fn haproxy(name: &str) -> Self {
        let (what, template) = match name {
            "haproxy-http" => (
                "HAProxy as an HTTP reverse proxy, defaults",
                include_str!("../config/haproxy-http.cfg"),
            ),
            "haproxy-http-tuned" => (
                "HAProxy as an HTTP reverse proxy that shares its connections to the backends",
                include_str!("../config/haproxy-http-tuned.cfg"),
            ),
            "haproxy-tcp" => (
                "HAProxy `mode tcp` with `send-proxy-v2`",
                include_str!("../config/haproxy-tcp.cfg"),
            ),
            "haproxy-tcp-threads" => (
                "HAProxy `mode tcp` with `send-proxy-v2` and a socket for each thread",
                include_str!("../config/haproxy-tcp-threads.cfg"),
            ),
            "haproxy-tcp-splice" => (
                "the same with `option splice-auto`",
                include_str!("../config/haproxy-tcp-splice.cfg"),
            ),
            _ => (
                "HAProxy routing TLS by its name",
                include_str!("../config/haproxy-sni.cfg"),
            ),
        };
        Self::new(name, what, Kind::Haproxy { template })
    }

    /// nginx by one of our configurations.
    pub fn nginx(name: &str) -> Self {
        let (what, template) = match name {
            "nginx-http" => (
                "nginx as an HTTP reverse proxy, defaults",
                include_str!("../config/nginx-http.conf"),
            ),
            "nginx-http-tuned" => (
                "nginx as an HTTP reverse proxy that keeps its connections to the backends",
                include_str!("../config/nginx-http-tuned.conf"),
            ),
            "nginx-stream" => (
                "nginx `stream` with `proxy_protocol on`, defaults",
                include_str!("../config/nginx-stream.conf"),
            ),
            "nginx-stream-workers" => (
                "nginx `stream` with `proxy_protocol on` and a socket for each worker",
                include_str!("../config/nginx-stream-workers.conf"),
            ),
            "nginx-stream-tuned" => (
                "the same with `reuseport`, `multi_accept`, pinned workers and a longer queue",
                include_str!("../config/nginx-stream-tuned.conf"),
            ),
            _ => (
                "nginx routing TLS by its name (`ssl_preread`)",
                include_str!("../config/nginx-sni.conf"),
            ),
        };
        Self::new(name, what, Kind::Nginx { template })
    }

    /// A phase, with its defaults but for the limits, and with a PROXY header.
    pub fn phase(number: u8) -> Self {
        let setup = Setup {
            number,
            announce: true,
            peek: None,
            pool: None,
            tls: false,
        };
        let what = format!("phase {number:02} with a PROXY header");
        Self::new(&package(number), &what, Kind::Phase(setup))
    }

    /// The same without a PROXY header, which the first phases do not have.
    pub fn plain_phase(number: u8) -> Self {
        let mut contender = Self::phase(number);
        contender.what = format!("phase {number:02}");
        contender.setup(|setup| setup.announce = false)
    }

    /// A phase that looks for TLS, for at most so long. Our clients do not speak TLS.
    pub fn peeking_phase(number: u8, peek: Duration) -> Self {
        let mut contender = Self::phase(number);
        let peek_text = humantime::format_duration(peek);
        contender.name = format!("{}@{peek_text}", contender.name);
        contender.what = format!("phase {number:02} with `--sni-peek-timeout {peek_text}`");
        contender.setup(|setup| setup.peek = Some(peek))
    }

    /// A phase with so many connections that wait for clients.
    pub fn pooled_phase(number: u8, size: &'static str) -> Self {
        let mut contender = Self::phase(number);
        contender.name = format!("pool-{size}");
        contender.what = format!("phase {number:02} with `--pool-size {size}`");
        contender.setup(|setup| setup.pool = Some(size))
    }

    /// A phase in which nothing waits for clients, as nothing does in proxies for TCP.
    pub fn phase_without_pool(number: u8) -> Self {
        let mut contender = Self::pooled_phase(number, "0");
        contender.name = format!("{}-without-pool", package(number));
        contender
    }

    /// A phase that routes TLS by the name that the client asks for.
    pub fn tls_phase(number: u8) -> Self {
        let mut contender = Self::phase(number);
        contender.what = format!("phase {number:02} routing TLS by its name");
        contender.setup(|setup| setup.tls = true)
    }

    /// The same with so many threads or processes that serve clients.
    pub fn with_workers(mut self, workers: u32) -> Self {
        self.name = format!("{}@{workers}", self.name);
        self.what = format!("{}; {workers} of them", self.what);
        self.workers = Some(workers);
        self
    }

    /// What the report needs of it.
    pub fn info(&self) -> Contestant {
        Contestant {
            name: self.name.clone(),
            what: self.what.clone(),
        }
    }

    /// The number of the phase that it needs, if it does.
    pub fn phase_number(&self) -> Option<u8> {
        match &self.kind {
            Kind::Phase(setup) => Some(setup.number),
            _ => None,
        }
    }

    /// How long it waits for TLS that does not come. From phase 13 on it does not.
    pub fn wait(&self) -> Option<Duration> {
        match &self.kind {
            Kind::Phase(setup) => setup.peek.filter(|_| setup.number <= FINISHED),
            _ => None,
        }
    }

    fn new(name: &str, what: &str, kind: Kind) -> Self {
        Self {
            name: name.to_owned(),
            what: what.to_owned(),
            kind,
            workers: None,
        }
    }

    fn setup(mut self, change: impl FnOnce(&mut Setup)) -> Self {
        if let Kind::Phase(setup) = &mut self.kind {
            change(setup);
        }
        self
    }
}
