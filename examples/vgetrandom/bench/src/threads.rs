//! Many threads at once, each with a way of calling of its own.
//!
//! The clock runs from when all are ready, with a first call behind them, to the end of the last one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::calls::buffer;
use crate::contestants::Contestant;
use crate::single::part;

/// A thread tells of what it has done so often.
const PARTS: u64 = 32;

/// From one look at what is done to the next.
const LOOK: Duration = Duration::from_millis(100);

/// Bytes of a thread's stack: it calls nothing deep.
const STACK: usize = 256 << 10;

/// What holds threads until all are ready.
#[derive(Default)]
struct Gate {
    /// Whether to run, or to end without.
    verdict: Mutex<Option<bool>>,
    changed: Condvar,
}

impl Gate {
    fn open(&self, run: bool) {
        *self.verdict.lock().unwrap_or_else(PoisonError::into_inner) = Some(run);
        self.changed.notify_all();
    }

    fn wait(&self) -> bool {
        let mut verdict = self.verdict.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match *verdict {
                Some(run) => return run,
                None => verdict = self.changed.wait(verdict).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// What a thread tells: that it is ready, then when it ended.
type Word = Result<Instant, String>;

/// What one contestant took with so many threads, each making so many calls; `look` is told how many calls are made, now and then.
///
/// # Errors
/// If a thread can't be started, or a call fails.
pub fn run(contestant: &Contestant, threads: usize, calls: u64, bytes: usize, mut look: impl FnMut(u64)) -> Result<Duration, String> {
    let (gate, made) = (Gate::default(), AtomicU64::new(0));
    let (tell, told) = channel();
    thread::scope(|scope| {
        let mut outcome = Ok(());
        let mut begun = 0;
        for number in 1..=threads {
            let (gate, made, tell) = (&gate, &made, tell.clone());
            let work = move || one(contestant, gate, calls, bytes, made, &tell);
            if let Err(error) = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
                outcome = Err(format!("thread {number} of {threads} can't be started: {error}"));
                break;
            }
            begun += 1;
        }
        // Where a thread dies untold, its channel tells.
        drop(tell);
        for _ in 0..begun {
            outcome = outcome.and(hear(&told, || ()).map(|_| ()));
        }
        let start = Instant::now();
        gate.open(outcome.is_ok());
        outcome?;
        let mut last = start;
        for _ in 0..begun {
            last = last.max(hear(&told, || look(made.load(Ordering::Relaxed)))?);
        }
        Ok(last - start)
    })
}

/// The next word of any thread.
fn hear(told: &Receiver<Word>, mut meanwhile: impl FnMut()) -> Word {
    loop {
        match told.recv_timeout(LOOK) {
            Ok(word) => return word,
            Err(RecvTimeoutError::Timeout) => meanwhile(),
            Err(RecvTimeoutError::Disconnected) => return Err("a thread ended without a word".to_owned()),
        }
    }
}

/// One thread.
fn one(contestant: &Contestant, gate: &Gate, calls: u64, bytes: usize, made: &AtomicU64, tell: &Sender<Word>) {
    let mut buffer = buffer(bytes);
    let ready = contestant.calls().and_then(|mut way| way.make(&mut buffer, 1).map(|()| way));
    let mut way = match ready {
        Ok(way) => way,
        Err(why) => return say(tell, Err(why)),
    };
    say(tell, Ok(Instant::now()));
    if !gate.wait() {
        return;
    }
    let ended = (0..PARTS).try_for_each(|number| {
        let part = part(calls, number, PARTS);
        way.make(&mut buffer, part)?;
        made.fetch_add(part, Ordering::Relaxed);
        Ok(())
    });
    say(tell, ended.map(|()| Instant::now()).map_err(|why: String| format!("`{}`: {why}", contestant.name)));
}

/// Who doesn't listen any more has failed already.
fn say(tell: &Sender<Word>, word: Word) {
    let _ = tell.send(word);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::{By, Calls};
    use crate::contestants::Side;

    fn contestant(make: impl Fn() -> Result<Box<dyn Calls>, String> + Send + Sync + 'static) -> Contestant {
        Contestant { name: "x".to_owned(), what: String::new(), side: Side::Ours, with_two_calls: None, make: Box::new(make) }
    }

    #[test]
    fn every_thread_makes_its_calls() {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let call = |_: &mut [u8]| {
            CALLS.fetch_add(1, Ordering::Relaxed);
            4
        };
        run(&contestant(move || Ok(Box::new(By(call)))), 5, 70, 4, |_| ()).unwrap();
        assert_eq!(CALLS.load(Ordering::Relaxed), 5 * 71);
    }

    #[test]
    fn a_thread_without_a_state_ends_all() {
        let taken = AtomicU64::new(0);
        let make = move || match taken.fetch_add(1, Ordering::Relaxed) {
            3 => Err("none is left".to_owned()),
            _ => Ok(Box::new(By(|_: &mut [u8]| 4_isize)) as Box<dyn Calls>),
        };
        assert_eq!(run(&contestant(make), 8, 10, 4, |_| ()), Err("`x`: none is left".to_owned()));
    }

    #[test]
    fn a_call_that_fails_is_told() {
        let make = || {
            let mut made = 0;
            let call = move |_: &mut [u8]| {
                made += 1;
                if made < 5 { 4_isize } else { -38 }
            };
            Ok(Box::new(By(call)) as Box<dyn Calls>)
        };
        assert!(run(&contestant(make), 3, 10, 4, |_| ()).unwrap_err().starts_with("`x`: a call failed: "));
    }
}
