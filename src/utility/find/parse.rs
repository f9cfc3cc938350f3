//! From the arguments to a plan. Operators are resolved with an explicit stack (shunting-yard), so that nesting is no
//! native recursion.

use super::expression::*;
use super::format::Format;
use crate::memory::{JoinText, String, ToMetered, Vec, format, vec};
use crate::pattern::{Pattern, PatternOptions};
use crate::text::Text;
use crate::utility::file_mode::ModeChange;
use crate::utility::quote::quote;
use crate::utility::regex::{Regex, RegexOptions, Syntax};
use crate::utility::ticker::regex_options;
use crate::utility::time_format::{Zone, timestamp};
use crate::utility::{Context, UtilityError, time_parse};
use crate::vfs::{FileKind, Metadata};
use std::fmt::Write as _;
use std::time::Duration;

const DAY: i128 = 86_400 * SECOND;
const SECOND: i128 = 1_000_000_000;

fn fail<T>(message: impl Into<String>) -> Result<T, UtilityError> {
    Err(UtilityError::failed(message))
}

/// Turns arguments into a plan; files for output are opened.
pub(super) fn parse(ctx: &Context, args: &[Text]) -> Result<Plan, UtilityError> {
    let mut follow = Follow::Never;
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        follow = match arg.as_bytes() {
            b"-P" => Follow::Never,
            b"-L" => Follow::Always,
            b"-H" => Follow::CommandLine,
            b"--" => {
                at += 1;
                break;
            }
            _ => break,
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
enum RegexSyntax {
    Emacs,
    Basic,
    Extended,
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

struct Parser<'a> {
    ctx: &'a Context,
    args: &'a [Text],
    at: usize,
    plan: Plan,
    operators: Vec<Operator>,
    regex_syntax: RegexSyntax,
    has_action: bool,
    deletes: bool,
    prunes: bool,
    depth_given: bool,
    /// Nanoseconds since the epoch.
    now: i128,
    /// `-daystart`: the start of tomorrow.
    day_start: Option<i128>,
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
            self.plan.steps.push(Step::JumpIfFalse(end));
            self.plan.steps.push(Step::Action(Action::Print(Target::Stdout, b'\n')));
        }
        Ok(())
    }

    fn implicit_and(&mut self, has_operand: bool) {
        if has_operand {
            self.binary("-a");
        }
    }

    fn binary(&mut self, name: &str) {
        let (operator, jump): (fn(usize) -> Operator, Option<Step>) = match name {
            "-a" | "-and" => (Operator::And, Some(Step::JumpIfFalse(0))),
            "-o" | "-or" => (Operator::Or, Some(Step::JumpIfTrue(0))),
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
            Operator::Not => self.plan.steps.push(Step::Not),
            Operator::And(jump) | Operator::Or(jump) => {
                if let Some(Step::JumpIfFalse(target) | Step::JumpIfTrue(target)) =
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

    fn test(&mut self, test: Test) {
        self.plan.steps.push(Step::Test(test));
    }

    fn action(&mut self, action: Action) {
        self.plan.steps.push(Step::Action(action));
        self.has_action = true;
    }

    fn argument(&mut self, name: &str) -> Result<Text, UtilityError> {
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
                let regex = self.regex(&source, ignore_case)?;
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

    fn regex(&self, source: &[u8], ignore_case: bool) -> Result<Regex, UtilityError> {
        let emacs;
        let (text, syntax) = match self.regex_syntax {
            RegexSyntax::Emacs => {
                emacs = extended_from_emacs(source);
                (emacs.as_slice(), Syntax::Extended)
            }
            RegexSyntax::Basic => (source, Syntax::Basic),
            RegexSyntax::Extended => (source, Syntax::Extended),
        };
        let options = RegexOptions { ignore_case, whole_line: true, ..regex_options(&self.ctx.meter) };
        Regex::new(text, syntax, &options).map_err(|error| {
            let source = String::from_utf8_lossy(source);
            UtilityError::failed(format!("failed to compile regular expression '{source}': {error}"))
        })
    }

    fn metadata_test(&mut self, name: &str) -> Result<bool, UtilityError> {
        let test = match name {
            "-true" => Test::True,
            "-false" => Test::False,
            "-empty" => Test::Empty,
            "-nouser" => Test::NoUser,
            "-nogroup" => Test::NoGroup,
            "-readable" => Test::Readable,
            "-writable" => Test::Writable,
            "-executable" => Test::Executable,
            "-type" => Test::Type(self.kinds(name)?),
            "-xtype" => Test::TargetType(self.kinds(name)?),
            "-size" => self.size()?,
            "-perm" => self.permissions()?,
            "-links" => Test::Links(self.number(name)?),
            "-inum" => Test::Inode(self.number(name)?),
            "-uid" => Test::User(self.number(name)?),
            "-gid" => Test::Group(self.number(name)?),
            "-user" => {
                let user = self.argument(name)?;
                let known = self.ctx.user_id(&user);
                Test::User(exactly(known, || format!("{} is not the name of a known user", quote(&user)))?)
            }
            "-group" => {
                let group = self.argument(name)?;
                let known = self.ctx.group_id(&group);
                Test::Group(exactly(known, || {
                    format!("{} is not the name of an existing group", quote(&group))
                })?)
            }
            "-samefile" => {
                let inode = self.reference(name)?.inode;
                Test::Inode(Number { comparison: Comparison::Equal, value: inode })
            }
            "-fstype" => Test::FileSystem(self.argument(name)?.as_bytes() == b"tmpfs"),
            "-mtime" => self.days(name, Time::Modified)?,
            "-atime" => self.days(name, Time::Accessed)?,
            "-ctime" => self.days(name, Time::Changed)?,
            "-mmin" => self.minutes(name, Time::Modified)?,
            "-amin" => self.minutes(name, Time::Accessed)?,
            "-cmin" => self.minutes(name, Time::Changed)?,
            "-newer" => newer(Time::Modified, self.reference(name)?.modified),
            "-anewer" => newer(Time::Accessed, self.reference(name)?.modified),
            "-cnewer" => newer(Time::Changed, self.reference(name)?.modified),
            _ if name.starts_with("-newer") => self.newer_of(name)?,
            _ => return Ok(false),
        };
        self.test(test);
        Ok(true)
    }

    fn kinds(&mut self, name: &str) -> Result<Vec<FileKind>, UtilityError> {
        let text = self.argument(name)?;
        let mut kinds = Vec::new();
        for part in text.split(|&byte| byte == b',') {
            kinds.push(match part {
                b"f" => FileKind::Regular,
                b"d" => FileKind::Directory,
                b"l" => FileKind::Symlink,
                b"p" => FileKind::Fifo,
                b"c" => FileKind::CharDevice,
                // Kinds that no file of a session has.
                b"b" | b"s" => continue,
                [] => {
                    return fail(format!(
                        "Last file type in list argument to {name} is missing, i.e., list is ending on: ','"
                    ));
                }
                [b'f' | b'd' | b'l' | b'p' | b'c' | b'b' | b's', ..] => {
                    return fail(format!("Must separate multiple arguments to {name} using: ','"));
                }
                [first, ..] => {
                    return fail(format!("Unknown argument to {name}: {}", char::from(*first)));
                }
            });
        }
        Ok(kinds)
    }

    fn number(&mut self, name: &str) -> Result<Number, UtilityError> {
        let text = self.argument(name)?;
        let (comparison, digits) = comparison(&text);
        match decimal(digits) {
            Some(value) => Ok(Number { comparison, value }),
            None => fail(format!("invalid argument `{text}' to `{name}'")),
        }
    }

    fn size(&mut self) -> Result<Test, UtilityError> {
        let text = self.argument("-size")?;
        let (comparison, digits) = comparison(&text);
        let (unit, digits) = match digits.split_last() {
            Some((b'b', rest)) => (512, rest),
            Some((b'c', rest)) => (1, rest),
            Some((b'w', rest)) => (2, rest),
            Some((b'k', rest)) => (1 << 10, rest),
            Some((b'M', rest)) => (1 << 20, rest),
            Some((b'G', rest)) => (1 << 30, rest),
            Some((b'0'..=b'9', _)) => (512, digits),
            Some((other, _)) => return fail(format!("invalid -size type `{}'", char::from(*other))),
            None => return fail("invalid null argument to -size"),
        };
        match decimal(digits) {
            Some(value) => Ok(Test::Size { unit, count: Number { comparison, value } }),
            None => fail(format!("Invalid argument `{text}' to -size")),
        }
    }

    fn permissions(&mut self) -> Result<Test, UtilityError> {
        let text = self.argument("-perm")?;
        let (how, mode) = match text.as_bytes() {
            [b'-', mode @ ..] => (Permissions::All, mode),
            [b'/', mode @ ..] => (Permissions::Any, mode),
            mode => (Permissions::Exactly, mode),
        };
        match ModeChange::parse(mode) {
            Some(change) => {
                let (directory, other) = (change.apply(0, true, 0), change.apply(0, false, 0));
                Ok(Test::Permissions { how, directory, other })
            }
            None => fail(format!("invalid mode {}", quote(&text))),
        }
    }

    /// A time some units ago, in nanoseconds since the epoch.
    fn ago(&mut self, name: &str, unit: i128, origin: i128) -> Result<(Comparison, i128), UtilityError> {
        let text = self.argument(name)?;
        let (comparison, number) = comparison(&text);
        let value = std::str::from_utf8(number).ok().filter(|number| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        });
        match value.and_then(|number| number.parse::<f64>().ok()) {
            // A float becomes the nearest integer, or the largest.
            Some(value) => Ok((comparison, origin.saturating_sub((value * unit as f64) as i128))),
            None => fail(format!("invalid argument `{text}' to `{name}'")),
        }
    }

    fn days(&mut self, name: &str, time: Time) -> Result<Test, UtilityError> {
        let now = self.day_start.unwrap_or(self.now);
        let is_less = self.args.get(self.at).is_some_and(|text| text.first() == Some(&b'-'));
        let origin = if is_less { now - SECOND } else { now - DAY };
        let (comparison, moment) = self.ago(name, DAY, origin)?;
        Ok(Test::Time { time, comparison, moment, window: DAY })
    }

    fn minutes(&mut self, name: &str, time: Time) -> Result<Test, UtilityError> {
        let origin = self.day_start.unwrap_or(self.now);
        let (comparison, moment) = self.ago(name, 60 * SECOND, origin)?;
        Ok(Test::Time { time, comparison, moment, window: 60 * SECOND })
    }

    /// Metadata of a file that is named in the expression.
    fn reference(&mut self, name: &str) -> Result<Metadata, UtilityError> {
        let file = self.argument(name)?;
        self.look(&file)
    }

    fn look(&self, file: &[u8]) -> Result<Metadata, UtilityError> {
        let metadata =
            if self.plan.follow == Follow::Never { self.ctx.lstat(file) } else { self.ctx.stat(file) };
        metadata.map_err(|error| UtilityError::operand(quote(file).as_bytes(), error))
    }

    /// `-newerXY`
    fn newer_of(&mut self, name: &str) -> Result<Test, UtilityError> {
        let invalid = || UtilityError::failed(format!("invalid predicate `{name}'"));
        let [x, y] = name.strip_prefix("-newer").unwrap_or("").as_bytes() else { return Err(invalid()) };
        let time = match x {
            b'a' => Time::Accessed,
            b'c' => Time::Changed,
            b'm' => Time::Modified,
            _ => return Err(invalid()),
        };
        if !matches!(y, b'a' | b'c' | b'm' | b't') {
            return Err(invalid());
        }
        let reference = self.argument(name)?;
        if *y == b't' {
            let now = timestamp(self.ctx.session.clock.now());
            let Some(moment) = time_parse::parse(&reference, now, &Zone::of(&self.ctx.env)) else {
                return fail(format!(
                    "I cannot figure out how to interpret {} as a date or time",
                    quote(&reference)
                ));
            };
            let moment = moment.as_nanosecond();
            return Ok(Test::Time { time, comparison: Comparison::Less, moment, window: 0 });
        }
        let metadata = self.look(&reference)?;
        Ok(newer(
            time,
            match y {
                b'a' => metadata.accessed,
                b'c' => metadata.changed,
                _ => metadata.modified,
            },
        ))
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
                self.plan.steps.push(Step::Action(Action::Prune));
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

fn exactly(id: Option<u32>, message: impl Fn() -> String) -> Result<Number, UtilityError> {
    match id {
        Some(id) => Ok(Number { comparison: Comparison::Equal, value: u64::from(id) }),
        None => fail(message()),
    }
}

fn newer(time: Time, than: Duration) -> Test {
    let moment = i128::try_from(than.as_nanos()).unwrap_or(i128::MAX);
    Test::Time { time, comparison: Comparison::Less, moment, window: 0 }
}

fn comparison(text: &[u8]) -> (Comparison, &[u8]) {
    match text {
        [b'+', rest @ ..] => (Comparison::More, rest),
        [b'-', rest @ ..] => (Comparison::Less, rest),
        rest => (Comparison::Equal, rest),
    }
}

fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn regex_syntax(name: &[u8]) -> Result<RegexSyntax, UtilityError> {
    Ok(match name {
        b"findutils-default" | b"emacs" => RegexSyntax::Emacs,
        b"ed" | b"grep" | b"posix-basic" | b"posix-minimal-basic" | b"sed" => RegexSyntax::Basic,
        b"awk" | b"gnu-awk" | b"posix-awk" | b"posix-egrep" | b"egrep" | b"posix-extended" => {
            RegexSyntax::Extended
        }
        _ => {
            let known = [
                "findutils-default",
                "ed",
                "emacs",
                "gnu-awk",
                "grep",
                "posix-awk",
                "awk",
                "posix-basic",
                "posix-egrep",
                "egrep",
                "posix-extended",
                "posix-minimal-basic",
                "sed",
            ];
            return fail(format!(
                "Unknown regular expression type {}; valid types are ‘{}’.",
                quote(name),
                known.join_text("’, ‘")
            ));
        }
    })
}

/// Emacs' expressions as extended ones: `\(`, `\)` and `\|` are operators, `(`, `)`, `|`, `{` and `}` are themselves.
fn extended_from_emacs(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len() * 2);
    let mut rest = source;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'\\' => match tail.split_first() {
                Some((operator @ (b'(' | b')' | b'|'), tail)) => {
                    out.push(*operator);
                    rest = tail;
                }
                Some((other, tail)) => {
                    out.extend_from_slice(&[b'\\', *other]);
                    rest = tail;
                }
                None => out.push(b'\\'),
            },
            b'(' | b')' | b'|' | b'{' | b'}' => out.extend_from_slice(&[b'\\', byte]),
            b'[' => {
                let length = bracket_length(tail);
                out.push(b'[');
                out.extend_from_slice(tail.get(..length).unwrap_or(tail));
                rest = tail.get(length..).unwrap_or(&[]);
            }
            _ => out.push(byte),
        }
    }
    out
}

/// How long a bracket expression is behind its `[`; everything when it does not end.
fn bracket_length(text: &[u8]) -> usize {
    let mut at = usize::from(text.first() == Some(&b'^'));
    if text.get(at) == Some(&b']') {
        at += 1;
    }
    while let Some(&byte) = text.get(at) {
        match (byte, text.get(at + 1)) {
            (b']', _) => return at + 1,
            (b'[', Some(kind @ (b':' | b'.' | b'='))) => {
                let inner = text.get(at + 2..).unwrap_or(&[]);
                match memchr::memmem::find(inner, &[*kind, b']']) {
                    Some(end) => at += end + 4,
                    None => return text.len(),
                }
            }
            _ => at += 1,
        }
    }
    text.len()
}
