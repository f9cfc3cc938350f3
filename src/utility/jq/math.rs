//! Builtins over numbers.

#![expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "builtins share one signature")]

use super::context::Context;
use super::error::Raise;
use super::value::Value;
use crate::memory::vec;
use std::cmp::Ordering;

type Output = Result<Value, Raise>;

fn number(value: Option<&Value>) -> Result<f64, Raise> {
    match value {
        Some(Value::Number(number)) => Ok(number.value()),
        other => Err(Raise::about(other.unwrap_or(&Value::Null), "number required")),
    }
}

/// Builtins of one number, the input.
macro_rules! unary {
    ($($name:ident = $function:expr;)*) => {
        $(pub(super) fn $name(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
            let function: fn(f64) -> f64 = $function;
            Ok(Value::number(function(number(Some(&input))?)))
        })*
    };
}

/// The double next to `x` towards `y`.
fn next_after(x: f64, y: f64) -> f64 {
    match x.partial_cmp(&y) {
        None => f64::NAN,
        Some(Ordering::Less) => x.next_up(),
        Some(Ordering::Equal) => y,
        Some(Ordering::Greater) => x.next_down(),
    }
}

/// Builtins of two numbers, the arguments.
macro_rules! binary {
    ($($name:ident = $function:expr;)*) => {
        $(pub(super) fn $name(_: &mut Context<'_>, _: Value, arguments: &[Value]) -> Output {
            let function: fn(f64, f64) -> f64 = $function;
            Ok(Value::number(function(number(arguments.first())?, number(arguments.get(1))?)))
        })*
    };
}

unary! {
    floor = f64::floor;
    ceil = f64::ceil;
    round = f64::round;
    trunc = f64::trunc;
    nearbyint = f64::round_ties_even;
    fabs = f64::abs;
    sqrt = f64::sqrt;
    cbrt = f64::cbrt;
    exp = f64::exp;
    exp2 = f64::exp2;
    exp10 = |x| 10_f64.powf(x);
    expm1 = f64::exp_m1;
    log = f64::ln;
    log2 = f64::log2;
    log10 = f64::log10;
    log1p = f64::ln_1p;
    sin = f64::sin;
    cos = f64::cos;
    tan = f64::tan;
    asin = f64::asin;
    acos = f64::acos;
    atan = f64::atan;
    sinh = f64::sinh;
    cosh = f64::cosh;
    tanh = f64::tanh;
    asinh = f64::asinh;
    acosh = f64::acosh;
    atanh = f64::atanh;
    significand = |x| if x == 0.0 || !x.is_finite() { x } else { let (m, _) = split(x); m * 2.0 };
    logb = |x| if x == 0.0 { f64::NEG_INFINITY } else if x.is_finite() { split(x).1 - 1.0 } else { x.abs() };
}

binary! {
    nextafter = next_after;
    pow = f64::powf;
    atan2 = f64::atan2;
    fmin = f64::min;
    fmax = f64::max;
    fmod = |x, y| x % y;
    hypot = f64::hypot;
    copysign = f64::copysign;
    fdim = |x, y| if x.is_nan() || y.is_nan() { f64::NAN } else { (x - y).max(0.0) };
    drem = remainder;
    ldexp = scale;
}

/// `x` less the multiple of `y` nearest to it, ties to even.
fn remainder(x: f64, y: f64) -> f64 {
    let rest = x % y;
    let half = y.abs() / 2.0;
    let is_odd = ((x / y).trunc() % 2.0).abs() >= 1.0;
    if rest.abs() > half || (rest.abs() >= half && is_odd) { rest - y.abs().copysign(rest) } else { rest }
}

/// `x` times two to the power `exponent`, in steps that neither overflow nor lose the denormal range.
fn scale(x: f64, exponent: f64) -> f64 {
    let mut left = exponent.clamp(-2200.0, 2200.0).trunc();
    let mut scaled = x;
    while left != 0.0 {
        let step = left.clamp(-1000.0, 1000.0);
        scaled *= step.exp2();
        left -= step;
    }
    scaled
}

/// `x` as a fraction in `[0.5, 1)` and an exponent of two.
fn split(x: f64) -> (f64, f64) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0.0);
    }
    let normal = if x.abs() < f64::MIN_POSITIVE { (scale(x, 64.0), -64.0) } else { (x, 0.0) };
    let bits = normal.0.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as f64 - 1022.0;
    (f64::from_bits((bits & !(0x7ff << 52)) | (1022 << 52)), exponent + normal.1)
}

pub(super) fn frexp(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let (fraction, exponent) = split(number(Some(&input))?);
    Ok(Value::array(vec![Value::number(fraction), Value::number(exponent)]))
}

pub(super) fn modf(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let whole = number(Some(&input))?;
    let fraction = if whole.is_infinite() { 0.0_f64.copysign(whole) } else { whole.fract() };
    Ok(Value::array(vec![Value::number(fraction), Value::number(whole.trunc())]))
}

pub(super) fn fma(_: &mut Context<'_>, _: Value, arguments: &[Value]) -> Output {
    let [x, y, z] = [0, 1, 2].map(|at| number(arguments.get(at)));
    Ok(Value::number(x? * y? + z?))
}

pub(super) fn infinite(_: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(Value::number(f64::INFINITY))
}

pub(super) fn nan(_: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(Value::number(f64::NAN))
}

pub(super) fn is_infinite(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    Ok(Value::Bool(number(Some(&input)).is_ok_and(f64::is_infinite)))
}

pub(super) fn is_nan(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    Ok(Value::Bool(number(Some(&input)).is_ok_and(f64::is_nan)))
}

pub(super) fn is_normal(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    Ok(Value::Bool(number(Some(&input)).is_ok_and(f64::is_normal)))
}
