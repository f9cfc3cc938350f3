//! Parameters: resolving what `${...}` names, and reading values. Bash manual 3.4, 3.5.3.

use super::super::control::Control;
use super::super::expansion::Expansion;
use super::super::expansion::{Subscript, Target};
use super::super::halt::{Halt, Step};
use super::super::name::{self, NameId};
use super::super::option::ShellOption;
use super::super::process::Process;
use super::super::run::Run;
use super::super::shell::Shell;
use super::super::shell::State;
use super::super::variable::Variables;
use super::super::variable::{Attributes, Value, decimal};
use super::super::work::LONG;
use super::field::refused;
use crate::limit::gauge;
use crate::memory::{JoinMetered, ToMetered, Vec, vec};
use crate::program::{Index, Op, ParameterBase, Program, Quoting};
use crate::syntax::ast::AllElements;
use crate::text::Text;

/// Namerefs that are followed.
const MAX_NAMEREFS: u32 = 8;

/// References to elements inside the subscripts of others: `declare -n r='a[r]'` would never end.
const MAX_REFERENCES: u32 = 16;

impl State {
    /// Whether the characters of a text are its bytes: the locale is that of C.
    pub(crate) fn counts_bytes(&self, text: &[u8]) -> bool {
        self.locale.bytes && !text.is_ascii()
    }
}

impl Variables {
    /// Whether a variable is a nameref to `name[@]` or `name[*]`.
    fn is_list_reference(&self, id: NameId) -> bool {
        let slot = self.slot(id);
        slot.attributes.has(Attributes::NAMEREF)
            && matches!(&slot.value, Value::Text(text) if text.ends_with(b"[@]") || text.ends_with(b"[*]"))
    }

    pub(crate) fn is_associative(&mut self, id: NameId) -> bool {
        let slot = self.slot(id);
        if slot.attributes.has(Attributes::NAMEREF)
            && let Value::Text(target) = &slot.value
        {
            return match self.names.find(target) {
                Some(found) if found != id => {
                    let slot = self.slot(found);
                    matches!(slot.value, Value::Assoc(_)) || slot.attributes.has(Attributes::ASSOC)
                }
                _ => false,
            };
        }
        matches!(slot.value, Value::Assoc(_))
            || slot.attributes.has(Attributes::ASSOC)
            || (slot.value == Value::Dynamic && matches!(id, name::BASH_ALIASES | name::BASH_CMDS))
    }
}

impl Shell {
    /// Where a variable's value is: namerefs are followed.
    pub(crate) fn dereference(&mut self, run: &mut Run, id: NameId) -> Target {
        let mut id = id;
        for _ in 0..MAX_NAMEREFS {
            let slot = self.variables.slot(id);
            if !slot.attributes.has(Attributes::NAMEREF) {
                return Target::Variable(id);
            }
            let Value::Text(target) = &slot.value else { return Target::Variable(id) };
            let target = target.clone();
            match memchr::memchr(b'[', &target) {
                Some(_) => return self.parse_reference(run, &target).unwrap_or(Target::Nothing),
                None => id = run.services.names.intern(&target),
            }
        }
        let text = run.services.names.text(id);
        self.report(format_args!("warning: {text}: circular name reference"));
        Target::Nothing
    }

    /// The text of a variable: an array's element 0.
    pub(crate) fn scalar(&mut self, run: &mut Run, id: NameId) -> Option<Text> {
        let slot = self.variables.slot(id);
        match &slot.value {
            Value::Text(text) if !slot.attributes.has(Attributes::NAMEREF) => Some(text.clone()),
            Value::Integer(number) => Some(decimal(*number)),
            Value::Dynamic => self.dynamic(run, id).and_then(|value| value.text()),
            Value::Text(target) if self.variables.scope() > 0 && *target == self.variables.names.text(id) => {
                // A local reference to its own name: the variable of the caller.
                for _ in 0..2 {
                    let text = run.services.names.text(id);
                    self.report(format_args!("warning: {text}: circular name reference"));
                }
                self.variables.saved(id).and_then(|slot| slot.value.text())
            }
            _ if slot.attributes.has(Attributes::NAMEREF) => match self.dereference(run, id) {
                Target::Variable(found) if found != id => self.scalar_once(run, found),
                Target::Variable(_) => None,
                target => self.target_text(run, &target),
            },
            value => value.text(),
        }
    }

    fn scalar_once(&mut self, run: &mut Run, id: NameId) -> Option<Text> {
        match &self.variables.slot(id).value {
            Value::Dynamic => self.dynamic(run, id).and_then(|value| value.text()),
            value => value.text(),
        }
    }

    /// The value of a variable with namerefs followed; dynamic ones are computed.
    pub(crate) fn value_of(&mut self, run: &mut Run, id: NameId) -> Value {
        match self.dereference(run, id) {
            Target::Variable(id) => match &self.variables.slot(id).value {
                Value::Dynamic => self.dynamic(run, id).unwrap_or_default(),
                value => value.clone(),
            },
            target => self.target_text(run, &target).map_or(Value::Unset, Value::Text),
        }
    }

    /// Fails under `set -u`: the parameter is unset.
    pub(crate) fn check_unset(&mut self, run: &mut Run, target: &Target) -> Step {
        if !self.state.options.has(ShellOption::NoUnset) {
            return Ok(());
        }
        if matches!(target, Target::Special(b'@' | b'*') | Target::Elements(..)) {
            return Ok(());
        }
        let mut shown = target.shown(&run.services.names);
        if matches!(target, Target::Positional(_) | Target::Special(_)) {
            shown = Text::from([b"$".as_slice(), &shown].concat_metered());
        }
        self.report(format_args!("{shown}: unbound variable"));
        Err(self.fatal_expansion())
    }

    /// As [`Shell::check_unset`] for a parameter of the program: an indirect one is named with its `!`.
    pub(crate) fn check_unset_parameter(&mut self, run: &mut Run, target: &Target, source: Index) -> Step {
        let indirect =
            self.code.program.parameters.get(source as usize).filter(|reference| reference.indirect);
        if let Some(reference) = indirect
            && self.state.options.has(ShellOption::NoUnset)
            && target.list_kind().is_none()
        {
            let name = indirect_name(&reference.source);
            self.report(format_args!("!{name}: unbound variable"));
            return Err(self.fatal_expansion());
        }
        if self.state.options.has(ShellOption::NoUnset)
            && let Target::Positional(_) | Target::Index(..) | Target::Key(..) = target
            && let Some(reference) = self.code.program.parameters.get(source as usize)
            && let Some(inner) = reference.source.strip_prefix(b"${")
        {
            // As written.
            let shown = match target {
                Target::Positional(number) => crate::memory::format!("{number}").into_std().into(),
                _ => bstr::BString::from(element_text(inner)),
            };
            self.report(format_args!("{shown}: unbound variable"));
            return Err(self.fatal_expansion());
        }
        self.check_unset(run, target)
    }

    /// An expansion error that ends a shell which is not interactive (`set -u`, `${x:?}`).
    pub(crate) fn fatal_expansion(&self) -> Halt {
        let in_subshell = self.is_forked || self.state.ids.level > 0;
        if self.state.invoked.interactive && !in_subshell {
            return Halt::Abandon(1);
        }
        let errexit = self.state.options.has(ShellOption::ErrExit);
        Halt::Exit(if in_subshell || errexit { 1 } else { 127 })
    }

    /// `${#name[-9]}`: the command is given up, the message shows only the subscript.
    fn check_measured(&mut self, run: &mut Run, id: NameId, subscript: &Subscript, source: &Text) -> Step {
        let Target::Variable(id) = self.dereference(run, id) else { return Ok(()) };
        self.check_measured_set(run, &Target::Index(id, 0), 0)?;
        let valid = match subscript {
            Subscript::Index(index) => {
                *index >= 0
                    || self.array_index(run, id, *index).is_some() && self.value_of(run, id).is_array()
            }
            Subscript::Key(key) => !key.is_empty(),
        };
        if valid {
            return Ok(());
        }
        let at = memchr::memchr(b'[', source).map_or(0, |at| at.saturating_add(1));
        let shown = source.get(at..).unwrap_or(&[]);
        let shown = bstr::BStr::new(shown.strip_suffix(b"}").unwrap_or(shown));
        Err(self.expansion_error(format_args!("{shown}: bad array subscript")))
    }

    /// `name[subscript]`; a negative index counts from the end.
    pub(crate) fn element_target(&mut self, run: &mut Run, id: NameId, subscript: Subscript) -> Step<Target> {
        let id = match self.dereference(run, id) {
            Target::Variable(id) => id,
            other => return Ok(other),
        };
        Ok(match subscript {
            Subscript::Key(key) if key.is_empty() => {
                let text = run.services.names.text(id);
                self.report_fatal(format_args!("{text}: bad array subscript"))?;
                Target::Nothing
            }
            Subscript::Key(key) => Target::Key(id, key),
            Subscript::Index(index) => match self.array_index(run, id, index) {
                Some(position) if index >= 0 || self.value_of(run, id).is_array() => {
                    Target::Index(id, position)
                }
                _ => {
                    let text = run.services.names.text(id);
                    self.report_fatal(format_args!("{text}: bad array subscript"))?;
                    Target::Nothing
                }
            },
        })
    }

    /// An index of an array, negative ones resolved; `None`: before the start.
    pub(crate) fn array_index(&mut self, run: &mut Run, id: NameId, index: i64) -> Option<u64> {
        if index >= 0 {
            return Some(index as u64);
        }
        let end = match self.value_of(run, id) {
            Value::Array(array) => array.end() as i64,
            Value::Unset => 0,
            _ => 1,
        };
        u64::try_from(end.checked_add(index)?).ok()
    }

    /// `${!parameter}`: what its value names.
    fn follow(&mut self, run: &mut Run, target: &Target, source: &Text) -> Step<Target> {
        if let Target::Variable(id) = target
            && self.variables.slot(*id).attributes.has(Attributes::NAMEREF)
        {
            // `${!ref}` of a nameref is the name that it refers to.
            let text = self.variables.slot(*id).value.text().unwrap_or_default();
            return Ok(Target::Referent(text));
        }
        let Some(text) = self.target_text(run, target) else {
            if self.state.options.has(ShellOption::NoUnset) || !matches!(target, Target::Positional(_)) {
                if let Target::Variable(id) = target
                    && self.value_of(run, *id).is_array()
                {
                    return Ok(Target::Nothing);
                }
                self.report(format_args!("{}: invalid indirect expansion", indirect_name(source)));
                return Err(self.state.discarded());
            }
            return Ok(Target::Nothing);
        };
        match self.parse_reference(run, &text) {
            Some(target) => Ok(target),
            None => {
                self.report(format_args!("{text}: invalid variable name"));
                Err(self.state.discarded())
            }
        }
    }

    /// A parameter named by a text at run time: `x`, `1`, `@`, `a[2]`, `a[@]`.
    pub(crate) fn parse_reference(&mut self, run: &mut Run, text: &[u8]) -> Option<Target> {
        self.parse_reference_at(run, text, 1)
    }

    /// The same inside a text whose values are nested so deep.
    pub(crate) fn parse_reference_at(&mut self, run: &mut Run, text: &[u8], depth: u32) -> Option<Target> {
        if name::is_name(text) {
            let id = run.services.names.intern(text);
            return Some(self.dereference(run, id));
        }
        if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
            return std::str::from_utf8(text).ok()?.parse().ok().map(Target::Positional);
        }
        if let [special @ (b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')] = text {
            return Some(Target::Special(*special));
        }
        let open = memchr::memchr(b'[', text)?;
        let (base, rest) = text.split_at(open);
        let subscript = rest.strip_prefix(b"[")?.strip_suffix(b"]")?;
        if !name::is_name(base) {
            return None;
        }
        let id = run.services.names.intern(base);
        let id = match self.dereference_name_only(run, id) {
            Some(id) => id,
            None => id,
        };
        // Each may lead to many others, as deep as is allowed.
        if gauge::burn(1) {
            run.services.meter.check().ok()?;
        }
        match subscript {
            b"@" => Some(Target::Elements(id, AllElements::At)),
            b"*" => Some(Target::Elements(id, AllElements::Star)),
            _ if self.references >= MAX_REFERENCES => {
                let shown = bstr::BStr::new(text);
                self.report(format_args!("{shown}: expression recursion level exceeded"));
                None
            }
            _ => {
                self.references += 1;
                let target = self.subscript_target(run, id, subscript, depth);
                self.references -= 1;
                target
            }
        }
    }

    fn subscript_target(
        &mut self,
        run: &mut Run,
        id: NameId,
        subscript: &[u8],
        depth: u32,
    ) -> Option<Target> {
        if self.variables.is_associative(id) {
            return Some(Target::Key(id, self.dequote_key(run, subscript)));
        }
        let index = self.evaluate_subscript(run, subscript, depth).ok()?;
        self.array_index(run, id, index).map(|index| Target::Index(id, index))
    }

    fn dereference_name_only(&mut self, run: &mut Run, id: NameId) -> Option<NameId> {
        match self.dereference(run, id) {
            Target::Variable(id) => Some(id),
            _ => None,
        }
    }

    /// A key written in a text: quotes around it are removed, `$name` is expanded.
    pub(crate) fn dequote_key(&mut self, run: &mut Run, key: &[u8]) -> Text {
        let mut text = Text::EMPTY;
        let mut rest = key;
        while let Some((&first, tail)) = rest.split_first() {
            if gauge::is_refused() {
                break;
            }
            match first {
                b'\'' => {
                    let end = memchr::memchr(b'\'', tail).unwrap_or(tail.len());
                    text.push_bytes(tail.get(..end).unwrap_or(tail));
                    rest = tail.get(end + 1..).unwrap_or(&[]);
                }
                b'"' => rest = tail,
                b'\\' => {
                    text.push_bytes(tail.get(..1).unwrap_or(&[]));
                    rest = tail.get(1..).unwrap_or(&[]);
                }
                b'$' => {
                    let tail = tail.strip_prefix(b"{").unwrap_or(tail);
                    let length = tail
                        .iter()
                        .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
                        .unwrap_or(tail.len());
                    let (name, after) = tail.split_at(length);
                    if name.is_empty() {
                        text.push_bytes(b"$");
                    } else if let Some(target) = self.parse_reference(run, name) {
                        let value = self.target_text(run, &target).unwrap_or_default();
                        text.push_bytes(&value);
                    }
                    rest = after.strip_prefix(b"}").unwrap_or(after);
                }
                byte => {
                    text.push_bytes(&[byte]);
                    rest = tail;
                }
            }
        }
        text
    }

    /// The text of a target that is one value; `None` when it is unset.
    pub(crate) fn target_text(&mut self, run: &mut Run, target: &Target) -> Option<Text> {
        match target {
            Target::Variable(id) => self.scalar(run, *id),
            Target::Index(id, index) => match self.value_of(run, *id) {
                Value::Array(array) => array.get(*index).cloned(),
                value if *index == 0 => value.text(),
                _ => None,
            },
            Target::Key(id, key) => match self.value_of(run, *id) {
                Value::Assoc(assoc) => assoc.get(key).cloned(),
                _ => None,
            },
            Target::Positional(0) => Some(self.state.invoked.arg0.clone()),
            Target::Positional(number) => self.state.positional.get(*number).cloned(),
            Target::Special(special) => self.special(run, *special),
            Target::Elements(..) => {
                let values = self.target_values(run, target);
                if values.is_empty() { None } else { Some(joined(&values, b" ")) }
            }
            Target::Referent(text) => Some(text.clone()),
            Target::Nothing => None,
        }
    }

    /// `$?` and its kin.
    fn special(&mut self, run: &mut Run, special: u8) -> Option<Text> {
        let state = &self.state;
        Some(match special {
            b'?' => decimal(i64::from(state.status)),
            b'#' => decimal(state.positional.len() as i64),
            b'$' => decimal(i64::from(state.ids.shell)),
            b'!' => decimal(i64::from(state.ids.background?)),
            b'-' => Text::from(state.options.letters(
                state.invoked.interactive,
                state.invoked.command_string,
                state.invoked.reads_input,
            )),
            b'@' | b'*' => {
                let values = self.target_values(run, &Target::Special(special));
                if values.is_empty() {
                    return None;
                }
                let join = if special == b'*' { self.state.separators.join.clone() } else { Text::from(" ") };
                joined(&values, &join)
            }
            _ => return None,
        })
    }

    /// All values of a target that is a list.
    pub(crate) fn target_values(&mut self, run: &mut Run, target: &Target) -> Vec<Text> {
        match target {
            Target::Special(b'@' | b'*') => self.state.positional.as_slice().to_metered(),
            Target::Elements(id, _) => match self.value_of(run, *id) {
                Value::Array(array) => array.iter().map(|(_, value)| value.clone()).collect(),
                Value::Assoc(assoc) => assoc.sorted().into_iter().map(|(_, value)| value.clone()).collect(),
                value => value.text().into_iter().collect(),
            },
            target => self.target_text(run, target).into_iter().collect(),
        }
    }

    /// Whether a target is set, and with `colon` not null.
    pub(crate) fn is_target_set(&mut self, run: &mut Run, target: &Target, colon: bool) -> Step<bool> {
        if target.list_kind().is_some() {
            let values = self.target_values(run, target);
            return Ok(match values.as_slice() {
                [] => false,
                [only] => !colon || !only.is_empty(),
                many => !colon || many.iter().any(|value| !value.is_empty()) || many.len() > 1,
            });
        }
        Ok(self.target_text(run, target).is_some_and(|text| !colon || !text.is_empty()))
    }

    /// As [`Shell::is_target_set`], where the value would be used as `quoting` says: `"$*"` is null when what it joins
    /// to is; a list behind `${!x}` is not null.
    pub(crate) fn is_value_used(
        &mut self,
        run: &mut Run,
        target: &Target,
        source: Index,
        colon: bool,
        quoting: Quoting,
    ) -> Step<bool> {
        let Some(kind) = target.list_kind().filter(|_| colon) else {
            return self.is_target_set(run, target, colon);
        };
        let parameter = self.code.program.parameters.get(source as usize);
        if parameter.is_some_and(|parameter| parameter.indirect) {
            return self.is_target_set(run, target, false);
        }
        let set = self.is_target_set(run, target, true)?;
        Ok(set
            && (kind == AllElements::At
                || !matches!(quoting, Quoting::Quoted | Quoting::Document)
                || !self.state.separators.join.is_empty()
                || self.target_values(run, target).iter().any(|value| !value.is_empty())))
    }

    /// `set -u` in `${#x}`: of an array it is looked for, not for its element.
    fn check_measured_set(&mut self, run: &mut Run, target: &Target, source: Index) -> Step {
        let (Target::Index(id, _) | Target::Key(id, _)) = *target else {
            return self.check_unset_parameter(run, target, source);
        };
        if self.state.options.has(ShellOption::NoUnset) && self.value_of(run, id) == Value::Unset {
            let name = run.services.names.text(id);
            self.report(format_args!("{name}: unbound variable"));
            return Err(Halt::Exit(1));
        }
        Ok(())
    }
}

impl Expansion {
    /// `$name` in a word.
    pub(crate) fn append_variable(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        id: NameId,
        quoting: Quoting,
    ) -> Step {
        let slot = shell.variables.slot(id);
        if let (Value::Text(text), false) = (&slot.value, slot.attributes.has(Attributes::NAMEREF)) {
            if text.len() > LONG {
                let text = text.clone();
                self.append_value(shell, &text, quoting);
                return Ok(());
            }
            match quoting {
                Quoting::Quoted | Quoting::Document => self.builder.push_quoted(text),
                Quoting::Raw => self.builder.push_raw(text),
                Quoting::Split => self.builder.push_split(text, &shell.state.separators),
            }
            return Ok(());
        }
        if shell.variables.is_list_reference(id) {
            let target = shell.dereference(run, id);
            return self.append_target(shell, run, &target, Index::MAX, quoting);
        }
        match shell.scalar(run, id) {
            Some(text) => self.append_value(shell, &text, quoting),
            None => shell.check_unset(run, &Target::Variable(id))?,
        }
        Ok(())
    }

    /// `"$name"` as a word of its own: no copy of a long value.
    pub(crate) fn field_variable(&mut self, shell: &mut Shell, run: &mut Run, id: NameId) -> Step {
        if shell.variables.is_list_reference(id) {
            self.append_variable(shell, run, id, Quoting::Quoted)?;
            return self.end_field(shell, run);
        }
        match shell.scalar(run, id) {
            Some(text) => self.fields.push(text),
            None => {
                shell.check_unset(run, &Target::Variable(id))?;
                self.fields.push(Text::EMPTY);
            }
        }
        Ok(())
    }

    /// Resolves a parameter of the program, taking its subscript, and pushes it.
    pub(crate) fn resolve_target(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        program: &Program,
        link: &super::super::link::Link,
        index: Index,
    ) -> Step {
        let Some(reference) = program.parameters.get(index as usize) else { return Ok(()) };
        let measured = matches!(program.code.get(shell.code.pc as usize), Some(Op::Length { .. }));
        let mut target = match reference.base {
            ParameterBase::Variable(name) => Target::Variable(link.name(name)),
            ParameterBase::Elements(name, all) => match shell.dereference(run, link.name(name)) {
                Target::Variable(id) => Target::Elements(id, all),
                Target::Elements(..) => Target::Nothing,
                other => other,
            },
            ParameterBase::Positional(number) => Target::Positional(number),
            ParameterBase::Special(special) => Target::Special(special),
            ParameterBase::Element(name) => {
                let subscript = self.subscripts.pop().unwrap_or(Subscript::Index(0));
                if measured {
                    shell.check_measured(run, link.name(name), &subscript, &reference.source)?;
                }
                shell.element_target(run, link.name(name), subscript)?
            }
        };
        if reference.indirect {
            target = shell.follow(run, &target, &reference.source)?;
        } else if let Target::Variable(id) = target
            && shell.variables.slot(id).attributes.has(Attributes::NAMEREF)
        {
            target = shell.dereference(run, id);
        }
        self.targets.push((target, index));
        Ok(())
    }

    /// Appends a target's value or values.
    pub(crate) fn append_target(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        target: &Target,
        source: Index,
        quoting: Quoting,
    ) -> Step {
        if let Some(kind) = target.list_kind() {
            let values = shell.target_values(run, target);
            let list = match target {
                Target::Elements(..) => ListOf::Elements,
                _ => ListOf::Parameters,
            };
            return self.append_list(shell, run, &values, kind, quoting, list);
        }
        match shell.target_text(run, target) {
            Some(text) => {
                self.append_value(shell, &text, quoting);
                Ok(())
            }
            None => shell.check_unset_parameter(run, target, source),
        }
    }

    /// Appends several values as the kind of list and the quoting ask. Bash manual 3.4.2.
    pub(crate) fn append_list(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        values: &[Text],
        kind: AllElements,
        quoting: Quoting,
        list: ListOf,
    ) -> Step {
        match (kind, quoting) {
            (AllElements::Star, Quoting::Document) if list.is_joined_with_blanks() => {
                let joined = joined(values, b" ");
                self.append_text(shell, &joined, quoting);
            }
            (AllElements::Star, Quoting::Quoted | Quoting::Document | Quoting::Raw) => {
                let separator = shell.state.separators.join.clone();
                let joined = joined(values, &separator);
                self.append_text(shell, &joined, quoting);
            }
            (AllElements::At, Quoting::Quoted | Quoting::Document | Quoting::Raw) => {
                let join = list.join(quoting, &shell.state.separators.join);
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        match &join {
                            Some(join) => self.builder.end_field_joined(join),
                            None => self.builder.end_field(),
                        }
                    }
                    if gauge::is_refused() {
                        break;
                    }
                    self.append_text(shell, value, quoting);
                }
            }
            (_, Quoting::Split)
                if list == ListOf::ElementsTrimmed && shell.state.separators.join.is_empty() =>
            {
                let joined = joined(values, b" ");
                self.append_text(shell, &joined, quoting);
            }
            (_, Quoting::Split) => {
                let separators = std::sync::Arc::clone(&shell.state.separators);
                self.builder.push_split_list(values, &separators);
            }
        }
        refused(run)
    }

    /// `${x:-word}`, `${x:=word}`, `${x:?word}`: uses the value if there is one.
    pub(crate) fn use_value(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        colon: bool,
        quoting: Quoting,
        keep: bool,
        end: crate::program::Pc,
    ) -> Step {
        let (target, source) = self.pop_target();
        if shell.is_value_used(run, &target, source, colon, quoting)? {
            self.append_target(shell, run, &target, source, quoting)?;
            shell.code.pc = end;
        } else if keep {
            self.targets.push((target, source));
        }
        Ok(())
    }

    /// `${x:?word}`
    pub(crate) fn error_unset(&mut self, shell: &mut Shell, run: &mut Run, colon: bool) -> Step {
        let text = self.builder.take_text();
        self.builder = self.builders.pop().unwrap_or_default();
        let (target, _) = self.pop_target();
        let shown = target.shown(&run.services.names);
        let default = if colon { "parameter null or not set" } else { "parameter not set" };
        if text.is_empty() {
            shell.report(format_args!("{shown}: {default}"));
        } else {
            shell.report(format_args!("{shown}: {text}"));
        }
        Err(shell.fatal_expansion())
    }

    /// `${#name[subscript]}`: of an unset variable the subscript is not looked at.
    pub(crate) fn unless_declared(
        &mut self,
        shell: &mut Shell,
        id: NameId,
        quoting: Quoting,
        end: crate::program::Pc,
    ) {
        let slot = shell.variables.slot(id);
        if slot.value == Value::Unset
            && !slot.attributes.has(Attributes(Attributes::ARRAY.0 | Attributes::ASSOC.0))
            && !shell.state.options.has(ShellOption::NoUnset)
        {
            self.append_text(shell, b"0", quoting);
            shell.code.pc = end;
        }
    }

    /// `${#x}`: characters of a value, number of values of a list.
    pub(crate) fn length(&mut self, shell: &mut Shell, run: &mut Run, quoting: Quoting) -> Step {
        let (target, source) = self.pop_target();
        if let Target::Elements(id, _) = target
            && shell.state.options.has(ShellOption::NoUnset)
            && shell.value_of(run, id) == Value::Unset
        {
            let name = run.services.names.text(id);
            shell.report(format_args!("{name}: unbound variable"));
            return Err(Halt::Exit(1));
        }
        let length = if target.list_kind().is_some() {
            match &target {
                Target::Special(_) => shell.state.positional.len(),
                Target::Elements(id, _) => match shell.value_of(run, *id) {
                    Value::Array(array) => array.len(),
                    Value::Assoc(assoc) => assoc.len(),
                    value => usize::from(value.text().is_some()),
                },
                _ => 0,
            }
        } else {
            match shell.target_text(run, &target) {
                Some(text) if shell.state.counts_bytes(&text) => text.len(),
                Some(text) => crate::character::count(&text),
                None => {
                    shell.check_measured_set(run, &target, source)?;
                    0
                }
            }
        };
        self.append_text(shell, &decimal(length as i64), quoting);
        Ok(())
    }

    /// `${!prefix*}`
    pub(crate) fn names_with_prefix(
        &mut self,
        shell: &mut Shell,
        prefix: &[u8],
        all: AllElements,
        quoting: Quoting,
    ) {
        let mut names: Vec<Text> = shell
            .variables
            .existing()
            .filter(|(_, slot)| slot.value != Value::Unset)
            .map(|(id, _)| shell.variables.names.text(id))
            .filter(|name| name.starts_with(prefix))
            .collect();
        names.sort();
        if all == AllElements::Star && quoting == Quoting::Split && shell.state.separators.join.is_empty() {
            let joined = joined(&names, b"");
            self.append_text(shell, &joined, quoting);
            return;
        }
        self.append_values(shell, &names, all, quoting, ListOf::Names);
    }

    /// `${!name[@]}`
    pub(crate) fn keys(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        all: AllElements,
        quoting: Quoting,
    ) -> Step {
        let (target, _) = self.pop_target();
        let keys: Vec<Text> = match &target {
            Target::Elements(id, _) | Target::Variable(id) => match shell.value_of(run, *id) {
                Value::Array(array) => array.iter().map(|(index, _)| decimal(index as i64)).collect(),
                Value::Assoc(assoc) => assoc.sorted().into_iter().map(|(key, _)| key.clone()).collect(),
                Value::Unset => Vec::new(),
                _ => vec![Text::from_static(b"0")],
            },
            _ => Vec::new(),
        };
        if all == AllElements::Star && quoting == Quoting::Split && shell.state.separators.join.is_empty() {
            let joined = joined(&keys, b" ");
            self.append_text(shell, &joined, quoting);
            return Ok(());
        }
        self.append_values(shell, &keys, all, quoting, ListOf::Keys);
        Ok(())
    }

    fn append_values(
        &mut self,
        shell: &mut Shell,
        values: &[Text],
        all: AllElements,
        quoting: Quoting,
        list: ListOf,
    ) {
        match (all, quoting) {
            (AllElements::Star, Quoting::Document) if list.is_joined_with_blanks() => {
                let joined = joined(values, b" ");
                self.append_text(shell, &joined, quoting);
            }
            (AllElements::Star, Quoting::Quoted | Quoting::Document | Quoting::Raw) => {
                let separator = shell.state.separators.join.clone();
                let joined = joined(values, &separator);
                self.append_text(shell, &joined, quoting);
            }
            (_, Quoting::Split) => {
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        self.builder.end_if_present();
                    }
                    self.append_text(shell, value, quoting);
                }
            }
            (AllElements::At, _) => {
                let join = list.join(quoting, &shell.state.separators.join);
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        match &join {
                            Some(join) => self.builder.end_field_joined(join),
                            None => self.builder.end_field(),
                        }
                    }
                    if gauge::is_refused() {
                        break;
                    }
                    self.append_text(shell, value, quoting);
                }
            }
        }
    }
}

impl Control {
    /// The status that a failed `${x:=word}` leaves: 2, but 1 where a text is run (a command string, a substitution).
    fn status_of_failed_default(&self, shell: &Shell) -> u8 {
        use super::super::frame::Frame;
        let subshell = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Subshell(frame) => Some(frame.substitution.is_some()),
            _ => None,
        });
        if subshell.unwrap_or(shell.state.invoked.command_string) { 1 } else { 2 }
    }
}

impl Process {
    /// `${x:=word}`
    pub(crate) fn assign_default(&mut self, run: &mut Run, quoting: Quoting) -> Step {
        let text = self.x.builder.take_text();
        self.x.builder = self.x.builders.pop().unwrap_or_default();
        let (target, source) = self.x.pop_target();
        let assigned = match &target {
            Target::Variable(id) => self.shell.assign_variable(run, *id, text.clone(), false),
            Target::Index(id, index) => {
                self.shell.assign_element(run, *id, Subscript::Index(*index as i64), text.clone(), false)
            }
            Target::Key(id, key) => {
                self.shell.assign_element(run, *id, Subscript::Key(key.clone()), text.clone(), false)
            }
            _ => {
                let shown = target.shown(&run.services.names);
                self.shell.report(format_args!("${shown}: cannot assign in this way"));
                return Err(self.shell.state.discarded());
            }
        };
        match assigned {
            Ok(()) => {}
            Err(super::super::assign::AssignError::Halt(halt)) => return Err(halt),
            Err(_) if self.shell.state.options.has(ShellOption::Posix) => {
                return Err(self.shell.fatal_assignment());
            }
            Err(_) => return Err(Halt::Discard(self.control.status_of_failed_default(&self.shell))),
        }
        self.x.append_target(&mut self.shell, run, &target, source, quoting)
    }
}

/// What the values of a list are. Where no fields are made bash joins them in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListOf {
    /// `$@`
    Parameters,
    /// `${name[@]}`
    Elements,
    /// `${@#...}` and its kin
    ParametersTrimmed,
    /// `${name[@]#...}` and its kin
    ElementsTrimmed,
    /// `${.../...}`, `${...^...}`
    Changed,
    /// `${...:...}`
    Slice,
    /// `${...@Q}`
    Transformed,
    /// `${!name[@]}`
    Keys,
    /// `${!prefix@}`
    Names,
}

impl ListOf {
    /// What joins a list of the `@` kind where no fields are made, if that is what `IFS` begins with.
    fn join(self, quoting: Quoting, first: &Text) -> Option<Text> {
        if first.is_empty() || quoting == Quoting::Document {
            return None;
        }
        let joins = match self {
            Self::Parameters | Self::Elements => false,
            Self::ParametersTrimmed | Self::ElementsTrimmed | Self::Transformed | Self::Names => true,
            Self::Changed | Self::Slice | Self::Keys => quoting == Quoting::Quoted,
        };
        joins.then(|| first.clone())
    }

    /// Whether a list of the `*` kind in a here-document is joined with blanks whatever `IFS` is.
    fn is_joined_with_blanks(self) -> bool {
        !matches!(self, Self::Elements | Self::Changed | Self::Names)
    }
}

/// `name[subscript]` at the start of a text.
fn element_text(text: &[u8]) -> &[u8] {
    let mut open = 0_usize;
    let end = text.iter().position(|byte| match byte {
        b'[' => {
            open += 1;
            false
        }
        b']' => {
            open = open.saturating_sub(1);
            open == 0
        }
        _ => false,
    });
    text.get(..=end.unwrap_or(text.len())).unwrap_or(text)
}

/// The parameter in `${!name...}` as messages show it.
fn indirect_name(source: &[u8]) -> Text {
    let inner = source.strip_prefix(b"${!").unwrap_or(source);
    let end =
        inner.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(inner.len());
    Text::from(inner.get(..end).unwrap_or(inner))
}

/// Values side by side, with a separator between them.
fn joined(values: &[Text], separator: &[u8]) -> Text {
    let mut joined = Vec::with_capacity(values.iter().map(|value| value.len() + separator.len()).sum());
    for (index, value) in values.iter().enumerate() {
        if gauge::is_refused() {
            break;
        }
        if index > 0 {
            joined.extend_from_slice(separator);
        }
        joined.extend_from_slice(value);
    }
    Text::from(joined)
}
