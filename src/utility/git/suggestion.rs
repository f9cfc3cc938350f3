//! A command that is not known: those whose names are most alike.

use super::Git;
use super::error::Result;
use crate::memory::{String, Vec, vec};

/// The commands that git has, whether they are here or not.
const KNOWN: &str = "add am annotate apply archimport archive bisect blame branch bugreport bundle cat-file check-attr \
check-ignore check-mailmap check-ref-format checkout checkout--worker checkout-index cherry cherry-pick clean clone column \
commit commit-graph commit-tree config count-objects credential credential-cache credential-cache--daemon \
credential-store cvsexportcommit cvsimport cvsserver daemon describe diagnose diff diff-files diff-index diff-tree difftool \
difftool--helper fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo \
format-patch fsck fsck-objects fsmonitor--daemon gc get-tar-commit-id grep hash-object help hook http-backend http-fetch \
http-push imap-send index-pack init init-db instaweb interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit \
maintenance merge merge-base merge-file merge-index merge-octopus merge-one-file merge-ours merge-recursive \
merge-recursive-ours merge-recursive-theirs merge-resolve merge-subtree merge-tree mergetool mktag mktree multi-pack-index \
mv name-rev notes p4 pack-objects pack-redundant pack-refs patch-id pickaxe prune prune-packed pull push quiltimport \
range-diff read-tree rebase receive-pack reflog refs remote remote-ext remote-fd remote-ftp remote-ftps remote-http \
remote-https repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack \
sh-i18n--envsubst shell shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace \
submodule submodule--helper svn switch symbolic-ref tag unpack-file unpack-objects update-index update-ref \
update-server-info upload-archive upload-archive--writer upload-pack var verify-commit verify-pack verify-tag version \
web--browse whatchanged worktree write-tree";

/// Those that are often used: the front of such a name is very like it.
const COMMON: &str = "add bisect branch clone commit diff fetch grep init log merge mv pull push rebase reset restore rm show \
status switch tag";

/// What is farther away is not told.
const FARTHEST: usize = 7;
/// Names that are longer are like none.
const LONGEST: usize = 64;

/// The costs of making one name of another.
const SUBSTITUTION: usize = 2;
const INSERTION: usize = 1;
const DELETION: usize = 3;

/// How far a name is from another; letters that changed their places cost nothing.
fn distance(from: &[u8], to: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).map(|at| at * INSERTION).collect();
    let mut last = None;
    for (place, &letter) in from.iter().enumerate() {
        let mut next = vec![(place + 1) * DELETION];
        for (at, &other) in to.iter().enumerate() {
            let of = |row: &Vec<usize>, at: usize| row.get(at).copied().unwrap_or(usize::MAX);
            let mut cost = of(&row, at) + if letter == other { 0 } else { SUBSTITUTION };
            let is_swapped = at > 0 && last == Some(other) && to.get(at - 1) == Some(&letter);
            if is_swapped {
                cost = cost.min(of(&before, at - 1));
            }
            cost = cost.min(of(&row, at + 1) + DELETION).min(of(&next, at) + INSERTION);
            next.push(cost);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(letter);
    }
    row.last().copied().unwrap_or(0)
}

impl Git {
    /// Whether git has such a command, be it here or not.
    pub(super) fn has_command(name: &[u8]) -> bool {
        KNOWN.split_ascii_whitespace().any(|known| known.as_bytes() == name)
    }

    /// What is said after a name that is not known; aliases are names too.
    pub(super) async fn similar_commands(&mut self, name: &[u8]) -> Result<String> {
        if name.len() > LONGEST {
            return Ok(String::new());
        }
        let keys = self.config.entries.iter().filter_map(|entry| entry.name.strip_prefix(b"alias."));
        let aliases = keys.filter_map(|key| std::str::from_utf8(key).ok()).filter(|key| key.len() <= LONGEST);
        let mut ranked: Vec<(usize, &str)> = Vec::new();
        for known in KNOWN.split_ascii_whitespace().chain(aliases) {
            self.ctx.tick().await?;
            let is_front = known.as_bytes().starts_with(name)
                && COMMON.split_ascii_whitespace().any(|common| common == known);
            let far = if is_front { 0 } else { distance(name, known.as_bytes()) + 1 };
            ranked.push((far, known));
        }
        Ok(told(ranked))
    }
}

/// The lines for the names that are least far.
fn told(mut ranked: Vec<(usize, &str)>) -> String {
    let mut text = String::new();
    ranked.sort();
    ranked.dedup();
    let Some(best) = ranked.iter().map(|(far, _)| *far).find(|far| *far > 0) else { return text };
    let alike: Vec<&str> = ranked.iter().filter(|(far, _)| *far <= best).map(|(_, known)| *known).collect();
    if best >= FARTHEST {
        return text;
    }
    text.push_str(if alike.len() == 1 {
        "\nThe most similar command is\n"
    } else {
        "\nThe most similar commands are\n"
    });
    for known in alike {
        text.push('\t');
        text.push_str(known);
        text.push('\n');
    }
    text
}
