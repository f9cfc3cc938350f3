//! `test`: checks files and compares values. GNU test(1); the expressions are those of [`expression`].

pub(crate) mod expression;

use crate::memory::{ToMetered, format};
use crate::utility::prelude::*;
use crate::vfs::{FileKind, Metadata};
use expression::{Facts, TestError, evaluate};

pub(super) const UTILITY: Utility = Utility {
    name: "test",
    summary: "check file types and compare values",
    usage: "test EXPRESSION",
    examples: &[example("env test a = a && echo same", "same\n")],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    answer(ctx, &args)
}

/// Evaluates the arguments: status 0, 1, or 2 for an error.
pub(super) fn answer(ctx: &Context, args: &[Text]) -> Result<ExitStatus, UtilityError> {
    let message = match evaluate(args, &mut Files { ctx }) {
        Ok(answer) => return Ok(ExitStatus(u8::from(!answer))),
        Err(TestError::Depth) => return Err(ctx.meter.fail(crate::limit::Limit::SyntaxDepth).into()),
        Err(TestError::IntegerExpected(text)) => format!("invalid integer {}", quote(&text)),
        Err(TestError::UnaryExpected(text, _)) if matches!(text.as_bytes(), [b'-', _]) => {
            format!("{}: unary operator expected", quote(&text))
        }
        Err(TestError::UnaryExpected(_, last)) => format!("missing argument after {}", quote(&last)),
        Err(TestError::BinaryExpected(text)) => format!("{}: binary operator expected", quote(&text)),
        Err(TestError::ArgumentExpected(text)) => format!("missing argument after {}", quote(&text)),
        Err(TestError::CloseExpected) => "')' expected".to_metered(),
        Err(TestError::CloseExpectedFound(text)) => format!("')' expected, found {text}"),
        Err(TestError::TooMany(text)) => format!("extra argument {}", quote(&text)),
    };
    Err(UtilityError::Failed { message, status: 2 })
}

/// What a test sees of the session.
struct Files<'c> {
    ctx: &'c Context,
}

impl Files<'_> {
    fn metadata(&self, path: &[u8], follow: bool) -> Option<Metadata> {
        if path.is_empty() {
            return None;
        }
        let (fs, path) = (&self.ctx.session.fs, self.ctx.absolute(path));
        if follow { fs.metadata(&path).ok() } else { fs.symlink_metadata(&path).ok() }
    }
}

impl Facts for Files<'_> {
    fn has_lengths(&self) -> bool {
        true
    }

    fn is_unary(&self, operator: u8) -> bool {
        memchr::memchr(operator, b"bcdefghkLnNOGprsStuwxz").is_some()
    }

    fn unary(&mut self, operator: u8, text: &Text) -> bool {
        let file = |follow| self.metadata(text, follow);
        let access = |read, write, execute| {
            let path = self.ctx.absolute(text);
            !text.is_empty() && self.ctx.session.fs.access(&path, read, write, execute).is_ok()
        };
        let identity = &self.ctx.session.identity;
        match operator {
            b'z' => text.is_empty(),
            b'n' => !text.is_empty(),
            b'e' => file(true).is_some(),
            b'f' => file(true).is_some_and(|file| file.is_regular()),
            b'd' => file(true).is_some_and(|file| file.is_directory()),
            b'h' | b'L' => file(false).is_some_and(|file| file.is_symlink()),
            b's' => file(true).is_some_and(|file| file.size > 0),
            b'p' => file(true).is_some_and(|file| file.kind == FileKind::Fifo),
            b'c' => file(true).is_some_and(|file| file.kind == FileKind::CharDevice),
            b'u' => file(true).is_some_and(|file| file.mode & 0o4000 != 0),
            b'g' => file(true).is_some_and(|file| file.mode & 0o2000 != 0),
            b'k' => file(true).is_some_and(|file| file.mode & 0o1000 != 0),
            b'r' => access(true, false, false),
            b'w' => access(false, true, false),
            b'x' => access(false, false, true),
            b'O' => file(true).is_some_and(|file| file.uid == identity.uid),
            b'G' => file(true).is_some_and(|file| file.gid == identity.gid),
            b'N' => file(true).is_some_and(|file| file.modified > file.accessed),
            // There are no terminals, sockets and block devices.
            _ => false,
        }
    }

    fn compare_files(&mut self, operator: u8, left: &Text, right: &Text) -> bool {
        match (operator, self.metadata(left, true), self.metadata(right, true)) {
            (b'n', Some(left), Some(right)) => left.modified > right.modified,
            (b'o', Some(left), Some(right)) => left.modified < right.modified,
            (b'e', Some(left), Some(right)) => left.inode == right.inode,
            (b'n', Some(_), None) | (b'o', None, Some(_)) => true,
            _ => false,
        }
    }
}
