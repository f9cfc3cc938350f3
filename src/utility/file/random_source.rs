//! Where `shuf` and `sort -R` get random numbers: the session, or the bytes of a file (`--random-source`), which are used as the
//! GNU core utilities use them, so that the same file gives the same result.

use crate::memory::format;
use crate::utility::prelude::*;

/// See the module.
pub(crate) struct RandomSource {
    file: Option<(Text, Input)>,
    /// What is left of the bytes that were read: a number from 0 to `most`, each as likely.
    number: u64,
    most: u64,
}

impl RandomSource {
    /// `None`: the session's numbers.
    ///
    /// # Errors
    /// What the file system says.
    pub(crate) fn open(ctx: &Context, file: Option<&Text>) -> Result<Self, FsError> {
        let file = match file {
            Some(name) => Some((name.clone(), ctx.open(name)?)),
            None => None,
        };
        Ok(Self { file, number: 0, most: 0 })
    }

    /// Whether it is a file, which may end.
    pub(crate) const fn is_file(&self) -> bool {
        self.file.is_some()
    }

    /// Fills `bytes`.
    pub(crate) async fn fill(&mut self, ctx: &mut Context, bytes: &mut [u8]) -> Result<(), UtilityError> {
        for slot in bytes {
            *slot = self.byte(ctx).await?;
        }
        Ok(())
    }

    async fn byte(&mut self, ctx: &mut Context) -> Result<u8, UtilityError> {
        ctx.tick().await?;
        let Some((name, input)) = &mut self.file else {
            return Ok(ctx.session.random.next_u64() as u8);
        };
        match input.fill().await.map(|block| block.first().copied()) {
            Ok(Some(byte)) => {
                input.consume(1);
                Ok(byte)
            }
            Ok(None) => Err(UtilityError::failed(format!("{}: end of file", quote(name)))),
            Err(FsError::Errno(errno)) => {
                Err(UtilityError::failed(format!("{}: read error: {}", quote(name), errno.message())))
            }
            Err(FsError::Limit(limit)) => Err(limit.into()),
        }
    }

    /// A number below `bound`, which is not 0; each is as likely as the others.
    pub(crate) async fn below(&mut self, ctx: &mut Context, bound: u64) -> Result<u64, UtilityError> {
        if self.file.is_none() {
            return Ok(of_session(ctx, bound));
        }
        let last = bound.saturating_sub(1);
        loop {
            ctx.tick().await?;
            while self.most < last {
                let byte = self.byte(ctx).await?;
                self.number = self.number.wrapping_mul(256).wrapping_add(u64::from(byte));
                self.most = self.most.wrapping_mul(256).wrapping_add(255);
            }
            let excess = self.most - last;
            if excess == 0 {
                self.most = 0;
                return Ok(std::mem::take(&mut self.number));
            }
            // The numbers at the end of which there is no whole multiple are of no use, but for another try.
            let unusable = excess % bound;
            let usable = self.most - unusable;
            if self.number <= usable {
                let chosen = self.number % bound;
                self.number /= bound;
                self.most = excess / bound;
                return Ok(chosen);
            }
            self.number -= usable + 1;
            self.most = unusable - 1;
        }
    }
}

fn of_session(ctx: &Context, bound: u64) -> u64 {
    let random = || ctx.session.random.next_u64();
    let most = u64::MAX - u64::MAX % bound.max(1);
    let mut number = random();
    while number >= most {
        number = random();
    }
    number % bound.max(1)
}

/// The file of options `--random-source`, of which there may be one.
pub(crate) fn only_source<'t>(
    names: impl Iterator<Item = &'t Text>,
) -> Result<Option<&'t Text>, &'static str> {
    let mut only: Option<&Text> = None;
    for name in names {
        if only.is_some_and(|other| other != name) {
            return Err("multiple random sources specified");
        }
        only = Some(name);
    }
    Ok(only)
}
