//! The options of each form of `git config`, and its usage.

use crate::utility::OptionSet;
use crate::utility::context::options::options;
use crate::utility::git::command::{Command, Needs};

options! {
    /// Which configuration is meant.
    pub(super) enum PlaceOpt {
        Global = flag('\0', "global", "use global config file"),
        System = flag('\0', "system", "use system config file"),
        Local = flag('\0', "local", "use repository config file"),
        Worktree = flag('\0', "worktree", "use per-worktree config file"),
        File = value('f', "file", "file", "use given config file"),
        Blob = value('\0', "blob", "blob-id", "read config from given blob object"),
    }
}

options! {
    pub(super) enum DisplayOpt {
        Null = flag('z', "null", "terminate values with NUL byte"),
        NameOnly = flag('\0', "name-only", "show variable names only"),
        ShowOrigin = flag('\0', "show-origin", "show origin of config (file, standard input, blob, command line)"),
        ShowScope = flag('\0', "show-scope", "show scope of config (worktree, local, global, system, command)"),
        ShowNames = flag('\0', "show-names", "show config keys in addition to their values"),
    }
}

options! {
    pub(super) enum TypeOpt {
        Type = value('t', "type", "type", "value is given this type"),
        Bool = flag('\0', "bool", "value is \"true\" or \"false\""),
        Int = flag('\0', "int", "value is decimal number"),
        BoolOrInt = flag('\0', "bool-or-int", "value is --bool or --int"),
        BoolOrStr = flag('\0', "bool-or-str", "value is --bool or string"),
        Path = flag('\0', "path", "value is a path (file or directory name)"),
        ExpiryDate = flag('\0', "expiry-date", "value is an expiry date"),
    }
}

options! {
    /// Which values are meant.
    pub(super) enum FilterOpt {
        Value = value('\0', "value", "pattern", "show config with values matching the pattern"),
        FixedValue = flag('\0', "fixed-value", "use string equality when comparing values to value pattern"),
    }
}

options! {
    pub(super) enum IncludesOpt {
        Includes = flag('\0', "includes", "respect include directives on lookup"),
    }
}

options! {
    pub(super) enum CommentOpt {
        Comment = value('\0', "comment", "value", "human-readable comment string (# will be prepended as needed)"),
    }
}

options! {
    pub(super) enum ListOpt {
        Place(PlaceOpt),
        Display(DisplayOpt),
        Type(TypeOpt),
        Includes(IncludesOpt),
    }
}

options! {
    pub(super) enum GetOpt {
        Place(PlaceOpt),
        All = flag('\0', "all", "return all values for multi-valued config options"),
        Regexp = flag('\0', "regexp", "interpret the name as a regular expression"),
        Filter(FilterOpt),
        Url = value('\0', "url", "URL", "show config matching the given URL"),
        Display(DisplayOpt),
        Type(TypeOpt),
        Includes(IncludesOpt),
        Default = value('\0', "default", "value", "use default value when missing entry"),
    }
}

options! {
    pub(super) enum SetOpt {
        Place(PlaceOpt),
        Type(TypeOpt),
        All = flag('\0', "all", "replace multi-valued config option with new value"),
        Filter(FilterOpt),
        Comment(CommentOpt),
        Append = flag('\0', "append", "add a new line without altering any existing values"),
    }
}

options! {
    pub(super) enum UnsetOpt {
        Place(PlaceOpt),
        All = flag('\0', "all", "replace multi-valued config option with new value"),
        Filter(FilterOpt),
    }
}

options! {
    /// What is to be done, in the form without a subcommand.
    pub(super) enum ActionOpt {
        Get = flag('\0', "get", "get value: name [<value-pattern>]"),
        GetAll = flag('\0', "get-all", "get all values: key [<value-pattern>]"),
        GetRegexp = flag('\0', "get-regexp", "get values for regexp: name-regex [<value-pattern>]"),
        GetUrlmatch = flag('\0', "get-urlmatch", "get value specific for the URL: section[.var] URL"),
        ReplaceAll = flag('\0', "replace-all", "replace all matching variables: name value [<value-pattern>]"),
        Add = flag('\0', "add", "add a new variable: name value"),
        Unset = flag('\0', "unset", "remove a variable: name [<value-pattern>]"),
        UnsetAll = flag('\0', "unset-all", "remove all matches: name [<value-pattern>]"),
        RenameSection = flag('\0', "rename-section", "rename section: old-name new-name"),
        RemoveSection = flag('\0', "remove-section", "remove a section: name"),
        List = flag('l', "list", "list all"),
        Edit = flag('e', "edit", "open an editor"),
        GetColor = flag('\0', "get-color", "find the color configured: slot [<default>]"),
        GetColorbool = flag('\0', "get-colorbool", "find the color setting: slot [<stdout-is-tty>]"),
    }
}

options! {
    pub(super) enum OldOpt {
        Place(PlaceOpt),
        Action(ActionOpt),
        Display(DisplayOpt),
        Type(TypeOpt),
        Default = value('\0', "default", "value", "with --get, use default value when missing entry"),
        Comment(CommentOpt),
        FixedValue = flag('\0', "fixed-value", "use string equality when comparing values to value pattern"),
        Includes(IncludesOpt),
    }
}

const LIST_USAGE: &str = "git config list [<file-option>] [<display-option>] [--includes]";
const UNSET_USAGE: &str = "git config unset [<file-option>] [--all] [--value=<value>] [--fixed-value] <name>";
const RENAME_USAGE: &str = "git config rename-section [<file-option>] <old-name> <new-name>";
const REMOVE_USAGE: &str = "git config remove-section [<file-option>] <name>";
const EDIT_USAGE: &str = "git config edit [<file-option>]";

/// The usage of the form without a subcommand.
pub(super) const USAGE: &str = "git config list [<file-option>] [<display-option>] [--includes]\n\
git config get [<file-option>] [<display-option>] [--includes] [--all] [--regexp] [--value=<value>] [--fixed-value] \
[--default=<default>] <name>\n\
git config set [<file-option>] [--type=<type>] [--all] [--value=<value>] [--fixed-value] <name> <value>\n\
git config unset [<file-option>] [--all] [--value=<value>] [--fixed-value] <name>\n\
git config rename-section [<file-option>] <old-name> <new-name>\n\
git config remove-section [<file-option>] <name>\n\
git config edit [<file-option>]\n\
git config [<file-option>] --get-colorbool <name> [<stdout-is-tty>]";

const PLACE: (&str, &str) = ("global", "Config file location");
const TYPE: (&str, &str) = ("type", "Type");
const DISPLAY: (&str, &str) = ("null", "Display options");

/// Headings of the form without a subcommand.
pub(super) const HEADINGS: &[(&str, &str)] = &[PLACE, ("get", "Action"), DISPLAY, TYPE, ("default", "Other")];

/// Options that cannot be negated: those that say what is done, and the short forms of types.
pub(super) const NEVER_NEGATED: &[&str] = &[
    "get",
    "get-all",
    "get-regexp",
    "get-urlmatch",
    "replace-all",
    "add",
    "unset",
    "unset-all",
    "rename-section",
    "remove-section",
    "list",
    "edit",
    "get-color",
    "get-colorbool",
    "bool",
    "int",
    "bool-or-int",
    "bool-or-str",
    "path",
    "expiry-date",
];

/// What the rows of the subcommands share.
const BASE: Command =
    Command { name: "config", never_negated: NEVER_NEGATED, needs: Needs::Perhaps, ..Command::BASE };

/// What is told of the command alone.
pub(super) static NONE: Command = Command { usage: USAGE, ..BASE };

pub(super) static LIST: Command = Command {
    usage: LIST_USAGE,
    options: ListOpt::TABLE,
    headings: &[PLACE, DISPLAY, TYPE, ("includes", "Other")],
    ..BASE
};

pub(super) static GET: Command = Command {
    usage: "git config get [<file-option>] [<display-option>] [--includes] [--all] [--regexp=<regexp>] \
[--value=<value>] [--fixed-value] [--default=<default>] <name>",
    options: GetOpt::TABLE,
    headings: &[PLACE, ("all", "Filter options"), DISPLAY, TYPE, ("includes", "Other")],
    operands_end_options: true,
    ..BASE
};

pub(super) static SET: Command = Command {
    usage: "git config set [<file-option>] [--type=<type>] [--comment=<message>] [--all] [--value=<value>] \
[--fixed-value] <name> <value>",
    options: SetOpt::TABLE,
    headings: &[PLACE, TYPE, ("all", "Filter"), ("comment", "Other")],
    operands_end_options: true,
    ..BASE
};

pub(super) static UNSET: Command = Command {
    usage: UNSET_USAGE,
    options: UnsetOpt::TABLE,
    headings: &[PLACE, ("all", "Filter")],
    operands_end_options: true,
    ..BASE
};

const SECTIONS: Command =
    Command { options: PlaceOpt::TABLE, headings: &[PLACE], operands_end_options: true, ..BASE };

pub(super) static RENAME_SECTION: Command = Command { usage: RENAME_USAGE, ..SECTIONS };
pub(super) static REMOVE_SECTION: Command = Command { usage: REMOVE_USAGE, ..SECTIONS };
pub(super) static EDIT: Command = Command { usage: EDIT_USAGE, ..SECTIONS };
