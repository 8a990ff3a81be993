//! Who states the rules.

pub const APACHE: &str = "Apache Cassandra's documentation";
pub const HADDAD: &str = "J. Haddad's rules for Cassandra (rustyrazorblade/skills)";
