//! Lines of a terminal for `hookbox sh`: edited and remembered by rustyline, on a thread of its own that reads a line only
//! when the shell asks for one, so that a prompt comes after what the last command printed. What stands on the last line of the
//! terminal, the shell's `PS1` or `PS2` as a rule, is the prompt that the editor shows anew when it draws its line.

use rustyline::error::ReadlineError;
use rustyline::{DefaultEditor, Result};
use std::sync::mpsc;

/// Answers each message of `asked` with a line to `answer`, which is empty at the end of the input and says whether the
/// shell still listens.
pub(super) fn answer(
    asked: &mpsc::Receiver<()>,
    prompt: impl Fn() -> String,
    mut answer: impl FnMut(Vec<u8>) -> bool,
) -> Result<()> {
    let mut editor = DefaultEditor::new()?;
    while asked.recv().is_ok() {
        let line = match editor.readline(&prompt()) {
            Ok(line) => {
                // A line that cannot be remembered is not a reason to stop.
                let _ = editor.add_history_entry(line.as_str());
                line + "\n"
            }
            Err(ReadlineError::Interrupted) => "\n".to_owned(),
            Err(ReadlineError::Eof) => String::new(),
            Err(error) => return Err(error),
        };
        let ended = line.is_empty();
        if !answer(line.into_bytes()) || ended {
            break;
        }
    }
    Ok(())
}
