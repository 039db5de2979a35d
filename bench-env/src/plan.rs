//! What a scenario wants.

use crate::case::Case;
use crate::contender::Contender;

/// How a scenario wants to be run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Its name.
    pub scenario: &'static str,

    /// Who takes part.
    pub contenders: Vec<Contender>,

    /// At which work.
    pub cases: Vec<Case>,

    /// Seconds of each run.
    pub seconds: u64,

    /// Rounds that count.
    pub rounds: u32,

    /// Requests after which a backend closes a connection.
    pub keepalive_requests: u32,
}

/// Since 1.19.10; before that it was 100.
pub const NGINX_KEEPALIVE_REQUESTS: u32 = 1000;

/// Of the article's nginx.
pub const ARTICLE_KEEPALIVE_REQUESTS: u32 = 100;
