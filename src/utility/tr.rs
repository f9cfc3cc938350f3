//! `tr`: translates, squeezes or deletes bytes. GNU coreutils tr(1); like it, it works on bytes in every locale.
//!
//! The sets are read into runs (`tr/set.rs`), checked against each other, and become three tables of 256 entries: which
//! bytes go, what the others become, and which are squeezed.

mod set;

use crate::memory::{String, Vec, format};
use crate::utility::prelude::*;
use set::{Case, Element, Set};

options! {
    enum Opt {
        Complement = flag('c', "complement", "use the complement of STRING1")
            | flag('C', "", "the same as -c"),
        Delete = flag('d', "delete", "delete characters in STRING1, do not translate"),
        SqueezeRepeats = flag(
            's',
            "squeeze-repeats",
            "replace each run of a character of the last set by one",
        ),
        TruncateSet1 = flag('t', "truncate-set1", "first truncate STRING1 to the length of STRING2"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "tr",
    summary: "translate, squeeze or delete characters",
    usage: "tr [OPTION]... STRING1 [STRING2]",
    options: Opt::TABLE,
    examples: &[
        example("echo abc | tr a-c A-C", "ABC\n"),
        example("echo a1b22 | tr -d '[:digit:]'", "ab\n"),
        example("echo aabb | tr -s a", "abb\n"),
    ],
    run: start!(run),
    operands_end_options: true,
    ..Utility::BASE
};

/// What is done with each byte.
struct Tables {
    delete: [bool; 256],
    map: [u8; 256],
    squeeze: [bool; 256],
}

impl Tables {
    fn identity() -> Self {
        let mut map = [0; 256];
        for (entry, byte) in map.iter_mut().zip(0..=255) {
            *entry = byte;
        }
        Self { delete: [false; 256], map, squeeze: [false; 256] }
    }
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut warnings = Vec::new();
    let tables = tables(&options, &mut warnings);
    for warning in warnings {
        ctx.warn(warning);
    }
    let tables = tables?;
    let deletes = options.has(Opt::Delete);
    let squeezes = options.has(Opt::SqueezeRepeats);
    let mut last = None;
    let mut out = Vec::with_capacity(PIECE);
    let mut input = ctx.standard_input();
    loop {
        ctx.check().await?;
        let block = input.fill().await.map_err(read_error)?;
        if block.is_empty() {
            return Ok(ExitStatus::SUCCESS);
        }
        for piece in block.chunks(PIECE) {
            out.clear();
            if deletes {
                delete(piece, &tables.delete, &mut out);
            } else {
                out.extend(piece.iter().map(|&byte| at(&tables.map, byte)));
            }
            if squeezes {
                squeeze(&mut out, &tables.squeeze, &mut last);
            }
            ctx.stdout.write(&out).await?;
            ctx.check().await?;
        }
        let count = block.len();
        input.consume(count);
        // What a reader of a pipe waits for is not kept back.
        ctx.stdout.flush().await?;
    }
}

/// Bytes worked on at a time.
const PIECE: usize = 16 * 1024;

fn read_error(error: FsError) -> UtilityError {
    match error {
        FsError::Errno(errno) => UtilityError::failed(format!("read error: {}", errno.message())),
        FsError::Limit(limit) => limit.into(),
    }
}

fn at<T: Copy + Default>(table: &[T; 256], byte: u8) -> T {
    table.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Appends what is not deleted: every byte is stored, and the end moves on only past those that stay.
fn delete(piece: &[u8], deleted: &[bool; 256], out: &mut Vec<u8>) {
    out.resize(piece.len(), 0);
    let mut length = 0;
    for &byte in piece {
        if let Some(slot) = out.get_mut(length) {
            *slot = byte;
        }
        length += usize::from(!at(deleted, byte));
    }
    out.truncate(length);
}

/// As `delete`, of bytes that repeat the one before.
fn squeeze(bytes: &mut Vec<u8>, squeezed: &[bool; 256], last: &mut Option<u8>) {
    let mut length = 0;
    let slice = bytes.as_mut_slice();
    for place in 0..slice.len() {
        let Some(&byte) = slice.get(place) else { break };
        let repeats = *last == Some(byte) && at(squeezed, byte);
        *last = Some(byte);
        if let Some(slot) = slice.get_mut(length) {
            *slot = byte;
        }
        length += usize::from(!repeats);
    }
    bytes.truncate(length);
}

/// Checks operands and sets, in the order in which the real program does.
fn tables(options: &Options<Opt>, warnings: &mut Vec<String>) -> Result<Tables, UtilityError> {
    let complement = options.has(Opt::Complement);
    let (deletes, squeezes) = (options.has(Opt::Delete), options.has(Opt::SqueezeRepeats));
    let (first, second) = operands(options, deletes, squeezes)?;
    let translates = second.is_some() && !deletes;
    let set1 = Set::parse(first, warnings)?;
    let set2 = second.map(|text| Set::parse(text, warnings)).transpose()?;
    if set1.indefinite() > 0 {
        return Err(UtilityError::failed("the [c*] repeat construct may not appear in string1"));
    }
    let mut tables = Tables::identity();
    let mut members = [false; 256];
    for (byte, _) in set1.runs() {
        set_at(&mut members, byte, true);
    }
    let selected = members.map(|member| member != complement);
    let Some(mut set2) = set2 else {
        if deletes {
            tables.delete = selected;
        } else {
            tables.squeeze = selected;
        }
        return Ok(tables);
    };
    let mut runs1 = set1.runs();
    if complement {
        runs1 = (0..=255).zip(selected).filter(|(_, on)| *on).map(|(byte, _)| (byte, 1)).collect();
    }
    let length1 = runs1.iter().fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
    if set2.indefinite() > 1 {
        return Err(UtilityError::failed("only one [c*] repeat construct may appear in string2"));
    }
    if translates {
        set2.fill(length1);
        check_translation(&set1, &mut set2, length1, complement, options.has(Opt::TruncateSet1))?;
        translate(&mut tables.map, &runs1, &set2.runs());
    } else {
        if set2.indefinite() > 0 {
            let text = "the [c*] construct may appear in string2 only when translating";
            return Err(UtilityError::failed(text));
        }
        tables.delete = selected;
    }
    for (byte, _) in set2.runs() {
        set_at(&mut tables.squeeze, byte, true);
    }
    Ok(tables)
}

fn operands(
    options: &Options<Opt>,
    deletes: bool,
    squeezes: bool,
) -> Result<(&Text, Option<&Text>), UtilityError> {
    let (least, most) = match (deletes, squeezes) {
        (false, false) | (true, true) => (2, 2),
        (true, false) => (1, 1),
        (false, true) => (1, 2),
    };
    let operands = &options.operands;
    let Some(first) = operands.first() else {
        return Err(UtilityError::Usage("missing operand".into()));
    };
    if operands.len() < least {
        let purpose = if deletes { "both deleting and squeezing repeats" } else { "translating" };
        return Err(UtilityError::Usage(format!(
            "missing operand after {}\nTwo strings must be given when {purpose}.",
            quote(first)
        )));
    }
    if let Some(extra) = operands.get(most) {
        let mut message = format!("extra operand {}", quote(extra));
        if operands.len() == 2 {
            message.push_str("\nOnly one string may be given when deleting without squeezing repeats.");
        }
        return Err(UtilityError::Usage(message));
    }
    Ok((first, operands.get(1)))
}

fn check_translation(
    set1: &Set,
    set2: &mut Set,
    length1: u64,
    complement: bool,
    truncate: bool,
) -> Result<(), UtilityError> {
    let failed = |text: &str| Err(UtilityError::failed(text));
    if set2.elements().any(|element| matches!(element, Element::Equivalence(_))) {
        return failed("[=c=] expressions may not appear in string2 when translating");
    }
    if set2.elements().any(|element| matches!(element, Element::Class(class) if class.case().is_none())) {
        return failed(
            "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'",
        );
    }
    let aligned = |position: u64| set1.cases().any(|(start, _): (u64, Case)| start == position);
    if !complement && !set2.cases().all(|(position, _)| aligned(position)) {
        return failed("misaligned [:upper:] and/or [:lower:] construct");
    }
    if length1 > set2.length() && !truncate {
        match set2.elements().last() {
            None => return failed("when not truncating set1, string2 must be non-empty"),
            Some(Element::Class(_)) => {
                return failed(
                    "when translating with string1 longer than string2,\nthe latter string must not end with a character class",
                );
            }
            Some(_) => set2.extend_last(length1),
        }
    }
    let classes = set1.elements().any(|element| matches!(element, Element::Class(_)));
    if complement && classes && !(set2.length() == length1 && set2.is_homogeneous()) {
        return failed(
            "when translating with complemented character classes,\nstring2 must map all characters in the domain to one",
        );
    }
    Ok(())
}

/// Maps the bytes of the first list to those at the same position of the second, until either ends.
fn translate(map: &mut [u8; 256], from: &[(u8, u64)], to: &[(u8, u64)]) {
    let (mut from, mut to) = (from.iter().copied(), to.iter().copied());
    let (mut source, mut target) = (from.next(), to.next());
    while let (Some((byte, count)), Some((new, room))) = (source, target) {
        set_at(map, byte, new);
        let step = count.min(room);
        source = if count > step { Some((byte, count - step)) } else { from.next() };
        target = if room > step { Some((new, room - step)) } else { to.next() };
    }
}

fn set_at<T>(table: &mut [T; 256], byte: u8, value: T) {
    if let Some(entry) = table.get_mut(usize::from(byte)) {
        *entry = value;
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    fn tr(args: &[&str], stdin: &str) -> (String, String) {
        let outcome = run("tr", args, stdin.as_bytes(), &[]);
        (outcome.stdout, outcome.stderr)
    }

    #[test]
    fn translates_deletes_and_squeezes() {
        let input = "abcdeABC12-x[]=*\\";
        for (args, want) in [
            (&["[:upper:]", "x"][..], "abcdexxx12-x[]=*\\"),
            (&["[:lower:]", "[:upper:]"], "ABCDEABC12-X[]=*\\"),
            (&["-ct", "a", "b"], "abcdeABC12-x[]=*\\"),
            (&["-c", "a", "xy"], "ayyyyyyyyyyyyyyyy"),
            (&["x", "[a*010]"], "abcdeABC12-a[]=*\\"),
            (&["a", "[b"], "[bcdeABC12-x[]=*\\"),
            (&["a-c-e", "x"], "xxxdxABC12xx[]=*\\"),
            (&["-ds", "[:alpha:]", "[:upper:]"], "12-[]=*\\"),
            (&["--", "-a", "x"], "xbcdeABC12xx[]=*\\"),
        ] {
            assert_eq!(tr(args, input), (want.to_owned(), String::new()), "{args:?}");
        }
        assert_eq!(tr(&["-s", "a-z"], "aabbccA  AA").0, "abcA  AA");
        assert_eq!(tr(&["-s", "a", "b"], "aabbc").0, "bc");
    }

    #[test]
    fn refuses_what_makes_no_sense() {
        for (args, want) in [
            (&["[:alpha:]", "[:upper:]"][..], "misaligned [:upper:] and/or [:lower:] construct\n"),
            (&["a", "[x*3x]"], "invalid repeat count ‘3x’ in [c*n] construct\n"),
            (&["[x*]", "a"], "the [c*] repeat construct may not appear in string1\n"),
            (&["[:foo:]", "a"], "invalid character class ‘foo’\n"),
            (&["b-a", "a"], "range-endpoints of 'b-a' are in reverse collating sequence order\n"),
            (&["a", ""], "when not truncating set1, string2 must be non-empty\n"),
        ] {
            assert_eq!(tr(args, "").1, format!("tr: {want}"), "{args:?}");
        }
    }
}
