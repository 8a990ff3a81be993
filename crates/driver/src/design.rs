//! The trait that an engine implements to take part in a comparison.

use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use async_trait::async_trait;
use bakeoff_stats::drive::PartitionBytes;
use bakeoff_stats::{DesignInfo, Footprint, Needs, ServerAccount, ServerSample, Stacks};

use crate::DesignError;
use crate::answer::Answer;
use crate::partitions::PartitionKey;
use crate::servers::{DesignServers, NodeCounts};
use crate::sweep::Inserts;

/// Plan of a question, in the words of what made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanText {
    /// What made the plan, such as `DataFusion` or `PostgreSQL`.
    pub by: &'static str,
    pub text: String,
}

/// First rows of a table as its engine stores them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredText {
    /// What read them, such as `sstabledump of Cassandra`.
    pub by: &'static str,
    pub text: String,
}

/// One engine, layout and settings, holding one workload's table.
///
/// The driver calls `create`, then `load` for each slice of rows in order, then `settle`, and from
/// then on only `footprint` and `answer`. A design that reads the table of another one
/// ([`DesignInfo::table_of`]) is never told to create, load or settle it: it answers once that one has settled.
/// A step is over for all designs before the next one begins, and no two calls of a run overlap except calls of
/// `answer` to one design, which several clients make at the same time.
#[async_trait]
pub trait Design: Send + Sync {
    /// Describes the design.
    fn info(&self) -> &DesignInfo;

    /// Returns whether two rows with the same key are both kept. Otherwise only the one loaded last is.
    fn keeps_duplicates(&self) -> bool;

    /// Creates the empty table, replacing what an earlier attempt of the same run left behind.
    async fn create(&self) -> Result<(), DesignError>;

    /// Forgets what it knows of the table and its rows, since another process has recreated or filled it.
    async fn forget(&self) {}

    /// Returns whether the table that an earlier process of this run created still exists with its rows.
    async fn survives(&self) -> bool;

    /// Loads one slice. Loading the same slice again, after a crash, must not duplicate rows.
    async fn load(&self, slice: u64, rows: &RecordBatch) -> Result<(), DesignError>;

    /// Brings storage to rest (flush, compact, sort), and describes what was done.
    async fn settle(&self) -> Result<String, DesignError>;

    /// Measures the storage that the table takes at rest.
    async fn footprint(&self) -> Result<Footprint, DesignError>;

    /// Returns what says which rows are in one partition; `None` for a design without partitions, or where it
    /// is not known.
    fn partition_key(&self) -> Option<PartitionKey> {
        None
    }

    /// Reads the sizes of the partitions of each table at rest; none where the engine does not tell them.
    async fn partition_bytes(&self) -> Result<Vec<PartitionBytes>, DesignError> {
        Ok(Vec::new())
    }

    /// Returns the bytes that the table takes at this moment, with what loading and settling need for a
    /// while; `None` where they cannot be read. It is asked up to ten times a second while the table is
    /// loaded and settled, if it is cheap, and else once a second.
    async fn bytes_now(&self) -> Option<u64> {
        self.footprint().await.ok()?.bytes()
    }

    /// Returns what the engine needs in addition to the bytes at rest by the way it works, as far as that is known
    /// without measuring.
    fn needs(&self) -> Needs {
        Needs::default()
    }

    /// Answers SQL over the workload's table, and reads the answer to its last row, which
    /// [`IncomingAnswer`](crate::IncomingAnswer) takes as it comes.
    async fn answer(&self, sql: &str) -> Result<Answer, DesignError>;

    /// Returns how the design would answer a question, without answering it: by one cheap call, if by any. Returns
    /// `None` for a design that tells no plans.
    ///
    /// # Errors
    /// The engine refuses to tell; the design is none the worse for it.
    async fn query_plan(&self, _sql: &str) -> Result<Option<PlanText>, DesignError> {
        Ok(None)
    }

    /// Returns the first rows of the table at rest as the engine stores them, a few lines of text. Returns `None` for a
    /// design that does not tell.
    ///
    /// # Errors
    /// They cannot be read; the design is none the worse for it.
    async fn stored_rows(&self) -> Result<Option<StoredText>, DesignError> {
        Ok(None)
    }

    /// Ends what an answer has left open, such as its transaction. Called once after each answer, when the
    /// clock has stopped, and after each plan.
    async fn after_answer(&self) {}

    /// Returns access for many workers that insert batches at the same time into the table, which exists
    /// and is empty. Returns `None` for a design that does not support it.
    async fn inserts(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        Ok(None)
    }

    /// Returns the same access where a request may hold rows of any partitions, in their order, instead of
    /// rows of one partition. Returns `None` for a design that does not support it.
    async fn inserts_over_any(&self) -> Result<Option<Arc<dyn Inserts>>, DesignError> {
        Ok(None)
    }

    /// Returns the servers that answer what is asked of them below, where nothing else does: `server_cpu_seconds`,
    /// `read_repairs`, `begin_profile`, `end_profile`, `nodes` and `dead`. `None` for a design without such servers.
    fn servers(&self) -> Option<&dyn DesignServers> {
        None
    }

    /// Returns the user and system CPU seconds of the engine's own processes since they started; `None`
    /// where there are none, or they cannot be read.
    fn server_cpu_seconds(&self) -> Option<f64> {
        self.servers()?.cpu_seconds()
    }

    /// Returns what the server of the table has used and done up to this moment, for its tables as well; `None` for a
    /// design without a server that tells anything. It is asked between calls, and every second or two while the table
    /// is loaded, settled or takes the inserts of a sweep.
    async fn server_sample(&self) -> Option<ServerSample> {
        None
    }

    /// Returns what the server of the table counts of its own work, for all of its clients, up to this moment; `None`
    /// for a design without a server that tells it. It may take seconds, and is asked once for all designs of an
    /// engine: before anything is loaded, when tables are at rest, and after everything that is timed.
    ///
    /// # Errors
    /// The server does not tell it; the design is none the worse for it.
    async fn server_account(&self) -> Result<Option<ServerAccount>, DesignError> {
        Ok(None)
    }

    /// Returns the number of reads since each node started whose copies disagreed and were made equal before the
    /// answer; `None` where rows have one copy, or nothing tells it. It may take seconds, and is asked before and after
    /// a load.
    async fn read_repairs(&self) -> Option<NodeCounts> {
        self.servers()?.read_repairs().await
    }

    /// Begins to record which methods the design's server runs, and returns whether it does: `false` for a design
    /// without a server that can, and where nobody asked for it.
    ///
    /// # Errors
    /// The recording does not begin; the design is none the worse for it.
    async fn begin_profile(&self) -> Result<bool, DesignError> {
        match self.servers() {
            Some(servers) => servers.begin_profile().await,
            None => Ok(false),
        }
    }

    /// Ends a recording that [`Design::begin_profile`] began, and returns the stacks of calls that it has.
    ///
    /// # Errors
    /// The recording cannot be read; the design is none the worse for it.
    async fn end_profile(&self) -> Result<Stacks, DesignError> {
        match self.servers() {
            Some(servers) => servers.end_profile().await,
            None => Ok(Stacks::default()),
        }
    }

    /// Returns a number that changes whenever a process of the engine ends whose CPU time is known in clock ticks only
    /// from then on.
    fn ended_processes(&self) -> u64 {
        0
    }

    /// Returns the number of nodes on which the engine runs.
    fn nodes(&self) -> u32 {
        self.servers().map_or(1, |servers| servers.nodes())
    }

    /// Finds out what only asking the engine tells of whether it is whole, so that [`Design::dead`] knows it. Called
    /// after each slice and each setting of a sweep, when the clock has stopped.
    async fn look(&self) {}

    /// Returns why the engine can serve no further calls; `None` while it can.
    fn dead(&self) -> Option<String> {
        self.servers()?.dead()
    }
}
