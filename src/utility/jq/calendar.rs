//! [`BrokenDown`]: a time as year, month and so on, counted as the C library counts: fields out of range go on into the
//! next larger one, and years go on for ever in both directions.

/// A broken down time, C's `struct tm`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BrokenDown {
    pub(super) year: i64,
    /// From 0.
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    /// From Sunday, 0.
    pub(super) weekday: i64,
    /// From 0.
    pub(super) yearday: i64,
}

/// Days from the Epoch to the first of a month; months out of range go on into the years.
fn days_before(year: i64, month: i64) -> i64 {
    // Years that begin in March have their odd day at the end.
    let months = year * 12 + month - 2;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12));
    let days = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    days + (153 * month + 2) / 5 - 719_468
}

impl BrokenDown {
    /// The time so many seconds after the Epoch; `None` if its year is too large for C's `int`.
    pub(super) fn of(seconds: i64) -> Option<Self> {
        let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * from_march + 2) / 5 + 1;
        let month = (from_march + 2) % 12;
        let year = year_of_era + era * 400 + i64::from(month < 2);
        i32::try_from(year - 1900).ok()?;
        let weekday = (days + 4).rem_euclid(7);
        let yearday = days - days_before(year, 0);
        let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
        Some(BrokenDown { year, month, day, hour, minute, second, weekday, yearday })
    }

    /// Days from the Epoch.
    pub(super) fn days(&self) -> i64 {
        days_before(self.year, self.month) + self.day - 1
    }

    /// Seconds from the Epoch, as if the time were UTC.
    pub(super) fn seconds(&self) -> i64 {
        self.days() * 86_400 + self.hour * 3600 + self.minute * 60 + self.second
    }

    /// Weekday and day of the year by the other fields.
    pub(super) fn set_weekday(&mut self) {
        self.weekday = (self.days() + 4).rem_euclid(7);
    }

    pub(super) fn set_yearday(&mut self) {
        self.yearday = self.days() - days_before(self.year, 0);
    }

    /// Year and week of ISO 8601.
    pub(super) fn iso_week(&self) -> (i64, i64) {
        let thursday = self.yearday - (self.weekday + 6).rem_euclid(7) + 3;
        let length = |year: i64| days_before(year + 1, 0) - days_before(year, 0);
        if thursday < 0 {
            (self.year - 1, (thursday + length(self.year - 1)) / 7 + 1)
        } else if thursday >= length(self.year) {
            (self.year + 1, (thursday - length(self.year)) / 7 + 1)
        } else {
            (self.year, thursday / 7 + 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_fields() {
        for seconds in [0, -1, 951_782_400, 1_700_000_000, -62_135_596_800, 253_402_300_800, -99_999_999_999]
        {
            assert_eq!(BrokenDown::of(seconds).unwrap().seconds(), seconds);
        }
        let leap = BrokenDown::of(1_709_164_800).unwrap();
        assert_eq!((leap.year, leap.month, leap.day, leap.weekday, leap.yearday), (2024, 1, 29, 4, 59));
        assert_eq!(BrokenDown::of(i64::MIN), None);
    }

    #[test]
    fn weeks_belong_to_the_year_of_their_thursday() {
        let week = |year, month, day| {
            let mut time = BrokenDown { year, month, day, ..BrokenDown::default() };
            time.set_weekday();
            time.set_yearday();
            time.iso_week()
        };
        assert_eq!(week(2021, 0, 3), (2020, 53));
        assert_eq!(week(2018, 11, 31), (2019, 1));
        assert_eq!(week(2024, 6, 1), (2024, 27));
    }
}
