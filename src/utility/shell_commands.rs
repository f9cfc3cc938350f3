//! `shell-commands`: lists the simple commands of a shell script as JSON, one object a line, so that `jq` in a hook can
//! match on parsed commands instead of text. No Unix tool has this name; the sandbox's own.
//!
//! A line is `{"name", "text", "words", "assignments", "redirects", "line", "via"}` for a command (a computed name or word
//! is `null`), or `{"opaque": why, "line", "source"}` for a place where what runs cannot be known. A hook that allows by
//! name should refuse scripts with an opaque line.

use crate::inspect::{Inspection, MAX_SCRIPT};
use crate::memory::{ToMetered, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Command = value('c', "command", "TEXT", "the script is TEXT"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "shell-commands",
    summary: "list the simple commands of a shell script as JSON, one a line",
    usage: "shell-commands [FILE]\nshell-commands -c TEXT",
    options: Opt::TABLE,
    examples: &[
        example("echo 'sudo rm -rf /' | shell-commands | jq -r .name", "sudo\nrm\n"),
        example("shell-commands -c 'eval \"$x\"' | jq -r '.opaque // empty'", "computed script\n"),
    ],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0; 1 when the script has a syntax error (the commands before it are listed); 2 when there is no script.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let most = usize::from(!options.has(Opt::Command));
    if let Some(extra) = options.operands.get(most) {
        return Err(UtilityError::Usage(format!("extra operand '{extra}'")));
    }
    let script = match options.value(Opt::Command) {
        Some(text) => text.to_metered(),
        None => {
            let operand = options.operands.first().cloned().unwrap_or(Text::from_static(b"-"));
            match read(ctx, &operand).await {
                Ok(script) => script,
                Err(FsError::Errno(errno)) => {
                    ctx.report(&operand, FsError::Errno(errno))?;
                    return Ok(ExitStatus(2));
                }
                Err(FsError::Limit(limit)) => return Err(limit.into()),
            }
        }
    };
    let mut inspection = Inspection::new(&script);
    while inspection.step() {
        ctx.tick_many(16);
        ctx.check().await?;
    }
    let mut view = inspection.finish();
    // They are dropped one by one, which takes its time.
    for command in std::mem::take(&mut view.commands) {
        ctx.tick_many(1 + command.words.len() as u32);
        write(ctx, &command).await?;
    }
    for record in view.records(&script) {
        write(ctx, &record).await?;
    }
    Ok(match view.error {
        Some(error) => ctx.warn(error),
        None => ExitStatus::SUCCESS,
    })
}

async fn write(ctx: &mut Context, record: &impl serde::Serialize) -> Result<(), UtilityError> {
    ctx.tick().await?;
    let mut line = Vec::new();
    serde_json::to_writer(&mut line, record).map_err(|error| UtilityError::failed(format!("{error}")))?;
    line.push(b'\n');
    ctx.stdout.write(&line).await
}

/// The script, cut one byte past the longest that is inspected.
async fn read(ctx: &mut Context, operand: &[u8]) -> Result<Vec<u8>, FsError> {
    let mut input = ctx.open_input(operand)?;
    let mut script = Vec::new();
    while script.len() <= MAX_SCRIPT {
        ctx.tick().await?;
        let bytes = input.fill().await?;
        if bytes.is_empty() {
            break;
        }
        let taken = bytes.get(..bytes.len().min(MAX_SCRIPT + 1 - script.len())).unwrap_or(bytes);
        script.extend_from_slice(taken);
        let count = taken.len();
        input.consume(count);
    }
    Ok(script)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn lists_commands_and_opaque_places() {
        let script = "A=1 ls -l $x >out\nbash -c 'git push'; $y\n";
        let outcome = Fixture::new(&[("script", script)]).run("shell-commands", &["script"], b"");
        let lines: Vec<serde_json::Value> =
            outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(
            lines[0],
            serde_json::json!({
                "name": "ls", "text": "ls -l $x", "words": ["ls", "-l", null],
                "assignments": [{"name": "A", "value": "1", "source": "1"}],
                "redirects": [{"descriptor": null, "operator": ">", "target": "out", "source": "out", "writes": true}],
                "line": 1, "via": [],
            })
        );
        assert_eq!(lines[2]["text"], "git push");
        assert_eq!(lines[2]["via"], serde_json::json!(["bash"]));
        assert_eq!(lines[3]["name"], serde_json::Value::Null);
        assert_eq!(lines[4], serde_json::json!({"opaque": "computed command", "line": 2, "source": "$y"}));
        assert_eq!((lines.len(), outcome.status), (5, 0));
    }

    #[test]
    fn statuses() {
        let fixture = Fixture::new(&[]);
        let outcome = fixture.run("shell-commands", &[], b"ls; fi");
        assert_eq!(
            outcome.stderr,
            "shell-commands: line 1: syntax error near unexpected token `fi': `ls; fi'\n"
        );
        assert_eq!(outcome.status, 1);
        let outcome = fixture.run("shell-commands", &["nope"], b"");
        assert_eq!(
            (outcome.stderr.as_str(), outcome.status),
            ("shell-commands: nope: No such file or directory\n", 2)
        );
        assert_eq!(fixture.run("shell-commands", &["-c", "ls", "x"], b"").status, 2);
    }
}
