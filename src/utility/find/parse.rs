//! From the arguments to a plan. Operators are resolved with an explicit stack (shunting-yard), so that nesting is no
//! native recursion.

use super::expression::*;
use super::format::Format;
use super::regex::{RegexSyntax, regex, regex_syntax};
use crate::memory::{String, ToMetered, Vec, format, vec};
use crate::pattern::{Pattern, PatternOptions};
use crate::text::Text;
use crate::utility::OptionSet as _;
use crate::utility::context::options::options;
use crate::utility::format::quote::quote;
use crate::utility::format::time_format::{Zone, timestamp};
use crate::utility::{Context, UtilityError};
use std::fmt::Write as _;

options! {
    pub(super) enum Opt {
        Physical = flag('P', "", "never follow symbolic links (the default)"),
        Logical = flag('L', "", "follow symbolic links"),
        LogicalOperands = flag('H', "", "follow symbolic links of the command line only"),
    }
}

pub(super) const DAY: i128 = 86_400 * SECOND;
pub(super) const SECOND: i128 = 1_000_000_000;

pub(super) fn fail<T>(message: impl Into<String>) -> Result<T, UtilityError> {
    Err(UtilityError::failed(message))
}

/// Turns arguments into a plan; files for output are opened.
pub(super) fn parse(ctx: &Context, args: &[Text]) -> Result<Plan, UtilityError> {
    let mut follow = Follow::Never;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        let option = match arg.as_bytes() {
            b"--" => {
                at += 1;
                break;
            }
            [b'-', letter] => Opt::of_short(char::from(*letter)),
            _ => None,
        };
        follow = match option {
            Some(Opt::Physical) => Follow::Never,
            Some(Opt::Logical) => Follow::Always,
            Some(Opt::LogicalOperands) => Follow::CommandLine,
            None => break,
        };
        at += 1;
    }
    let rest = args.get(at..).unwrap_or(&[]);
    let count = rest.iter().take_while(|arg| !starts_expression(arg)).count();
    let (starts, expression) = rest.split_at_checked(count).unwrap_or((rest, &[]));
    let starts = if starts.is_empty() { vec![Text::from_static(b".")] } else { starts.to_metered() };
    let plan = Plan {
        follow,
        starts,
        min_depth: 0,
        max_depth: u64::MAX,
        depth_first: false,
        same_file_system: false,
        steps: Vec::new(),
        files: Vec::new(),
        batches: Vec::new(),
    };
    let now = ctx.session.clock.now();
    let mut parser = Parser {
        ctx,
        args: expression,
        at: 0,
        plan,
        operators: Vec::new(),
        regex_syntax: RegexSyntax::Emacs,
        has_action: false,
        deletes: false,
        prunes: false,
        depth_given: false,
        now: now.as_nanos().try_into().unwrap_or(i128::MAX / 2),
        day_start: None,
        last: None,
    };
    parser.expression()?;
    Ok(parser.plan)
}

fn starts_expression(arg: &[u8]) -> bool {
    matches!(arg, b"(" | b"!") || (arg.first() == Some(&b'-') && arg.len() > 1)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Open,
    Comma,
    /// The step of its jump.
    Or(usize),
    And(usize),
    Not,
}

impl Operator {
    const fn precedence(self) -> u8 {
        match self {
            Self::Open => 0,
            Self::Comma => 1,
            Self::Or(_) => 2,
            Self::And(_) => 3,
            Self::Not => 4,
        }
    }
}

pub(super) struct Parser<'a> {
    pub(super) ctx: &'a Context,
    pub(super) args: &'a [Text],
    pub(super) at: usize,
    pub(super) plan: Plan,
    operators: Vec<Operator>,
    regex_syntax: RegexSyntax,
    has_action: bool,
    deletes: bool,
    prunes: bool,
    depth_given: bool,
    /// Nanoseconds since the epoch.
    pub(super) now: i128,
    /// `-daystart`: the start of tomorrow.
    pub(super) day_start: Option<i128>,
    /// The last operand before the one at hand, for messages.
    last: Option<Text>,
}

impl Parser<'_> {
    fn expression(&mut self) -> Result<(), UtilityError> {
        // Whether a primary was just read, and the operator that wants one.
        let mut has_operand = false;
        let mut wanting: Option<&str> = None;
        while let Some(arg) = self.args.get(self.at).cloned() {
            self.at += 1;
            match arg.as_bytes() {
                b"(" => {
                    self.implicit_and(has_operand);
                    self.operators.push(Operator::Open);
                    if self.args.get(self.at).is_some_and(|next| next.as_bytes() == b")") {
                        return fail("invalid expression; empty parentheses are not allowed.");
                    }
                    (has_operand, wanting) = (false, Some("("));
                }
                b")" => {
                    if !has_operand && let Some(operator) = wanting.filter(|&operator| operator != "(") {
                        return fail(format!("expected an expression between '{operator}' and ')'"));
                    }
                    self.close()?;
                    (has_operand, wanting) = (true, None);
                }
                b"!" | b"-not" => {
                    self.implicit_and(has_operand);
                    self.operators.push(Operator::Not);
                    (has_operand, wanting) = (false, Some(if arg.as_bytes() == b"!" { "!" } else { "-not" }));
                }
                b"-a" | b"-and" | b"-o" | b"-or" | b"," => {
                    let name: &'static str = match arg.as_bytes() {
                        b"-a" => "-a",
                        b"-and" => "-and",
                        b"-o" => "-o",
                        b"-or" => "-or",
                        _ => ",",
                    };
                    if !has_operand {
                        return fail(format!(
                            "invalid expression; you have used a binary operator '{name}' with nothing before it."
                        ));
                    }
                    self.binary(name);
                    (has_operand, wanting) = (false, Some(name));
                }
                _ => {
                    self.implicit_and(has_operand);
                    self.primary(&arg)?;
                    self.last = Some(arg);
                    (has_operand, wanting) = (true, None);
                }
            }
        }
        if !has_operand && let Some(operator) = wanting {
            return match operator {
                "(" => {
                    fail("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
                }
                _ => fail(format!("expected an expression after '{operator}'")),
            };
        }
        while let Some(operator) = self.operators.pop() {
            if operator == Operator::Open {
                return fail(
                    "invalid expression; I was expecting to find a ')' somewhere but did not see one.",
                );
            }
            self.emit(operator);
        }
        self.finish()
    }

    fn finish(&mut self) -> Result<(), UtilityError> {
        if self.deletes && self.prunes && !self.depth_given {
            return fail(
                "The -delete action automatically turns on -depth, but -prune does nothing when -depth is in \
                 effect.  If you want to carry on anyway, just explicitly use the -depth option.",
            );
        }
        if !self.has_action {
            let end = self.plan.steps.len() + 2;
            self.plan.steps.push(Instruction::JumpIfFalse(end));
            self.plan.steps.push(Instruction::Action(Action::Print(Target::Stdout, b'\n')));
        }
        Ok(())
    }

    fn implicit_and(&mut self, has_operand: bool) {
        if has_operand {
            self.binary("-a");
        }
    }

    fn binary(&mut self, name: &str) {
        let (operator, jump): (fn(usize) -> Operator, Option<Instruction>) = match name {
            "-a" | "-and" => (Operator::And, Some(Instruction::JumpIfFalse(0))),
            "-o" | "-or" => (Operator::Or, Some(Instruction::JumpIfTrue(0))),
            _ => (|_| Operator::Comma, None),
        };
        let precedence = operator(0).precedence();
        while let Some(&top) = self.operators.last()
            && top.precedence() >= precedence
        {
            self.operators.pop();
            self.emit(top);
        }
        self.operators.push(operator(self.plan.steps.len()));
        self.plan.steps.extend(jump);
    }

    /// An operator's second operand is complete.
    fn emit(&mut self, operator: Operator) {
        let end = self.plan.steps.len();
        match operator {
            Operator::Not => self.plan.steps.push(Instruction::Not),
            Operator::And(jump) | Operator::Or(jump) => {
                if let Some(Instruction::JumpIfFalse(target) | Instruction::JumpIfTrue(target)) =
                    self.plan.steps.get_mut(jump)
                {
                    *target = end;
                }
            }
            Operator::Open | Operator::Comma => {}
        }
    }

    fn close(&mut self) -> Result<(), UtilityError> {
        loop {
            match self.operators.pop() {
                None => return fail("you have too many ')'"),
                Some(Operator::Open) => return Ok(()),
                Some(operator) => self.emit(operator),
            }
        }
    }

    pub(super) fn test(&mut self, test: Test) {
        self.plan.steps.push(Instruction::Test(test));
    }

    fn action(&mut self, action: Action) {
        self.plan.steps.push(Instruction::Action(action));
        self.has_action = true;
    }

    pub(super) fn argument(&mut self, name: &str) -> Result<Text, UtilityError> {
        let argument = self.args.get(self.at).cloned();
        self.at += 1;
        argument.map_or_else(|| fail(format!("missing argument to `{name}'")), Ok)
    }

    fn primary(&mut self, arg: &Text) -> Result<(), UtilityError> {
        let name = String::from_utf8_lossy(arg);
        if !name.starts_with('-') {
            let mut message = format!("paths must precede expression: `{name}'");
            if let Some(last) = &self.last
                && self.ctx.lstat(arg).is_ok()
            {
                let _ = write!(message, "\nfind: possible unquoted pattern after predicate `{last}'?");
            }
            return fail(message);
        }
        if self.option(&name)?
            || self.name_test(&name)?
            || self.metadata_test(&name)?
            || self.any_action(&name)?
        {
            return Ok(());
        }
        fail(format!("unknown predicate `{name}'"))
    }

    /// Options are true wherever they stand.
    fn option(&mut self, name: &str) -> Result<bool, UtilityError> {
        match name {
            "-maxdepth" => self.plan.max_depth = self.depth(name)?,
            "-mindepth" => self.plan.min_depth = self.depth(name)?,
            "-depth" | "-d" => (self.plan.depth_first, self.depth_given) = (true, true),
            "-follow" => self.plan.follow = Follow::Always,
            "-xdev" | "-mount" => self.plan.same_file_system = true,
            // Nobody is warned, and directories' link counts are not relied on, with or without these.
            "-noleaf" | "-nowarn" => {}
            "-daystart" => {
                let zone = Zone::of(&self.ctx.env);
                let today = zone.at(timestamp(self.ctx.session.clock.now()));
                let start = today.start_of_day().and_then(|start| start.tomorrow());
                self.day_start = start.ok().map(|start| start.timestamp().as_nanosecond());
            }
            "-regextype" => {
                let kind = self.argument(name)?;
                self.regex_syntax = regex_syntax(&kind)?;
            }
            _ => return Ok(false),
        }
        self.test(Test::True);
        Ok(true)
    }

    fn depth(&mut self, name: &str) -> Result<u64, UtilityError> {
        let text = self.argument(name)?;
        match decimal(&text) {
            Some(value) => Ok(value),
            None => fail(format!(
                "Expected a positive decimal integer argument to {name}, but got {}",
                quote(&text)
            )),
        }
    }

    fn name_test(&mut self, name: &str) -> Result<bool, UtilityError> {
        let ignore_case = name.starts_with("-i");
        let test: fn(Pattern) -> Test = match name {
            "-name" | "-iname" => Test::Name,
            "-path" | "-ipath" | "-wholename" | "-iwholename" => Test::Path,
            "-lname" | "-ilname" => Test::LinkName,
            "-regex" | "-iregex" => {
                let source = self.argument(name)?;
                let regex = regex(&self.ctx.meter, self.regex_syntax, &source, ignore_case)?;
                self.test(Test::Regex(regex));
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let source = self.argument(name)?;
        let options = PatternOptions { ignore_case, ..PatternOptions::default() };
        self.test(test(Pattern::parse(&source, options)));
        Ok(true)
    }

    fn any_action(&mut self, name: &str) -> Result<bool, UtilityError> {
        let action = match name {
            "-print" => Action::Print(Target::Stdout, b'\n'),
            "-print0" => Action::Print(Target::Stdout, 0),
            "-printf" => {
                let format = self.argument(name)?;
                Action::PrintFormat(Target::Stdout, Format::parse(&format)?)
            }
            "-ls" => Action::List(Target::Stdout),
            "-fprint" => Action::Print(self.file(name)?, b'\n'),
            "-fprint0" => Action::Print(self.file(name)?, 0),
            "-fprintf" => {
                let target = self.file(name)?;
                let format = self.argument(name)?;
                Action::PrintFormat(target, Format::parse(&format)?)
            }
            "-fls" => Action::List(self.file(name)?),
            "-delete" => {
                (self.plan.depth_first, self.deletes) = (true, true);
                Action::Delete
            }
            "-prune" => {
                self.prunes = true;
                self.plan.steps.push(Instruction::Action(Action::Prune));
                return Ok(true);
            }
            "-quit" => Action::Quit,
            "-exec" | "-execdir" => self.command(name)?,
            _ => return Ok(false),
        };
        self.action(action);
        Ok(true)
    }

    fn file(&mut self, name: &str) -> Result<Target, UtilityError> {
        let path = self.argument(name)?;
        if let Some(index) = self.plan.files.iter().position(|(known, _)| *known == path) {
            return Ok(Target::File(index));
        }
        let output = self.ctx.create(&path, false);
        let output = output.map_err(|error| UtilityError::operand(quote(&path).as_bytes(), error))?;
        Ok(Target::File(self.plan.files.add((path, output))))
    }

    fn command(&mut self, name: &str) -> Result<Action, UtilityError> {
        let in_directory = name == "-execdir";
        let start = self.at;
        let mut after_braces = false;
        while let Some(arg) = self.args.get(self.at) {
            let is_batch = after_braces && arg.as_bytes() == b"+";
            if arg.as_bytes() != b";" && !is_batch {
                after_braces = arg.as_bytes() == b"{}";
                self.at += 1;
                continue;
            }
            let mut argv = self.args.get(start..self.at).unwrap_or(&[]).to_metered();
            self.at += 1;
            if argv.is_empty() {
                break;
            }
            if !is_batch {
                return Ok(Action::Execute { argv, in_directory });
            }
            argv.pop();
            if argv.iter().any(|arg| memchr::memmem::find(arg, b"{}").is_some()) {
                return fail(format!("Only one instance of {{}} is supported with {name} ... +"));
            }
            if argv.is_empty() {
                break;
            }
            let (files, directory) = (Vec::new(), Vec::new());
            return Ok(Action::ExecuteBatch(self.plan.batches.add(Batch {
                argv,
                in_directory,
                files,
                bytes: 0,
                directory,
            })));
        }
        fail(format!("missing argument to `{name}'"))
    }
}

pub(super) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}
