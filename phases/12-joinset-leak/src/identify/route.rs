//! Which backends a server name leads to.

use std::collections::HashMap;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::ensure;
use fastrand::Rng;

use crate::backend::Backend;
use crate::backend::address::BackendAddress;
use crate::choose::balance::Balancer;
use crate::config::Config;

/// All routes by name.
#[derive(Debug, Default)]
pub struct Routes {
    routes: HashMap<Pattern, Balancer>,
}

impl Routes {
    /// Builds the routes. A backend that several routes lead to is one backend, and
    /// is added to `backends` once: it is checked once, and is up for all or none.
    pub async fn new(config: &Config, backends: &mut Vec<Arc<Backend>>) -> anyhow::Result<Self> {
        let mut groups: HashMap<_, Vec<_>> = HashMap::new();

        for route in &config.sni {
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

        let balanced = |group| Balancer::new(config.balance, group, Rng::new());
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

/// The names that a route is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// This one.
    Exactly(String),

    /// `*.` and this: any depth below, but not the name itself.
    Below(String),
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        let (name, wildcard) = match name.strip_prefix("*.") {
            Some(parent) => (parent.to_owned(), true),
            None => (name, false),
        };

        let is_label = |label: &str| {
            !label.is_empty()
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        if !name.split('.').all(is_label) {
            return Err(format!(
                "{text:?} is not a server name; write a.example.com or *.example.com"
            ));
        }

        Ok(if wildcard {
            Self::Below(name)
        } else {
            Self::Exactly(name)
        })
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
