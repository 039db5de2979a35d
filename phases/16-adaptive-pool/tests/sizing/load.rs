//! When clients come.

use std::ops::Range;
use std::time::Duration;

use fastrand::Rng;

/// The moments, in order.
pub type Load = Vec<Duration>;

/// So many per second, independently of each other (a Poisson process).
pub fn at_random(per_second: f64, seconds: Range<u64>) -> Load {
    let mut rng = Rng::with_seed(16);
    let mut load = Load::new();
    let mut at = seconds.start as f64;
    loop {
        at -= (1.0 - rng.f64()).ln() / per_second;
        if at >= seconds.end as f64 {
            return load;
        }
        load.push(Duration::from_secs_f64(at));
    }
}

/// So many at the same moment, every few seconds.
pub fn at_once(size: usize, every: u64, seconds: Range<u64>) -> Load {
    let every = usize::try_from(every).expect("a few seconds");
    seconds
        .step_by(every)
        .flat_map(|at| vec![Duration::from_secs(at); size])
        .collect()
}

/// All of these.
pub fn together<const N: usize>(loads: &[Load; N]) -> Load {
    let mut load = loads.concat();
    load.sort();
    load
}
