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
    /// Where TLS clients go that ask for a name, NAME=HOST:PORT[,weight=N],
    /// repeatable; the same name again adds a backend. `*.example.com` stands for
    /// all names below example.com. All others go to the backends of `--backend`
    #[arg(long, value_name = "NAME=ADDR")]
    pub sni: Vec<SniRoute>,
}

/// All routes by name.
#[derive(Debug, Default)]
pub struct Routes {
    routes: HashMap<Pattern, Balancer>,
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
                .entry(route.pattern.clone())
                .or_default()
                .push(backend);
        }

        let balanced = |group| Balancer::new(balance, group, Rng::new());
        Ok(Self {
            routes: groups
                .into_iter()
                .map(|(pattern, group)| (pattern, balanced(group)))
                .collect(),
        })
    }

    /// Whether there is nothing to ask a client for.
    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// The route for `name`, which is in lower case. The most specific wins: the
    /// name itself, then what lies below its parent, its grandparent, and so on.
    pub fn find(&self, name: &str) -> Option<&Balancer> {
        if let Some(balancer) = self.routes.get(&Pattern::Exactly(name.to_owned())) {
            return Some(balancer);
        }

        let mut rest = name;
        while let Some((_, parent)) = rest.split_once('.') {
            if let Some(balancer) = self.routes.get(&Pattern::Below(parent.to_owned())) {
                return Some(balancer);
            }
            rest = parent;
        }
        None
    }
}

/// A route as it is written on the command line: `a.example.com=127.0.0.1:9001`.
#[derive(Debug, Clone)]
pub struct SniRoute {
    /// Who it is for.
    pub pattern: Pattern,

    /// Where it leads.
    pub backend: BackendAddress,
}

impl FromStr for SniRoute {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (pattern, backend) = text
            .split_once('=')
            .ok_or_else(|| format!("the backend is missing; write {text}=HOST:PORT"))?;

        Ok(Self {
            pattern: pattern.parse()?,
            backend: backend.parse()?,
        })
    }
}

#[cfg(test)]
mod tests;
