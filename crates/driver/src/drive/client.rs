//! The client that asks questions beside a load, and what it counts.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bakeoff_stats::drive::AskedBeside;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::Stop;
use super::beside::{Answering, ComparedBy};
use super::context::Trouble;
use crate::call::catch_panic;
use crate::{Answer, Comparison, DesignError, Expected, Leeway, compare_answer, explain};

/// Longest time that an answer is waited for after the end of its load, so that the next load begins without
/// the question.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pause after a question that failed, or a design that refuses at once would be asked without end.
const PAUSE: Duration = Duration::from_secs(1);
/// Most messages of failures and differences of a question that are kept of one load.
const MOST_MESSAGES: usize = 3;

/// The first answer to a question, and which others are compared with it.
pub type FirstAnswer = (ComparedBy, Arc<Expected>);

/// A question as it is asked beside one load.
pub struct ToAsk {
    pub name: String,
    /// Its SQL for the design that answers.
    pub sql: String,
    pub compared_by: ComparedBy,
    pub leeway: Leeway,
    /// Whether its answers are compared with the first one.
    pub is_compared: bool,
}

/// Asks its questions one after the other, and then the first one again.
pub struct Client {
    answering: Answering,
    questions: Vec<ToAsk>,
    /// The first answer to each question, which the next client takes over.
    first: Vec<Option<FirstAnswer>>,
}

/// How a question ended, with times in seconds from the beginning of the load.
#[derive(Debug, Clone, PartialEq)]
struct Ended {
    /// Place of the question.
    question: usize,
    at: f64,
    took: f64,
    how: How,
}

#[derive(Debug, Clone, PartialEq)]
enum How {
    /// Answered, and compared with nothing.
    Answered,
    /// Answered as it was first.
    Same,
    Differs(String),
    Failed(String),
}

impl Client {
    /// Makes a client for these questions, of which some have been answered before.
    pub fn new(
        answering: Answering,
        questions: Vec<ToAsk>,
        first: Vec<Option<FirstAnswer>>,
    ) -> Client {
        Client {
            answering,
            questions,
            first,
        }
    }

    /// Returns the first answer to each question, for the next client.
    pub fn into_first(self) -> Vec<Option<FirstAnswer>> {
        self.first
    }

    /// Asks each question once, so that what an engine does only for its first answer is over. Failures are
    /// left to the load, in which they are counted.
    pub async fn warm_up(&self, stop: &Stop) {
        for question in &self.questions {
            let limit = tokio::time::sleep(PATIENCE);
            tokio::select! {
                _ = self.answer(&question.sql) => {}
                () = limit => {}
                () = stop.asked() => return,
            }
            if let Some(design) = self.answering.design() {
                design.after_answer().await;
            }
        }
    }

    /// Begins to ask as soon as a load with this number has begun, on the current runtime and not in the
    /// caller's task.
    pub fn begin(self, begun: watch::Receiver<u32>, trial: u32) -> AtWork {
        let over = Stop::new();
        let task = tokio::spawn(self.ask_until(begun, trial, over.clone()));
        AtWork { over, task }
    }

    async fn ask_until(
        mut self,
        begun: watch::Receiver<u32>,
        trial: u32,
        over: Stop,
    ) -> (Client, Vec<Ended>) {
        let mut ended = Vec::new();
        tokio::select! {
            () = has_begun(begun, trial) => {}
            () = over.asked() => return (self, ended),
        }
        let start = Instant::now();
        let questions = (0..self.questions.len()).cycle();
        for question in questions {
            if over.is_asked() {
                break;
            }
            let (how, took) = self.ask(question, &over).await;
            let has_failed = matches!(how, How::Failed(_));
            ended.push(Ended {
                question,
                at: took.end.duration_since(start).as_secs_f64(),
                took: took.end.duration_since(took.begin).as_secs_f64(),
                how,
            });
            if has_failed {
                tokio::select! {
                    () = tokio::time::sleep(PAUSE) => {}
                    () = over.asked() => {}
                }
            }
            // An answer may be there at once, and others have work to do in this runtime.
            tokio::task::yield_now().await;
        }
        (self, ended)
    }

    /// Asks a question, and compares its answer once the clock has stopped.
    async fn ask(&mut self, question: usize, over: &Stop) -> (How, Took) {
        let sql = &self.questions[question].sql;
        let too_late = async {
            over.asked().await;
            tokio::time::sleep(PATIENCE).await;
        };
        let begin = Instant::now();
        let answered = tokio::select! {
            answered = self.answer(sql) => answered,
            () = too_late => Err(DesignError(format!(
                "it was not answered {} s after the end of its load, and given up: make loads longer with --for",
                PATIENCE.as_secs()
            ))),
        };
        let took = Took {
            begin,
            end: Instant::now(),
        };
        if let Some(design) = self.answering.design() {
            design.after_answer().await;
        }
        let how = match answered {
            Ok(answer) => self.compare(question, &answer),
            Err(DesignError(reason)) => How::Failed(reason),
        };
        (how, took)
    }

    async fn answer(&self, sql: &str) -> Result<Answer, DesignError> {
        match self.answering.design() {
            Some(design) => catch_panic(design.answer(sql)).await,
            None => Err(DesignError::new("the driven design stores nothing")),
        }
    }

    /// Compares an answer with the first one to the question that it has to equal, or keeps it as that.
    fn compare(&mut self, question: usize, answer: &Answer) -> How {
        let asked = &self.questions[question];
        if !asked.is_compared {
            return How::Answered;
        }
        match self.first.get(question) {
            Some(Some((by, first))) if *by == asked.compared_by => {
                match compare_answer(first, answer, &asked.leeway) {
                    Ok(Comparison::Same { .. }) => How::Same,
                    Ok(Comparison::Different(how)) => How::Differs(how),
                    // Too large to be compared.
                    Err(_) => How::Answered,
                }
            }
            _ => {
                let first = Expected {
                    batches: answer.batches.clone(),
                    digest: answer.digest.clone(),
                    ..Expected::default()
                };
                let first = Some((asked.compared_by.clone(), Arc::new(first)));
                self.first.resize(self.questions.len(), None);
                self.first[question] = first;
                How::Answered
            }
        }
    }
}

/// Begin and end of an answer.
struct Took {
    begin: Instant,
    end: Instant,
}

/// Waits until a load with this number has begun; for ever if none will.
async fn has_begun(mut begun: watch::Receiver<u32>, trial: u32) {
    if begun.wait_for(|number| *number >= trial).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// A client that is asking. It ends at once when it is dropped.
pub struct AtWork {
    over: Stop,
    task: JoinHandle<(Client, Vec<Ended>)>,
}

impl AtWork {
    /// Ends the client with its load, which lasted so long, and returns it with the counts of its questions.
    ///
    /// # Errors
    /// If it has panicked.
    pub async fn end(mut self, lasted: Duration) -> Result<(Client, Vec<AskedBeside>), Trouble> {
        self.over.stop();
        let ended = (&mut self.task).await;
        let (client, ended) = ended
            .map_err(|error| format!("the client of the questions ended: {}", explain(&error)))?;
        let names = client.questions.iter().map(|asked| asked.name.clone());
        let counted = count(names, &ended, lasted.as_secs_f64());
        Ok((client, counted))
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Counts how the questions with these names ended beside a load of so many seconds.
fn count(names: impl Iterator<Item = String>, ended: &[Ended], lasted: f64) -> Vec<AskedBeside> {
    let count_one = |(place, name): (usize, String)| {
        let mut asked = AskedBeside {
            name,
            ..AskedBeside::default()
        };
        let mut seconds = Vec::new();
        for one in ended.iter().filter(|one| one.question == place) {
            let message = match &one.how {
                How::Answered => None,
                How::Same => {
                    asked.compared += 1;
                    None
                }
                How::Differs(how) => {
                    asked.compared += 1;
                    asked.differing += 1;
                    Some(format!("differs from the first answer: {how}"))
                }
                How::Failed(reason) => {
                    asked.failed += 1;
                    Some(reason.clone())
                }
            };
            let is_new = |message: &String| !asked.messages.contains(message);
            let message = message.filter(is_new);
            if asked.messages.len() < MOST_MESSAGES {
                asked.messages.extend(message);
            }
            match one.how {
                How::Failed(_) => {}
                _ if one.at > lasted => asked.unfinished += 1,
                _ => seconds.push(one.took),
            }
        }
        asked.set_times(&seconds);
        asked
    };
    names.enumerate().map(count_one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(question: usize, at: f64, took: f64, how: How) -> Ended {
        Ended {
            question,
            at,
            took,
            how,
        }
    }

    #[test]
    fn answers_count_up_to_the_end_of_the_load() {
        let ended = [
            ended(0, 2.0, 2.0, How::Answered),
            ended(1, 3.0, 1.0, How::Answered),
            ended(0, 7.0, 4.0, How::Same),
            ended(1, 12.0, 5.0, How::Same),
        ];
        let names = ["slow", "fast"].map(str::to_owned);
        let counted = count(names.into_iter(), &ended, 10.0);
        let [slow, fast] = counted.as_slice() else {
            panic!("{counted:?}");
        };
        assert_eq!((slow.name.as_str(), slow.answered), ("slow", 2));
        assert_eq!((slow.mean, slow.longest), (Some(3.0), Some(4.0)));
        assert_eq!((slow.unfinished, slow.compared), (0, 1));
        assert_eq!((fast.answered, fast.unfinished, fast.compared), (1, 1, 1));
    }

    #[test]
    fn failures_and_differences_are_counted_each_with_its_reason_once() {
        let failed = || How::Failed("no memory".to_owned());
        let ended = [
            ended(0, 1.0, 1.0, failed()),
            ended(0, 2.0, 1.0, How::Differs("2 rows instead of 1".to_owned())),
            ended(0, 3.0, 1.0, failed()),
            // A failure counts whenever it comes.
            ended(0, 11.0, 8.0, failed()),
        ];
        let counted = count(["q".to_owned()].into_iter(), &ended, 10.0);
        let asked = &counted[0];
        assert_eq!((asked.failed, asked.differing, asked.answered), (3, 1, 1));
        assert_eq!(asked.unfinished, 0);
        let expected = [
            "no memory",
            "differs from the first answer: 2 rows instead of 1",
        ];
        assert_eq!(asked.messages, expected);
    }
}
