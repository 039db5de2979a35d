//! Which backends a server name leads to.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;
use fastrand::Rng;

use crate::backend::Backend;
use crate::backend::address::BackendAddress;
use crate::choose::balance::{Balance, Balancer};
use crate::identify::pattern::Pattern;

/// Which names lead where.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Identify")]
pub struct RouteSettings {
    /// Where TLS clients go that ask for a name, NAME[,alpn=ID]=HOST:PORT[,weight=N],
    /// repeatable; the same name again adds a backend. `*.example.com` stands for
    /// all names below example.com. The most specific name wins, then the protocol
    /// (ALPN) that the client likes best. All others go to the backends of `--backend`
    #[arg(long, value_name = "NAME=ADDR")]
    pub sni: Vec<SniRoute>,
}

/// All routes by name.
#[derive(Debug, Default)]
pub struct Routes {
    routes: HashMap<Pattern, Choice>,
}

/// What a name leads to.
#[derive(Debug, Default)]
struct Choice {
    by_alpn: HashMap<Vec<u8>, Balancer>,

    otherwise: Option<Balancer>,
}

impl Routes {
    /// Builds the routes. A backend that several routes lead to is one backend, and
    /// is added to `backends` once: it is checked once, and is up for all or none.
    pub async fn new(
        settings: &RouteSettings,
        balance: Balance,
        backends: &mut Vec<Arc<Backend>>,
    ) -> anyhow::Result<Self> {
        let mut groups: HashMap<_, Vec<_>> = HashMap::new();

        for route in &settings.sni {
            let resolved = Arc::new(Backend::resolve(&route.backend).await?);
            let known = backends.iter().find(|known| known.name == resolved.name);
            let backend = Arc::clone(known.unwrap_or(&resolved));

            ensure!(
                backend.weight == resolved.weight,
                "backend {backend} has two weights; give it the same one everywhere"
            );
            if known.is_none() {
                backends.push(resolved);
            }
            groups
                .entry((route.pattern.clone(), route.alpn.clone()))
                .or_default()
                .push(backend);
        }

        let mut routes: HashMap<_, Choice> = HashMap::new();
        for ((pattern, alpn), group) in groups {
            let balancer = Balancer::new(balance, group, Rng::new());
            let choice = routes.entry(pattern).or_default();
            match alpn {
                Some(alpn) => _ = choice.by_alpn.insert(alpn.into_bytes(), balancer),
                None => choice.otherwise = Some(balancer),
            }
        }
        Ok(Self { routes })
    }

    /// Whether there is nothing to ask a client for.
    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// The route for `name`, which is in lower case, and for one of the protocols in
    /// `alpn`. The most specific name wins: the name itself, then what lies below its
    /// parent, its grandparent, and so on.
    pub fn find(&self, name: &str, alpn: &[Vec<u8>]) -> Option<&Balancer> {
        let exactly = Pattern::Exactly(name.to_owned());
        if let Some(balancer) = self.choose(&exactly, alpn) {
            return Some(balancer);
        }

        let mut rest = name;
        while let Some((_, parent)) = rest.split_once('.') {
            let below = Pattern::Below(parent.to_owned());
            if let Some(balancer) = self.choose(&below, alpn) {
                return Some(balancer);
            }
            rest = parent;
        }
        None
    }

    /// The protocol that the client likes best wins, then the route for any.
    fn choose(&self, pattern: &Pattern, alpn: &[Vec<u8>]) -> Option<&Balancer> {
        let choice = self.routes.get(pattern)?;
        alpn.iter()
            .find_map(|protocol| choice.by_alpn.get(protocol))
            .or(choice.otherwise.as_ref())
    }
}

/// A route as it is written on the command line: `a.example.com=127.0.0.1:9001`, or
/// `a.example.com,alpn=h2=127.0.0.1:9001`.
#[derive(Debug, Clone)]
pub struct SniRoute {
    /// Who it is for.
    pub pattern: Pattern,

    /// A protocol that the client has to offer (RFC 7301).
    pub alpn: Option<String>,

    /// Where it leads.
    pub backend: BackendAddress,
}

impl FromStr for SniRoute {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let missing = || format!("the backend is missing; write {text}=HOST:PORT");

        let (pattern, alpn, backend) = match text.split_once(",alpn=") {
            None => {
                let (pattern, backend) = text.split_once('=').ok_or_else(missing)?;
                (pattern, None, backend)
            }
            Some((pattern, rest)) => {
                let (alpn, backend) = rest.split_once('=').ok_or_else(missing)?;
                if alpn.is_empty() {
                    return Err(format!(
                        "the protocol is missing; write {pattern},alpn=h2={backend}"
                    ));
                }
                (pattern, Some(alpn.to_owned()), backend)
            }
        };

        Ok(Self {
            pattern: pattern.parse()?,
            alpn,
            backend: backend.parse()?,
        })
    }
}

#[cfg(test)]
mod tests;
