//! The report of `hookbox test` as machines of others read it: TAP, version 14, and `JUnit`'s XML.

use super::report::Report;
use crate::visible;
use std::fmt::Write as _;

impl Report<'_> {
    /// A line for each case; what is wrong is in a block of YAML below it.
    pub(super) fn tap(&self) -> String {
        let mut text = format!("TAP version 14\n1..{}\n", self.jobs.len());
        for (number, (loaded, case, ran)) in self.all().enumerate() {
            let result = if ran.passed() { "ok" } else { "not ok" };
            let name = format!("{}: {}", loaded.file.id, case.name);
            // `#` would begin a directive.
            let name = visible::line(&name).replace('\\', "\\\\").replace('#', "\\#");
            let _ = writeln!(text, "{result} {} - {name}", number + 1);
            if !ran.passed() {
                let file = serde_json::Value::from(loaded.path.display().to_string());
                let _ = writeln!(text, "  ---\n  file: {file}\n  message: |");
                for line in visible::lines(&ran.told()).lines() {
                    let _ = writeln!(text, "    {line}");
                }
                text.push_str("  ...\n");
            }
        }
        text
    }

    /// A suite for each file of cases. What differs is a failure, what could not be run an error.
    pub(super) fn junit(&self) -> String {
        let all: Vec<_> = self.all().collect();
        let mut suites = String::new();
        for suite in all.chunk_by(|(one, ..), (other, ..)| one.path == other.path) {
            let Some((loaded, ..)) = suite.first() else { continue };
            let errors = suite.iter().filter(|(_, _, ran)| ran.result.is_err()).count();
            let failures = suite.iter().filter(|(_, _, ran)| !ran.passed()).count() - errors;
            let seconds: f64 = suite.iter().map(|(_, _, ran)| ran.seconds).sum();
            let title = format!("{} {}", loaded.file.id, loaded.file.title);
            let file = escaped(&loaded.path.display().to_string());
            let _ = writeln!(
                suites,
                "  <testsuite name=\"{}\" file=\"{file}\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\">",
                escaped(title.trim_end()),
                suite.len(),
            );
            for (_, case, ran) in suite {
                let _ = write!(
                    suites,
                    "    <testcase name=\"{}\" classname=\"{}\" file=\"{file}\" time=\"{:.3}\"",
                    escaped(&case.name),
                    escaped(&loaded.file.id),
                    ran.seconds,
                );
                if ran.passed() {
                    suites.push_str("/>\n");
                    continue;
                }
                let (element, message) = match &ran.result {
                    Ok(result) => {
                        let keys =
                            result.differences.iter().map(|found| format!("{}: {}", found.place, found.key));
                        ("failure", keys.collect::<Vec<_>>().join(", "))
                    }
                    Err(why) => ("error", why.clone()),
                };
                let _ = writeln!(
                    suites,
                    ">\n      <{element} message=\"{}\">{}</{element}>\n    </testcase>",
                    escaped(&message),
                    escaped(&ran.told()),
                );
            }
            suites.push_str("  </testsuite>\n");
        }
        let errors = all.iter().filter(|(_, _, ran)| ran.result.is_err()).count();
        let failures = all.len() - self.passed() - errors;
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hookbox\" tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{:.3}\">\n{suites}</testsuites>\n",
            all.len(),
            self.seconds,
        )
    }
}

/// For a text or an attribute of XML, which has no control characters; those are shown as escapes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in visible::lines(text).chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn xml_has_no_letters_that_it_cannot_have() {
        assert_eq!(super::escaped("<a b=\"&\">\u{1b}\n"), "&lt;a b=&quot;&amp;&quot;&gt;\\x1b&#10;");
    }
}
