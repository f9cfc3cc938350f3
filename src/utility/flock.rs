//! `flock`: locks of files, held while a command runs or as long as a descriptor of the shell is open. util-linux flock(1).
//! Processes of the session wait for each other's locks.

use super::format::count::parse_digits;
use super::format::time_interval;
use super::{CommandError, Relation};
use crate::io::Description;
use crate::memory::{Arc, Vec, format, vec};
use crate::utility::prelude::*;
use crate::vfs::OpenOptions;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

options! {
    enum Opt {
        Shared = flag('s', "shared", "get a shared lock"),
        Exclusive = flag('x', "exclusive", "get an exclusive lock (default)") | flag('e', "", "the same as -x"),
        Unlock = flag('u', "unlock", "remove a lock"),
        Nonblock = flag('n', "nonblock", "fail rather than wait") | flag('\0', "nb", "the same as -n"),
        Timeout = value('w', "timeout", "secs", "wait for a limited amount of time") | value('\0', "wait", "secs", "the same as -w"),
        Conflict = value('E', "conflict-exit-code", "number", "exit code after conflict or timeout"),
        Close = flag('o', "close", "close file descriptor before running command"),
        NoFork = flag('F', "no-fork", "execute command without forking"),
        Verbose = flag('\0', "verbose", "increase verbosity"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "flock",
    summary: "manage file locks from shell scripts",
    usage: "flock [options] <file>|<directory> <command> [<argument>...]
flock [options] <file>|<directory> -c <command>
flock [options] <file descriptor number>",
    options: Opt::TABLE,
    examples: &[
        example("flock f echo a", "a\n"),
        example("exec 9>f; flock 9; flock -n f echo a || echo busy", "busy\n"),
    ],
    usage_status: USAGE,
    operands_end_options: true,
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
};

const USAGE: u8 = 64;
const BAD_DESCRIPTOR: u8 = 65;
const NO_FILE: u8 = 66;
const NO_COMMAND: u8 = 69;

fn failed(message: impl Into<crate::memory::String>, status: u8) -> UtilityError {
    UtilityError::Failed { message: message.into(), status }
}

struct Request {
    is_exclusive: bool,
    unlocks: bool,
    waits: bool,
    timeout: Option<Duration>,
    conflict: u8,
    verbose: bool,
}

/// Exit status: the command's, or 0; 1 (`-E`) when the lock was not got; 64 to 69 when `flock` fails.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let request = request(&options)?;
    let Some((name, command)) = options.operands.split_first() else {
        return Err(UtilityError::Usage("not enough arguments".into()));
    };
    if command.is_empty() {
        let description = descriptor(ctx, name)?;
        let inode = description.metadata().map(|metadata| metadata.inode);
        let got = take(ctx, &request, inode, &description).await?;
        return Ok(if got { ExitStatus::SUCCESS } else { ExitStatus(request.conflict) });
    }
    let argv: Vec<Text> = match command {
        [option, rest @ ..] if matches!(option.as_bytes(), b"-c" | b"--command") => match rest {
            [text] => vec![Text::from_static(b"sh"), Text::from_static(b"-c"), text.clone()],
            _ => return Err(failed(format!("{option} requires exactly one command argument"), USAGE)),
        },
        command => command.iter().cloned().collect(),
    };
    let (inode, description) = open(ctx, name)?;
    if !take(ctx, &request, inode, &description).await? {
        return Ok(ExitStatus(request.conflict));
    }
    let own_table = ctx.descriptors.clone();
    if !options.has(Opt::Close)
        && let Some(number) = ctx.descriptors.lowest_free(3)
    {
        let _ = ctx.descriptors.replace(number, Some(Arc::clone(&description)));
    }
    if request.verbose {
        let name = argv.first().cloned().unwrap_or(Text::EMPTY);
        ctx.stdout.write(format!("{}: executing {name}\n", ctx.name).as_bytes()).await?;
    }
    ctx.stdout.flush().await?;
    let running = ctx.start_command(ctx.command(argv.clone()), Relation::StandIn);
    ctx.descriptors = own_table;
    match running.await {
        Ok(status) => Ok(status),
        Err(CommandError::Limit(limit)) => Err(limit.into()),
        Err(error) => {
            let name = argv.first().cloned().unwrap_or(Text::EMPTY);
            Err(failed(format!("failed to execute {name}: {error}"), NO_COMMAND))
        }
    }
}

fn request(options: &Options<Opt>) -> Result<Request, UtilityError> {
    let timeout = match options.value(Opt::Timeout) {
        None => None,
        Some(text) => {
            let seconds =
                time_interval::parse(text).filter(|_| !text.last().is_some_and(u8::is_ascii_alphabetic));
            let wrong = || failed(format!("invalid timeout value: '{text}'"), USAGE);
            Some(seconds.ok_or_else(wrong)?)
        }
    };
    let conflict = match options.value(Opt::Conflict) {
        None => 1,
        Some(text) => {
            let wrong = || failed(format!("invalid exit code: '{text}'"), USAGE);
            let number = parse_digits(text).ok_or_else(wrong)?;
            let range = || failed("exit code out of range (expected 0 to 255)", USAGE);
            u8::try_from(number).map_err(|_| range())?
        }
    };
    if options.has(Opt::NoFork) && options.has(Opt::Close) {
        return Err(failed("the --no-fork and --close options are incompatible", USAGE));
    }
    let kind = options.last_of([Opt::Shared, Opt::Exclusive, Opt::Unlock]);
    Ok(Request {
        is_exclusive: kind != Some(Opt::Shared),
        unlocks: kind == Some(Opt::Unlock),
        waits: !options.has(Opt::Nonblock) && timeout != Some(Duration::ZERO),
        timeout,
        conflict,
        verbose: options.has(Opt::Verbose),
    })
}

fn descriptor(ctx: &Context, name: &Text) -> Result<Arc<Description>, UtilityError> {
    let number = parse_digits(name).and_then(|number| u32::try_from(number).ok());
    let number = number.ok_or_else(|| failed(format!("bad file descriptor: '{name}'"), USAGE))?;
    let found = ctx.description(number).cloned();
    found.ok_or_else(|| failed(format!("{number}: {}", Errno::BadDescriptor.message()), BAD_DESCRIPTOR))
}

/// Opens the lock's file, which is made where there is none; a directory is opened as it is.
fn open(ctx: &Context, name: &Text) -> Result<(Option<u64>, Arc<Description>), UtilityError> {
    let create = !ctx.stat(name).is_ok_and(|metadata| metadata.is_directory());
    let options = OpenOptions { read: true, create, mode: 0o666 & !ctx.umask, ..OpenOptions::default() };
    let opened = ctx.open_description(name, &options).and_then(|description| {
        let inode = ctx.stat(name)?.inode;
        Ok((Some(inode), description))
    });
    match opened {
        Ok(opened) => Ok(opened),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(errno)) => {
            Err(failed(format!("cannot open lock file {name}: {}", errno.message()), NO_FILE))
        }
    }
}

/// Takes the lock, or gives it back; whether that was done. What has no inode, such as a pipe, nobody else can lock.
async fn take(
    ctx: &mut Context,
    request: &Request,
    inode: Option<u64>,
    description: &Arc<Description>,
) -> Result<bool, UtilityError> {
    // A lock is converted by giving it back first, as the kernel does.
    description.set_lock(None);
    let locks = std::sync::Arc::clone(&ctx.session.locks);
    let begin = ctx.session.clock.monotonic();
    let Some(inode) = inode.filter(|_| !request.unlocks) else {
        return tell_time(ctx, request, begin).await;
    };
    let sleep = request.timeout.filter(|_| request.waits).map(|time| ctx.sleep(time));
    let mut timer = pin!(async move {
        match sleep {
            Some(sleep) => sleep.await,
            None => std::future::pending().await,
        }
    });
    let waits = request.waits;
    let got = poll_fn(|cx| match locks.poll_lock(inode, request.is_exclusive, cx) {
        Poll::Ready(lock) => Poll::Ready(Some(lock)),
        Poll::Pending if !waits => Poll::Ready(None),
        Poll::Pending => timer.as_mut().poll(cx).map(|()| None),
    })
    .await;
    ctx.check().await?;
    let Some(lock) = got else {
        if request.verbose {
            ctx.warn(if waits { "timeout while waiting to get lock" } else { "failed to get lock" });
        }
        return Ok(false);
    };
    description.set_lock(Some(lock));
    tell_time(ctx, request, begin).await
}

/// Tells how long it took; what was asked for is done.
async fn tell_time(ctx: &mut Context, request: &Request, begin: Duration) -> Result<bool, UtilityError> {
    if request.verbose {
        let took = ctx.session.clock.monotonic().saturating_sub(begin);
        let line = format!("{}: getting lock took {:.6} seconds\n", ctx.name, took.as_secs_f64());
        ctx.stdout.write(line.as_bytes()).await?;
    }
    Ok(true)
}
