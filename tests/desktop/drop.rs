//! Drops a file on a window, as a file manager does (XDND, version 5).

use std::path::Path;
use std::time::Duration;

use x11rb::CURRENT_TIME;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, PropMode,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

use super::wait;

/// Drops the file on the window of that id.
pub fn file(display: &str, window: u32, path: &Path) {
    let (connection, screen) = x11rb::connect(Some(display)).unwrap();
    let root = connection.setup().roots[screen].root;
    let source = connection.generate_id().unwrap();
    let (class, nothing) = (WindowClass::INPUT_ONLY, CreateWindowAux::new());
    connection.create_window(0, source, root, 0, 0, 1, 1, 0, class, 0, &nothing).unwrap();
    let atom =
        |name: &str| connection.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
    let list = atom("text/uri-list");
    connection.set_selection_owner(source, atom("XdndSelection"), CURRENT_TIME).unwrap();
    let send = |name: &str, data: [u32; 5]| {
        let message = ClientMessageEvent::new(32, window, atom(name), data);
        connection.send_event(false, window, EventMask::NO_EVENT, message).unwrap();
        connection.flush().unwrap();
    };
    send("XdndEnter", [source, 5 << 24, list, AtomEnum::NONE.into(), AtomEnum::NONE.into()]);
    send("XdndPosition", [source, 0, 0, CURRENT_TIME, atom("XdndActionCopy")]);
    // The window asks what is dragged.
    let asked = wait(
        || "the window takes no files".into(),
        || match connection.poll_for_event().unwrap()? {
            Event::SelectionRequest(asked) => Some(asked),
            _ => None,
        },
    );
    let text = format!("file://{}\r\n", path.to_str().unwrap());
    let (to, property) = (asked.requestor, asked.property);
    connection.change_property8(PropMode::REPLACE, to, property, list, text.as_bytes()).unwrap();
    let answer = SelectionNotifyEvent {
        response_type: SELECTION_NOTIFY_EVENT,
        sequence: 0,
        time: asked.time,
        requestor: to,
        selection: asked.selection,
        target: asked.target,
        property,
    };
    connection.send_event(false, to, EventMask::NO_EVENT, answer).unwrap();
    send("XdndDrop", [source, 0, CURRENT_TIME, 0, 0]);
    // The window reads the property before it looks at the drop.
    connection.sync().unwrap();
    std::thread::sleep(Duration::from_millis(500));
}
