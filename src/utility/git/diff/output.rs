//! Changes as they are asked for: filtered, with renames, in the formats of the options.

use super::change::Change;
use super::lines::{File, runs};
use super::options::DiffOptions;
use super::rename::{FULL, detect};
use super::statistics::{num_stat, short_stat, stat, summary};
use crate::memory::{JoinMetered, Vec, format};
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::regex_options;
use crate::utility::git::Git;
use crate::utility::git::error::{Result, fatal};
use crate::utility::regex::{Regex, RegexOptions, Syntax};

impl Git {
    /// What is left of the changes: renames found, filters applied.
    pub(crate) async fn refine(
        &mut self,
        changes: Vec<Change>,
        options: &DiffOptions,
    ) -> Result<Vec<Change>> {
        let mut changes = changes;
        if let Some(folder) = &options.relative {
            changes.retain(|change| change.path.starts_with(folder));
        }
        if options.ignores_submodules {
            changes.retain(|change| !change.is_of_submodule());
        }
        // Files that a submodule does not know are no change of it.
        let is_told = |change: &Change| {
            let (old, new, dirt) = (change.old, change.new, change.dirt);
            !dirt.has_untracked
                || dirt.has_commits
                || dirt.is_modified
                || (old.mode, old.id) != (new.mode, new.id)
        };
        changes.retain(is_told);
        if options.is_reversed {
            changes = changes.into_iter().map(Change::reversed).collect();
        }
        if let Some(renames) = options.renames {
            changes = detect(self, changes, renames).await?;
        }
        if options.occurrences.is_some() || options.matching.is_some() {
            changes = self.pick(changes, options).await?;
        }
        if !options.filter.is_empty() {
            let wanted: Vec<u8> = options.filter.iter().copied().filter(u8::is_ascii_uppercase).collect();
            let unwanted = |status: u8| options.filter.contains(&status.to_ascii_lowercase());
            let is_meant = |status: u8| {
                if wanted.is_empty() || wanted.as_slice() == b"*" {
                    !unwanted(status)
                } else {
                    wanted.contains(&status)
                }
            };
            if !(wanted.contains(&b'*')
                && changes.iter().any(|change| is_meant(change.status) && change.status != b'*'))
            {
                changes.retain(|change| is_meant(change.status));
            }
        }
        Ok(changes)
    }

    /// The changes that `-S` and `-G` look for.
    async fn pick(&mut self, changes: Vec<Change>, options: &DiffOptions) -> Result<Vec<Change>> {
        let pattern =
            options.matching.as_ref().or(options.occurrences.as_ref().filter(|_| options.pickaxe_regex));
        let regex = match pattern {
            Some(pattern) => {
                let settings = RegexOptions { newline_sensitive: true, ..regex_options(&self.ctx.meter) };
                match Regex::new(pattern, Syntax::Extended, &settings) {
                    Ok(regex) => Some(regex),
                    Err(error) => return Err(fatal!("invalid regex: {error}")),
                }
            }
            None => None,
        };
        let mut picked = Vec::new();
        for change in &changes {
            let left = self.side_content(change.old, &change.old_path).await?;
            let right = self.side_content(change.new, &change.path).await?;
            let is_hit = if options.matching.is_some() {
                let Some(regex) = &regex else { continue };
                if self.is_binary_file(&change.old_path, &left, options)?
                    || self.is_binary_file(&change.path, &right, options)?
                {
                    continue;
                }
                let (left, right) =
                    (File::new(&mut self.ctx, left).await?, File::new(&mut self.ctx, right).await?);
                let mut is_hit = false;
                for run in runs(&mut self.ctx, &left, &right, options.blanks, false).await? {
                    let olds = (run.left..run.left + run.deleted).map(|index| left.line(index));
                    for line in
                        olds.chain((run.right..run.right + run.inserted).map(|index| right.line(index)))
                    {
                        let line = line.strip_suffix(b"\n").unwrap_or(line);
                        is_hit |=
                            regex.is_match(line, &mut Pace::Shared(&self.ctx.meter)).await.unwrap_or(false);
                    }
                }
                is_hit
            } else {
                let mut counts = [0_usize; 2];
                for (count, text) in counts.iter_mut().zip([&left, &right]) {
                    *count = match (&regex, &options.occurrences) {
                        (Some(regex), _) => {
                            let (mut found, mut at) = (0, 0);
                            while let Ok(Some((_, end))) =
                                regex.find_at(text, at, &mut Pace::Shared(&self.ctx.meter)).await
                            {
                                found += 1;
                                at = end.max(at + 1);
                                if at > text.len() {
                                    break;
                                }
                            }
                            found
                        }
                        (None, Some(needle)) => memchr::memmem::find_iter(text, &needle[..]).count(),
                        (None, None) => 0,
                    };
                    crate::utility::context::pace::tick_bytes(&self.ctx.meter, text.len()).await?;
                }
                counts.first() != counts.last()
            };
            if is_hit {
                picked.push(change.clone());
            }
        }
        if options.pickaxe_all && !picked.is_empty() {
            return Ok(changes);
        }
        Ok(picked)
    }

    /// Prints changes.
    pub(crate) async fn print_changes(&mut self, changes: &[Change], options: &DiffOptions) -> Result<()> {
        let formats = options.formats;
        if options.quiet || formats.none {
            return Ok(());
        }
        if formats.raw || formats.name_only || formats.name_status {
            for change in changes {
                let line = self.raw_line(change, options)?;
                self.print(&line).await?;
            }
        }
        let whole = changes;
        let files: Vec<Change>;
        let changes = if changes.iter().any(Change::is_of_tree) {
            files = changes.iter().filter(|change| !change.is_of_tree()).cloned().collect();
            &files
        } else {
            changes
        };
        if formats.stat || formats.shortstat || formats.numstat {
            let figures = self.figures(changes, options).await?;
            if formats.numstat {
                let text = num_stat(self, &figures, options.ends_in_nul);
                self.print(&text).await?;
            }
            if formats.stat && !figures.is_empty() {
                let columns = self.terminal_columns().saturating_sub(options.prefix_width);
                let text = stat(&figures, options.widths, columns);
                self.print(&text).await?;
            }
            if (formats.stat || formats.shortstat) && !figures.is_empty() {
                let text = short_stat(&figures);
                self.print(&text).await?;
            }
        }
        if formats.summary {
            let text = summary(self, whole, options);
            self.print(&text).await?;
        }
        if formats.patch {
            let has_more =
                formats.stat || formats.shortstat || formats.numstat || formats.raw || formats.summary;
            if has_more && !changes.is_empty() {
                self.print(b"\n").await?;
            }
            for change in changes {
                let text = self.patch(change, options).await?;
                self.print(&text).await?;
            }
        }
        Ok(())
    }

    fn raw_line(&mut self, change: &Change, options: &DiffOptions) -> Result<Vec<u8>> {
        let mut line: Vec<u8> = Vec::new();
        let formats = options.formats;
        if formats.raw {
            let mut ids = Vec::new();
            for side in [change.old, change.new] {
                // The name of what lies in the work tree is not known.
                let least = if options.full_raw { Some(40) } else { options.abbreviation };
                ids.push(self.abbreviate(&side.id, least)?);
            }
            line.extend_from_slice(format!(":{:06o} {:06o} ", change.old.mode, change.new.mode).as_bytes());
            line.extend_from_slice(&ids.join_metered(b" "));
            line.push(b' ');
        }
        let end: u8 = if options.ends_in_nul { 0 } else { b'\n' };
        let between: u8 = if options.ends_in_nul { 0 } else { b'\t' };
        let put = |path: &[u8]| {
            if options.ends_in_nul {
                Vec::from(options.shown(path))
            } else {
                self.quoted(options.shown(path))
            }
        };
        if formats.name_only && !formats.raw {
            line.extend_from_slice(&put(&change.path));
            line.push(end);
            return Ok(line);
        }
        line.push(change.status);
        if change.score > 0 {
            line.extend_from_slice(format!("{:03}", change.score * 100 / FULL).as_bytes());
        }
        if change.is_pair() {
            line.push(between);
            line.extend_from_slice(&put(&change.old_path));
        }
        line.push(between);
        line.extend_from_slice(&put(if change.is_pair() { &change.path } else { &change.old_path }));
        line.push(end);
        Ok(line)
    }
}
