//! MD5 of a text that is not held, RFC 1321: `-R` with `--random-source` orders by it, in builds without the crate too.

/// `floor(2^32 * abs(sin(n + 1)))`
#[rustfmt::skip]
const SINES: [u32; 64] = [
    0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee,
    0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
    0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be,
    0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa,
    0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
    0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed,
    0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c,
    0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
    0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05,
    0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039,
    0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
    0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1,
    0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
];

/// How far each step turns, by its round.
const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

pub(super) fn digest(text: impl Iterator<Item = u8>) -> [u8; 16] {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut block = [0_u8; 64];
    let mut length = 0_u64;
    let mut put = |byte: u8, state: &mut [u32; 4]| {
        let place = (length % 64) as usize;
        if let Some(slot) = block.get_mut(place) {
            *slot = byte;
        }
        length += 1;
        if place == 63 {
            mix(state, &block);
        }
        length
    };
    let mut bits = 0_u64;
    for byte in text {
        bits = put(byte, &mut state).wrapping_mul(8);
    }
    let mut count = put(0x80, &mut state);
    while count % 64 != 56 {
        count = put(0, &mut state);
    }
    for byte in bits.to_le_bytes() {
        put(byte, &mut state);
    }
    let mut digest = [0; 16];
    for (slot, byte) in digest.iter_mut().zip(state.iter().flat_map(|word| word.to_le_bytes())) {
        *slot = byte;
    }
    digest
}

fn mix(state: &mut [u32; 4], block: &[u8; 64]) {
    let mut words = [0_u32; 16];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    let [mut a, mut b, mut c, mut d] = *state;
    for (step, sine) in SINES.iter().enumerate() {
        let (value, index) = match step / 16 {
            0 => (b & c | !b & d, step),
            1 => (d & b | !d & c, 5 * step + 1),
            2 => (b ^ c ^ d, 3 * step + 5),
            _ => (c ^ (b | !d), 7 * step),
        };
        let word = words.get(index % 16).copied().unwrap_or(0);
        let turn = TURNS.get(step / 16).and_then(|turns| turns.get(step % 4)).copied().unwrap_or(0);
        let sum = a.wrapping_add(value).wrapping_add(*sine).wrapping_add(word);
        (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(turn)));
    }
    for (slot, value) in state.iter_mut().zip([a, b, c, d]) {
        *slot = slot.wrapping_add(value);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn digests_of_the_rfc() {
        let hex = |text: &str| {
            super::digest(text.bytes())
                .iter()
                .map(|byte| std::format!("{byte:02x}"))
                .collect::<std::string::String>()
        };
        assert_eq!(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
        let long = "12345678901234567890123456789012345678901234567890123456789012345678901234567890";
        assert_eq!(hex(long), "57edf4a22be3c955ac49da2e2107b67a");
    }
}
