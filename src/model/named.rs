//! Enums whose variants have names in scene files.

/// Declares an enum whose variants have names in scene files. Each variant is a doc comment and a line
/// `Variant = "name",`.
macro_rules! named {
    (
        $(#[$about:meta])+
        pub enum $name:ident {
            $( $(#[$doc:meta])+ $variant:ident = $word:literal, )+
        }
    ) => {
        $(#[$about])+
        pub enum $name { $( $(#[$doc])+ $variant, )+ }

        impl $name {
            /// Every variant, with its name in scene files.
            pub const NAMES: [(&'static str, Self); [$($word),+].len()] =
                [$(($word, Self::$variant)),+];
        }
    };
}

pub(crate) use named;
