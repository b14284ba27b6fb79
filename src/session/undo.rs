//! Edits that can be undone and redone.

use std::collections::HashMap;

use super::Edit;

/// The number of edits that can be undone.
const MAX_ENTRIES: usize = 200;

/// One edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The edit of the user.
    pub edit: Edit,
    /// Its inverse.
    pub back: Edit,
    /// The edit that repeats it.
    pub forth: Edit,
}

/// Edits done, and edits undone.
#[derive(Clone, Debug)]
pub struct UndoStack {
    done: Vec<Entry>,
    undone: Vec<Entry>,
    /// True if the next edit is an entry of its own, whatever its subject.
    pub sealed: bool,
    /// Number of edits done when all were saved; none: that cannot be come back to.
    saved: Option<usize>,
}

impl Default for UndoStack {
    fn default() -> Self {
        Self { done: Vec::new(), undone: Vec::new(), sealed: false, saved: Some(0) }
    }
}

impl UndoStack {
    /// Adds an edit. It merges with the last one if both have the same subject and the gesture
    /// continues.
    pub fn push(&mut self, entry: Entry) {
        self.undone.clear();
        let sealed = std::mem::take(&mut self.sealed);
        // A save after this edit was undone is gone with the undone ones.
        let done = self.done.len();
        self.saved.take_if(|saved| *saved > done);
        match self.done.pop() {
            Some(last) if !sealed && last.edit.merges(&entry.edit) => {
                self.saved.take_if(|saved| *saved == done);
                self.done.push(Entry {
                    edit: entry.edit,
                    back: entry.back.then(last.back),
                    forth: last.forth.then(entry.forth),
                });
            }
            last => self.done.extend(last.into_iter().chain([entry])),
        }
        if self.done.len() > MAX_ENTRIES {
            self.done.remove(0);
            self.saved = self.saved.and_then(|saved| saved.checked_sub(1));
        }
    }

    fn side(&mut self, done: bool) -> &mut Vec<Entry> {
        if done { &mut self.done } else { &mut self.undone }
    }

    /// Removes and returns the last edit done, or the last one undone.
    pub fn take(&mut self, done: bool) -> Option<Entry> {
        self.side(done).pop()
    }

    /// True if the last edit done, or the last one undone, has changed the appearance alone.
    pub fn is_about_appearance(&mut self, done: bool) -> bool {
        let last = self.side(done).last();
        last.is_some_and(|entry| matches!(entry.edit, Edit::Appearance(_)))
    }

    /// The edit that [`Self::take`] returned was undone, or redone if it was not done. `inverse` does the
    /// opposite. Agents that have come again have other ids, and other edits may be about them too.
    pub fn was_turned(&mut self, mut entry: Entry, mut inverse: Edit, done: bool) {
        self.sealed = true;
        let other = if done { &mut entry.forth } else { &mut entry.back };
        let before: Vec<u32> = other.ids().into_iter().map(|id| *id).collect();
        let new: HashMap<u32, u32> =
            before.into_iter().zip(inverse.ids().into_iter().map(|id| *id)).collect();
        *other = inverse;
        let edits = self.done.iter_mut().chain(&mut self.undone);
        let edits = edits.flat_map(|entry| [&mut entry.back, &mut entry.forth]);
        for id in edits.flat_map(Edit::ids) {
            *id = new.get(id).copied().unwrap_or(*id);
        }
        self.side(!done).push(entry);
    }

    /// The edit that [`Self::take`] returned could not be turned.
    pub fn put_back(&mut self, entry: Entry, done: bool) {
        self.sealed = true;
        self.side(done).push(entry);
    }

    /// Forgets what was undone: the user went another way.
    pub fn clear_redo(&mut self) {
        self.undone.clear();
    }

    /// Removes all edits. Unsaved edits are still unsaved.
    pub fn clear(&mut self) {
        *self = Self { saved: self.is_saved().then_some(0), ..Self::default() };
    }

    pub fn is_saved(&self) -> bool {
        self.saved == Some(self.done.len())
    }

    /// All edits are saved, or some are not whatever is undone.
    pub fn set_saved(&mut self, saved: bool) {
        self.saved = saved.then_some(self.done.len());
    }
}
