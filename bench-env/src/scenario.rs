//! The scenarios: each is a question, who takes part, at which work, and what the
//! report shows of it.

use std::pin::Pin;

use anyhow::Result;

use crate::bench::Bench;
use crate::plan::Plan;
use crate::result::Outcome;
use crate::rounds;
use crate::view::View;

mod article;
mod bulk;
mod churn;
mod cores;
mod fair;
mod idle;
mod latency;
mod leak;
mod peek;
mod phases;
pub(crate) mod pool;
mod tls;

/// One scenario.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    /// Its name on the command line.
    pub name: &'static str,

    /// What a reader wants to know.
    pub question: &'static str,

    /// Who takes part, at which work.
    pub plan: fn(&Bench) -> Result<Plan>,

    /// What the report shows.
    pub views: fn() -> Vec<View>,

    run: Run,
}

type Run =
    for<'a> fn(&'a mut Bench, &'a Plan) -> Pin<Box<dyn Future<Output = Result<Outcome>> + 'a>>;

impl Scenario {
    /// Runs it.
    pub async fn run(&self, bench: &mut Bench) -> Result<Outcome> {
        let plan = (self.plan)(bench)?;
        (self.run)(bench, &plan).await
    }
}

/// All of them, in the order in which a reader meets them.
pub const SCENARIOS: [Scenario; 12] = [
    Scenario {
        name: "article",
        question: "What did the article measure, and what does this machine say?",
        plan: article::plan,
        views: article::views,
        run: |bench, plan| Box::pin(rounds::run(bench, plan)),
    },
    Scenario {
        name: "leak",
        question: "Whose memory grows with every connection that has ended?",
        plan: leak::plan,
        views: leak::views,
        run: |bench, plan| Box::pin(leak::run(bench, plan)),
    },
    Scenario {
        name: "peek",
        question: "What does the deadline of the TLS peek cost a client that is not TLS?",
        plan: peek::plan,
        views: peek::views,
        run: |bench, plan| Box::pin(peek::run(bench, plan)),
    },
    Scenario {
        name: "fair",
        question: "Who does the most when everybody does the same work?",
        plan: fair::plan,
        views: fair::views,
        run: |bench, plan| Box::pin(rounds::run(bench, plan)),
    },
    Scenario {
        name: "churn",
        question: "What does a new connection for every request cost?",
        plan: churn::plan,
        views: churn::views,
        run: |bench, plan| Box::pin(rounds::run(bench, plan)),
    },
    Scenario {
        name: "cores",
        question: "What do one and two cores bring, and what do many connections cost?",
        plan: cores::plan,
        views: cores::views,
        run: |bench, plan| Box::pin(rounds::run(bench, plan)),
    },
    Scenario {
        name: "bulk",
        question: "What do large answers cost?",
        plan: bulk::plan,
        views: bulk::views,
        run: |bench, plan| Box::pin(rounds::run(bench, plan)),
    },
    Scenario {
        name: "idle",
        question: "What does a connection cost that does nothing?",
        plan: idle::plan,
        views: idle::views,
        run: |bench, plan| Box::pin(idle::run(bench, plan)),
    },
    Scenario {
        name: "latency",
        question: "How much longer does a request take through a proxy?",
        plan: latency::plan,
        views: latency::views,
        run: |bench, plan| Box::pin(latency::run(bench, plan)),
    },
    Scenario {
        name: "tls",
        question: "How many TLS handshakes pass through routing by name?",
        plan: tls::plan,
        views: tls::views,
        run: |bench, plan| Box::pin(tls::run(bench, plan)),
    },
    Scenario {
        name: "pool",
        question: "What do connections save that wait for clients?",
        plan: pool::plan,
        views: pool::views,
        run: |bench, plan| Box::pin(pool::run(bench, plan)),
    },
    Scenario {
        name: "phases",
        question: "What does each step of the proxy cost or bring?",
        plan: phases::plan,
        views: phases::views,
        run: |bench, plan| Box::pin(rounds::run(bench, plan)),
    },
];

/// The scenario of a name.
pub fn find(name: &str) -> Option<&'static Scenario> {
    SCENARIOS.iter().find(|scenario| scenario.name == name)
}
