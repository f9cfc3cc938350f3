use anyhow::Result;

/// Notes, oldest first.
#[derive(Default)]
pub struct Store {
    notes: Vec<String>,
}

impl Store {
    pub fn open(_path: &str) -> Result<Self> {
        // TODO: read the file
        Ok(Self::default())
    }

    pub fn add(&mut self, note: &str) {
        self.notes.push(note.to_owned());
    }

    pub fn iter(&self) -> impl Iterator<Item = &String> {
        self.notes.iter()
    }

    pub fn save(&self) -> Result<()> {
        Ok(())
    }
}
