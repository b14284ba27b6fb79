//! Writes the script with which a page loads `flockwork_web.wasm`, for `web/build.sh`.

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [wasm, folder] = &arguments[..] else { return Err("bindings FILE.wasm FOLDER".into()) };
    let mut bindings = Bindgen::new();
    bindings.input_path(wasm).web(true)?.typescript(false);
    bindings.remove_name_section(true).remove_producers_section(true);
    Ok(bindings.generate(folder)?)
}
