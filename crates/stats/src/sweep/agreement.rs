//! What several processes that sweep together have to have in common, and where they differ.

use super::{SharedSweep, SweepHeader};

impl SweepHeader {
    /// Returns what all processes of a sweep have to have in common, as text for the others.
    ///
    /// # Errors
    /// A number cannot be written as JSON.
    pub fn agreement(&self) -> serde_json::Result<String> {
        serde_json::to_string(&self.in_common())
    }

    /// Returns what differs from the text of another process of the sweep, as in "their seed"; `None` if nothing
    /// does.
    pub fn difference_from(&self, agreement: &str) -> Option<String> {
        let Ok(theirs) = serde_json::from_str::<Vec<(String, String)>>(agreement) else {
            return Some("their version of Bakeoff".to_owned());
        };
        first_difference(&self.in_common(), &theirs)
    }

    /// Returns what differs from another process of the sweep, as in "their seed"; `None` if nothing does.
    pub fn difference(&self, other: &SweepHeader) -> Option<String> {
        first_difference(&self.in_common(), &other.in_common())
    }

    /// Lists what has to be the same in all processes of a sweep: what it is called, and its value.
    fn in_common(&self) -> Vec<(String, String)> {
        // Destructured, so that a new field cannot be forgotten.
        let SweepHeader {
            bakeoff_version: _,
            started_at: _,
            command: _,
            workload,
            title: _,
            workload_text,
            data,
            seed,
            rows,
            designs,
            machine: _,
            threads: _,
            batches,
            workers,
            seconds,
            rounds,
            warm_up_seconds,
            time_out_seconds,
            shared,
        } = self;
        let ids: Vec<&str> = designs.iter().map(|design| design.id.as_str()).collect();
        let mut common = vec![
            ("their workload", format!("{workload}\n{workload_text}")),
            ("their data", data.clone()),
            ("their seed", seed.to_string()),
            ("their number of rows", format!("{rows:?}")),
            ("their designs", ids.join("\n")),
            ("their --batches", format!("{batches:?}")),
            ("their --workers", format!("{workers:?}")),
            ("their --for", seconds.to_string()),
            ("their --rounds", rounds.to_string()),
            ("their --warm-up", warm_up_seconds.to_string()),
            ("their --time-out", time_out_seconds.to_string()),
        ];
        if let Some(SharedSweep {
            shard: (_, of),
            start_at_ms,
            pause_seconds,
            cluster,
            keyspace,
            consistency,
            parts: _,
        }) = shared
        {
            common.extend([
                ("their number of shards", of.to_string()),
                ("their --start-at", start_at_ms.to_string()),
                ("their --pause", pause_seconds.to_string()),
                ("the cluster that they filled", format!("{cluster:?}")),
                ("their keyspace", format!("{keyspace:?}")),
                ("their --consistency", format!("{consistency:?}")),
            ]);
        }
        let named = common.into_iter();
        named
            .map(|(what, value)| (what.to_owned(), value))
            .collect()
    }
}

/// Returns the name of the first value that differs.
fn first_difference(own: &[(String, String)], theirs: &[(String, String)]) -> Option<String> {
    let differs = |(own, theirs): &(&(String, String), &(String, String))| own != theirs;
    let different = own.iter().zip(theirs).find(differs);
    let of_one_alone = || {
        let (longer, shorter) = if own.len() < theirs.len() {
            (theirs, own)
        } else {
            (own, theirs)
        };
        longer.get(shorter.len())
    };
    let (what, _) = different.map(|(own, _)| own).or_else(of_one_alone)?;
    Some(what.clone())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{header, shard};

    #[test]
    fn processes_of_one_sweep_agree_whatever_their_machines_are() {
        let (one, mut two) = (shard(0, 2), shard(1, 2));
        two.machine.cores = 96;
        two.threads = 96;
        two.started_at = "later".to_owned();
        two.command = "another".to_owned();
        assert_eq!(one.difference(&two), None);
        assert_eq!(two.difference_from(&one.agreement().unwrap()), None);
    }

    #[test]
    fn a_difference_is_named() {
        let (one, mut two) = (shard(0, 2), shard(1, 2));
        two.workers.push(900);
        let workers = Some("their --workers".to_owned());
        assert_eq!(one.difference(&two), workers);
        let agreement = one.agreement().unwrap();
        assert_eq!(two.difference_from(&agreement), workers);
        // A sweep of one process has no start.
        let shards = Some("their number of shards".to_owned());
        assert_eq!(one.difference(&header()), shards);
        assert_eq!(header().difference(&one), shards);
        let version = Some("their version of Bakeoff".to_owned());
        assert_eq!(one.difference_from("made"), version);
    }
}
