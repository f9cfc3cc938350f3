//! A failing call is cut down: arguments, files, lines and tokens are left out as long as it still fails. Nothing of the
//! tool's language is known here but that brackets come in pairs.

use super::Call;

/// Where a text of a call stands.
#[derive(Clone, Copy)]
enum Place {
    Stdin,
    File(usize),
    Argument(usize),
}

impl Call {
    /// The smallest call for which `fails` still holds. `tries` bounds how often that is asked.
    pub(crate) fn smaller(self, tries: usize, fails: &mut dyn FnMut(&Call) -> bool) -> Call {
        let mut search = Search { best: self, tries, fails };
        loop {
            let before = search.best.clone();
            search.drop_arguments(2);
            search.drop_arguments(1);
            search.drop_files();
            let files = (0..search.best.files.len()).map(Place::File);
            for place in files.chain([Place::Stdin]) {
                search.cut(place, &lines);
                search.cut(place, &tokens);
            }
            for at in 0..search.best.arguments.len() {
                search.unwrap_brackets(Place::Argument(at));
                search.cut(Place::Argument(at), &tokens);
            }
            if search.best == before || search.tries == 0 {
                return search.best;
            }
        }
    }

    fn text(&mut self, place: Place) -> Option<&mut Vec<u8>> {
        match place {
            Place::Stdin => Some(&mut self.stdin),
            Place::File(at) => self.files.get_mut(at).map(|(_, content)| content),
            Place::Argument(at) => self.arguments.get_mut(at),
        }
    }
}

/// The search for a smaller call.
struct Search<'a> {
    best: Call,
    tries: usize,
    fails: &'a mut dyn FnMut(&Call) -> bool,
}

impl Search<'_> {
    /// Takes the candidate if it fails too.
    fn offer(&mut self, candidate: Call) -> bool {
        if self.tries == 0 || candidate == self.best {
            return false;
        }
        self.tries -= 1;
        let fails = (self.fails)(&candidate);
        if fails {
            self.best = candidate;
        }
        fails
    }

    /// Leaves out so many arguments at once.
    fn drop_arguments(&mut self, count: usize) {
        let mut at = 0;
        while at + count <= self.best.arguments.len() {
            let mut candidate = self.best.clone();
            candidate.arguments.drain(at..at + count);
            if !self.offer(candidate) {
                at += 1;
            }
        }
    }

    fn drop_files(&mut self) {
        let mut at = 0;
        while at < self.best.files.len() {
            let mut candidate = self.best.clone();
            candidate.files.remove(at);
            if !self.offer(candidate) {
                at += 1;
            }
        }
    }

    fn with(&self, place: Place, parts: &[Vec<u8>]) -> Option<Call> {
        let mut candidate = self.best.clone();
        *candidate.text(place)? = parts.concat();
        Some(candidate)
    }

    /// Leaves out parts of a text, long runs of them first.
    fn cut(&mut self, place: Place, split: &dyn Fn(&[u8]) -> Vec<Vec<u8>>) {
        let Some(text) = self.best.text(place) else { return };
        let mut parts = split(text);
        let mut length = parts.len();
        while length > 0 {
            let mut at = 0;
            while at + length <= parts.len() {
                let mut left = parts.clone();
                left.drain(at..at + length);
                if self.with(place, &left).is_some_and(|candidate| self.offer(candidate)) {
                    parts = left;
                } else {
                    at += 1.max(length / 2);
                }
            }
            length /= 2;
        }
    }

    /// Leaves out what stands in brackets, or the brackets, or what stands before them with them.
    fn unwrap_brackets(&mut self, place: Place) {
        let Some(text) = self.best.text(place) else { return };
        let mut parts = tokens(text);
        let mut at = 0;
        while at < parts.len() {
            let Some(end) = closing(&parts, at) else {
                at += 1;
                continue;
            };
            let whole = [&parts[..at], &parts[end + 1..]].concat();
            let inner = [&parts[..at], &parts[at + 1..end], &parts[end + 1..]].concat();
            let empty = [&parts[..=at], &parts[end..]].concat();
            let called = [&parts[..at.saturating_sub(1)], &parts[at + 1..end], &parts[end + 1..]].concat();
            let taken = [whole, called, inner, empty].into_iter().find(|left| {
                *left != parts && self.with(place, left).is_some_and(|candidate| self.offer(candidate))
            });
            match taken {
                Some(left) => parts = left,
                None => at += 1,
            }
        }
    }
}

/// The bracket that closes the one at `open`.
fn closing(parts: &[Vec<u8>], open: usize) -> Option<usize> {
    let (opening, closing): (&[u8], &[u8]) = match parts.get(open)?.as_slice() {
        b"(" => (b"(", b")"),
        b"[" => (b"[", b"]"),
        b"{" => (b"{", b"}"),
        _ => return None,
    };
    let mut depth = 0;
    for (at, part) in parts.iter().enumerate().skip(open) {
        if part == opening {
            depth += 1;
        } else if part == closing {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// Words, runs of blanks, and single characters.
fn tokens(text: &[u8]) -> Vec<Vec<u8>> {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut tokens: Vec<Vec<u8>> = Vec::new();
    let mut before = b'.';
    for &byte in text {
        let joins = (word(byte) && word(before)) || (byte == b' ' && before == b' ') || (byte & 0xc0 == 0x80);
        match tokens.last_mut() {
            Some(last) if joins => last.push(byte),
            _ => tokens.push(vec![byte]),
        }
        before = byte;
    }
    tokens
}
