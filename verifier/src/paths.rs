//! Ways through the code that a walk still has to follow.
//!
//! Owns paths, and how those that meet at the head of a loop become one.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::induction::General;
use crate::machine::State;
use crate::memory::{Inputs, Progress};
use crate::terms::{Term, Terms};

/// An arrival at the head of a loop that is being tried.
#[derive(Debug)]
pub(crate) struct Trial {
    pub state: State<Term>,
    pub progress: Progress,
}

/// The general state of a loop as a path came into it.
#[derive(Debug)]
pub(crate) struct Entered {
    pub general: General,
    /// The blocks done then.
    pub done: Term,
}

/// A way through the code.
#[derive(Clone)]
pub(crate) struct Path {
    pub at: usize,
    pub state: State<Term>,
    pub progress: Progress,
    /// Heads of loops that it tries, with the state of its arrival.
    pub tried: BTreeMap<usize, Rc<Trial>>,
    /// Heads of loops that it is in, in general.
    pub general: BTreeMap<usize, Rc<Entered>>,
}

impl Path {
    /// A path that begins at the entry.
    pub fn new(state: State<Term>, progress: Progress) -> Path {
        Path { at: 0, state, progress, tried: BTreeMap::new(), general: BTreeMap::new() }
    }

    /// Whether it is in the loop with this head, on trial or in general.
    pub fn is_in(&self, head: usize) -> bool {
        self.tried.contains_key(&head) || self.general.contains_key(&head)
    }

    /// The path is at the head of a loop and tries it.
    fn try_loop(&mut self) {
        self.tried.insert(self.at, Rc::new(Trial { state: self.state.clone(), progress: self.progress.clone() }));
    }

    /// The path goes into a loop in its general state.
    pub fn enter(&mut self, terms: &mut Terms, inputs: &mut Inputs, general: General, head: usize) {
        (self.state, self.progress) = general.instance(terms, inputs, &self.state);
        self.general.insert(head, Rc::new(Entered { general, done: self.progress.done }));
        self.at = head;
    }

    /// Takes another path into this one, which then stands for both, if one state can.
    fn merge(&mut self, terms: &mut Terms, inputs: &mut Inputs, other: &Path) -> bool {
        let Some(general) = General::of(terms, inputs, (&self.state, &self.progress), (&other.state, &other.progress)) else {
            return false;
        };
        (self.state, self.progress) = general.instance(terms, inputs, &self.state);
        // A loop that only one of them is in is none that both are in: where that one goes back, it arrives anew.
        self.tried.retain(|head, one| other.tried.get(head).is_some_and(|its| Rc::ptr_eq(its, one)));
        self.general.retain(|head, one| other.general.get(head).is_some_and(|its| Rc::ptr_eq(its, one)));
        true
    }
}

/// Paths that have not ended.
#[derive(Clone, Default)]
pub(crate) struct Open {
    /// Those that go on.
    pub going: Vec<Path>,
    /// Those that wait at the heads of loops until none goes on.
    waiting: BTreeMap<usize, Vec<Path>>,
}

impl Open {
    /// The path waits for others at the head of a loop.
    pub fn wait(&mut self, path: Path) {
        self.waiting.entry(path.at).or_default().push(path);
    }

    /// The next path to follow. Where none goes on, those that wait at the first head go on, as few as can be, and try the
    /// loop.
    pub fn next(&mut self, terms: &mut Terms, inputs: &mut Inputs) -> Option<Path> {
        if self.going.is_empty() {
            let (_, arrivals) = self.waiting.pop_first()?;
            for path in arrivals {
                if !self.going.iter_mut().any(|one| one.merge(terms, inputs, &path)) {
                    self.going.push(path);
                }
            }
            self.going.iter_mut().for_each(Path::try_loop);
        }
        self.going.pop()
    }
}
