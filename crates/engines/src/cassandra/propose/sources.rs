//! Who states the rules.

pub const APACHE: &str = "Apache Cassandra's documentation";
pub const HADDAD: &str = "R. Haddad's rules for Cassandra (rustyrazorblade/skills)";
