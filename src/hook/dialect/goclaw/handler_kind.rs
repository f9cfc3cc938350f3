//! The types of handlers.

/// The four handlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HandlerKind {
    Command,
    Http,
    Prompt,
    Script,
}

impl HandlerKind {
    pub(super) const ALL: [Self; 4] = [Self::Command, Self::Http, Self::Prompt, Self::Script];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Http => "http",
            Self::Prompt => "prompt",
            Self::Script => "script",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}
