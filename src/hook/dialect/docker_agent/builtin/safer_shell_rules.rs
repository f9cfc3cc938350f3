//! What `safer_shell` knows about commands: a table of destructive ones, and one of those that only read.

use crate::hook::word::words;

words! {
    /// How much a mistake would destroy.
    #[derive(PartialOrd, Ord)]
    pub(super) enum Radius {
        Low "low",
        Medium "medium",
        High "high",
    }
}

/// A destructive command. `subcommands` stand one after another among its first operands; of `flags` one must be there,
/// if any are named: `-x` is a letter of a cluster, `--x` a word or what stands before its `=`, anything else the start of
/// a word.
pub(super) struct DestructiveRule {
    pub(super) names: &'static [&'static str],
    subcommands: &'static [&'static str],
    flags: &'static [&'static str],
    pub(super) radius: Radius,
    pub(super) category: &'static str,
    pub(super) reason: &'static str,
}

/// The rows: names, subcommands, flags, how much a mistake would destroy, category, reason.
macro_rules! destructive {
    ($([$($name:literal)*] [$($subcommand:literal)*] [$($flag:literal)*] $radius:ident $category:literal $reason:literal;)*) => {
        pub(super) const DESTRUCTIVE: &[DestructiveRule] = &[$(DestructiveRule {
            names: &[$($name,)*],
            subcommands: &[$($subcommand,)*],
            flags: &[$($flag,)*],
            radius: Radius::$radius,
            category: $category,
            reason: $reason,
        },)*];
    };
}

destructive! {
    ["rm"] [] ["-r" "-R" "--recursive"] High "fs-delete" "deletes directories with all they hold";
    ["rm"] [] ["-f" "--force"] Medium "fs-delete" "deletes files without asking";
    ["rm" "unlink" "rmdir"] [] [] Low "fs-delete" "deletes files";
    ["shred" "srm"] [] [] High "fs-delete" "destroys what files hold";
    ["find"] [] ["-delete"] High "fs-delete" "deletes all files found";
    ["truncate"] [] [] Medium "fs-truncate" "cuts files";
    ["rsync"] [] ["--delete"] High "fs-delete" "deletes files that the source lacks";
    ["dd"] [] ["of="] High "disk-write" "writes over files or devices";
    ["mkfs" "mke2fs" "mkswap" "wipefs" "fdisk" "sfdisk" "cfdisk" "parted" "sgdisk"] [] []
        High "disk-format" "formats or divides disks";
    ["chmod" "chown" "chgrp"] [] ["-R" "--recursive"] Medium "fs-perm" "changes rights of a tree";
    ["docker" "podman"] ["volume" "rm"] [] High "dk-volume-del" "deletes volumes with their data";
    ["docker" "podman"] ["volume" "prune"] [] High "dk-volume-del" "deletes volumes with their data";
    ["docker" "podman"] ["compose" "down"] ["-v" "--volumes"] High "dk-volume-del" "deletes volumes";
    ["docker-compose"] ["down"] ["-v" "--volumes"] High "dk-volume-del" "deletes volumes";
    ["docker" "podman"] ["system" "prune"] [] High "dk-prune" "deletes all that is not in use";
    ["docker" "podman"] ["builder" "prune"] [] Low "dk-prune" "deletes the build cache";
    ["docker" "podman"] ["container" "prune"] [] Medium "dk-container-del" "deletes containers";
    ["docker" "podman"] ["container" "rm"] [] Medium "dk-container-del" "deletes containers";
    ["docker" "podman"] ["rm"] [] Medium "dk-container-del" "deletes containers";
    ["docker" "podman"] ["image" "rm"] [] Medium "dk-image-del" "deletes images";
    ["docker" "podman"] ["image" "prune"] [] Medium "dk-image-del" "deletes images";
    ["docker" "podman"] ["rmi"] [] Medium "dk-image-del" "deletes images";
    ["docker" "podman"] ["network" "rm"] [] Medium "dk-network-del" "deletes networks";
    ["docker" "podman"] ["network" "prune"] [] Medium "dk-network-del" "deletes networks";
    ["docker" "podman"] ["kill"] [] Low "dk-container-stop" "stops containers";
    ["docker" "podman"] ["stop"] [] Low "dk-container-stop" "stops containers";
    ["git"] ["reset"] ["--hard" "--merge"] High "git-discard" "discards changes that are not committed";
    ["git"] ["clean"] ["-f" "--force"] High "git-discard" "deletes files that git does not know";
    ["git"] ["checkout"] ["--" "-f" "--force"] Medium "git-discard" "discards changes";
    ["git"] ["restore"] [] Medium "git-discard" "discards changes";
    ["git"] ["stash" "drop"] [] Medium "git-discard" "discards a stash";
    ["git"] ["stash" "clear"] [] High "git-discard" "discards all stashes";
    ["git"] ["push"] ["-f" "--force" "--force-with-lease" "--mirror" "--delete" "-d" "+" ":"]
        High "git-rewrite" "rewrites or deletes what others see";
    ["git"] ["branch"] ["-d" "-D" "--delete"] Medium "git-branch-del" "deletes branches";
    ["git"] ["tag"] ["-d" "--delete"] Low "git-tag-del" "deletes tags";
    ["git"] ["filter-branch"] [] High "git-rewrite" "rewrites history";
    ["git"] ["reflog" "expire"] [] High "git-rewrite" "forgets history";
    ["kubectl" "oc"] ["delete"] [] High "k8s-delete" "deletes objects of a cluster";
    ["kubectl" "oc"] ["drain"] [] High "k8s-drain" "empties a node";
    ["helm"] ["uninstall"] [] High "k8s-delete" "removes a release";
    ["helm"] ["delete"] [] High "k8s-delete" "removes a release";
    ["terraform" "tofu" "pulumi"] ["destroy"] [] High "infra-destroy" "destroys infrastructure";
    ["aws"] ["s3" "rb"] [] High "cloud-delete" "deletes a bucket";
    ["aws"] ["s3" "rm"] [] High "cloud-delete" "deletes objects";
    ["gsutil"] ["rm"] [] High "cloud-delete" "deletes objects";
    ["gcloud" "az"] [] ["delete"] High "cloud-delete" "deletes resources";
    ["dropdb" "dropuser"] [] [] High "db-drop" "drops a database";
    ["redis-cli"] [] ["flushall" "flushdb" "FLUSHALL" "FLUSHDB"] High "db-drop" "empties a database";
    ["shutdown" "reboot" "halt" "poweroff" "init"] [] [] High "sys-power" "stops the machine";
    ["systemctl"] ["stop"] [] Medium "sys-service" "stops a service";
    ["systemctl"] ["disable"] [] Medium "sys-service" "disables a service";
    ["systemctl"] ["mask"] [] Medium "sys-service" "disables a service";
    ["kill" "pkill" "killall"] [] [] Low "proc-kill" "ends processes";
    ["userdel" "groupdel" "deluser"] [] [] High "sys-user" "deletes accounts";
    ["iptables" "ip6tables" "nft"] [] ["-F" "--flush" "flush"] High "net-firewall" "drops rules";
    ["crontab"] [] ["-r"] Medium "sys-cron" "deletes all jobs";
}

/// A command that only reads. `subcommand`: its first argument must be one of these, if any are named. `not`: flags and
/// words, as in [`DestructiveRule`], with which it may write or run something.
pub(super) struct ReadingRule {
    names: &'static [&'static str],
    subcommands: &'static [&'static str],
    not: &'static [&'static str],
}

/// The rows: names, subcommands, what it must not have.
macro_rules! readers {
    ($([$($name:literal)*] [$($subcommand:literal)*] [$($not:literal)*];)*) => {
        pub(super) const READERS: &[ReadingRule] = &[$(ReadingRule {
            names: &[$($name,)*],
            subcommands: &[$($subcommand,)*],
            not: &[$($not,)*],
        },)*];
    };
}

readers! {
    ["ls" "pwd" "cat" "head" "tail" "wc" "stat" "du" "df" "which" "whoami" "id" "groups" "uname" "basename"
     "dirname" "realpath" "readlink" "uptime" "nproc" "arch" "tty" "md5sum" "sha1sum" "sha256sum" "cksum"
     "cmp" "diff" "grep" "egrep" "fgrep" "true" "false" "tac" "nl" "od" "free" "ps" "type" "pgrep"] [] [];
    ["date"] [] ["-s" "--set"];
    ["file"] [] ["-C" "--compile" "-m" "--magic-file"];
    ["tree"] [] ["-o"];
    ["rg"] [] ["--pre" "--hostname-bin" "-z" "--search-zip"];
    ["find"] [] ["-exec" "-ok" "-delete" "-fprint" "-fls"];
    ["git"] ["status" "log" "diff" "show" "rev-parse" "describe" "blame" "ls-files" "ls-tree" "shortlog"]
     ["--output" "--ext-diff" "--textconv"];
    ["docker" "podman"] ["ps" "images" "logs" "inspect" "version" "info" "top" "port" "history"] [];
    ["kubectl"] ["get" "describe" "logs" "version" "api-resources"] ["-w"];
    ["cargo" "go" "node" "npm" "python" "python3" "rustc"] ["--version" "version"] [];
}

impl DestructiveRule {
    /// Whether it fits a command by name; `words` are its arguments, empty where computed.
    pub(super) fn fits(&self, name: &str, words: &[&str]) -> bool {
        let is_named = self.names.iter().any(|known| {
            // `mkfs.ext4` is an `mkfs`.
            name == *known
                || name.strip_prefix(known).is_some_and(|rest| *known == "mkfs" && rest.starts_with('.'))
        });
        is_named
            && has_subcommands(words, self.subcommands)
            && (self.flags.is_empty() || has_flag(words, self.flags))
    }
}

impl ReadingRule {
    /// Whether it reads only whatever its options are.
    pub(super) const fn any_option(&self) -> bool {
        self.not.is_empty() && self.subcommands.is_empty()
    }

    pub(super) fn fits(&self, name: &str, words: &[&str]) -> bool {
        let first = words.first().copied().unwrap_or("");
        self.names.contains(&name)
            && (self.subcommands.is_empty() || self.subcommands.contains(&first))
            && !has_flag(words, self.not)
    }
}

/// Whether `wanted` stand one after another among the first operands: options with a value may come before.
fn has_subcommands(words: &[&str], wanted: &[&str]) -> bool {
    let operands: Vec<_> = words.iter().filter(|word| !word.starts_with('-')).take(6).copied().collect();
    wanted.is_empty() || operands.windows(wanted.len()).any(|window| window == wanted)
}

fn has_flag(words: &[&str], flags: &[&str]) -> bool {
    words.iter().any(|word| flags.iter().any(|flag| is_flag(word, flag)))
}

fn is_flag(word: &str, flag: &str) -> bool {
    if flag.starts_with("--") {
        return word == flag || word.split_once('=').is_some_and(|(name, _)| name == flag);
    }
    match flag.strip_prefix('-') {
        Some(letter) if letter.len() == 1 => word
            .strip_prefix('-')
            .is_some_and(|cluster| !cluster.starts_with('-') && cluster.contains(letter)),
        _ => word.starts_with(flag),
    }
}
