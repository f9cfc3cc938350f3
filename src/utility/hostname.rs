//! `hostname`: prints the session's host name, which cannot be set, and what belongs to it. Debian's hostname(1).

use crate::memory::JoinMetered;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Alias = flag('a', "alias", "alias names: there are none"),
        AllFqdns = flag('A', "all-fqdns", "all long host names (FQDNs): no address has one"),
        Boot = flag('b', "boot", "set default hostname if none available: refused as setting it is"),
        Domain = flag('d', "domain", "DNS domain name"),
        Fqdn = flag('f', "fqdn", "long host name") | flag('\0', "long", "long host name"),
        File = value('F', "file", "FILE", "read host name from FILE, which cannot be set then"),
        Address = flag('i', "ip-address", "addresses for the host name"),
        AllAddresses = flag('I', "all-ip-addresses", "all addresses for the host: there are none"),
        Short = flag('s', "short", "short host name"),
        Nis = flag('y', "yp", "NIS/YP domain name: there is none") | flag('\0', "nis", "NIS/YP domain name"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "hostname",
    summary: "show the system's host name",
    usage: "hostname [-a|-A|-d|-f|-i|-I|-s|-y]",
    options: Opt::TABLE,
    examples: &[example("hostname", "hookbox\n")],
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if let Some(name) = options.value(Opt::File) {
        let opened = ctx.open(name).map(drop);
        opened.map_err(|error| match OperandError::from(error).errno() {
            Ok(errno) => UtilityError::failed(errno.message()),
            Err(end) => end,
        })?;
    }
    if !options.operands.is_empty() || options.has(Opt::File) || options.has(Opt::Boot) {
        return Err(UtilityError::failed("you must be root to change the host name"));
    }
    let host = ctx.session.identity.host.clone();
    let mut labels = host.splitn(2, |&byte| byte == b'.');
    let (short, domain) = (labels.next().unwrap_or(&[]), labels.next());
    let kinds = [
        Opt::Alias,
        Opt::AllFqdns,
        Opt::Domain,
        Opt::Fqdn,
        Opt::Address,
        Opt::AllAddresses,
        Opt::Short,
        Opt::Nis,
    ];
    let shown = match options.last_of(kinds) {
        None | Some(Opt::Fqdn) => host.as_bytes(),
        Some(Opt::Short) => short,
        Some(Opt::Domain) => match domain {
            Some(domain) => domain,
            None => return Ok(ExitStatus::SUCCESS),
        },
        // The name is one of the machine itself.
        Some(Opt::Address) => b"127.0.0.1",
        Some(Opt::Nis) => {
            ctx.stdout.write(b"hostname: Local domain name not set\n").await?;
            return Ok(ExitStatus::FAILURE);
        }
        Some(_) => b"",
    };
    ctx.stdout.write(&[shown, b"\n"].concat_metered()).await?;
    Ok(ExitStatus::SUCCESS)
}
