//! TOML 1.0 into a tree. Dates and times are texts as Python's `isoformat` writes them. Tables are put together in a form of their
//! own and become nodes at the end; what nests is bounded.

use super::tree::{Id, Node, Tree, number};
use crate::memory::{HashMap, String, Vec, format};
use crate::text::Text;
use crate::utility::{Context, UtilityError};

/// Arrays and inline tables inside each other.
const MOST_DEPTH: usize = 100;

/// A table while it is read: its members in order, and where each is.
#[derive(Debug, Default)]
struct Table {
    members: Vec<(Text, Item)>,
    places: HashMap<Text, usize>,
    /// Headers and inline tables may not be added to.
    is_closed: bool,
}

#[derive(Debug, Clone, Copy)]
enum Item {
    Value(Id),
    Table(usize),
    /// Tables of `[[NAME]]`, by the number of the list.
    List(usize),
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    tables: Vec<Table>,
    lists: Vec<Vec<usize>>,
    tree: &'t mut Tree,
}

type Fault = &'static str;

/// Reads a text; the inner error is what is wrong with it.
pub(super) async fn read(
    ctx: &mut Context,
    text: &str,
    tree: &mut Tree,
) -> Result<Result<Id, String>, UtilityError> {
    if text.len() > 16 << 10 {
        ctx.may_take_long().await;
    }
    let mut reader = Reader { text: text.as_bytes(), at: 0, tables: Vec::new(), lists: Vec::new(), tree };
    reader.tables.push(Table::default());
    let mut current = 0;
    loop {
        ctx.tick_now()?;
        match reader.line(&mut current) {
            Ok(true) => {}
            Ok(false) => break,
            Err(fault) => {
                let before = text.as_bytes().get(..reader.at).unwrap_or_default();
                let line = 1 + memchr::memchr_iter(b'\n', before).count();
                return Ok(Err(format!("TomlDecodeError: {fault} (line {line} char {})", reader.at)));
            }
        }
    }
    Ok(Ok(reader.finish()))
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// Blanks, newlines and comments.
    fn gaps(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'#' => self.comment(),
                _ => return,
            }
        }
    }

    fn comment(&mut self) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    /// Reads an expression; false at the end.
    fn line(&mut self, current: &mut usize) -> Result<bool, Fault> {
        self.gaps();
        match self.peek() {
            None => return Ok(false),
            Some(b'[') => {
                self.at += 1;
                let is_list = self.take(b'[');
                let path = self.path()?;
                if !self.take(b']') || (is_list && !self.take(b']')) {
                    return Err("Key group not on a line by itself.");
                }
                *current = self.header(&path, is_list)?;
            }
            Some(_) => self.pair(*current, 0)?,
        }
        self.blanks();
        match self.peek() {
            Some(b'#') => self.comment(),
            Some(b'\r' | b'\n') | None => {}
            Some(_) => return Err("Expected a newline"),
        }
        Ok(true)
    }

    fn path(&mut self) -> Result<Vec<Text>, Fault> {
        let mut path = Vec::new();
        loop {
            self.blanks();
            path.push(self.key()?);
            if path.len() > MOST_DEPTH {
                return Err("Names have too many parts");
            }
            self.blanks();
            if !self.take(b'.') {
                return Ok(path);
            }
        }
    }

    fn key(&mut self) -> Result<Text, Fault> {
        match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                self.at += 1;
                self.string(quote)
            }
            _ => {
                let rest = self.text.get(self.at..).unwrap_or_default();
                let is_bare = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
                let length = rest.iter().take_while(is_bare).count();
                self.at += length;
                if length == 0 {
                    return Err("Key name found without value");
                }
                Ok(Text::from(rest.get(..length).unwrap_or_default()))
            }
        }
    }

    fn table(&mut self, table: usize, name: &Text) -> Option<Item> {
        let table = self.tables.get(table)?;
        table.places.get(name).and_then(|&place| table.members.get(place)).map(|(_, item)| *item)
    }

    fn put(&mut self, table: usize, name: &Text, item: Item) {
        if let Some(table) = self.tables.get_mut(table) {
            table.places.insert(name.clone(), table.members.len());
            table.members.push((name.clone(), item));
        }
    }

    /// The table below another one, made where it is not there.
    fn below(&mut self, table: usize, name: &Text) -> Result<usize, Fault> {
        match self.table(table, name) {
            Some(Item::Table(found)) => Ok(found),
            Some(Item::List(list)) => {
                self.lists.get(list).and_then(|list| list.last()).copied().ok_or("What? The list is empty")
            }
            Some(Item::Value(_)) => Err("What? A value is no table"),
            None => {
                let made = self.tables.add(Table::default());
                self.put(table, name, Item::Table(made));
                Ok(made)
            }
        }
    }

    fn header(&mut self, path: &[Text], is_list: bool) -> Result<usize, Fault> {
        let Some((last, above)) = path.split_last() else { return Ok(0) };
        let mut table = 0;
        for name in above {
            table = self.below(table, name)?;
        }
        if is_list {
            let made = self.tables.add(Table::default());
            match self.table(table, last) {
                Some(Item::List(list)) => {
                    if let Some(list) = self.lists.get_mut(list) {
                        list.push(made);
                    }
                }
                Some(_) => return Err("What? A name is a list and something else"),
                None => {
                    let list = self.lists.add(crate::memory::vec![made]);
                    self.put(table, last, Item::List(list));
                }
            }
            return Ok(made);
        }
        if matches!(self.table(table, last), Some(Item::List(_))) {
            return Err("What? A name is a table and a list");
        }
        let found = self.below(table, last)?;
        match self.tables.get_mut(found) {
            Some(known) if known.is_closed => Err("What? A table is defined twice"),
            Some(known) => {
                known.is_closed = true;
                Ok(found)
            }
            None => Ok(found),
        }
    }

    /// `a.b = VALUE`
    fn pair(&mut self, table: usize, depth: usize) -> Result<(), Fault> {
        let path = self.path()?;
        if !self.take(b'=') {
            return Err("Key name found without value. Reached end of line.");
        }
        self.blanks();
        // A key of many parts nests as deep.
        let value = self.value(depth + path.len() - 1)?;
        let Some((last, above)) = path.split_last() else { return Ok(()) };
        let mut table = table;
        for name in above {
            table = self.below(table, name)?;
        }
        if self.table(table, last).is_some() {
            return Err("Duplicate keys!");
        }
        self.put(table, last, value);
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Item, Fault> {
        if depth > MOST_DEPTH {
            return Err("Values are nested too deep");
        }
        let node = match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                self.at += 1;
                let is_long = self.text.get(self.at..self.at + 2) == Some(&[quote, quote]);
                let text = if is_long { self.long_string(quote)? } else { self.string(quote)? };
                Node::Text(text)
            }
            Some(b'[') => {
                self.at += 1;
                let mut items = Vec::new();
                loop {
                    self.gaps();
                    if self.take(b']') {
                        break;
                    }
                    let item = self.value(depth + 1)?;
                    items.push(self.node(item));
                    self.gaps();
                    if !self.take(b',') && self.peek() != Some(b']') {
                        return Err("Expected a comma or the end of an array");
                    }
                }
                Node::List(items)
            }
            Some(b'{') => {
                self.at += 1;
                let made = self.tables.add(Table::default());
                self.blanks();
                while !self.take(b'}') {
                    self.blanks();
                    self.pair(made, depth + 1)?;
                    self.blanks();
                    if !self.take(b',') && self.peek() != Some(b'}') {
                        return Err("Expected a comma or the end of an inline table");
                    }
                    self.blanks();
                }
                return Ok(Item::Value(self.node(Item::Table(made))));
            }
            _ => self.plain()?,
        };
        Ok(Item::Value(self.tree.add(node)))
    }

    /// Numbers, truths, dates and times.
    fn plain(&mut self) -> Result<Node, Fault> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-_.:".contains(byte);
        let mut length = rest.iter().take_while(is_part).count();
        // A blank may stand between a date and a time.
        let goes_on = rest.get(length) == Some(&b' ') && rest.get(length + 1).is_some_and(u8::is_ascii_digit);
        if length == 10 && rest.get(4) == Some(&b'-') && goes_on {
            length += 1 + rest.get(length + 1..).unwrap_or_default().iter().take_while(is_part).count();
        }
        let word = std::str::from_utf8(rest.get(..length).unwrap_or_default()).unwrap_or_default();
        if word.is_empty() {
            return Err("Empty value is invalid");
        }
        self.at += length;
        let literal = |text: &str| Ok(Node::Literal(Text::from(text)));
        match word {
            "true" | "false" => return literal(word),
            "inf" | "+inf" => return Ok(Node::Literal(number(f64::INFINITY))),
            "-inf" => return Ok(Node::Literal(number(f64::NEG_INFINITY))),
            "nan" | "+nan" | "-nan" => return Ok(Node::Literal(number(f64::NAN))),
            _ => {}
        }
        let bytes = word.as_bytes();
        let is_date = bytes.get(4) == Some(&b'-') && bytes.get(7) == Some(&b'-');
        if is_date || bytes.get(2) == Some(&b':') {
            return moment(word).map(|text| Node::Text(Text::from(text)));
        }
        let plain: String = word.chars().filter(|&character| character != '_').collect();
        for (prefix, base) in [("0x", 16), ("0o", 8), ("0b", 2)] {
            if let Some(digits) = plain.strip_prefix(prefix) {
                let value = u128::from_str_radix(digits, base).map_err(|_| "invalid number")?;
                return literal(&format!("{value}"));
            }
        }
        let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(&plain);
        let is_whole = !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit());
        if is_whole && (unsigned.len() == 1 || !unsigned.starts_with('0')) {
            return literal(plain.strip_prefix('+').unwrap_or(&plain));
        }
        let is_number = unsigned.starts_with(|first: char| first.is_ascii_digit()) && !is_whole;
        let value = plain
            .parse::<f64>()
            .ok()
            .filter(|_| is_number)
            .ok_or("This float doesn't have a leading digit")?;
        Ok(Node::Literal(number(value)))
    }

    fn string(&mut self, quote: u8) -> Result<Text, Fault> {
        let mut out = Vec::new();
        loop {
            let byte = self.peek().ok_or("Unbalanced quotes")?;
            self.at += 1;
            match byte {
                b'\n' => return Err("Unbalanced quotes"),
                b'\\' if quote == b'"' => self.escape(&mut out)?,
                _ if byte == quote => return Ok(Text::from(out)),
                _ => out.push(byte),
            }
        }
    }

    fn long_string(&mut self, quote: u8) -> Result<Text, Fault> {
        self.at += 2;
        let _ = self.take(b'\r');
        let _ = self.take(b'\n');
        let mut out = Vec::new();
        loop {
            let byte = self.peek().ok_or("Unbalanced quotes")?;
            if byte == quote && self.text.get(self.at..self.at + 3) == Some(&[quote; 3]) {
                self.at += 3;
                // Up to two quotes more belong to the text.
                for _ in 0..2 {
                    if self.take(quote) {
                        out.push(quote);
                    }
                }
                return Ok(Text::from(out));
            }
            self.at += 1;
            if byte != b'\\' || quote != b'"' {
                out.push(byte);
                continue;
            }
            let rest = self.text.get(self.at..).unwrap_or_default();
            let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
            if rest.get(blanks) == Some(&b'\n') {
                while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
                    self.at += 1;
                }
            } else {
                self.escape(&mut out)?;
            }
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let letter = self.peek().ok_or("Unbalanced quotes")?;
        self.at += 1;
        let byte = match letter {
            b'b' => Some(8),
            b't' => Some(b'\t'),
            b'n' => Some(b'\n'),
            b'f' => Some(12),
            b'r' => Some(b'\r'),
            b'"' | b'\\' => Some(letter),
            _ => None,
        };
        if let Some(byte) = byte {
            out.push(byte);
            return Ok(());
        }
        let length = match letter {
            b'u' => 4,
            b'U' => 8,
            _ => return Err("Reserved escape sequence used"),
        };
        let (value, used) = crate::character::digits(self.text, self.at, 16, length);
        self.at += used;
        let character = char::from_u32(value).filter(|_| used == length).ok_or("Invalid escape sequence")?;
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    /// The node of a value or a table that is complete and holds complete tables.
    fn node(&mut self, item: Item) -> Id {
        match item {
            Item::Value(id) => id,
            Item::Table(table) => {
                let members = self.tables.get_mut(table).map(|table| std::mem::take(&mut table.members));
                let mut nodes = Vec::new();
                for (name, item) in members.unwrap_or_default() {
                    nodes.push((name, self.node(item)));
                }
                self.tree.add(Node::Map(nodes))
            }
            Item::List(list) => {
                let tables = self.lists.get_mut(list).map(std::mem::take).unwrap_or_default();
                let mut nodes = Vec::new();
                for table in tables {
                    nodes.push(self.node(Item::Table(table)));
                }
                self.tree.add(Node::List(nodes))
            }
        }
    }

    /// The node of the whole text. Tables that hold others were made before those, so that going backwards each is complete.
    fn finish(mut self) -> Id {
        let mut made: HashMap<usize, Id> = HashMap::new();
        for table in (0..self.tables.len()).rev() {
            let members = self.tables.get_mut(table).map(|table| std::mem::take(&mut table.members));
            let mut nodes = Vec::new();
            for (name, item) in members.unwrap_or_default() {
                let id = match item {
                    Item::Value(id) => Some(id),
                    Item::Table(below) => made.get(&below).copied(),
                    Item::List(list) => {
                        let tables = self.lists.get(list);
                        let ids = tables.map(|tables| {
                            tables.iter().filter_map(|table| made.get(table).copied()).collect()
                        });
                        Some(self.tree.add(Node::List(ids.unwrap_or_default())))
                    }
                };
                if let Some(id) = id {
                    nodes.push((name, id));
                }
            }
            let id = self.tree.add(Node::Map(nodes));
            made.insert(table, id);
        }
        made.get(&0).copied().unwrap_or_default()
    }
}

/// A date or time as `isoformat` writes it.
fn moment(word: &str) -> Result<String, Fault> {
    let is_valid = word.bytes().all(|byte| byte.is_ascii_digit() || b"-+:.TtZz ".contains(&byte));
    if !is_valid {
        return Err("Invalid date or number");
    }
    let mut text: String =
        word.chars().map(|letter| if matches!(letter, 't' | ' ') { 'T' } else { letter }).collect();
    if text.ends_with(['Z', 'z']) {
        text.pop();
        text.push_str("+00:00");
    }
    // Fractions of a second have six digits.
    if let Some((before, after)) = text.split_once('.') {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let (fraction, zone) = after.split_at_checked(digits).unwrap_or((after, ""));
        let fraction = fraction.get(..6).unwrap_or(fraction);
        return Ok(format!("{before}.{fraction:0<6}{zone}"));
    }
    Ok(text)
}
