//! A command that users name to reach each host of their cluster, such as `ssh {host} nodetool`. No shell of this
//! machine sees it.

use std::fmt;
use std::process::{Command as StdCommand, Stdio};
use std::str::FromStr;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use crate::environment::remove_own;

/// What stands for a host in a command or a URL that users name.
pub const HOST_PLACEHOLDER: &str = "{host}";
/// Most bytes that a call may print.
const OUTPUT_BYTES: u64 = 16 << 20;
/// Time for which complaints are read after a command has ended: what it started may keep its standard error open, as
/// `ssh` with `ControlPersist` does.
const REST_OF_COMPLAINTS: Duration = Duration::from_secs(1);
/// Most characters of a complaint that a message shows.
const COMPLAINT_CHARACTERS: usize = 300;
/// Options of nodetool that have a password as their value.
const PASSWORD_OPTIONS: [&str; 2] = ["-pw", "--password"];
/// Ends of the names of options and variables that have a password behind a `=`.
const PASSWORD_NAMES: [&str; 4] = ["-pw", "pass", "passwd", "password"];
/// End of the name of a variable that has a program which asks for a password.
const ASKPASS: &str = "askpass";
/// A program whose option `-p` has a password.
const SSHPASS: &str = "sshpass";

/// The words of a command, of which at least one holds `{host}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCommand(Vec<String>);

impl FromStr for HostCommand {
    type Err = String;

    /// Splits a command into words as a shell does, and does nothing else that a shell does.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some(words) = shlex::split(text).filter(|words| !words.is_empty()) else {
            return Err(format!(
                "this is no command: a quote is not closed, or there is nothing: write for example \
                 'ssh {HOST_PLACEHOLDER} nodetool'"
            ));
        };
        // Messages behind this one show the command.
        if has_password(&words) {
            return Err(
                "it has a password in it, which every user of this machine could see: name a file with -pwf instead, \
                 and give ssh a key"
                    .to_owned(),
            );
        }
        if !words[1..]
            .iter()
            .any(|word| word.contains(HOST_PLACEHOLDER))
        {
            return Err(format!(
                "`{text}` has no {HOST_PLACEHOLDER} behind its program, and so would reach the same host for every \
                 node: write for example 'ssh {HOST_PLACEHOLDER} nodetool'"
            ));
        }
        Ok(HostCommand(words))
    }
}

/// Returns whether a command names a password, in words of its own or in one that a shell of the host divides.
fn has_password(words: &[String]) -> bool {
    let divide = |c: char| c.is_whitespace() || c == '\'' || c == '"';
    let pieces = words.iter().flat_map(|word| word.split(divide));
    let pieces: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
    let is_one = |piece: &&str| {
        let name = piece.split_once('=').map(|(name, _)| name);
        let name = name.unwrap_or_default().to_ascii_lowercase();
        let is_name = PASSWORD_NAMES.iter().any(|end| name.ends_with(end));
        PASSWORD_OPTIONS.contains(piece) || (is_name && !name.ends_with(ASKPASS))
    };
    let is_sshpass = |piece: &&str| piece.rsplit('/').next() == Some(SSHPASS);
    let behind = pieces.iter().skip_while(|piece| !is_sshpass(piece)).skip(1);
    let mut options = behind.take_while(|piece| piece.starts_with('-'));
    pieces.iter().any(is_one) || options.any(|option| option.starts_with("-p"))
}

impl fmt::Display for HostCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

impl HostCommand {
    /// Runs the command for a host with further arguments, and returns what it prints to the standard output. The
    /// program gets none of Bakeoff's own variables, an empty standard input, and a process group of its own.
    ///
    /// # Errors
    /// Says that it cannot be run, failed, printed more than 16 MiB, or did not end within the limit. It is then
    /// killed with its process group.
    pub async fn run(
        &self,
        host: &str,
        arguments: &[&str],
        limit: Duration,
    ) -> Result<String, String> {
        let words = self.words(host, arguments);
        let shown = words.join(" ");
        let failed = |why: String| format!("`{shown}` failed: {why}");
        // Dropped in reverse: the group is killed while its leader is not waited for.
        let (mut child, mut group) = start(&words).map_err(|e| failed(e.to_string()))?;
        let Ok(ended) = tokio::time::timeout(limit, output(&mut child, &mut group)).await else {
            return Err(failed(format!("it did not end within {limit:?}")));
        };
        ended.map_err(failed)
    }

    fn words(&self, host: &str, arguments: &[&str]) -> Vec<String> {
        let own = self
            .0
            .iter()
            .map(|word| word.replace(HOST_PLACEHOLDER, host));
        let given = arguments.iter().map(|argument| (*argument).to_owned());
        own.chain(given).collect()
    }
}

/// A process group that is killed when this is dropped, unless its leader was waited for.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // It may have ended just now. Its leader was not waited for, so that no other process has its id.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

fn start(words: &[String]) -> std::io::Result<(Child, Group)> {
    let mut command = StdCommand::new(&words[0]);
    remove_own(&mut command);
    command
        .args(&words[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut command = Command::from(command);
    command.process_group(0).kill_on_drop(true);
    let child = command.spawn()?;
    let leader = child.id().and_then(|pid| i32::try_from(pid).ok());
    Ok((child, Group(leader.and_then(Pid::from_raw))))
}

/// Waits for the end of a process, and returns what it printed.
async fn output(child: &mut Child, group: &mut Group) -> Result<String, String> {
    let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
        return Err("its output cannot be read".to_owned());
    };
    let (tell, told) = oneshot::channel();
    let ending = async {
        let mut printed = Vec::new();
        read_bounded(out, &mut printed).await?;
        let ended = child.wait().await.map_err(|e| e.to_string())?;
        let _ = tell.send(());
        Ok::<_, String>((printed, ended))
    };
    let complaining = async {
        let mut complained = Vec::new();
        let over = async {
            let _ = told.await;
            tokio::time::sleep(REST_OF_COMPLAINTS).await;
        };
        tokio::select! {
            read = read_bounded(err, &mut complained) => read?,
            () = over => {}
        }
        Ok::<_, String>(complained)
    };
    let ((printed, ended), complained) = tokio::try_join!(ending, complaining)?;
    group.0 = None;
    if ended.success() {
        return String::from_utf8(printed).map_err(|_| "it printed no UTF-8".to_owned());
    }
    let complaint = [complained, printed].concat();
    let complaint = String::from_utf8_lossy(&complaint);
    let lines = complaint.lines().map(str::trim);
    let line = lines
        .filter(|line| !line.is_empty() && !line.starts_with("WARN"))
        .find(|line| *line != "-- StackTrace --");
    Err(match line {
        Some(line) => {
            let line: String = line.chars().take(COMPLAINT_CHARACTERS).collect();
            format!("{ended}: {line}")
        }
        None => ended.to_string(),
    })
}

/// Reads to the end of what is printed.
async fn read_bounded(from: impl AsyncRead + Unpin, bytes: &mut Vec<u8>) -> Result<(), String> {
    let mut from = from.take(OUTPUT_BYTES + 1);
    let read = from.read_to_end(bytes).await;
    read.map_err(|e| e.to_string())?;
    if bytes.len() as u64 > OUTPUT_BYTES {
        return Err(format!("it printed more than {} MiB", OUTPUT_BYTES >> 20));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    fn command(text: &str) -> HostCommand {
        text.parse().unwrap()
    }

    /// A command that runs a script with the host as its first argument.
    fn script(script: &str) -> HostCommand {
        HostCommand(
            ["sh", "-c", script, "sh", HOST_PLACEHOLDER]
                .map(str::to_owned)
                .to_vec(),
        )
    }

    #[test]
    fn words_are_split_as_a_shell_does_and_nothing_is_expanded() {
        let command = command("ssh -o 'BatchMode yes' ops@{host} $HOME/nodetool");
        let words = command.words("10.0.0.7", &["info"]);
        let expected = [
            "ssh",
            "-o",
            "BatchMode yes",
            "ops@10.0.0.7",
            "$HOME/nodetool",
            "info",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn what_a_host_has_in_it_makes_no_further_word() {
        let words = command("ssh {host} nodetool").words("a; rm -r /", &[]);
        assert_eq!(words, ["ssh", "a; rm -r /", "nodetool"]);
    }

    #[test]
    fn commands_that_cannot_be_right_are_refused() {
        for (text, why) in [
            ("", "no command"),
            ("ssh '{host} nodetool -pw secret", "a quote is not closed"),
            ("nodetool", "has no {host}"),
            ("{host} nodetool", "has no {host} behind its program"),
            ("nodetool -h {host} -u ops -pw secret", "-pwf"),
            ("nodetool -h {host} --password=secret", "-pwf"),
            ("nodetool -pw secret", "-pwf"),
            ("ssh {host} 'nodetool -u ops -pw secret'", "-pwf"),
            ("sshpass -psecret ssh {host} nodetool", "-pwf"),
            ("/usr/bin/sshpass -v -p secret ssh {host} nodetool", "-pwf"),
            ("env SSHPASS=secret sshpass -e ssh {host} nodetool", "-pwf"),
            (
                "nodetool -Djavax.net.ssl.keyStorePassword=secret -h {host}",
                "-pwf",
            ),
        ] {
            let error = text.parse::<HostCommand>().unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
        for text in [
            "nodetool -h {host} -u ops -pwf file",
            "nodetool -h {host} --password-file=file",
            "ssh -p 22 -o PasswordAuthentication=no {host} nodetool",
            "sshpass -f file ssh -p 22 {host} nodetool",
            "env SSH_ASKPASS=/usr/bin/ask ssh {host} nodetool",
        ] {
            command(text);
        }
    }

    #[tokio::test]
    async fn the_output_of_a_command_for_a_host_is_returned() {
        let printed = script("echo \"$1 $2\"; echo noise >&2")
            .run("10.0.0.7", &["info"], LIMIT)
            .await;
        assert_eq!(printed.unwrap(), "10.0.0.7 info\n");
    }

    #[tokio::test]
    async fn a_command_that_fails_says_why() {
        let failed = script("echo 'WARN x' >&2; echo 'no such keyspace' >&2; exit 2");
        let error = failed.run("h", &["flush"], LIMIT).await.unwrap_err();
        assert!(
            error.ends_with("flush` failed: exit status: 2: no such keyspace"),
            "{error}"
        );
        let silent = script("exit 3").run("h", &[], LIMIT).await.unwrap_err();
        assert!(silent.ends_with("exit status: 3"), "{silent}");
        let absent = command("/no/such/program {host}")
            .run("h", &[], LIMIT)
            .await;
        assert!(
            absent
                .unwrap_err()
                .starts_with("`/no/such/program h` failed: ")
        );
    }

    #[tokio::test]
    async fn a_command_that_prints_without_end_is_killed() {
        let error = script("yes").run("h", &[], LIMIT).await.unwrap_err();
        assert!(error.ends_with("it printed more than 16 MiB"), "{error}");
    }

    #[tokio::test]
    async fn what_a_command_leaves_behind_is_not_waited_for() {
        let leaving = script("sleep 600 > /dev/null & echo $!");
        let printed = leaving.run("h", &[], LIMIT).await.unwrap();
        let left = printed.trim().parse().ok().and_then(Pid::from_raw);
        rustix::process::kill_process(left.unwrap(), Signal::KILL).unwrap();
    }

    #[tokio::test]
    async fn a_command_that_hangs_is_killed_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let hanging = script(&format!("sleep 600 & echo $! > {}; wait", file.display()));
        let until_it_hangs = async {
            while !std::fs::read_to_string(&file).is_ok_and(|pid| pid.ends_with('\n')) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        // The caller gives up, as it does at the end of the limit or when it is interrupted.
        tokio::select! {
            ended = hanging.run("h", &[], LIMIT) => panic!("{ended:?}"),
            () = until_it_hangs => {}
        }
        let pid = std::fs::read_to_string(&file).unwrap();
        let status = format!("/proc/{}/stat", pid.trim());
        let runs = || {
            let stat = std::fs::read_to_string(&status).unwrap_or_default();
            stat.rsplit_once(") ")
                .is_some_and(|(_, state)| !state.starts_with('Z'))
        };
        while runs() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let error = script("sleep 600")
            .run("h", &[], Duration::from_millis(50))
            .await;
        assert!(error.unwrap_err().ends_with("it did not end within 50ms"));
    }
}
