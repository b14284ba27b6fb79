//! Level 0: the rules of the house and of scene files. Needs no GPU.

mod circles;
mod rules;
mod scene_files;
mod twins;
mod words;
