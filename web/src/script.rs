//! The functions that the script of a page calls: they show a flock, change it, and hear of it.

use std::cell::RefCell;

use flockwork_app::Wish;
use flockwork_session::{Edit, Parameters};
use js_sys::Function;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    static WISHES: RefCell<Vec<Wish>> = const { RefCell::new(Vec::new()) };
    static ON_TICK: RefCell<Option<Function>> = const { RefCell::new(None) };
    static ON_END: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// The wishes of the script since the last call.
pub fn take_wishes() -> Vec<Wish> {
    WISHES.take()
}

fn wish(wish: Wish) {
    WISHES.with_borrow_mut(|wishes| wishes.push(wish));
}

/// Tells the script that a frame has shown the flock at a tick.
pub fn tell_tick(tick: u64) {
    call(ON_TICK.with_borrow(Clone::clone), &JsValue::from_f64(tick as f64));
}

/// Tells the script, in a sentence, why there is no flock any more.
pub fn tell_end(why: &str) {
    call(ON_END.with_borrow(Clone::clone), &JsValue::from_str(why));
}

fn call(function: Option<Function>, argument: &JsValue) {
    // The flock goes on whatever goes wrong in the script.
    if let Some(Err(thrown)) = function.map(|own| own.call1(&JsValue::NULL, argument)) {
        web_sys::console::error_1(&thrown);
    }
}

/// Changes parameters of the running flock, such as `starling.cohesion.weight` to `2`. The window says why if
/// it cannot.
#[wasm_bindgen]
pub fn set(key: &str, value: &str) {
    wish(Wish::Edit(Edit::Set(Parameters::Text(vec![format!("{key}={value}")]))));
}

/// Does an edit in the words of a saved session, such as `move = { target = "food", to = [5, 6] }`.
///
/// # Errors
/// A sentence: the text is no edit.
#[wasm_bindgen]
pub fn edit(text: &str) -> Result<(), String> {
    let edit = text.parse::<toml::Table>().and_then(toml::Table::try_into);
    wish(Wish::Edit(edit.map_err(|error| format!("no edit: {}", error.message()))?));
    Ok(())
}

/// Shows the flock of a text in place of the present one: a scene, or a saved session. `name` stands for it in
/// messages.
#[wasm_bindgen]
pub fn open(name: String, text: String) {
    wish(Wish::Open { name, text });
}

/// Sets the function that is called with the tick after every frame.
#[wasm_bindgen(js_name = onTick)]
pub fn on_tick(function: Option<Function>) {
    ON_TICK.set(function);
}

/// Sets the function that is called with a sentence when the flock has ended.
#[wasm_bindgen(js_name = onEnd)]
pub fn on_end(function: Option<Function>) {
    ON_END.set(function);
}
