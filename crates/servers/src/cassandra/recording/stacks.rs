//! Stacks of calls in what `jfr print` prints of a recording.

use std::collections::BTreeMap;
use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The line before the methods of a stack, the one that ran first.
const BEGIN: &str = "stackTrace = [";
/// The line after them.
const END: &str = "]";
/// The line in place of those beyond the depth of a recording.
const MORE: &str = "...";
/// The outermost method of a stack whose outer part is not known.
const CUT_OFF: &str = "[more]";
/// What is before the number of a class that Java makes for a lambda expression.
const LAMBDA: &str = "$$Lambda";

/// Reads an output to its end, and counts each stack.
pub async fn read(output: impl AsyncRead + Unpin) -> io::Result<BTreeMap<String, u64>> {
    let mut reader = BufReader::new(output);
    let (mut stacks, mut line) = (Stacks::default(), Vec::new());
    while reader.read_until(b'\n', &mut line).await? > 0 {
        stacks.take(String::from_utf8_lossy(&line).trim());
        line.clear();
    }
    Ok(stacks.counts)
}

#[derive(Default)]
struct Stacks {
    counts: BTreeMap<String, u64>,
    /// Methods of the stack that is being read; `None` between stacks.
    methods: Option<Vec<String>>,
}

impl Stacks {
    fn take(&mut self, line: &str) {
        match &mut self.methods {
            None if line == BEGIN => self.methods = Some(Vec::new()),
            None => {}
            Some(_) if line == END => self.end(),
            Some(methods) if line == MORE => methods.push(CUT_OFF.to_owned()),
            Some(methods) => methods.extend(method(line)),
        }
    }

    fn end(&mut self) {
        let mut methods = self.methods.take().unwrap_or_default();
        if methods.is_empty() {
            return;
        }
        methods.reverse();
        *self.counts.entry(methods.join(";")).or_default() += 1;
    }
}

/// Takes the name of a method with that of its class out of a line such as `java.util.HashMap.get(Object) line: 557`.
/// Classes of one lambda expression differ among servers in their numbers, which are left out.
fn method(line: &str) -> Option<String> {
    let (name, _) = line.split_once('(').filter(|(name, _)| !name.is_empty())?;
    let Some((class, rest)) = name.split_once(LAMBDA) else {
        return Some(name.to_owned());
    };
    let method = rest.rsplit('.').next().unwrap_or_default();
    Some(format!("{class}{LAMBDA}.{method}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Java 17 prints.
    const PRINTED: &str = "\
jdk.ExecutionSample {
  startTime = 10:55:13.125
  sampledThread = \"ReadStage-2\" (javaThreadId = 71)
  state = \"STATE_RUNNABLE\"
  stackTrace = [
    java.util.HashMap.get(Object) line: 557
    org.apache.cassandra.db.ReadCommand.executeLocally(ReadExecutionController) line: 428
    org.apache.cassandra.concurrent.SEPWorker$$Lambda$443.0x00007f0b1c3e5a48.run()
    java.lang.Thread.run() line: 840
  ]
}

jdk.ExecutionSample {
  startTime = 10:55:13.145
  stackTrace = [
    java.util.HashMap.get(Object) line: 558
    org.apache.cassandra.db.ReadCommand.executeLocally(ReadExecutionController) line: 428
    org.apache.cassandra.concurrent.SEPWorker$$Lambda$98/0x00007f0b1c3e5a48.run()
    java.lang.Thread.run() line: 840
  ]
}

jdk.ExecutionSample {
  stackTrace = [
    java.util.HashMap.put(Object, Object) line: 610
    ...
  ]
}

jdk.ExecutionSample {
  stackTrace = null
}
";

    #[tokio::test]
    async fn samples_of_the_same_methods_are_one_stack() {
        let stacks = read(PRINTED.as_bytes()).await.unwrap();
        let read = "java.lang.Thread.run;org.apache.cassandra.concurrent.SEPWorker$$Lambda.run;\
                    org.apache.cassandra.db.ReadCommand.executeLocally;java.util.HashMap.get";
        let expected = [(read, 2), ("[more];java.util.HashMap.put", 1)];
        let expected = expected.map(|(stack, samples)| (stack.to_owned(), samples));
        assert_eq!(stacks, BTreeMap::from(expected));
    }

    #[tokio::test]
    async fn an_output_without_stacks_has_none() {
        for text in [
            "",
            "Could not find file",
            "stackTrace = [\n]\n",
            "stackTrace = [\na.b()\n",
        ] {
            let stacks = read(text.as_bytes()).await.unwrap();
            assert!(stacks.is_empty(), "{text}: {stacks:?}");
        }
    }
}
