//! What `hookbox sh --help` lists beside the options: limits, builtins and utilities, from the tables that they are declared in.

use crate::limit::{Limit, Limits};
use crate::machine::builtin_names;
use crate::utility::UTILITIES;
use std::fmt::Write as _;

/// Names a line of builtins may have, in characters.
const WIDTH: usize = 100;

/// What follows the options.
pub(super) fn of_sh() -> String {
    let mut text = String::new();
    limits(&mut text);
    builtins(&mut text);
    utilities(&mut text);
    text
}

/// A value as people read it; sizes in their units.
fn shown(limit: Limit, value: u64) -> String {
    match value {
        u64::MAX => "none".to_owned(),
        _ if !limit.name().ends_with("_bytes") => value.to_string(),
        _ if value.is_multiple_of(1 << 30) => format!("{} GiB", value >> 30),
        _ if value.is_multiple_of(1 << 20) => format!("{} MiB", value >> 20),
        _ => format!("{} KiB", value >> 10),
    }
}

fn limits(text: &mut String) {
    let profiles = ["default", "hook", "everruns", "interactive"];
    let _ = write!(text, "Limits:\n  {:<18}", "NAME");
    for profile in profiles {
        let _ = write!(text, "{profile:>14}");
    }
    text.push('\n');
    for &limit in Limit::ALL {
        let _ = write!(text, "  {:<18}", limit.name());
        for limits in profiles.iter().filter_map(|profile| Limits::profile(profile)) {
            let _ = write!(text, "{:>14}", shown(limit, limits.get(limit)));
        }
        let _ = writeln!(text, "  {}", limit.describe());
    }
}

fn builtins(text: &mut String) {
    text.push_str("\nBuiltins (`help NAME` in a script shows one):\n");
    let mut names: Vec<&str> = builtin_names().collect();
    names.sort_unstable();
    let mut line = String::from(" ");
    for name in names {
        if line.len() + name.len() >= WIDTH {
            let _ = writeln!(text, "{line}");
            line = String::from(" ");
        }
        let _ = write!(line, " {name}");
    }
    let _ = writeln!(text, "{line}");
}

fn utilities(text: &mut String) {
    text.push_str("\nUtilities (`NAME --help` in a script lists the options):\n");
    for utility in UTILITIES {
        let _ = writeln!(text, "  {:<15} {}", utility.name, utility.summary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_lists_all_there_is() {
        let text = of_sh();
        let words = |name: &str| -> Vec<&str> {
            let line = text.lines().find(|line| line.split(' ').any(|word| word == name));
            line.unwrap_or_default().split_whitespace().collect()
        };
        assert_eq!(words("wall_time_ms")[..5], ["wall_time_ms", "30000", "5000", "5000", "none"]);
        assert_eq!(words("live_bytes")[1..7], ["256", "MiB", "64", "MiB", "10", "MiB"]);
        assert_eq!(words("yes"), ["yes", "output", "a", "string", "repeatedly", "until", "killed"]);
        assert!(words("mapfile").contains(&"readarray"));
    }
}
