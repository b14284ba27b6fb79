//! The functions that the script of a page calls: they show a flock, change it, and hear of it.

use std::cell::{Cell, RefCell};

use flockwork_app::{Action, Command};
use flockwork_session::{Edit, Parameters};
use js_sys::Function;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

/// The flock of the page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flock {
    /// Not started, or refused.
    Absent,
    /// There, or on its way.
    Shown,
    /// Gone, and the page has said why.
    Ended,
}

thread_local! {
    /// The flock of the page.
    pub static FLOCK: Cell<Flock> = const { Cell::new(Flock::Absent) };
    /// The wishes of the script that no frame has taken yet.
    pub static WISHES: RefCell<Vec<Command>> = const { RefCell::new(Vec::new()) };
    static ON_TICK: RefCell<Option<Function>> = const { RefCell::new(None) };
    static ON_END: RefCell<Option<Function>> = const { RefCell::new(None) };
    static ON_NOTICE: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// The text that a function of the page is called with.
///
/// # Errors
/// A sentence: it is no text.
pub fn text(function: &str, value: &JsValue) -> Result<String, String> {
    value.as_string().ok_or_else(|| format!("{function} takes a text"))
}

/// The most wishes that wait for a frame.
const MAX_WISHES: usize = 256;

fn wish(wish: Command) -> Result<(), String> {
    if FLOCK.get() != Flock::Shown {
        return Err("there is no flock".into());
    }
    WISHES.with_borrow_mut(|wishes| {
        if wishes.len() >= MAX_WISHES {
            return Err(format!("{MAX_WISHES} wishes wait already; a frame takes them"));
        }
        wishes.push(wish);
        Ok(())
    })
}

/// Tells the script that a frame has shown the flock at a tick.
pub fn tell_tick(tick: u64) {
    call(ON_TICK.with_borrow(Clone::clone), &JsValue::from_f64(tick as f64));
}

/// Tells the script, in a sentence, why there is no flock any more.
pub fn tell_end(why: &str) {
    FLOCK.set(Flock::Ended);
    call(ON_END.with_borrow(Clone::clone), &JsValue::from_str(why));
}

/// Tells the script a sentence for the user.
pub fn tell_notice(notice: &str) {
    call(ON_NOTICE.with_borrow(Clone::clone), &JsValue::from_str(notice));
}

fn call(function: Option<Function>, argument: &JsValue) {
    // The flock goes on whatever goes wrong in the script.
    if let Some(Err(thrown)) = function.map(|own| own.call1(&JsValue::NULL, argument)) {
        web_sys::console::error_1(&thrown);
    }
}

/// Changes parameters of the running flock, such as `starling.cohesion.weight` to `2`. The window says why if
/// it cannot.
///
/// # Errors
/// A sentence: there is no value, or too much waits.
#[wasm_bindgen]
pub fn set(key: &JsValue, value: &JsValue) -> Result<(), String> {
    let key = text("set", key)?;
    // Numbers, booleans and arrays have the same text in JSON and in TOML.
    let value = value.as_string().or_else(|| js_sys::JSON::stringify(value).ok()?.as_string());
    let value = value.ok_or_else(|| format!("{key}: no value"))?;
    wish(Command::Edit(Edit::Set(Parameters::Text(vec![format!("{key}={value}")]))))
}

/// Does an edit in the words of a saved session, such as `move = { target = "food", to = [5, 6] }`.
///
/// # Errors
/// A sentence: the text is no edit, or too much waits.
#[wasm_bindgen]
pub fn edit(words: &JsValue) -> Result<(), String> {
    let edit = text("edit", words)?.parse::<toml::Table>().and_then(toml::Table::try_into);
    wish(Command::Edit(edit.map_err(|error| format!("no edit: {}", error.message()))?))
}

/// Shows the flock of a text in place of the present one: a scene, or a saved session. `name` stands for it in
/// messages.
///
/// # Errors
/// A sentence: too much waits.
#[wasm_bindgen]
pub fn open(name: &JsValue, content: &JsValue) -> Result<(), String> {
    wish(Command::OpenText { name: text("open", name)?, text: text("open", content)? })
}

/// Does what a key does: `pause`, `scenes`, `values`, `time` or `metrics`.
///
/// # Errors
/// A sentence: there is no such button, or too much waits.
#[wasm_bindgen]
pub fn press(button: &JsValue) -> Result<(), String> {
    let known = Action::of_button(&text("press", button)?);
    wish(Command::Act(known.ok_or("press takes pause, scenes, values, time or metrics")?))
}

/// Sets the function that is called with the tick after every frame; `null` for none.
///
/// # Errors
/// A sentence: it is no function.
#[wasm_bindgen(js_name = onTick)]
pub fn on_tick(function: JsValue) -> Result<(), String> {
    ON_TICK.set(callable(function)?);
    Ok(())
}

/// Sets the function that is called with a sentence when the flock has ended; `null` for none.
///
/// # Errors
/// A sentence: it is no function.
#[wasm_bindgen(js_name = onEnd)]
pub fn on_end(function: JsValue) -> Result<(), String> {
    ON_END.set(callable(function)?);
    Ok(())
}

/// Sets the function that is called with sentences for the user where there is no window to say them; `null` for
/// none.
///
/// # Errors
/// A sentence: it is no function.
#[wasm_bindgen(js_name = onNotice)]
pub fn on_notice(function: JsValue) -> Result<(), String> {
    ON_NOTICE.set(callable(function)?);
    Ok(())
}

fn callable(function: JsValue) -> Result<Option<Function>, String> {
    if function.is_null() || function.is_undefined() {
        return Ok(None);
    }
    function.dyn_into().map(Some).map_err(|_| "this is no function".into())
}
