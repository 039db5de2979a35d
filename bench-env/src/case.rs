//! The kinds of work that wrk gives to a contender.

use crate::result::CaseInfo;

/// One kind of work.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name in the report.
    pub name: String,

    /// Where it stands on the axis of a plot.
    pub x: Option<f64>,

    /// Which file is fetched.
    pub body: Body,

    /// How many connections fetch it.
    pub connections: u32,

    /// Whether each request has a connection of its own.
    pub close: bool,

    /// Whether it is fetched through TLS.
    pub tls: bool,
}

impl Case {
    /// Small answers over connections that are kept, as in the article.
    pub fn small(connections: u32) -> Self {
        Self::new(Body::Small, connections)
    }

    /// A file, over connections that are kept.
    pub fn new(body: Body, connections: u32) -> Self {
        Self {
            name: format!("{} × {connections}", body.label()),
            x: None,
            body,
            connections,
            close: false,
            tls: false,
        }
    }

    /// What the report needs of it.
    pub fn info(&self) -> CaseInfo {
        CaseInfo {
            name: self.name.clone(),
            x: self.x,
        }
    }
}

/// The files that the backends have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// What nginx' own start page has.
    Small,

    /// Larger than the buffer of any contender.
    Kib64,

    /// Larger than the buffers of a socket.
    Mib1,

    /// A download.
    Mib100,
}

impl Body {
    /// Its path on the backends.
    pub fn path(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Kib64 => "64k",
            Self::Mib1 => "1m",
            Self::Mib100 => "100m",
        }
    }

    /// How the report names it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Small => "612 B",
            Self::Kib64 => "64 KiB",
            Self::Mib1 => "1 MiB",
            Self::Mib100 => "100 MiB",
        }
    }

    /// How long it is.
    pub fn length(self) -> usize {
        match self {
            Self::Small => 612,
            Self::Kib64 => 64 << 10,
            Self::Mib1 => 1 << 20,
            Self::Mib100 => 100 << 20,
        }
    }

    /// What is in it: no two pieces alike, so that a proxy that loses, repeats or
    /// swaps some cannot pass.
    pub fn content(self) -> Vec<u8> {
        let words =
            (0..self.length().div_ceil(8) as u64).map(|n| n.wrapping_mul(ODD).to_le_bytes());
        let mut content: Vec<u8> = words.flatten().collect();
        content.truncate(self.length());
        content
    }
}

/// Spreads neighbouring numbers (2^64 over the golden ratio, made odd).
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
