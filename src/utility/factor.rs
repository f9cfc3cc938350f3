//! `factor`: prime factors of numbers. GNU coreutils factor(1). Numbers below 2 to the power of 128; small factors by division,
//! large ones by Pollard's rho, primes by Miller and Rabin's test.

use super::format::quote::quote;
use crate::memory::{ToDecimal, Vec, format, vec};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "factor",
    summary: "print the prime factors of each specified integer NUMBER",
    usage: "factor [NUMBER]...",
    examples: &[example("factor 360", "360: 2 2 2 3 3 5\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when something was not a number.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    let mut status = ExitStatus::SUCCESS;
    for operand in &options.operands {
        status = status.max(print(ctx, operand).await?);
    }
    if !options.operands.is_empty() {
        return Ok(status);
    }
    let mut input = ctx.standard_input();
    loop {
        let line = match input.next_line(b'\n').await {
            Ok(Some(line)) => Text::from(line),
            Ok(None) => return Ok(status),
            Err(error) => {
                let errno = OperandError::from(error).errno()?;
                return Ok(ctx.warn(format_args!("error reading input: {}", errno.message())));
            }
        };
        let words = line.split(|byte| matches!(byte, b' ' | b'\t' | b'\n' | 0));
        for word in words.filter(|word| !word.is_empty()) {
            status = status.max(print(ctx, word).await?);
        }
    }
}

async fn print(ctx: &mut Context, text: &[u8]) -> Result<ExitStatus, UtilityError> {
    ctx.tick().await?;
    let digits = text.trim_ascii_start();
    let digits = digits.strip_prefix(b"+").unwrap_or(digits);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Ok(ctx.warn(format_args!("{} is not a valid positive integer", quote(text))));
    }
    let Some(number) = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u128>().ok()) else {
        return Ok(ctx.warn(format_args!("{} is too large", quote(text))));
    };
    let mut line = format!("{}:", number.to_decimal());
    for factor in factors(ctx, number).await? {
        line = format!("{line} {factor}");
    }
    ctx.stdout.write(format!("{line}\n").as_bytes()).await?;
    Ok(ExitStatus::SUCCESS)
}

/// Divisors up to this are tried one after another.
const SMALL: u128 = 1 << 12;

async fn factors(ctx: &mut Context, number: u128) -> Result<Vec<u128>, UtilityError> {
    let mut found = Vec::new();
    let mut rest = number;
    if rest < 2 {
        return Ok(found);
    }
    let mut divisor = 2_u128;
    while divisor < SMALL && divisor * divisor <= rest {
        while rest.is_multiple_of(divisor) {
            found.push(divisor);
            rest /= divisor;
        }
        divisor += if divisor == 2 { 1 } else { 2 };
        ctx.tick().await?;
    }
    let mut parts = vec![rest];
    while let Some(part) = parts.pop() {
        if part == 1 {
            continue;
        }
        if part < SMALL * SMALL || is_prime(ctx, part).await? {
            found.push(part);
            continue;
        }
        let factor = split(ctx, part).await?;
        parts.push(factor);
        parts.push(part / factor);
    }
    found.sort_by(Ord::cmp);
    Ok(found)
}

/// Products modulo an odd number in Montgomery's form: a value `x` stands as `x * 2^128`.
struct Field {
    modulus: u128,
    /// Minus the inverse of the modulus, modulo 2^128.
    inverse: u128,
    /// 2^256 modulo the modulus, which brings a value into the form.
    square: u128,
    one: u128,
}

/// The upper and the lower half of a product.
fn multiply(one: u128, two: u128) -> (u128, u128) {
    const LOW: u128 = (1 << 64) - 1;
    let (a, b, c, d) = (one >> 64, one & LOW, two >> 64, two & LOW);
    let (high, low) = (a * c, b * d);
    let (middle, carry) = (a * d).overflowing_add(b * c);
    let (low, overflow) = low.overflowing_add(middle << 64);
    let high = high.wrapping_add(middle >> 64).wrapping_add(u128::from(carry) << 64);
    (high.wrapping_add(u128::from(overflow)), low)
}

impl Field {
    fn new(modulus: u128) -> Self {
        let mut inverse: u128 = 1;
        for _ in 0..7 {
            inverse = inverse.wrapping_mul(2_u128.wrapping_sub(modulus.wrapping_mul(inverse)));
        }
        let one = (u128::MAX % modulus + 1) % modulus;
        let mut square = one;
        for _ in 0..128 {
            square = add(square, square, modulus);
        }
        Self { modulus, inverse: inverse.wrapping_neg(), square, one }
    }

    fn product(&self, one: u128, two: u128) -> u128 {
        let (high, low) = multiply(one, two);
        let (more, least) = multiply(low.wrapping_mul(self.inverse), self.modulus);
        let carry = u128::from(low.checked_add(least).is_none());
        let (sum, over) = high.overflowing_add(more);
        let (sum, over_again) = sum.overflowing_add(carry);
        if over || over_again || sum >= self.modulus { sum.wrapping_sub(self.modulus) } else { sum }
    }

    fn enter(&self, value: u128) -> u128 {
        self.product(value % self.modulus, self.square)
    }

    fn power(&self, base: u128, mut exponent: u128) -> u128 {
        let (mut result, mut base) = (self.one, base);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.product(result, base);
            }
            base = self.product(base, base);
            exponent >>= 1;
        }
        result
    }
}

fn add(one: u128, two: u128, modulus: u128) -> u128 {
    let (sum, over) = one.overflowing_add(two);
    if over || sum >= modulus { sum.wrapping_sub(modulus) } else { sum }
}

/// Miller and Rabin's test with more bases than an error is known for.
async fn is_prime(ctx: &mut Context, number: u128) -> Result<bool, UtilityError> {
    let field = Field::new(number);
    let minus_one = field.modulus - field.one;
    let twos = (number - 1).trailing_zeros();
    for base in
        [2_u128, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97]
    {
        ctx.tick_many(64);
        ctx.tick().await?;
        let mut value = field.power(field.enter(base), (number - 1) >> twos);
        if value == field.one || value == minus_one {
            continue;
        }
        let mut is_witness = true;
        for _ in 1..twos {
            value = field.product(value, value);
            if value == minus_one {
                is_witness = false;
                break;
            }
        }
        if is_witness {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A factor of an odd number that is not prime, by Pollard's rho; differences are multiplied before a divisor is looked for.
async fn split(ctx: &mut Context, number: u128) -> Result<u128, UtilityError> {
    const TOGETHER: u32 = 128;
    let field = Field::new(number);
    let mut increment = 1;
    loop {
        let step = |value: u128, field: &Field| {
            add(field.product(value, value), field.enter(increment), field.modulus)
        };
        let (mut slow, mut fast) = (field.enter(2), field.enter(2));
        loop {
            let (from_slow, from_fast) = (slow, fast);
            let mut product = field.one;
            for _ in 0..TOGETHER {
                slow = step(slow, &field);
                fast = step(step(fast, &field), &field);
                product = field.product(product, slow.abs_diff(fast));
            }
            ctx.tick_many(TOGETHER);
            ctx.tick().await?;
            let divisor = common_divisor(product, number);
            if divisor == 1 {
                continue;
            }
            // One step at a time, for the product may have met all factors at once.
            (slow, fast) = (from_slow, from_fast);
            let mut found = 1;
            while found == 1 {
                slow = step(slow, &field);
                fast = step(step(fast, &field), &field);
                found = common_divisor(slow.abs_diff(fast), number);
            }
            if found != number {
                return Ok(found);
            }
            break;
        }
        increment += 1;
    }
}

const fn common_divisor(one: u128, two: u128) -> u128 {
    let (mut one, mut two) = (one, two);
    while two != 0 {
        (one, two) = (two, one % two);
    }
    one
}
