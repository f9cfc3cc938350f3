//! Which texts are scripts: `bash -n` and our parser must agree, on random scripts and on the same with tokens deleted,
//! doubled, exchanged or put in. `ACCEPTANCE=5000 cargo test --test acceptance` tries more of them.

mod generated;
mod verdict;

use generated::mutation::mutated;

/// Differences that are allowed, each with what shows it and the reason.
const ALLOWED: &[(&str, &str)] = &[(
    "<<",
    "a here-document that the end of the text delimits inside a substitution: bash warns, and reads on differently",
)];

#[test]
fn texts_are_scripts_where_bash_says_so() {
    let count = std::env::var("ACCEPTANCE").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    let texts: Vec<String> = (0..count).map(mutated).collect();
    let Some(answers) = verdict::bash(&texts, "acceptance") else { return };
    let (mut valid, mut allowed, mut differ, mut words) = (0, 0, 0, 0);
    for (text, answer) in texts.iter().zip(&answers) {
        let mine = verdict::ours(text.as_bytes());
        let theirs = verdict::accepts(answer);
        valid += usize::from(theirs);
        if mine.is_ok() != theirs {
            if ALLOWED.iter().any(|(shows, _)| text.contains(shows)) {
                allowed += 1;
                continue;
            }
            differ += 1;
            println!("=====\n{text}\n--- bash: {answer}\n--- here: {mine:?}");
        } else if let Err(message) = &mine
            && message != answer
        {
            words += 1;
            if std::env::var_os("ACCEPTANCE_WORDS").is_some() {
                println!("===== words\n{text}\n--- bash: {answer}\n--- here: {message}");
            }
        }
    }
    println!(
        "{count} texts, {valid} valid, {differ} differ, {allowed} by design, {words} only in their words"
    );
    assert_eq!(differ, 0, "{differ} of {count} texts differ");
}
