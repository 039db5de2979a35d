//! A pool without sockets: what is open, and who finds nothing.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use phase_16::connect::demand::Demand;
use tokio::time::Instant;

/// The default of `--pool-max-idle`.
const MAX_IDLE: Duration = Duration::from_secs(10);

/// Says how many connections should wait.
pub enum Rule {
    /// The program's own.
    Program(Demand),

    /// Little's law, with three standard deviations of a Poisson process on top.
    Averages(Averages),
}

/// Two averages in which older events count less and less.
pub struct Averages {
    per_second: f64,

    connect: f64,

    at: Instant,
}

impl Rule {
    pub fn fixed(size: usize) -> Self {
        Self::of_program(&size.to_string())
    }

    pub fn counted() -> Self {
        Self::of_program("auto")
    }

    pub fn averages() -> Self {
        Self::Averages(Averages {
            per_second: 0.0,
            connect: 0.0,
            at: Instant::now(),
        })
    }

    fn of_program(size: &str) -> Self {
        let size = size.parse().expect("a pool size");
        Self::Program(Demand::new(size, MAX_IDLE, Instant::now()))
    }

    fn taken(&mut self, now: Instant) {
        match self {
            Self::Program(demand) => demand.taken(now),
            Self::Averages(averages) => {
                averages.advance(now);
                averages.per_second += 1.0 / MAX_IDLE.as_secs_f64();
            }
        }
    }

    fn replaced(&mut self, connect: Duration) {
        match self {
            Self::Program(demand) => demand.replaced(),
            Self::Averages(averages) => {
                averages.connect += (connect.as_secs_f64() - averages.connect) / 8.0;
            }
        }
    }

    fn settled(&mut self) {
        if let Self::Program(demand) = self {
            demand.settled();
        }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn target(&mut self, now: Instant) -> usize {
        match self {
            Self::Program(demand) => demand.target(now),
            Self::Averages(averages) => {
                averages.advance(now);
                let mean = averages.per_second * averages.connect;
                ((mean + 3.0 * mean.sqrt()).ceil() as usize).clamp(1, 32)
            }
        }
    }
}

impl Averages {
    fn advance(&mut self, now: Instant) {
        let passed = now.saturating_duration_since(self.at);
        self.per_second *= (-passed.div_duration_f64(MAX_IDLE)).exp();
        self.at = self.at.max(now);
    }
}

/// What has come of a load.
#[derive(Debug, Default)]
pub struct Run {
    /// Everybody.
    clients: usize,

    /// When the last one came.
    end: Duration,

    /// When somebody found no connection.
    pub misses: Vec<Duration>,

    /// How many waited from which moment on.
    pub waiting: Vec<(Duration, usize)>,
}

/// Lets clients come, and opens one connection at a time.
pub fn simulate(load: &[Duration], connect: Duration, mut rule: Rule) -> Run {
    let start = Instant::now();
    let mut run = Run::default();
    let mut clients = load.iter().copied().peekable();
    let mut idle = VecDeque::new();
    let mut dialled = None;

    let mut now = Duration::ZERO;
    loop {
        while idle.front().is_some_and(|&until| until <= now) {
            idle.pop_front();
        }
        if dialled.is_some_and(|at| at <= now) {
            dialled = None;
            idle.push_back(now + MAX_IDLE);
            rule.replaced(connect);
        }
        while clients.next_if(|&at| at <= now).is_some() {
            run.clients += 1;
            run.end = now;
            rule.taken(start + now);
            if idle.pop_front().is_none() {
                run.misses.push(now);
            }
        }

        if dialled.is_none() {
            if idle.len() < rule.target(start + now) {
                dialled = Some(now + connect);
            } else {
                rule.settled();
            }
        }
        run.note(now, idle.len());

        let Some(&client) = clients.peek() else {
            // One more look when everything is forgotten.
            let events = [dialled, idle.front().copied()].into_iter().flatten();
            match events.min() {
                Some(at) if at < load[load.len() - 1] + 2 * MAX_IDLE => now = at,
                _ => return run,
            }
            continue;
        };
        let events = [dialled, idle.front().copied(), Some(client)];
        now = events.into_iter().flatten().min().unwrap_or(client);
    }
}

/// Knows who will come. Each connection is there when its client comes, or as late
/// before as the next one allows.
pub fn oracle(load: &[Duration], connect: Duration) -> Run {
    let mut run = Run {
        clients: load.len(),
        end: load[load.len() - 1],
        ..Run::default()
    };
    let mut steps = Vec::new();
    let mut latest = Duration::MAX;
    for &client in load.iter().rev() {
        let Some(ready) = latest.checked_sub(connect) else {
            run.misses.push(client);
            continue;
        };
        latest = ready.min(client);
        steps.extend([(latest, 1), (client, -1)]);
    }

    steps.sort_unstable();
    let mut waiting = 0_isize;
    for (at, step) in steps {
        waiting += step;
        run.note(at, usize::try_from(waiting).unwrap_or_default());
    }
    run
}

impl Run {
    pub fn misses_percent(&self) -> f64 {
        100.0 * self.misses.len() as f64 / self.clients as f64
    }

    pub fn waiting_at(&self, at: Duration) -> usize {
        let after = self.waiting.partition_point(|&(from, _)| from <= at);
        after.checked_sub(1).map_or(0, |last| self.waiting[last].1)
    }

    /// Over the time until the last client.
    pub fn mean_waiting(&self) -> f64 {
        let steps = self.waiting.windows(2);
        let sum: f64 = steps
            .map(|step| (step[0], step[1].0.min(self.end)))
            .map(|((from, waiting), to)| to.saturating_sub(from).as_secs_f64() * waiting as f64)
            .sum();
        sum / self.end.as_secs_f64()
    }

    fn note(&mut self, at: Duration, waiting: usize) {
        match self.waiting.last_mut() {
            Some(last) if last.0 == at => last.1 = waiting,
            _ => self.waiting.push((at, waiting)),
        }
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (missed, clients) = (self.misses.len(), self.clients);
        let waiting = self.mean_waiting();
        write!(
            f,
            "{missed} of {clients} found none, {waiting:.2} waited on average"
        )
    }
}
