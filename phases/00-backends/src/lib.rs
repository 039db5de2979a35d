//! Something to proxy to.
