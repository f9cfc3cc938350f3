//! `alias` and `unalias`. Bash manual 6.6, POSIX XCU 2.3.1.

use super::context::ShellContext;
use super::error::BuiltinError;
use super::options::flag;
use super::output::{Printout, Style};
use super::row::{Act, Builtin, Flow};
use crate::memory::{Arc, Vec};
use crate::text::Text;

pub(super) static ALIAS: Builtin = Builtin {
    name: "alias",
    special: false,
    synopsis: "alias [-p] [name[=value] ... ]",
    help: "Define or display aliases.",
    options: &[flag(b'p', "show all aliases as commands that define them")],
    act: Act::Shell(alias),
};

pub(super) static UNALIAS: Builtin = Builtin {
    name: "unalias",
    special: false,
    synopsis: "unalias [-a] name [name ...]",
    help: "Remove each NAME from the list of defined aliases.",
    options: &[flag(b'a', "remove all aliases")],
    act: Act::Shell(unalias),
};

fn alias(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let operands = ctx.operands(&options);
    if ctx.is_first() && (operands.is_empty() || options.has(b'p')) {
        let aliases = Arc::clone(&ctx.shell.state.commands.aliases);
        let mut all: Vec<(&Text, &Text)> = aliases.iter().collect();
        all.sort();
        for (name, text) in all {
            show(ctx.out, name, text);
        }
    }
    while let Some(operand) = ctx.next(operands) {
        let split = operand.iter().skip(1).position(|&byte| byte == b'=').map(|at| operand.split_at(at + 1));
        match split {
            Some((name, _)) if !is_alias_name(name) => {
                ctx.complain(BuiltinError::InvalidAliasName(Text::from(name)));
            }
            Some((name, text)) => {
                let text = Text::from(text.get(1..).unwrap_or(&[]));
                ctx.shell.state.commands.parser_changed = true;
                Arc::make_mut(&mut ctx.shell.state.commands.aliases).insert(Text::from(name), text);
            }
            None => match ctx.shell.state.commands.aliases.get(operand).cloned() {
                Some(text) => show(ctx.out, operand, &text),
                None => ctx.complain(BuiltinError::NotFound(operand.clone())),
            },
        }
    }
    Ok(ctx.flow())
}

fn is_alias_name(name: &[u8]) -> bool {
    !name.is_empty()
        && !name.iter().any(|byte| byte.is_ascii_whitespace() || b"/$`=\\\"'|&;()<>".contains(byte))
}

fn show(out: &mut Printout, name: &Text, text: &Text) {
    out.bytes(if name.first() == Some(&b'-') { b"alias -- " } else { b"alias " });
    out.text(name);
    out.bytes(b"=");
    out.quoted(text, Style::Single);
    out.bytes(b"\n");
}

fn unalias(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    ctx.shell.state.commands.parser_changed = true;
    if options.has(b'a') {
        ctx.shell.state.commands.aliases = Arc::default();
        return Ok(Flow::Status(0));
    }
    let operands = ctx.operands(&options);
    if operands.is_empty() {
        return Err(BuiltinError::Usage);
    }
    while let Some(operand) = ctx.next(operands) {
        if Arc::make_mut(&mut ctx.shell.state.commands.aliases).remove(operand).is_none() {
            ctx.complain(BuiltinError::NotFound(operand.clone()));
        }
    }
    Ok(ctx.flow())
}

#[cfg(test)]
mod tests {
    use super::super::context::testing::TestShell;

    #[test]
    fn aliases_are_defined_shown_and_removed() {
        let mut shell = TestShell::new();
        // bash 5.2: alias b='it'\''s' a=1 'c/=2'; alias b nope; alias; unalias a z; alias -q
        assert_eq!(
            shell.run(&["alias", "b=it's", "a=1", "c/=2"]),
            ("alias: `c/': invalid alias name\n".into(), 1)
        );
        assert_eq!(
            shell.run(&["alias", "b", "nope"]),
            ("alias b='it'\\''s'\nalias: nope: not found\n".into(), 1)
        );
        assert_eq!(shell.run(&["alias"]), ("alias a='1'\nalias b='it'\\''s'\n".into(), 0));
        assert_eq!(shell.run(&["unalias", "a", "z"]), ("unalias: z: not found\n".into(), 1));
        assert_eq!(shell.run(&["alias", "-q"]), ("alias: -q: invalid option\n".into(), 2));
    }

    #[test]
    fn a_long_alias_shown_often_goes_out_block_by_block() {
        let mut shell = TestShell::new();
        let definition = format!("x={}", "y".repeat(100_000));
        shell.run(&["alias", &definition]);
        let mut words = vec!["alias"];
        words.resize(101, "x");
        // The text of `alias x=y...` a hundred times.
        assert_eq!(shell.run(&words).0.len(), 100 * (100_000 + "alias x=''\n".len()));
    }
}
