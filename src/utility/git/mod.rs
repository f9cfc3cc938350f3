//! `git`: repositories in the session's files. git(1), as of 2.47.
//!
//! The layers, from below: `object/` (the database: loose objects and packs), `refs.rs`, `config.rs`, `index.rs` (files of
//! a repository), `repository.rs` (which one is meant); `revision.rs` and `walk.rs` (names of objects, histories),
//! `ignore.rs`, `pathspec.rs`, `status.rs` (the work tree); `diff/` (which files and lines differ, and how that is shown),
//! `pretty/` (commits as texts); `command/NAME.rs` is a subcommand with its row. All readers are our own: git's formats are
//! few and simple, each step is charged to the meter, and nothing but the session's file system is reached.
//!
//! Not here: what needs a network, and what needs to merge contents.

mod arguments;
mod attributes;
mod columns;
mod command;
mod config;
mod convert;
mod date;
mod diff;
mod dirt;
mod editor;
mod error;
mod graph;
mod history;
mod hook;
mod identity;
mod ignore;
mod index;
mod object;
mod pathspec;
mod pretty;
mod quoting;
mod refs;
mod repository;
mod revision;
mod status;
mod submodule;
mod suggestion;
mod unfinished;
mod unquoting;
mod walk;
mod work_tree;

use crate::memory::{Arc, HashMap, JoinMetered, String, Vec, format};
use crate::utility::prelude::*;
use crate::utility::{BoxFuture, boxed, flag, optional, value};
use command::{COMMANDS, Command, Needs};
use error::{GitError, Result, fatal};
use object::Database;
use object::commit::Commit;
use object::id::{Kind, ObjectId};

pub(super) const UTILITY: Utility = Utility {
    name: "git",
    summary: "the stupid content tracker",
    usage: "git [-C <path>] [-c <name>=<value>] [--git-dir=<path>] [--work-tree=<path>] [--no-pager] <command> [<args>]",
    options: &[
        value('C', "", "PATH", "run as if started in PATH"),
        value('c', "", "NAME=VALUE", "set a value of the configuration"),
        value('\0', "git-dir", "PATH", "the repository"),
        value('\0', "work-tree", "PATH", "the work tree"),
        value('\0', "namespace", "NAME", "not supported"),
        flag('p', "paginate", "accepted; there is no pager"),
        flag('P', "no-pager", "accepted; there is no pager"),
        flag('\0', "bare", "treat the repository as bare"),
        flag('\0', "no-optional-locks", "accepted; reading takes no locks"),
        flag('\0', "no-replace-objects", "accepted; objects are not replaced"),
        flag('\0', "literal-pathspecs", "treat pathspecs literally"),
        optional('\0', "exec-path", "PATH", "print where git's programs would be"),
    ],
    examples: &[example("git init -q r && git -C r branch --show-current", "master\n")],
    run: start,
    usage_status: 129,
    operands_end_options: true,
    ..Utility::BASE
};

/// Git's version whose behaviour this is.
const VERSION: &str = "2.47.3";

/// A run of git: the repository that is meant and what was read of it.
pub(crate) struct Git {
    pub(crate) ctx: Context,
    pub(crate) row: &'static Command,
    pub(crate) is_found: bool,
    pub(crate) repo: repository::Repository,
    pub(crate) config: config::Config,
    /// `-c name=value`
    pub(crate) parameters: Vec<Text>,
    pub(crate) objects: Database,
    pub(crate) packed: Option<refs::PackedRefs>,
    pub(crate) ignore: ignore::Ignore,
    pub(crate) attributes: attributes::Attributes,
    /// What is printed, where it goes into lines of a graph.
    captured: Option<Vec<u8>>,
    commits: HashMap<ObjectId, Arc<Commit>>,
    /// The files of the index as they were when line ends were first asked for.
    known_files: Option<Arc<HashMap<Text, ObjectId>>>,
    /// Where the history is cut off, read when it is needed.
    shallow: Option<HashMap<ObjectId, ()>>,
    abbreviation: Option<usize>,
    /// The contents of files that are compared wherever they are, by their names.
    given: HashMap<Text, Vec<u8>>,
    /// How to go on was said once.
    has_warned: bool,
    /// Files whose line ends were warned of.
    warned: HashMap<Text, ()>,
}

fn start(context: Context) -> BoxFuture<ExitStatus> {
    boxed(async move {
        // Configuration, refs, patterns and attributes are read at once.
        context.may_take_long().await;
        let mut git = Git::new(context);
        match git.prepare().await {
            Ok(row) => (row.run)(git).await,
            Err(error) => git.finish(Err(error)).await,
        }
    })
}

/// Aliases of aliases, at most.
const MOST_ALIASES: usize = 10;

impl Git {
    fn new(context: Context) -> Self {
        Self {
            ctx: context,
            row: command::NONE,
            is_found: false,
            repo: repository::Repository::default(),
            config: config::Config::default(),
            parameters: Vec::new(),
            objects: Database::default(),
            packed: None,
            ignore: ignore::Ignore::default(),
            attributes: attributes::Attributes::default(),
            captured: None,
            commits: HashMap::new(),
            known_files: None,
            shallow: None,
            abbreviation: None,
            given: HashMap::new(),
            has_warned: false,
            warned: HashMap::new(),
        }
    }

    /// Takes the global options and finds the subcommand and, where that needs one, the repository.
    async fn prepare(&mut self) -> Result<&'static Command> {
        self.global_options()?;
        let mut is_discovered = false;
        for _ in 0..MOST_ALIASES {
            let Some(name) = self.ctx.args.first().cloned() else {
                let text = format!("usage: {}\n", UTILITY.usage);
                self.ctx.stdout.push(text.as_bytes());
                return Err(GitError::Exit(1));
            };
            let other = OTHER_NAMES.iter().find(|other| other.0.as_bytes() == name.as_bytes());
            let known = other.map_or(name.as_bytes(), |other| other.1.as_bytes());
            if let Some(row) = COMMANDS.iter().copied().find(|row| row.name.as_bytes() == known) {
                self.ctx.args.splice(0..1, other.and_then(|other| other.2).map(Text::from_static));
                self.row = row;
                if !is_discovered
                    && row.needs != Needs::Nothing
                    && !self.discover()?
                    && row.needs != Needs::Perhaps
                {
                    return Err(fatal!("not a git repository (or any of the parent directories): .git"));
                }
                if row.needs == Needs::WorkTree {
                    self.work_tree()?;
                }
                if self.is_found {
                    self.check_lock()?;
                }
                return Ok(row);
            }
            if !is_discovered {
                self.discover()?;
                is_discovered = true;
            }
            let Some(alias) = self.alias(&name) else {
                return Err(self.unknown_command(&name).await?);
            };
            if let Some(script) = alias.strip_prefix(b"!") {
                let script = Text::from(script);
                self.ctx.args.splice(0..1, [script]);
                return Ok(command::SHELL_ALIAS);
            }
            let words = split_words(&alias);
            self.ctx.args.remove(0);
            self.ctx.args.splice(0..0, words);
        }
        Err(fatal!("alias loop detected"))
    }

    fn alias(&self, name: &[u8]) -> Option<Text> {
        let full = [&b"alias."[..], name].concat_metered();
        self.config.all(&full).last().and_then(|entry| entry.value.clone())
    }

    fn global_options(&mut self) -> Result<()> {
        let mut args = std::mem::take(&mut self.ctx.args);
        let mut at = 0;
        let mut env = crate::utility::Environment::clone(&self.ctx.env);
        while let Some(arg) = args.get(at).cloned() {
            let bytes = arg.as_bytes();
            if !bytes.starts_with(b"-") || bytes.len() < 2 {
                break;
            }
            at += 1;
            let mut next = |what: &str| {
                at += 1;
                args.get(at - 1).cloned().ok_or_else(|| GitError::Plain(format!("{what}\n"), 129))
            };
            match bytes {
                b"-C" => {
                    let path = next("no directory given for '-C'")?;
                    if path.is_empty() {
                        continue;
                    }
                    let full = crate::vfs::path::join(&self.ctx.cwd, &path);
                    match self.ctx.session.fs.metadata(&full) {
                        Ok(metadata) if metadata.is_directory() => {}
                        Ok(_) => return Err(fatal!("cannot change to '{path}': Not a directory")),
                        Err(FsError::Errno(errno)) => {
                            return Err(fatal!("cannot change to '{path}': {}", errno.message()));
                        }
                        Err(FsError::Limit(limit)) => return Err(limit.into()),
                    }
                    self.ctx.cwd = Text::from(self.ctx.session.fs.canonicalize(&full)?);
                }
                b"-c" => {
                    let parameter = next("-c expects a configuration string")?;
                    self.parameters.push(parameter);
                }
                b"--git-dir" => env.set("GIT_DIR".into(), next("no directory given for '--git-dir'")?),
                b"--work-tree" => {
                    env.set("GIT_WORK_TREE".into(), next("no directory given for '--work-tree'")?);
                }
                b"--namespace" => return Err(fatal!("--namespace is not supported")),
                b"-p"
                | b"-P"
                | b"--paginate"
                | b"--no-pager"
                | b"--no-optional-locks"
                | b"--no-replace-objects"
                | b"--no-lazy-fetch"
                | b"--no-advice" => {}
                b"--literal-pathspecs" => env.set("GIT_LITERAL_PATHSPECS".into(), "1".into()),
                b"--bare" => env.set("GIT_DIR".into(), self.ctx.cwd.clone()),
                b"--version" | b"-v" => {
                    at -= 1;
                    args.splice(at..=at, [Text::from_static(b"version")]);
                    break;
                }
                b"--help" | b"-h" => {
                    let text = crate::utility::context::options::help(&UTILITY, UTILITY.options);
                    self.ctx.stdout.push(text.as_bytes());
                    return Err(GitError::Exit(0));
                }
                b"--exec-path" => {
                    self.ctx.stdout.push(b"/usr/lib/git-core\n");
                    return Err(GitError::Exit(0));
                }
                _ => {
                    if let Some(path) = bytes.strip_prefix(b"--git-dir=") {
                        env.set("GIT_DIR".into(), path.into());
                    } else if let Some(path) = bytes.strip_prefix(b"--work-tree=") {
                        env.set("GIT_WORK_TREE".into(), path.into());
                    } else if bytes.starts_with(b"--namespace=") {
                        return Err(fatal!("--namespace is not supported"));
                    } else if !bytes.starts_with(b"--exec-path=") {
                        let text = format!("unknown option: {arg}\nusage: {}\n", UTILITY.usage);
                        return Err(GitError::Plain(text, 129));
                    }
                }
            }
        }
        args.remove_front(at);
        self.ctx.args = args;
        self.ctx.env = Arc::new(env);
        Ok(())
    }

    /// Says what went wrong and gives the exit status.
    pub(crate) async fn finish(mut self, result: Result<u8>) -> ExitStatus {
        let (text, status) = match result {
            Ok(status) => (None, status),
            Err(GitError::Exit(status)) => (None, status),
            Err(GitError::Fatal(text)) => (Some(format!("fatal: {text}\n")), 128),
            Err(GitError::Error(text, status)) => (Some(format!("error: {text}\n")), status),
            Err(GitError::Plain(text, status)) => (Some(text), status),
            Err(GitError::Other(error)) => return self.ctx.finish(Err(error)).await,
        };
        if let Some(limit) = self.ctx.meter.failure() {
            return self.ctx.finish(Err(limit.into())).await;
        }
        if let Some(text) = text {
            // Git's standard output is written when it ends, after its last words.
            self.ctx.stderr.push(text.as_bytes());
            self.ctx.stderr.flush_now();
        }
        self.ctx.finish(Ok(ExitStatus(status))).await
    }

    /// Prints a line on standard error.
    pub(crate) fn say(&mut self, text: &str) {
        self.ctx.stderr.push(text.as_bytes());
        self.ctx.stderr.push(b"\n");
        self.ctx.stderr.flush_now();
    }

    /// Writes on standard output.
    pub(crate) async fn print(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some(captured) = &mut self.captured {
            captured.extend_from_slice(bytes);
            crate::utility::context::pace::tick_bytes(&self.ctx.meter, bytes.len()).await?;
            return Ok(());
        }
        self.ctx.stdout.write(bytes).await?;
        self.ctx.tick().await?;
        Ok(())
    }

    /// An object that has to be there.
    pub(crate) async fn object(&mut self, id: &ObjectId) -> Result<(Kind, Vec<u8>)> {
        let object = self.objects.read(&self.ctx.session.fs, &self.ctx.meter, id).await?;
        object.ok_or_else(|| fatal!("unable to read {id}"))
    }

    /// An object of a kind; `None`: it is another or is not there.
    pub(crate) async fn object_of(&mut self, id: &ObjectId, kind: Kind) -> Result<Option<Vec<u8>>> {
        let object = self.objects.read(&self.ctx.session.fs, &self.ctx.meter, id).await?;
        Ok(object.filter(|object| object.0 == kind).map(|object| object.1))
    }

    /// The kind and size of an object.
    pub(crate) async fn object_header(&mut self, id: &ObjectId) -> Result<Option<(Kind, u64)>> {
        self.objects.header(&self.ctx.session.fs, &self.ctx.meter, id).await
    }

    pub(crate) fn has_object(&mut self, id: &ObjectId) -> Result<bool> {
        self.objects.has(&self.ctx.session.fs, id)
    }

    pub(crate) async fn write_object(&mut self, kind: Kind, bytes: &[u8]) -> Result<ObjectId> {
        self.objects.write(&self.ctx.session.fs, &self.ctx.meter, kind, bytes).await
    }

    /// The entries of a tree.
    pub(crate) async fn tree(&mut self, id: &ObjectId) -> Result<Vec<object::tree::TreeEntry>> {
        let bytes = self.object_of(id, Kind::Tree).await?;
        let Some(bytes) = bytes else { return Err(fatal!("unable to read tree ({id})")) };
        crate::utility::context::pace::tick_bytes(&self.ctx.meter, bytes.len()).await?;
        object::tree::parse(&bytes).ok_or_else(|| fatal!("bad tree object {id}"))
    }

    /// The headers of a commit, read once.
    pub(crate) async fn commit(&mut self, id: &ObjectId) -> Result<Arc<Commit>> {
        if let Some(commit) = self.commits.get(id) {
            self.ctx.tick().await?;
            return Ok(Arc::clone(commit));
        }
        let is_shallow = self.is_shallow(id)?;
        let has_shallow = self.shallow.as_ref().is_some_and(|shallow| !shallow.is_empty());
        let written =
            if has_shallow { None } else { self.objects.written_commit(&self.ctx.session.fs, id)? };
        let mut commit = match written {
            Some(commit) => {
                self.ctx.tick().await?;
                commit
            }
            None => {
                let Some(bytes) = self.object_of(id, Kind::Commit).await? else {
                    return Err(fatal!("bad object {id}"));
                };
                Commit::parse(&bytes).ok_or_else(|| fatal!("bad object {id}"))?
            }
        };
        if is_shallow {
            commit.parents.clear();
        }
        let commit = Arc::new(commit);
        self.commits.insert(*id, Arc::clone(&commit));
        Ok(commit)
    }

    /// Whether the history is cut off at a commit.
    fn is_shallow(&mut self, id: &ObjectId) -> Result<bool> {
        if self.shallow.is_none() {
            let path = crate::utility::file::join(&self.repo.common_dir, b"shallow");
            let text = repository::read_file(self.fs(), &path)?.unwrap_or_default();
            let mut ids = HashMap::new();
            for id in text.split(|byte| *byte == b'\n').filter_map(ObjectId::from_hex) {
                self.ctx.tick_now()?;
                ids.insert(id, ());
            }
            self.shallow = Some(ids);
        }
        Ok(self.shallow.as_ref().is_some_and(|ids| ids.contains_key(id)))
    }
}

/// The words of an alias.
fn split_words(text: &[u8]) -> Vec<Text> {
    let (mut words, mut word, mut is_word) = (Vec::new(), Vec::new(), false);
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', None | Some(b'"')) => word.extend(bytes.next()),
            (b'"' | b'\'', None) => (quote, is_word) = (Some(byte), true),
            (byte, Some(open)) if byte == open => quote = None,
            (b' ' | b'\t' | b'\n', None) => {
                if is_word || !word.is_empty() {
                    words.push(Text::from(std::mem::take(&mut word)));
                }
                is_word = false;
            }
            _ => word.push(byte),
        }
    }
    if is_word || !word.is_empty() {
        words.push(Text::from(word));
    }
    words
}

/// Other names of subcommands, and the option that such a name stands for besides.
const OTHER_NAMES: [(&str, &str, Option<&[u8]>); 3] =
    [("annotate", "blame", Some(b"-c")), ("init-db", "init", None), ("stage", "add", None)];

/// Subcommands that reach other machines, and those that merge contents.
const NETWORK: [&str; 10] = [
    "clone",
    "fetch",
    "pull",
    "push",
    "ls-remote",
    "send-email",
    "request-pull",
    "daemon",
    "fetch-pack",
    "send-pack",
];
const MERGING: [&str; 11] = [
    "rebase",
    "cherry-pick",
    "revert",
    "am",
    "merge-tree",
    "merge-file",
    "bisect",
    "filter-branch",
    "replay",
    "rerere",
    "subtree",
];

impl Git {
    async fn unknown_command(&mut self, name: &[u8]) -> Result<GitError> {
        let is_in = |list: &[&str]| list.iter().any(|known| known.as_bytes() == name);
        let shown: String = String::from_utf8_lossy(name);
        if is_in(&NETWORK) {
            return Ok(fatal!("'{shown}' needs a network, which is not there"));
        }
        if is_in(&MERGING) {
            return Ok(fatal!("'{shown}' needs to merge contents, which is not supported"));
        }
        if Self::has_command(name) {
            return Ok(fatal!("'{shown}' is not supported"));
        }
        let similar = self.similar_commands(name).await?;
        Ok(GitError::Plain(format!("git: '{shown}' is not a git command. See 'git --help'.\n{similar}"), 1))
    }

    /// Refuses a command that writes the index while another holds its lock.
    fn check_lock(&mut self) -> Result<()> {
        let has = |word: &str| self.ctx.args.iter().any(|arg| **arg == *word.as_bytes());
        let writes = match self.row.name {
            "add" | "rm" | "mv" | "read-tree" | "update-index" | "merge" | "restore" | "commit"
            | "write-tree" => true,
            "reset" => !has("--soft"),
            "checkout" | "switch" => !["-b", "-B", "-c", "-C", "--orphan"].iter().any(|word| has(word)),
            "apply" => has("--index") || has("--cached"),
            "stash" => {
                let word = self.ctx.args.first();
                word.is_none_or(|word| {
                    !matches!(word.as_bytes(), b"list" | b"show" | b"drop" | b"clear" | b"store")
                })
            }
            _ => false,
        };
        if !writes || has("-h") || has("--help") || !self.is_index_locked()? {
            return Ok(());
        }
        if self.row.name == "stash" {
            return Err(GitError::Error("could not write index".into(), 1));
        }
        Err(self.index_is_locked())
    }
}
