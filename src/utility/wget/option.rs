//! The options of wget that work here. All others of its manual are unrecognised.

use crate::utility::prelude::*;

options! {
    pub(super) enum Opt {
        AuthNoChallenge = flag('\0', "auth-no-challenge", "send Basic HTTP authentication without first waiting for the challenge"),
        BodyData = value('\0', "body-data", "STRING", "send STRING as data, --method MUST be set"),
        BodyFile = value('\0', "body-file", "FILE", "send contents of FILE, --method MUST be set"),
        ConnectTimeout = value('\0', "connect-timeout", "SECS", "set the connect timeout to SECS"),
        ContentDisposition = flag('\0', "content-disposition", "honor the Content-Disposition header when choosing local file names"),
        ContentOnError = flag('\0', "content-on-error", "output the received content on server errors"),
        Header = value('\0', "header", "STRING", "insert STRING among the headers"),
        InputFile = value('i', "input-file", "FILE", "download URLs found in local or external FILE"),
        MaxRedirect = value('\0', "max-redirect", "NUM", "maximum redirections allowed per page"),
        Method = value('\0', "method", "HTTPMethod", "use method HTTPMethod in the request"),
        N = value('n', "", "LETTERS", "v: turn off verboseness; c: skip downloads that would download to existing files; d, H: as they are without folders"),
        NoClobber = flag('\0', "no-clobber", "skip downloads that would download to existing files"),
        NoVerbose = flag('\0', "no-verbose", "turn off verboseness, without being quiet"),
        OutputDocument = value('O', "output-document", "FILE", "write documents to FILE"),
        OutputFile = value('o', "output-file", "FILE", "log messages to FILE"),
        AppendOutput = value('a', "append-output", "FILE", "append messages to FILE"),
        Password = value('\0', "password", "PASS", "set password to PASS") | value('\0', "http-password", "PASS", "set http password to PASS"),
        PostData = value('\0', "post-data", "STRING", "use the POST method; send STRING as the data"),
        PostFile = value('\0', "post-file", "FILE", "use the POST method; send contents of FILE"),
        Prefix = value('P', "directory-prefix", "PREFIX", "save files to PREFIX/.."),
        Quiet = flag('q', "quiet", "quiet (no output)"),
        ReadTimeout = value('\0', "read-timeout", "SECS", "set the read timeout to SECS"),
        Referer = value('\0', "referer", "URL", "include 'Referer: URL' header in HTTP request"),
        RetryConnrefused = flag('\0', "retry-connrefused", "retry even if connection is refused"),
        SaveHeaders = flag('\0', "save-headers", "save the HTTP headers to file"),
        ServerResponse = flag('S', "server-response", "print server response"),
        Spider = flag('\0', "spider", "don't download anything"),
        Timeout = value('T', "timeout", "SECS", "set all timeout values to SECONDS"),
        Tries = value('t', "tries", "NUMBER", "set number of retries to NUMBER (0 unlimits)"),
        TrustNames = flag('\0', "trust-server-names", "use the name specified by the redirection URL's last component"),
        User = value('\0', "user", "USER", "set user to USER") | value('\0', "http-user", "USER", "set http user to USER"),
        UserAgent = value('U', "user-agent", "AGENT", "identify as AGENT instead of Wget/VERSION"),
        WaitRetry = value('\0', "waitretry", "SECONDS", "wait 1..SECONDS between retries of a retrieval"),
    }
}
