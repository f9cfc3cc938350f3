use super::*;

fn judge(rules: &[&str], method: &str, url: &str) -> Result<(), String> {
    let policy = rules.iter().fold(EgressPolicy::none(), |policy, rule| policy.allow(rule.parse().unwrap()));
    policy.judge(method, &Url::parse(url).unwrap()).map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn nobody_is_asked_unless_named() {
    assert_eq!(judge(&[], "GET", "https://example.com/"), Err("this session has no network".to_owned()));
    let error = judge(&["a.example"], "GET", "https://b.example/x?token=1").unwrap_err();
    assert_eq!(error, "https://b.example is not among the hosts that this session may ask");
}

#[test]
fn hosts_ports_schemes() {
    for (rule, yes, no) in [
        (
            "a.example",
            &["http://a.example/", "https://A.example/x", "https://a.example./"][..],
            &["https://a.example:444/", "https://b.a.example/", "https://xa.example/", "http://1.2.3.4/"][..],
        ),
        (
            "*.a.example",
            &["https://b.a.example/", "https://c.b.a.example/"],
            &["https://a.example/", "https://ba.example/"],
        ),
        ("a.example:8080", &["http://a.example:8080/", "https://a.example:8080/"], &["http://a.example/"]),
        ("a.example:*", &["http://a.example:8080/", "https://a.example/"], &["http://b.example/"]),
        ("https://a.example", &["https://a.example/"], &["http://a.example/", "http://a.example:443/"]),
        ("[::1]:80", &["http://[::1]/"], &["http://[::2]/"]),
        ("127.0.0.1:1", &["http://127.0.0.1:1/", "http://[::ffff:127.0.0.1]:1/"], &["http://127.0.0.2:1/"]),
    ] {
        for url in yes {
            assert_eq!(judge(&[rule], "GET", url), Ok(()), "{rule} {url}");
        }
        for url in no {
            assert!(judge(&[rule], "GET", url).is_err(), "{rule} {url}");
        }
    }
}

#[test]
fn paths_by_whole_segments_that_do_not_climb() {
    for (url, fits) in [
        ("https://a.example/v1", true),
        ("https://a.example/v1/", true),
        ("https://a.example/v1/x/..y?../z", true),
        ("https://a.example/v1?x=/../", true),
        ("https://a.example/v10", false),
        ("https://a.example/", false),
        ("https://a.example/v1/../admin", false),
        ("https://a.example/v1/%2e%2E/admin", false),
        ("https://a.example/v1/.%2e/admin", false),
        ("https://a.example/v1/..%2fadmin", false),
        ("https://a.example/v1/%5c..", false),
    ] {
        assert_eq!(judge(&["a.example/v1/"], "GET", url).is_ok(), fits, "{url}");
    }
}

#[test]
fn methods() {
    for (rule, method, fits) in [
        ("a.example", "GET", true),
        ("a.example", "PROPFIND", false),
        ("a.example", "get", false),
        ("a.example", "TRACE", false),
        ("POST a.example", "POST", true),
        ("POST,PROPFIND a.example", "PROPFIND", true),
        ("POST a.example", "GET", false),
    ] {
        assert_eq!(judge(&[rule], method, "https://a.example/").is_ok(), fits, "{rule} {method}");
    }
    let rules = ["GET a.example/public", "POST a.example/in"];
    assert_eq!(judge(&rules, "POST", "https://a.example/in/x"), Ok(()));
    let error = judge(&rules, "DELETE", "https://a.example/in/x").unwrap_err();
    assert_eq!(error, "the method DELETE is not allowed for a.example");
}

#[test]
fn what_is_not_a_rule_says_why() {
    for (rule, wanted) in [
        ("", "HOST[:PORT][/PATH]"),
        ("*", "HOST[:PORT][/PATH]"),
        ("a..b", "HOST[:PORT][/PATH]"),
        ("ftp://a", "http:// or https://"),
        ("a:x", "the port is a number"),
        ("a/x*", "a path is the beginning"),
        ("TRACE a", "`TRACE` is not a method"),
        ("G(T a", "`G(T` is not a method"),
        ("user@a", "HOST[:PORT][/PATH]"),
    ] {
        let error = AllowedHost::parse(rule).unwrap_err().to_string();
        assert!(error.contains(wanted), "{rule}: {error}");
    }
    for rule in ["a.example", "*.a.example:*/v1", "GET,POST https://[::1]:8080/x", "localhost:3000"] {
        assert_eq!(AllowedHost::parse(rule).unwrap().to_string(), rule);
    }
}

#[test]
fn addresses_that_are_not_public_are_named() {
    let allows = |rules: &[&str], url: &str, address: &str| {
        let policy =
            rules.iter().fold(EgressPolicy::none(), |policy, rule| policy.allow(rule.parse().unwrap()));
        policy.judge("GET", &Url::parse(url).unwrap()).unwrap().allows(address.parse().unwrap())
    };
    assert!(allows(&["a.example"], "http://a.example/", "1.1.1.1"));
    for address in ["127.0.0.1", "10.0.0.5", "169.254.169.254", "::1", "fd00::1"] {
        assert!(!allows(&["a.example"], "http://a.example/", address), "{address}");
        assert!(!allows(&["a.example", "localhost"], "http://a.example/", address), "{address}");
    }
    assert!(allows(&["localhost:1"], "http://localhost:1/", "127.0.0.1"));
    assert!(!allows(&["localhost:1"], "http://localhost:1/", "10.0.0.5"));
    assert!(allows(&["a.example", "10.0.0.5"], "http://a.example/", "10.0.0.5"));
    assert!(!allows(&["a.example", "10.0.0.5"], "http://a.example/", "10.0.0.6"));
}

#[test]
fn a_credential_goes_over_tls_or_to_loopback() {
    use crate::network::Secret;
    let policy = EgressPolicy::none()
        .credential(Credential::bearer("*.a.example", &Secret::new("t")))
        .credential(Credential::bearer("localhost", &Secret::new("l")).port(8080));
    let names = |url: &str| policy.credentials_for(&Url::parse(url).unwrap()).map(|found| found.len()).ok();
    assert_eq!(names("https://b.a.example/"), Some(1));
    assert_eq!(names("http://b.a.example/"), None);
    assert_eq!(names("https://other.example/"), Some(0));
    assert_eq!((names("http://localhost:8080/"), names("http://localhost/")), (Some(1), Some(0)));
}
