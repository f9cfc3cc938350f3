use notes::Store;

#[test]
fn a_note_is_kept() {
    let mut store = Store::default();
    store.add("milk");
    assert_eq!(store.iter().count(), 1);
}
