//! Active checks: asks each backend whether it is alive, so that no client has
//! to find out.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tracing::{debug, info, warn};

use crate::backend::Backend;
use crate::config::value::{at_least_one, duration};
use crate::connect::blame::blames_backend;
use crate::connect::{dial, knock};

/// How backends are checked.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Choose")]
pub struct HealthSettings {
    /// Time between two checks of a backend, varied by a tenth
    #[arg(id = "health-interval", long, value_name = "TIME", default_value = DEFAULT_HEALTH_INTERVAL, value_parser = duration)]
    pub interval: Duration,

    /// How long a check waits for an answer
    #[arg(id = "health-timeout", long, value_name = "TIME", default_value = DEFAULT_HEALTH_TIMEOUT, value_parser = duration)]
    pub timeout: Duration,

    /// Successful checks in a row that bring a backend back
    #[arg(long, value_name = "N", default_value_t = DEFAULT_RISE, value_parser = at_least_one::<u32>)]
    pub rise: u32,

    /// Failed checks in a row that take a backend out; also failed connections in a
    /// row that eject it for a while
    #[arg(long, value_name = "N", default_value_t = DEFAULT_FALL, value_parser = at_least_one::<u32>)]
    pub fall: u32,
}

/// Starts a watch over each backend. It ends with the runtime. A check that stays begins
/// with `header`.
pub fn start(settings: &HealthSettings, backends: &[Arc<Backend>], header: &'static [u8]) {
    for backend in backends {
        tokio::spawn(watch(settings.clone(), Arc::clone(backend), header));
    }
}

async fn watch(settings: HealthSettings, backend: Arc<Backend>, header: &'static [u8]) {
    let mut streak = Streak::default();

    // Proxies that were started together must not check together.
    let mut pause = settings.interval.mul_f64(fastrand::f64());
    let mut calm_until = Instant::now();

    loop {
        let suspected = async {
            sleep_until(calm_until).await;
            backend.suspected().await;
        };
        let suspected = tokio::select! {
            () = sleep(pause) => false,
            () = suspected => true,
        };
        if suspected {
            calm_until = Instant::now() + CALM;
        }

        // Nothing is asked of a server that is believed in: it might count how many
        // came and said nothing.
        let answer = if suspected || streak.has_begun() || !backend.is_up() {
            stay(&backend, settings.timeout, header).await
        } else {
            knock(&backend, settings.timeout).await
        };

        if let Err(error) = &answer
            && !blames_backend(error)
        {
            debug!("cannot check backend {backend}: {error}");
        } else if streak.contradicts(backend.is_up(), answer.is_ok(), &settings) {
            // First, so that who reads the log finds it true.
            backend.set_up(answer.is_ok());
            match answer {
                Ok(()) => info!("backend {backend} is up"),
                Err(error) => warn!("backend {backend} is down: {error}"),
            }
        }

        pause = jittered(settings.interval);
    }
}

/// Connects, says nothing, and stays for a moment. A server that greets, or waits to be
/// asked, is alive. One that hangs up on somebody who has not said a word serves nobody.
async fn stay(backend: &Backend, limit: Duration, header: &[u8]) -> io::Result<()> {
    let started = Instant::now();
    let mut stream = dial(backend, limit).await?;
    stream.write_all(header).await?;

    // From a backend that is far away the end takes as long as the answer did.
    let moment = MOMENT + started.elapsed();
    match timeout(moment, stream.peek(&mut [0])).await {
        Ok(Ok(0)) => Err(io::Error::new(
            ErrorKind::ConnectionAborted,
            "it hangs up without a word",
        )),
        Ok(Err(error)) => Err(error),
        Ok(Ok(_)) | Err(_) => Ok(()),
    }
}

/// How many answers in a row have contradicted what is believed.
#[derive(Debug, Default)]
struct Streak(u32);

impl Streak {
    /// Whether the last answer was one of them.
    fn has_begun(&self) -> bool {
        self.0 > 0
    }

    /// Notes an answer, and says whether the belief has to change: one lost packet
    /// must not take a backend out, nor one lucky answer bring it back.
    fn contradicts(&mut self, up: bool, alive: bool, settings: &HealthSettings) -> bool {
        if up == alive {
            self.0 = 0;
            return false;
        }

        self.0 += 1;
        let enough = if up { settings.fall } else { settings.rise };
        if self.0 < enough {
            return false;
        }

        self.0 = 0;
        true
    }
}

/// Even proxies that did check together drift apart.
fn jittered(interval: Duration) -> Duration {
    interval.mul_f64(0.9 + 0.2 * fastrand::f64())
}

/// A program that closes what it accepts does so at once, and on a busy machine a little
/// later. Servers that wait for a client to speak do so for seconds.
const MOMENT: Duration = Duration::from_millis(250);

/// Clients can raise suspicion as often as they like. It costs a backend one
/// connection in this time.
const CALM: Duration = Duration::from_secs(1);

/// With three failures to a fall, a dead backend leaves after six to nine seconds.
/// Shorter finds it sooner, and costs each backend more packets.
const DEFAULT_HEALTH_INTERVAL: &str = "3s";

/// A lost SYN is sent again after one second (RFC 6298); a backend that takes
/// longer than that to accept is of no use to clients either.
const DEFAULT_HEALTH_TIMEOUT: &str = "1s";

/// One success can be luck; more would keep capacity out for longer.
const DEFAULT_RISE: u32 = 2;

/// One failure can be a lost packet, two a short pause of the backend.
const DEFAULT_FALL: u32 = 3;

#[cfg(test)]
mod tests;
