//! The orders in which `asort`, `asorti` and `PROCINFO["sorted_in"]` put an array.

use super::array::Table;
use super::text::Str;
use super::value::Value;
use std::cmp::Ordering;

/// Numbers before texts, then by value: gawk's order of values by type.
pub(super) fn by_type(left: &Value, right: &Value, format: &[u8]) -> Ordering {
    match (left.is_numeric(), right.is_numeric()) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (true, true) => left.number().total_cmp(&right.number()),
        (false, false) => left.compare(right, format).unwrap_or(Ordering::Equal),
    }
}

/// The subscripts of a table in a named order; in that of insertion for a name that is not known.
pub(super) fn sorted_keys(table: &Table, order: &[u8], format: &[u8]) -> Vec<Str> {
    let mut entries: Vec<&(Str, Value)> = table.iter().collect();
    let number = |text: &Str| super::number::to_number(text);
    let text = |value: &Value| {
        let mut buffer = Vec::new();
        value.bytes(format, &mut buffer).to_vec()
    };
    match order {
        b"@ind_str_asc" | b"@ind_str_desc" => entries.sort_by(|left, right| left.0.cmp(&right.0)),
        b"@ind_num_asc" | b"@ind_num_desc" => entries
            .sort_by(|left, right| number(&left.0).total_cmp(&number(&right.0)).then_with(|| left.0.cmp(&right.0))),
        b"@val_num_asc" | b"@val_num_desc" => entries.sort_by(|left, right| {
            left.1.number().total_cmp(&right.1.number()).then_with(|| left.0.cmp(&right.0))
        }),
        b"@val_str_asc" | b"@val_str_desc" => entries.sort_by_cached_key(|entry| text(&entry.1)),
        b"@val_type_asc" | b"@val_type_desc" => {
            entries.sort_by(|left, right| by_type(&left.1, &right.1, format));
        }
        _ => {}
    }
    if order.ends_with(b"_desc") {
        entries.reverse();
    }
    entries.into_iter().map(|(key, _)| key.clone()).collect()
}
