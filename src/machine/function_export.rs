//! Functions in the environment: `BASH_FUNC_name%%=() { ... }`, as bash hands them to the shells that it starts.

use super::control::Control;
use super::halt::Step;
use super::link::Code;
use super::name;
use super::run::Run;
use super::shell::Shell;
use crate::memory::{Arc, Bytes, JoinMetered};
use crate::program::Op;
use crate::syntax::ast::FunctionDefinition;
use crate::syntax::print_function;
use crate::text::Text;

/// The value of a function's variable in the environment.
pub(crate) fn exported_text(definition: &FunctionDefinition) -> Text {
    let text = print_function(definition);
    let body = text.get(definition.name.len()..).unwrap_or(&[]);
    let body = body.strip_prefix(b" () \n").unwrap_or(body);
    // A group's first command stands after the brace.
    match body.strip_prefix(b"{ \n") {
        Some(rest) => Text::from([b"() { ", rest.get(3..).unwrap_or(rest)].concat_metered()),
        None => Text::from([b"() ", body].concat_metered()),
    }
}

impl Control {
    /// Defines the function that a variable of the environment holds, if it holds one.
    pub(crate) fn import_function(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        variable: &[u8],
        value: &[u8],
    ) -> Step {
        let name = variable.strip_prefix(b"BASH_FUNC_").and_then(|name| name.strip_suffix(b"%%"));
        let Some(name) = name.filter(|name| name::is_name(name) || is_function_name(name)) else {
            return Ok(());
        };
        if !value.starts_with(b"() {") {
            return Ok(());
        }
        let source = Bytes::from([name, b" ", value].concat_metered());
        let program = self.compile(shell, run, &source, (0, 1), false)?;
        // One definition, and nothing after it.
        let (Some(Op::DefineFunction { function, end }), true) =
            (program.code.first().copied(), program.errors.is_empty())
        else {
            return Ok(());
        };
        if !matches!(program.code.get(end as usize), Some(Op::End)) {
            return Ok(());
        }
        let link = run.services.cache.link_for(&program, &run.services.names, false);
        let before = std::mem::replace(
            &mut shell.code,
            Code { program: Arc::clone(&program), link: Arc::clone(&link), pc: 1, shift: 0 },
        );
        shell.define_function(&program, function, end)?;
        shell.code = before;
        let id = run.services.names.intern(name);
        if let Some(function) = Arc::make_mut(&mut shell.state.commands.functions).get_mut(&id) {
            function.exported = true;
            function.source = Text::from_static(b"environment");
        }
        Ok(())
    }
}

/// Names of functions may have dashes, dots and colons.
fn is_function_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name.iter().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':' | b'+' | b'@')
        })
}
