//! `git status`: in words, short, and in both formats for scripts.

mod long;

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::columns::ColumnMode;
use crate::utility::git::diff::options::{ignores_submodules, similarity};
use crate::utility::git::diff::rename::{FULL, RenameOptions};
use crate::utility::git::index::Index;
use crate::utility::git::object::tree::SUBMODULE;
use crate::utility::git::quoting::quote_path;
use crate::utility::git::status::{Ignored, PathStatus, Status, Untracked};
use long::distance;
pub(super) use long::{heading, long};

options! {
    enum Opt {
        Verbose = flag('v', "verbose", "be verbose"),
        Short = flag('s', "short", "show status concisely"),
        Branch = flag('b', "branch", "show branch information"),
        ShowStash = flag('\0', "show-stash", "show stash information"),
        AheadBehind = flag('\0', "ahead-behind", "compute full ahead/behind values"),
        Porcelain = optional('\0', "porcelain", "version", "machine-readable output"),
        Long = flag('\0', "long", "show status in long format (default)"),
        Null = flag('z', "null", "terminate entries with NUL"),
        UntrackedFiles = optional(
            'u',
            "untracked-files",
            "mode",
            "show untracked files, optional modes: all, normal, no. (Default: all)",
        ),
        Ignored = optional('\0', "ignored", "mode", "show ignored files, optional modes: traditional, matching, no"),
        IgnoreSubmodules = optional('\0', "ignore-submodules", "when", "ignore changes to submodules"),
        Column = optional('\0', "column", "style", "list untracked files in columns"),
        Renames = flag('\0', "renames", "detect renames"),
        FindRenames = optional('M', "find-renames", "n", "detect renames, optionally set similarity index"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "status",
    usage: "git status [<options>] [--] [<pathspec>...]",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

/// A format of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Long,
    Short,
    First,
    Second,
}

/// What the long format shows.
#[derive(Clone, Debug)]
pub(super) struct LongView {
    pub(super) untracked: Untracked,
    pub(super) verbosity: usize,
    /// It is counted how far the branch and its upstream are apart.
    pub(super) counts: bool,
    pub(super) columns: ColumnMode,
    /// A commit is about to be made.
    pub(super) is_commit: bool,
    /// The last commit is about to be amended, and whether that is the first one.
    pub(super) amends: Option<bool>,
    /// The tree and the index that are compared; `None`: those of the repository.
    pub(super) compared: Option<(ObjectId, Index)>,
}

impl Default for LongView {
    fn default() -> Self {
        Self {
            untracked: Untracked::Normal,
            verbosity: 0,
            counts: true,
            columns: ColumnMode::default(),
            is_commit: false,
            amends: None,
            compared: None,
        }
    }
}

/// What is shown of a status, and how.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) layout: Layout,
    pub(super) shows_branch: bool,
    pub(super) shows_stash: bool,
    pub(super) ends_in_nul: bool,
    pub(super) long: LongView,
}

/// The mode that `--untracked-files` or the configuration gives.
pub(super) fn untracked_mode(git: &Git, given: Option<bool>, value: Option<&Text>) -> Result<Untracked> {
    let mode = match (given, value) {
        (Some(true), Some(mode)) => Some(mode.to_metered()),
        (Some(true), None) => Some(b"all".to_metered()),
        (Some(false), _) => Some(b"no".to_metered()),
        (None, _) => git.config.get("status.showuntrackedfiles").map(ToMetered::to_metered),
    };
    Ok(match mode.as_deref() {
        None | Some(b"normal") => Untracked::Normal,
        Some(b"all") => Untracked::All,
        Some(b"no") => Untracked::No,
        Some(other) => match crate::utility::git::config::truth(other) {
            Some(false) => Untracked::No,
            Some(true) => Untracked::Normal,
            None => return Err(fatal!("Invalid untracked files mode '{}'", bstr::BStr::new(other))),
        },
    })
}

/// How renames are looked for; `None`: they are not.
fn renames(git: &Git, arguments: &Arguments<Opt>) -> Option<RenameOptions> {
    let configured = git.diff_defaults().renames;
    if arguments.has(Opt::FindRenames) {
        let mut options = configured.unwrap_or_default();
        if let Some(text) = arguments.value(Opt::FindRenames) {
            let text = text.strip_prefix(b"=").unwrap_or(text);
            let least = similarity(text).0;
            options.least = if least == 0 { FULL / 2 } else { least };
        }
        return Some(options);
    }
    match arguments.truth(Opt::Renames) {
        Some(true) => Some(configured.unwrap_or_default()),
        Some(false) => None,
        None if git.config.truth("status.renames") == Some(false) => None,
        None => configured,
    }
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let layout = match arguments.last_of([Opt::Short, Opt::Porcelain, Opt::Long]) {
        Some(Opt::Short) => Layout::Short,
        Some(Opt::Porcelain) => match arguments.value(Opt::Porcelain).map(Text::as_bytes) {
            None | Some(b"v1" | b"1") => Layout::First,
            Some(b"v2" | b"2") => Layout::Second,
            Some(other) => return Err(fatal!("unsupported porcelain version '{}'", bstr::BStr::new(other))),
        },
        Some(_) => Layout::Long,
        None if arguments.has(Opt::Null) => Layout::First,
        None if git.config.truth("status.short") == Some(true) => Layout::Short,
        None => Layout::Long,
    };
    if arguments.has(Opt::Null) && layout == Layout::Long && arguments.has(Opt::Long) {
        return Err(fatal!("options '--long' and '-z' cannot be used together"));
    }
    let for_scripts = matches!(layout, Layout::First | Layout::Second);
    let shows_branch = arguments
        .truth(Opt::Branch)
        .unwrap_or(!for_scripts && git.config.truth("status.branch") == Some(true));
    let untracked =
        untracked_mode(git, arguments.truth(Opt::UntrackedFiles), arguments.value(Opt::UntrackedFiles))?;
    let ignored = match arguments.value(Opt::Ignored).map(Text::as_bytes) {
        _ if !arguments.has(Opt::Ignored) => Ignored::No,
        None | Some(b"traditional") => Ignored::Traditional,
        Some(b"matching") => Ignored::Matching,
        Some(b"no") => Ignored::No,
        Some(other) => return Err(fatal!("Invalid ignored mode '{}'", bstr::BStr::new(other))),
    };
    let columns = git.column_mode(&arguments, Opt::Column, "status")?;
    let spec = git.pathspec(&arguments.operands)?;
    let renames = renames(git, &arguments);
    let mut status = git.status(&spec, untracked, ignored, renames).await?;
    if arguments.has(Opt::IgnoreSubmodules) && ignores_submodules(arguments.value(Opt::IgnoreSubmodules))? {
        status.leave_out_submodules();
    }
    let counts = arguments
        .truth(Opt::AheadBehind)
        .unwrap_or(for_scripts || git.config.truth("status.aheadbehind") != Some(false));
    let verbosity = arguments.count(Opt::Verbose);
    let view = View {
        layout,
        shows_branch,
        shows_stash: arguments.has(Opt::ShowStash),
        ends_in_nul: arguments.has(Opt::Null),
        long: LongView { untracked, verbosity, counts, columns, ..LongView::default() },
    };
    print(git, &status, &view).await?;
    Ok(0)
}

/// Prints a status.
pub(super) async fn print(git: &mut Git, status: &Status, view: &View) -> Result<()> {
    let for_scripts = matches!(view.layout, Layout::First | Layout::Second);
    let counts = view.long.counts;
    let printer = Printer {
        ends_in_nul: view.ends_in_nul,
        is_for_scripts: for_scripts,
        is_relative: !for_scripts && git.config.truth("status.relativepaths") != Some(false),
    };
    match view.layout {
        Layout::Long => long(git, status, &view.long).await,
        Layout::Second => {
            if view.shows_branch {
                branch_lines(git, printer.end(), counts).await?;
            }
            if view.shows_stash {
                let count = git.read_log(b"refs/stash")?.len();
                if count > 0 {
                    git.print(format!("# stash {count}").as_bytes()).await?;
                    git.print(&[printer.end()]).await?;
                }
            }
            second(git, status, &printer).await
        }
        Layout::Short | Layout::First => {
            if view.shows_branch {
                let mut line = branch_line(git, counts).await?;
                line.push(printer.end());
                git.print(&line).await?;
            }
            short(git, status, &printer).await
        }
    }
}

struct Printer {
    ends_in_nul: bool,
    is_relative: bool,
    is_for_scripts: bool,
}

impl Printer {
    const fn end(&self) -> u8 {
        if self.ends_in_nul { 0 } else { b'\n' }
    }

    fn path(&self, git: &Git, path: &[u8], quotes_blank: bool) -> Vec<u8> {
        if self.ends_in_nul {
            return path.to_metered();
        }
        let shown = if self.is_relative { git.seen_from_here(path) } else { path.to_metered() };
        quote_path(&shown, git.config.truth("core.quotepath") != Some(false), quotes_blank)
    }
}

/// `## main...origin/main [ahead 1]`
async fn branch_line(git: &mut Git, counts: bool) -> Result<Vec<u8>> {
    let mut line: Vec<u8> = b"## ".to_metered();
    let head = git.head_id()?;
    let Some(branch) = git.current_branch()? else {
        line.extend_from_slice(b"HEAD (no branch)");
        return Ok(line);
    };
    if head.is_none() {
        line.extend_from_slice(b"No commits yet on ");
    }
    line.extend_from_slice(&branch);
    let Some(upstream) = git.upstream(&branch) else { return Ok(line) };
    let short = git.shorten(&upstream)?;
    line.extend_from_slice(&[b"...", &short[..]].concat_metered());
    match (head, git.ref_id(&upstream)?) {
        (_, None) => line.extend_from_slice(b" [gone]"),
        (Some(head), Some(other)) => {
            let text = match distance(git, head, other, counts).await? {
                None => " [different]".into(),
                Some((0, 0)) => String::new(),
                Some((ahead, 0)) => format!(" [ahead {ahead}]"),
                Some((0, behind)) => format!(" [behind {behind}]"),
                Some((ahead, behind)) => format!(" [ahead {ahead}, behind {behind}]"),
            };
            line.extend_from_slice(text.as_bytes());
        }
        _ => {}
    }
    Ok(line)
}

async fn short(git: &mut Git, status: &Status, printer: &Printer) -> Result<()> {
    for (path, one) in &status.paths {
        let (x, y) = if printer.is_for_scripts { one.letters(b' ') } else { one.short_letters() };
        let mut line: Vec<u8> = Vec::from([x, y, b' ']);
        let pair = one.staged.as_ref().or(one.unstaged.as_ref()).filter(|change| change.is_pair());
        match pair {
            Some(change) if printer.ends_in_nul => {
                line.extend_from_slice(&[&path[..], b"\0", &change.old_path].concat_metered());
            }
            Some(change) => {
                line.extend_from_slice(&printer.path(git, &change.old_path, true));
                line.extend_from_slice(b" -> ");
                line.extend_from_slice(&printer.path(git, path, true));
            }
            None => line.extend_from_slice(&printer.path(git, path, true)),
        }
        line.push(printer.end());
        git.print(&line).await?;
    }
    for (sign, paths) in [(b"?? ", &status.untracked), (b"!! ", &status.ignored)] {
        for path in paths {
            let mut line: Vec<u8> = sign.to_metered();
            line.extend_from_slice(&printer.path(git, path, true));
            line.push(printer.end());
            git.print(&line).await?;
        }
    }
    Ok(())
}

/// The `# branch` lines of the second format.
async fn branch_lines(git: &mut Git, end: u8, counts: bool) -> Result<()> {
    let head = git.head_id()?;
    let mut lines: Vec<String> = Vec::new();
    lines.push(format!("# branch.oid {}", head.map_or_else(|| "(initial)".into(), |id| id.hex())));
    let branch = git.current_branch()?;
    let shown = branch.clone().unwrap_or_else(|| Text::from_static(b"(detached)"));
    lines.push(format!("# branch.head {shown}"));
    if let Some(upstream) = branch.and_then(|branch| git.upstream(&branch)) {
        lines.push(format!("# branch.upstream {}", git.shorten(&upstream)?));
        if let (Some(head), Some(other)) = (head, git.ref_id(&upstream)?) {
            lines.push(match distance(git, head, other, counts).await? {
                Some((ahead, behind)) => format!("# branch.ab +{ahead} -{behind}"),
                None => "# branch.ab +? -?".into(),
            });
        }
    }
    for line in lines {
        let mut line = line.into_bytes();
        line.push(end);
        git.print(&line).await?;
    }
    Ok(())
}

async fn second(git: &mut Git, status: &Status, printer: &Printer) -> Result<()> {
    let index = git.read_index().await?;
    let mut last: Vec<Vec<u8>> = Vec::new();
    for (path, one) in &status.paths {
        if one.stages > 0 {
            let (x, y) = one.letters(b'.');
            let mut modes = [0; 4];
            let mut ids = [ObjectId::ZERO; 4];
            for entry in index.entries.get(index.range(path)).unwrap_or(&[]) {
                if let (Some(mode), Some(id)) =
                    (modes.get_mut(usize::from(entry.stage)), ids.get_mut(usize::from(entry.stage)))
                {
                    (*mode, *id) = (entry.mode, entry.id);
                }
            }
            let work = git.work_mode(path)?.unwrap_or(0);
            let ([_, m1, m2, m3], [_, h1, h2, h3]) = (modes, ids);
            let state = submodule_state([m1, m2, m3, work], one);
            let front = format!(
                "u {}{} {state} {m1:06o} {m2:06o} {m3:06o} {work:06o} {h1} {h2} {h3} ",
                char::from(x),
                char::from(y)
            );
            let mut line = front.into_bytes();
            line.extend_from_slice(&printer.path(git, path, false));
            line.push(printer.end());
            last.push(line);
            continue;
        }
        let line = changed_line(git, &index, path, one, printer);
        git.print(&line).await?;
    }
    for line in &last {
        git.print(line).await?;
    }
    for (sign, paths) in [(b"? ", &status.untracked), (b"! ", &status.ignored)] {
        for path in paths {
            let mut line: Vec<u8> = sign.to_metered();
            line.extend_from_slice(&printer.path(git, path, false));
            line.push(printer.end());
            git.print(&line).await?;
        }
    }
    Ok(())
}

/// `N...`, or what is not as the index says of a submodule: `SCMU`.
fn submodule_state(modes: [u32; 4], one: &PathStatus) -> String {
    if !modes.contains(&SUBMODULE) {
        return "N...".into();
    }
    let dirt = one.unstaged.as_ref().map(|change| change.dirt).unwrap_or_default();
    let letters = [(dirt.has_commits, 'C'), (dirt.is_modified, 'M'), (dirt.has_untracked, 'U')];
    let told = letters.into_iter().map(|(is_so, letter)| if is_so { letter } else { '.' });
    std::iter::once('S').chain(told).collect()
}

/// `1 M. N... 100644 100644 100644 ID ID path`
fn changed_line(
    git: &Git,
    index: &crate::utility::git::index::Index,
    path: &Text,
    one: &PathStatus,
    printer: &Printer,
) -> Vec<u8> {
    let (x, y) = one.letters(b'.');
    let entry = index.get(path);
    let in_index = entry.map_or((0, ObjectId::ZERO), |entry| (entry.mode, entry.id));
    let in_index =
        if entry.is_some_and(|entry| entry.intent_to_add) { (0, ObjectId::ZERO) } else { in_index };
    let in_head = match &one.staged {
        Some(change) => (change.old.mode, change.old.id),
        None => in_index,
    };
    let work = match &one.unstaged {
        Some(change) => change.new.mode,
        None => in_index.0,
    };
    let pair = one.staged.as_ref().filter(|change| change.is_pair());
    let front = format!(
        "{} {}{} {} {:06o} {:06o} {work:06o} {} {} ",
        if pair.is_some() { 2 } else { 1 },
        char::from(x),
        char::from(y),
        submodule_state([in_head.0, in_index.0, work, 0], one),
        in_head.0,
        in_index.0,
        in_head.1,
        in_index.1
    );
    let mut line = front.into_bytes();
    if let Some(change) = pair {
        line.extend_from_slice(
            format!("{}{} ", char::from(change.status), change.score * 100 / FULL).as_bytes(),
        );
    }
    line.extend_from_slice(&printer.path(git, path, false));
    if let Some(change) = pair {
        line.push(if printer.ends_in_nul { 0 } else { b'\t' });
        line.extend_from_slice(&printer.path(git, &change.old_path, false));
    }
    line.push(printer.end());
    line
}
