//! `logger`: enters messages into the system log. util-linux logger(1) 2.38.
//!
//! A session has no system log. A hook that logs means to say something that nobody has to read, so that messages are taken and
//! dropped, in silence and with status 0: what the real program does where nothing listens at `/dev/log`. With `-s` they
//! are written to standard error too, in its form, as if something listened there. Another socket (`-u`) is not there, a server (`-n`) is not
//! found, and journald (`--journald`) takes nothing; these fail as they do.
//!
//! `message.rs` makes the headers.

mod message;

use crate::memory::{String, Vec, format};
use crate::utility::prelude::*;
use message::{Header, Priority, Protocol, Structured};

options! {
    pub(super) enum Opt {
        Id = flag('i', "", "log the process id too"),
        IdOption = optional('\0', "id", "ID", "log ID, or the process id"),
        File = value('f', "file", "FILE", "log the lines of FILE"),
        SkipEmpty = flag('e', "skip-empty", "do not log empty lines"),
        NoAct = flag('\0', "no-act", "do all but write the log"),
        Priority = value('p', "priority", "PRIO", "log with this priority"),
        OctetCount = flag('\0', "octet-count", "put the length before each message"),
        PrioPrefix = flag('\0', "prio-prefix", "lines may begin with a priority, <N>"),
        Stderr = flag('s', "stderr", "write messages to standard error too"),
        Size = value('S', "size", "SIZE", "cut messages to SIZE bytes"),
        Tag = value('t', "tag", "TAG", "mark messages with TAG"),
        Server = value('n', "server", "NAME", "write to a server"),
        Port = value('P', "port", "PORT", "the port of the server"),
        Tcp = flag('T', "tcp", "use TCP alone"),
        Udp = flag('d', "udp", "use UDP alone"),
        Rfc3164 = flag('\0', "rfc3164", "write the header of RFC 3164"),
        Rfc5424 = optional('\0', "rfc5424", "WITHOUT", "write the header of RFC 5424, without notime, notq, nohost"),
        StructuredId = value('\0', "sd-id", "ID", "begin an element of structured data"),
        StructuredParameter = value('\0', "sd-param", "DATA", "add name=\"value\" to it"),
        MessageId = value('\0', "msgid", "MSGID", "the message id of RFC 5424"),
        Socket = value('u', "socket", "SOCKET", "write to this socket"),
        SocketErrors = optional('\0', "socket-errors", "MODE", "tell that the socket is not there: on, off, auto"),
        Journald = optional('\0', "journald", "FILE", "write an entry for journald"),
        Help = flag('h', "", "display this help and exit"),
        Version = flag('V', "", "output version information and exit"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "logger",
    summary: "enter messages into the system log",
    usage: "logger [options] [message]",
    options: Opt::TABLE,
    examples: &[example(
        "logger -s --rfc5424=notime,nohost -t hook -p user.err denied 2>&1",
        "<11>1 - - hook - - - denied\n",
    )],
    usage_status: 1,
    run: start!(run),
    ..Utility::BASE
};

/// What is done with messages.
struct Log {
    header: Header,
    /// Bytes of a message.
    size: usize,
    to_stderr: bool,
    skips_empty: bool,
    has_prefixes: bool,
}

/// Exit status: 0, or 1 for usage and what cannot be read or reached.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if options.has(Opt::Help) {
        let help = crate::utility::context::options::help(&UTILITY, UTILITY.options);
        ctx.stdout.push(help.as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    if options.has(Opt::Version) {
        ctx.stdout.push(b"logger from util-linux 2.38.1\n");
        return Ok(ExitStatus::SUCCESS);
    }
    let log = Log::new(ctx, &options)?;
    if options.has(Opt::Journald) {
        return Err(UtilityError::failed("journald entry could not be written"));
    }
    if let Some(server) = options.value(Opt::Server) {
        let port =
            options.value(Opt::Port).map_or("syslog".into(), |port| String::from(port.to_string_lossy()));
        let message = format!("failed to resolve name {server} port {port}: Name or service not known");
        return Err(UtilityError::failed(message));
    }
    if !options.operands.is_empty() && options.has(Opt::File) {
        ctx.warn("--file <file> and <message> are mutually exclusive, message is ignored");
    }
    let input = match options.value(Opt::File) {
        Some(file) => match ctx.open(file) {
            Ok(input) => Some(input),
            Err(error) => return ctx.complain(format_args!("file {file}"), error),
        },
        None => None,
    };
    if let Some(socket) = options.value(Opt::Socket) {
        // Nothing listens at a path of a session.
        let tells =
            log.to_stderr || options.value(Opt::SocketErrors).is_some_and(|mode| mode.as_bytes() == b"on");
        if tells {
            let errno = match ctx.stat(socket) {
                Ok(_) => "Connection refused",
                Err(_) => "No such file or directory",
            };
            return Err(UtilityError::failed(format!("socket {socket}: {errno}")));
        }
    }
    match input {
        Some(input) => log.lines(ctx, input).await?,
        None if options.operands.is_empty() || options.has(Opt::File) => {
            let input = ctx.standard_input();
            log.lines(ctx, input).await?;
        }
        None => log.words(ctx, &options.operands).await?,
    }
    Ok(ExitStatus::SUCCESS)
}

impl Log {
    fn new(ctx: &mut Context, options: &Options<Opt>) -> Result<Self, UtilityError> {
        let mut header = Header {
            priority: Priority::DEFAULT,
            tag: ctx.session.identity.user.clone(),
            id: None,
            protocol: Protocol::Local,
            without_time: false,
            without_quality: false,
            without_host: false,
            message_id: None,
            data: Vec::new(),
            counts_octets: options.has(Opt::OctetCount),
            host: ctx.session.identity.host.clone(),
        };
        let mut size = 1024;
        for (option, value) in options.given() {
            let value = value.map(Text::as_bytes).unwrap_or_default();
            match option {
                Opt::Priority => header.priority = Priority::parse(value)?,
                Opt::Tag => header.tag = Text::from(value),
                Opt::Id => header.id = Some(u64::from(ctx.process)),
                Opt::IdOption => {
                    let given = value.strip_prefix(b"=").unwrap_or(value);
                    header.id = Some(if given.is_empty() { u64::from(ctx.process) } else { id(given)? });
                }
                Opt::Size => size = message_size(value)?,
                Opt::Rfc3164 => header.protocol = Protocol::Rfc3164,
                Opt::Rfc5424 => {
                    header.protocol = Protocol::Rfc5424;
                    for word in value.split(|&byte| byte == b',').filter(|word| !word.is_empty()) {
                        match word {
                            b"notime" => (header.without_time, header.without_quality) = (true, true),
                            b"notq" => header.without_quality = true,
                            b"nohost" => header.without_host = true,
                            _ => {
                                let word = bstr::BStr::new(word);
                                ctx.warn(format_args!("ignoring unknown option argument: {word}"));
                            }
                        }
                    }
                }
                Opt::MessageId => {
                    if value.contains(&b' ') {
                        return Err(UtilityError::failed("--msgid cannot contain space"));
                    }
                    header.message_id = Some(Text::from(value));
                }
                Opt::StructuredId => header.data.push(Structured::new(value)?),
                Opt::StructuredParameter => {
                    let shown = bstr::BStr::new(value);
                    let element = header.data.last_mut().ok_or_else(|| {
                        UtilityError::failed(format!("--sd-id was not specified for --sd-param {shown}"))
                    })?;
                    element.add(value)?;
                }
                Opt::SocketErrors if !matches!(value, b"" | b"on" | b"off" | b"auto") => {
                    let mode = bstr::BStr::new(value);
                    ctx.warn(format_args!("invalid argument: {mode}: using automatic errors"));
                }
                _ => {}
            }
        }
        Ok(Self {
            header,
            size,
            to_stderr: options.has(Opt::Stderr),
            skips_empty: options.has(Opt::SkipEmpty),
            has_prefixes: options.has(Opt::PrioPrefix),
        })
    }

    /// Logs the words of the command line, as many in a message as it has room for.
    async fn words(&self, ctx: &mut Context, words: &[Text]) -> Result<(), UtilityError> {
        let mut message = Vec::new();
        for word in words {
            ctx.tick().await?;
            let is_full = message.len() + word.len() > self.size.saturating_sub(2) && !message.is_empty();
            if is_full {
                self.write(ctx, self.header.priority, &message).await?;
                message.clear();
            }
            if word.len() > self.size {
                let cut = word.get(..self.size).unwrap_or_default();
                self.write(ctx, self.header.priority, cut).await?;
                continue;
            }
            if !message.is_empty() {
                message.push(b' ');
            }
            message.extend_from_slice(word);
        }
        if message.is_empty() { Ok(()) } else { self.write(ctx, self.header.priority, &message).await }
    }

    /// Logs each line; what is longer than a message is several.
    async fn lines(&self, ctx: &mut Context, mut input: Input) -> Result<(), UtilityError> {
        let mut priority = self.header.priority;
        loop {
            ctx.tick().await?;
            let line = match input.next_line(b'\n').await {
                Ok(Some(line)) => line,
                Ok(None) | Err(FsError::Errno(_)) => return Ok(()),
                Err(FsError::Limit(limit)) => return Err(limit.into()),
            };
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let mut body = line;
            // A priority counts until another line begins with `<`.
            if self.has_prefixes && line.starts_with(b"<") {
                (priority, body) = self.header.priority.of_line(line);
            }
            if body.is_empty() {
                if !self.skips_empty {
                    self.write(ctx, priority, body).await?;
                }
                continue;
            }
            for part in body.chunks(self.size.max(1)) {
                self.write(ctx, priority, part).await?;
            }
        }
    }

    async fn write(&self, ctx: &mut Context, priority: Priority, message: &[u8]) -> Result<(), UtilityError> {
        if !self.to_stderr {
            return Ok(());
        }
        let text = self.header.with(ctx, priority, message);
        ctx.stderr.write(&text).await
    }
}

fn id(text: &[u8]) -> Result<u64, UtilityError> {
    let parsed = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| UtilityError::failed(format!("failed to parse id: '{}'", bstr::BStr::new(text))))
}

/// A size with a suffix: `K`, `KiB`, `KB` and so on.
fn message_size(text: &[u8]) -> Result<usize, UtilityError> {
    let wrong = || {
        let text = bstr::BStr::new(text);
        UtilityError::failed(format!("failed to parse message size: '{text}': Invalid argument"))
    };
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, suffix) = text.split_at_checked(count).ok_or_else(wrong)?;
    let number: usize =
        std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
    let unit = match suffix.first().map(u8::to_ascii_uppercase) {
        None => 0,
        Some(b'K') => 1,
        Some(b'M') => 2,
        Some(b'G') => 3,
        Some(_) => return Err(wrong()),
    };
    let base: usize = match suffix.get(1..).unwrap_or_default() {
        b"" | b"iB" => 1024,
        b"B" => 1000,
        _ => return Err(wrong()),
    };
    number.checked_mul(base.pow(unit)).ok_or_else(wrong)
}
