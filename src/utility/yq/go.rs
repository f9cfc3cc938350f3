//! Calls that mean mikefarah's yq 4: see the head of `mod.rs`. YAML in, YAML out; a text by itself is printed without quotes;
//! documents are apart by `---`. One run of `jq` gives the outputs of each document as a list.

use super::arguments::{Format, Request};
use super::tree::{self, Node, Tree};
use super::yaml_write::{Layout, Writer};
use super::{convert, run_jq, text_of};
use crate::memory::{ToMetered as _, Vec, format, vec};
use crate::utility::prelude::*;

/// What is asked for.
#[derive(Debug)]
struct Call {
    all_at_once: bool,
    output: Format,
    /// Columns; 0 with JSON is one line.
    indent: usize,
    in_place: bool,
    null_input: bool,
    exit_status: bool,
    no_separator: bool,
    nul_separated: bool,
    unwraps: bool,
    colored: bool,
    expression: Option<Text>,
    operands: Vec<Text>,
    version: bool,
}

/// Whether a call is one of that program.
pub(super) fn is_meant(words: &[Text]) -> bool {
    let is_command = |word: &Text| matches!(word.as_bytes(), b"eval" | b"e" | b"eval-all" | b"ea");
    let is_its_own = |word: &Text| {
        let bytes = word.as_bytes();
        let long = bytes.split(|&byte| byte == b'=').next().unwrap_or_default();
        let is_long = matches!(
            long,
            b"--output-format"
                | b"--input-format"
                | b"--prettyPrint"
                | b"--no-doc"
                | b"--unwrapScalar"
                | b"--inplace"
        );
        let is_letter =
            matches!(bytes, [b'-', letter, ..] if matches!(letter, b'o' | b'p' | b'P' | b'N' | b'I'));
        is_long || is_letter
    };
    let first = words.iter().find(|word| !word.starts_with(b"-"));
    first.is_some_and(is_command) || words.iter().take_while(|word| word.as_bytes() != b"--").any(is_its_own)
}

fn wrong(message: &str) -> UtilityError {
    UtilityError::Failed { message: format!("Error: {message}"), status: 1 }
}

impl Call {
    fn parse(words: Vec<Text>) -> Result<Self, UtilityError> {
        let mut call = Self {
            all_at_once: false,
            output: Format::Yaml,
            indent: 2,
            in_place: false,
            null_input: false,
            exit_status: false,
            no_separator: false,
            nul_separated: false,
            unwraps: true,
            colored: false,
            expression: None,
            operands: Vec::new(),
            version: false,
        };
        let mut words = words.into_iter();
        let mut is_first = true;
        while let Some(word) = words.next() {
            match word.as_bytes() {
                b"--" => call.operands.extend(words.by_ref()),
                [b'-', b'-', long @ ..] => {
                    let mut parts = long.splitn(2, |&byte| byte == b'=');
                    let name = parts.next().unwrap_or_default().to_metered();
                    let attached = parts.next().map(Text::from);
                    call.long(&name, attached.as_ref(), &mut words)?;
                }
                [b'-', letters @ ..] if !letters.is_empty() => {
                    for (at, &letter) in letters.iter().enumerate() {
                        let attached = letters.get(at + 1..).filter(|rest| !rest.is_empty());
                        let attached =
                            attached.map(|rest| Text::from(rest.strip_prefix(b"=").unwrap_or(rest)));
                        let name = long_name(letter).ok_or_else(|| {
                            wrong(&format!("unknown shorthand flag: '{}' in {word}", char::from(letter)))
                        })?;
                        let takes_rest =
                            matches!(letter, b'o' | b'p' | b'I') || letters.get(at + 1) == Some(&b'=');
                        call.long(name.as_bytes(), attached.as_ref().filter(|_| takes_rest), &mut words)?;
                        if takes_rest {
                            break;
                        }
                    }
                }
                b"eval" | b"e" if is_first => is_first = false,
                b"eval-all" | b"ea" if is_first => (is_first, call.all_at_once) = (false, true),
                _ => {
                    is_first = false;
                    call.operands.push(word);
                }
            }
        }
        Ok(call)
    }

    fn long(
        &mut self,
        name: &[u8],
        attached: Option<&Text>,
        words: &mut impl Iterator<Item = Text>,
    ) -> Result<(), UtilityError> {
        let shown = bstr::BStr::new(name);
        let is_true = attached.is_none_or(|value| value.as_bytes() != b"false");
        let mut value = || {
            attached
                .cloned()
                .or_else(|| words.next())
                .ok_or_else(|| wrong(&format!("flag needs an argument: --{shown}")))
        };
        match name {
            b"output-format" => self.output = notation(&value()?)?,
            b"input-format" => match notation(&value()?)? {
                Format::Yaml | Format::Json => {}
                Format::Xml | Format::Toml => return Err(wrong("this input format is not supported")),
            },
            b"indent" => {
                let text = value()?;
                let number = text.to_string_lossy().parse::<usize>().ok().filter(|&indent| indent <= 64);
                self.indent = number.ok_or_else(|| {
                    wrong(&format!("invalid argument \"{text}\" for \"-I, --indent\" flag"))
                })?;
            }
            b"expression" => self.expression = Some(value()?),
            b"inplace" => self.in_place = is_true,
            b"null-input" => self.null_input = is_true,
            b"exit-status" => self.exit_status = is_true,
            b"no-doc" => self.no_separator = is_true,
            b"nul-output" => self.nul_separated = is_true,
            b"unwrapScalar" => self.unwraps = is_true,
            b"tojson" => self.output = Format::Json,
            b"colors" => self.colored = is_true,
            b"no-colors" => self.colored = false,
            // Output is in blocks always.
            b"prettyPrint" => {}
            b"version" => self.version = true,
            _ => return Err(wrong(&format!("unknown flag: --{shown}"))),
        }
        Ok(())
    }
}

fn long_name(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'o' => "output-format",
        b'p' => "input-format",
        b'I' => "indent",
        b'i' => "inplace",
        b'n' => "null-input",
        b'e' => "exit-status",
        b'N' => "no-doc",
        b'0' => "nul-output",
        b'r' => "unwrapScalar",
        b'j' => "tojson",
        b'C' => "colors",
        b'M' => "no-colors",
        b'P' => "prettyPrint",
        b'V' => "version",
        _ => return None,
    })
}

fn notation(name: &[u8]) -> Result<Format, UtilityError> {
    match name {
        b"yaml" | b"y" | b"yml" | b"auto" | b"a" => Ok(Format::Yaml),
        b"json" | b"j" => Ok(Format::Json),
        b"xml" | b"x" => Ok(Format::Xml),
        b"toml" => Ok(Format::Toml),
        _ => Err(wrong(&format!("unknown format '{}'", bstr::BStr::new(name)))),
    }
}

/// Exit status: 0; 1 for errors, and with `-e` where nothing but null or false came out.
pub(super) async fn run(ctx: &mut Context, words: Vec<Text>) -> Result<ExitStatus, UtilityError> {
    let call = Call::parse(words)?;
    if call.version {
        ctx.stdout.push(b"yq (https://github.com/mikefarah/yq/) version v4\n");
        return Ok(ExitStatus::SUCCESS);
    }
    if matches!(call.output, Format::Xml | Format::Toml) {
        return Err(wrong("this output format is not supported"));
    }
    let mut files = call.operands.clone();
    let is_file = |word: &Text| ctx.stat(word).is_ok_and(|metadata| metadata.is_regular());
    let expression = match &call.expression {
        Some(expression) => expression.clone(),
        None if files.is_empty()
            || (files.len() == 1 && !call.null_input && files.first().is_some_and(is_file)) =>
        {
            Text::from_static(b".")
        }
        None => files.remove(0),
    };
    let expression = with_environment(&expression);
    if !call.in_place {
        return evaluate(ctx, &call, &expression, &files, None).await;
    }
    let Some(file) = files.first().cloned() else {
        return Err(wrong(
            "write in place flag only applicable when giving an expression and at least one file",
        ));
    };
    evaluate(ctx, &call, &expression, &files, Some(&file)).await
}

/// With `env(NAME)` and `strenv(NAME)` in jq's words.
fn with_environment(expression: &[u8]) -> Text {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(rest) = expression.get(at..).filter(|rest| !rest.is_empty()) {
        let before = at.checked_sub(1).and_then(|before| expression.get(before));
        let begins_word = before.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"_$.".contains(byte));
        let call = [(b"strenv(".as_slice(), true), (b"env(", false)]
            .into_iter()
            .find_map(|(name, is_text)| rest.strip_prefix(name).map(|inner| (name.len(), inner, is_text)));
        if let (true, Some((length, inner, is_text))) = (begins_word, call)
            && let Some(end) = memchr::memchr(b')', inner)
            && let Some(name) = inner.get(..end)
            && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        {
            out.extend_from_slice(b"($ENV.");
            out.extend_from_slice(name);
            out.extend_from_slice(if is_text { b" // \"\")" } else { b" | (fromjson? // .))" });
            at += length + end + 1;
            continue;
        }
        out.extend_from_slice(rest.get(..1).unwrap_or_default());
        at += 1;
    }
    Text::from(out)
}

async fn evaluate(
    ctx: &mut Context,
    call: &Call,
    expression: &Text,
    files: &[Text],
    target: Option<&Text>,
) -> Result<ExitStatus, UtilityError> {
    let mut json = Vec::new();
    if !call.null_input {
        let request = Request::new(Format::Yaml);
        let input = [Text::from_static(b"-")];
        for file in if files.is_empty() { &input } else { files } {
            if file.as_bytes() != b"-"
                && let Err(FsError::Errno(errno)) = ctx.open(file)
            {
                let words = errno.message();
                let first = words.chars().next().unwrap_or_default().to_ascii_lowercase();
                return Err(wrong(&format!("open {file}: {first}{}", words.get(1..).unwrap_or_default())));
            }
            let text = text_of(ctx, file).await?;
            if let Err(message) = convert(ctx, &request, &text, &mut json).await? {
                let message = message.strip_prefix("Error running jq: ").unwrap_or(&message);
                return Err(wrong(&format!("bad file '{file}': {message}")));
            }
        }
    }
    let mut words = vec![Text::from_static(b"-c")];
    if call.null_input {
        words.push(Text::from_static(b"-n"));
    }
    let filter = if call.all_at_once && !call.null_input {
        words.push(Text::from_static(b"-n"));
        format!("[inputs | ({expression}\n)]")
    } else {
        format!("[{expression}\n]")
    };
    words.push(Text::from(filter));
    let (status, output) = run_jq(ctx, &words, json, true).await?;
    if !status.is_success() {
        return Ok(ExitStatus::FAILURE);
    }
    let mut tree = Tree::default();
    let Ok(lists) = tree::read_json(ctx, &output, &mut tree).await? else {
        return Err(wrong("unexpected output of jq"));
    };
    let mut out = Vec::new();
    let mut has_output = false;
    for (index, &list) in lists.iter().enumerate() {
        let Node::List(results) = tree.get(list) else { continue };
        if index > 0 && !results.is_empty() && !call.no_separator && call.output == Format::Yaml {
            out.extend_from_slice(b"---\n");
        }
        for &result in results {
            ctx.tick().await?;
            let is_nothing = matches!(tree.get(result), Node::Literal(text) if matches!(text.as_bytes(), b"null" | b"false"));
            has_output |= !is_nothing;
            print(ctx, call, &tree, result, &mut out).await?;
            if target.is_none() && out.len() > 1 << 15 {
                ctx.stdout.write(&out).await?;
                out.clear();
            }
        }
    }
    match target {
        None => ctx.stdout.write(&out).await?,
        Some(file) => {
            let mut output = ctx.create(file, false).map_err(|error| UtilityError::operand(file, error))?;
            output.write(&out).await?;
            output.flush().await?;
        }
    }
    if call.exit_status && !has_output {
        return Err(wrong("no matches found"));
    }
    Ok(ExitStatus::SUCCESS)
}

/// Prints one value and what ends it.
async fn print(
    ctx: &mut Context,
    call: &Call,
    tree: &Tree,
    value: tree::Id,
    out: &mut Vec<u8>,
) -> Result<(), UtilityError> {
    let end: &[u8] = if call.nul_separated { b"\0" } else { b"\n" };
    if call.output == Format::Json {
        let mut json = Vec::new();
        if let Err(tree::Unwritten::End(error)) = tree.write_json(ctx, value, usize::MAX, &mut json).await {
            return Err(error);
        }
        let indent = call.indent.min(7);
        let layout = if indent == 0 { format!("-c") } else { format!("--indent") };
        let mut words = vec![Text::from(layout)];
        if indent > 0 {
            words.push(Text::from(format!("{indent}")));
        }
        if call.colored {
            words.push(Text::from_static(b"-C"));
        }
        words.push(Text::from_static(b"."));
        let (_, printed) = run_jq(ctx, &words, json, true).await?;
        out.extend_from_slice(printed.strip_suffix(b"\n").unwrap_or(&printed));
        out.extend_from_slice(end);
        return Ok(());
    }
    if let (Node::Text(text), true) = (tree.get(value), call.unwraps) {
        out.extend_from_slice(text);
        out.extend_from_slice(end);
        return Ok(());
    }
    let layout = Layout {
        width: usize::MAX,
        core_schema: true,
        indent: call.indent.max(2),
        doubles_quotes: true,
        ..Layout::default()
    };
    let mut writer = Writer::new(&layout);
    writer.documents(ctx, tree, &[value]).await?;
    let text: &[u8] = writer.out.strip_suffix(b"...\n").unwrap_or(&writer.out);
    out.extend_from_slice(text.strip_suffix(b"\n").unwrap_or(text));
    out.extend_from_slice(end);
    Ok(())
}
