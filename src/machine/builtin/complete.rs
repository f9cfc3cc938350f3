//! `complete` and `compopt`: what was defined is kept and shown; nothing is ever completed here. Bash manual 8.7.

use super::compgen::{self, ACTIONS, COMPLETION_OPTIONS};
use super::context::ShellContext;
use super::error::BuiltinError;
use super::options::Options;
use super::row::{Act, Builtin, Flow};
use crate::machine::quote;
use crate::memory::{Arc, JoinMetered, ToMetered, Vec, vec};
use crate::text::Text;

pub(super) static COMPLETE: Builtin = Builtin {
    name: "complete",
    special: false,
    synopsis: "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] \
               [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]",
    help: "Specify how arguments are to be completed by Readline.",
    options: &compgen::COMPLETE_OPTIONS,
    act: Act::Shell(complete),
};

pub(super) static COMPOPT: Builtin = Builtin {
    name: "compopt",
    special: false,
    synopsis: "compopt [-o|+o option] [-DEI] [name ...]",
    help: "Modify or display completion options.",
    // An option with an option-argument that may have a plus is like no other.
    options: &[],
    act: Act::Shell(compopt),
};

fn complete(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    compgen::check(&options)?;
    let defaults = [Text::from_static(b"-D"), Text::from_static(b"-E"), Text::from_static(b"-I")];
    let chosen = defaults.iter().find(|name| name.get(1).is_some_and(|letter| options.has(*letter)));
    let names = chosen.map_or_else(|| ctx.operands(&options), std::slice::from_ref);
    let defines = options.given().any(|given| !b"prDEI".contains(&given.letter));
    if options.has(b'r') {
        return Ok(remove(ctx, names));
    }
    if options.has(b'p') || (names.is_empty() && !defines) {
        return Ok(show(ctx, names));
    }
    if names.is_empty() {
        return Err(BuiltinError::Usage);
    }
    let definition = definition(&options);
    while let Some(name) = ctx.next(names) {
        Arc::make_mut(&mut ctx.shell.state.editor.completions).insert(name.clone(), definition.clone());
    }
    Ok(ctx.flow())
}

/// The options as `complete -p` shows them.
fn definition(options: &Options) -> Vec<Vec<u8>> {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for option in COMPLETION_OPTIONS {
        if options.has_value(b'o', option.as_bytes()) {
            parts.push([b"-o ", option.as_bytes()].concat_metered());
        }
    }
    for action in ACTIONS {
        let named = options.has_value(b'A', action.name.as_bytes());
        match action.letter {
            Some(letter) if named || options.has(letter) => parts.push(vec![b'-', letter]),
            None if named => parts.push([b"-A ", action.name.as_bytes()].concat_metered()),
            _ => {}
        }
    }
    for letter in *b"GWPSXCF" {
        if let Some(value) = options.value(letter) {
            let shown = if letter == b'F' { value.to_metered() } else { quote::single(value) };
            parts.push([b"-", [letter].as_slice(), b" ", &shown].concat_metered());
        }
    }
    parts
}

fn show(ctx: &mut ShellContext<'_>, names: &[Text]) -> Flow {
    let completions = Arc::clone(&ctx.shell.state.editor.completions);
    if names.is_empty() {
        for (name, parts) in completions.iter() {
            show_one(ctx, name, parts);
        }
    }
    while let Some(name) = ctx.next(names) {
        match completions.get(name) {
            Some(parts) => show_one(ctx, name, parts),
            None => ctx.complain(BuiltinError::NoCompletion(told(name))),
        }
    }
    ctx.flow()
}

fn show_one(ctx: &mut ShellContext<'_>, name: &Text, parts: &[Vec<u8>]) {
    ctx.out.bytes(b"complete ");
    for part in parts {
        ctx.out.bytes(part);
        ctx.out.bytes(b" ");
    }
    ctx.out.line(name);
}

fn remove(ctx: &mut ShellContext<'_>, names: &[Text]) -> Flow {
    if names.is_empty() {
        ctx.shell.state.editor.completions = Arc::default();
    }
    if ctx.shell.state.editor.completions.is_empty() {
        // Bash looks for a name only where there is any.
        return ctx.flow();
    }
    while let Some(name) = ctx.next(names) {
        if Arc::make_mut(&mut ctx.shell.state.editor.completions).remove(name).is_none() {
            ctx.complain(BuiltinError::NoCompletion(told(name)));
        }
    }
    ctx.flow()
}

/// The names under which bash keeps what is for the empty line, the first word and everything else.
fn told(name: &Text) -> Text {
    match name.as_bytes() {
        b"-D" => Text::from_static(b"_DefaultCmD_"),
        b"-E" => Text::from_static(b"_EmptycmD_"),
        b"-I" => Text::from_static(b"_InitialWorD_"),
        _ => name.clone(),
    }
}

fn compopt(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let mut changes: Vec<(bool, &Text)> = Vec::new();
    let mut names: Vec<Text> = Vec::new();
    let mut rest = ctx.arguments();
    while let Some((arg, after)) = rest.split_first() {
        rest = after;
        match arg.as_bytes() {
            b"-o" | b"+o" => {
                let (option, after) =
                    after.split_first().ok_or_else(|| BuiltinError::ValueRequired(arg.clone()))?;
                changes.push((arg.first() == Some(&b'-'), option));
                rest = after;
            }
            b"-D" | b"-E" | b"-I" => names.push(arg.clone()),
            [b'-' | b'+', _, ..] => return Err(BuiltinError::InvalidArgument(arg.clone())),
            _ => names.push(arg.clone()),
        }
    }
    let is_known = |option: &Text| COMPLETION_OPTIONS.iter().any(|name| name.as_bytes() == option.as_bytes());
    if let Some((_, option)) = changes.iter().find(|(_, option)| !is_known(option)) {
        return Err(BuiltinError::InvalidOptionName((*option).clone()));
    }
    if names.is_empty() {
        return Err(BuiltinError::NotCompleting);
    }
    while let Some(name) = ctx.next(&names) {
        let Some(parts) = Arc::make_mut(&mut ctx.shell.state.editor.completions).get_mut(name) else {
            ctx.complain(BuiltinError::NoCompletion(told(name)));
            continue;
        };
        if changes.is_empty() {
            let parts = parts.clone();
            show_options(ctx, name, &parts);
            continue;
        }
        for (on, option) in &changes {
            let part = [b"-o ".as_slice(), option].concat_metered();
            parts.retain(|known| *known != part);
            if *on {
                let options =
                    parts.iter().take_while(|known| known.starts_with(b"-o ") && **known < part).count();
                parts.insert(options, part);
            }
        }
    }
    Ok(ctx.flow())
}

/// `compopt NAME`: the options that are on and off.
fn show_options(ctx: &mut ShellContext<'_>, name: &Text, parts: &[Vec<u8>]) {
    ctx.out.bytes(b"compopt ");
    for option in COMPLETION_OPTIONS {
        let is_on =
            parts.iter().any(|part| part.strip_prefix(b"-o ").is_some_and(|on| on == option.as_bytes()));
        ctx.out.bytes(if is_on { b"-o " } else { b"+o " });
        ctx.out.bytes(option.as_bytes());
        ctx.out.bytes(b" ");
    }
    ctx.out.line(name);
}

#[cfg(test)]
mod tests {
    use super::super::context::testing::TestShell;

    #[test]
    fn definitions_are_kept_changed_and_shown() {
        let mut shell = TestShell::new();
        // bash 5.2: complete -W 'a b' -o nospace x; complete -p; compopt -o default x; complete -p x y
        assert_eq!(shell.run(&["complete", "-W", "a b", "-o", "nospace", "x"]), (String::new(), 0));
        assert_eq!(shell.run(&["complete", "-p"]), ("complete -o nospace -W 'a b' x\n".into(), 0));
        assert_eq!(shell.run(&["compopt", "-o", "default", "x"]), (String::new(), 0));
        assert_eq!(
            shell.run(&["complete", "-p", "x", "y"]),
            (
                "complete -o default -o nospace -W 'a b' x\ncomplete: y: no completion specification\n"
                    .into(),
                1
            )
        );
    }
}
