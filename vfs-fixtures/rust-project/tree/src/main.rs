use anyhow::Result;
use notes::Store;

fn main() -> Result<()> {
    let mut store = Store::open("notes.json")?;
    for argument in std::env::args().skip(1) {
        store.add(&argument);
    }
    // TODO: print in the order of creation
    for note in store.iter() {
        println!("{note}");
    }
    store.save()
}
