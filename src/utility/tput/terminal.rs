//! What is known of terminals: the capabilities of terminfo(5), in its notation, as the database of ncurses 6.4 has them.
//! A description may be another one with changes, in which `name@` takes a capability away.

/// A terminal.
#[derive(Debug)]
pub(in crate::utility) struct Description {
    /// Its names; the last is the long one.
    pub(super) names: &'static [&'static str],
    /// The description that this one changes.
    pub(super) base: Option<&'static Description>,
    pub(super) capabilities: &'static [&'static str],
}

pub(super) static DESCRIPTIONS: &[&Description] = &[
    &XTERM,
    &XTERM_256COLOR,
    &SCREEN,
    &SCREEN_256COLOR,
    &TMUX,
    &TMUX_256COLOR,
    &LINUX,
    &VT100,
    &ANSI,
    &DUMB,
];

#[rustfmt::skip]
static XTERM: Description = Description {
    names: &["xterm", "xterm-debian", "xterm terminal emulator (X Window System)"],
    base: None,
    capabilities: &[
        "OTbs", "am", "bce", "km", "mc5i", "mir", "msgr", "npc", "xenl", "AX", "XT", "colors#8", "cols#80",
        "it#8", "lines#24", "pairs#64", "acsc=``aaffggiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz{{||}}~~", "bel=^G",
        r"blink=\E[5m", r"bold=\E[1m", r"cbt=\E[Z", r"civis=\E[?25l", r"clear=\E[H\E[2J",
        r"cnorm=\E[?12l\E[?25h", r"cr=\r", r"csr=\E[%i%p1%d;%p2%dr", r"cub=\E[%p1%dD", "cub1=^H",
        r"cud=\E[%p1%dB", r"cud1=\n", r"cuf=\E[%p1%dC", r"cuf1=\E[C", r"cup=\E[%i%p1%d;%p2%dH",
        r"cuu=\E[%p1%dA", r"cuu1=\E[A", r"cvvis=\E[?12;25h", r"dch=\E[%p1%dP", r"dch1=\E[P", r"dim=\E[2m",
        r"dl=\E[%p1%dM", r"dl1=\E[M", r"ech=\E[%p1%dX", r"ed=\E[J", r"el=\E[K", r"el1=\E[1K",
        r"flash=\E[?5h$<100/>\E[?5l", r"home=\E[H", r"hpa=\E[%i%p1%dG", "ht=^I", r"hts=\EH", r"ich=\E[%p1%d@",
        r"il=\E[%p1%dL", r"il1=\E[L", r"ind=\n", r"indn=\E[%p1%dS", r"invis=\E[8m",
        r"is2=\E[!p\E[?3;4l\E[4l\E>", r"kDC=\E[3;2~", r"kEND=\E[1;2F", r"kHOM=\E[1;2H", r"kIC=\E[2;2~",
        r"kLFT=\E[1;2D", r"kNXT=\E[6;2~", r"kPRV=\E[5;2~", r"kRIT=\E[1;2C", r"ka1=\EOw", r"ka3=\EOy",
        r"kb2=\EOu", r"kbeg=\EOE", "kbs=^?", r"kc1=\EOq", r"kc3=\EOs", r"kcbt=\E[Z", r"kcub1=\EOD",
        r"kcud1=\EOB", r"kcuf1=\EOC", r"kcuu1=\EOA", r"kdch1=\E[3~", r"kend=\EOF", r"kent=\EOM", r"kf1=\EOP",
        r"kf10=\E[21~", r"kf11=\E[23~", r"kf12=\E[24~", r"kf13=\E[1;2P", r"kf14=\E[1;2Q", r"kf15=\E[1;2R",
        r"kf16=\E[1;2S", r"kf17=\E[15;2~", r"kf18=\E[17;2~", r"kf19=\E[18;2~", r"kf2=\EOQ", r"kf20=\E[19;2~",
        r"kf21=\E[20;2~", r"kf22=\E[21;2~", r"kf23=\E[23;2~", r"kf24=\E[24;2~", r"kf25=\E[1;5P",
        r"kf26=\E[1;5Q", r"kf27=\E[1;5R", r"kf28=\E[1;5S", r"kf29=\E[15;5~", r"kf3=\EOR", r"kf30=\E[17;5~",
        r"kf31=\E[18;5~", r"kf32=\E[19;5~", r"kf33=\E[20;5~", r"kf34=\E[21;5~", r"kf35=\E[23;5~",
        r"kf36=\E[24;5~", r"kf37=\E[1;6P", r"kf38=\E[1;6Q", r"kf39=\E[1;6R", r"kf4=\EOS", r"kf40=\E[1;6S",
        r"kf41=\E[15;6~", r"kf42=\E[17;6~", r"kf43=\E[18;6~", r"kf44=\E[19;6~", r"kf45=\E[20;6~",
        r"kf46=\E[21;6~", r"kf47=\E[23;6~", r"kf48=\E[24;6~", r"kf49=\E[1;3P", r"kf5=\E[15~", r"kf50=\E[1;3Q",
        r"kf51=\E[1;3R", r"kf52=\E[1;3S", r"kf53=\E[15;3~", r"kf54=\E[17;3~", r"kf55=\E[18;3~",
        r"kf56=\E[19;3~", r"kf57=\E[20;3~", r"kf58=\E[21;3~", r"kf59=\E[23;3~", r"kf6=\E[17~", r"kf60=\E[24;3~",
        r"kf61=\E[1;4P", r"kf62=\E[1;4Q", r"kf63=\E[1;4R", r"kf7=\E[18~", r"kf8=\E[19~", r"kf9=\E[20~",
        r"khome=\EOH", r"kich1=\E[2~", r"kind=\E[1;2B", r"kmous=\E[<", r"knp=\E[6~", r"kpp=\E[5~",
        r"kri=\E[1;2A", r"mc0=\E[i", r"mc4=\E[4i", r"mc5=\E[5i", r"meml=\El", r"memu=\Em", r"mgc=\E[?69l",
        r"nel=\EE", r"op=\E[39;49m", r"rc=\E8", r"rep=%p1%c\E[%p2%{1}%-%db", r"rev=\E[7m", r"ri=\EM",
        r"rin=\E[%p1%dT", r"ritm=\E[23m", r"rmacs=\E(B", r"rmam=\E[?7l", r"rmcup=\E[?1049l\E[23;0;0t",
        r"rmir=\E[4l", r"rmkx=\E[?1l\E>", r"rmm=\E[?1034l", r"rmso=\E[27m", r"rmul=\E[24m", r"rs1=\Ec",
        r"rs2=\E[!p\E[?3;4l\E[4l\E>", r"sc=\E7", r"setab=\E[4%p1%dm", r"setaf=\E[3%p1%dm",
        r"setb=\E[4%?%p1%{1}%=%t4%e%p1%{3}%=%t6%e%p1%{4}%=%t1%e%p1%{6}%=%t3%e%p1%d%;m",
        r"setf=\E[3%?%p1%{1}%=%t4%e%p1%{3}%=%t6%e%p1%{4}%=%t1%e%p1%{6}%=%t3%e%p1%d%;m",
        r"sgr=%?%p9%t\E(0%e\E(B%;\E[0%?%p6%t;1%;%?%p5%t;2%;%?%p2%t;4%;%?%p1%p3%|%t;7%;%?%p4%t;5%;%?%p7%t;8%;m",
        r"sgr0=\E(B\E[m", r"sitm=\E[3m", r"smacs=\E(0", r"smam=\E[?7h", r"smcup=\E[?1049h\E[22;0;0t",
        r"smglp=\E[?69h\E[%i%p1%ds", r"smglr=\E[?69h\E[%i%p1%d;%p2%ds", r"smgrp=\E[?69h\E[%i;%p1%ds",
        r"smir=\E[4h", r"smkx=\E[?1h\E=", r"smm=\E[?1034h", r"smso=\E[7m", r"smul=\E[4m", r"tbc=\E[3g",
        r"u6=\E[%i%d;%dR", r"u7=\E[6n", r"u8=\E[?%[;0123456789]c", r"u9=\E[c", r"vpa=\E[%i%p1%dd",
        r"BD=\E[?2004l", r"BE=\E[?2004h", r"Cr=\E]112\007", r"Cs=\E]12;%p1%s\007", r"E3=\E[3J",
        r"Ms=\E]52;%p1%s;%p2%s\007", r"PE=\E[201~", r"PS=\E[200~", r"Se=\E[2 q", r"Ss=\E[%p1%d q",
        r"XM=\E[?1006;1000%?%p1%{1}%=%th%el%;", r"kDC3=\E[3;3~", r"kDC4=\E[3;4~", r"kDC5=\E[3;5~",
        r"kDC6=\E[3;6~", r"kDC7=\E[3;7~", r"kDN=\E[1;2B", r"kDN3=\E[1;3B", r"kDN4=\E[1;4B", r"kDN5=\E[1;5B",
        r"kDN6=\E[1;6B", r"kDN7=\E[1;7B", r"kEND3=\E[1;3F", r"kEND4=\E[1;4F", r"kEND5=\E[1;5F",
        r"kEND6=\E[1;6F", r"kEND7=\E[1;7F", r"kHOM3=\E[1;3H", r"kHOM4=\E[1;4H", r"kHOM5=\E[1;5H",
        r"kHOM6=\E[1;6H", r"kHOM7=\E[1;7H", r"kIC3=\E[2;3~", r"kIC4=\E[2;4~", r"kIC5=\E[2;5~", r"kIC6=\E[2;6~",
        r"kIC7=\E[2;7~", r"kLFT3=\E[1;3D", r"kLFT4=\E[1;4D", r"kLFT5=\E[1;5D", r"kLFT6=\E[1;6D",
        r"kLFT7=\E[1;7D", r"kNXT3=\E[6;3~", r"kNXT4=\E[6;4~", r"kNXT5=\E[6;5~", r"kNXT6=\E[6;6~",
        r"kNXT7=\E[6;7~", r"kPRV3=\E[5;3~", r"kPRV4=\E[5;4~", r"kPRV5=\E[5;5~", r"kPRV6=\E[5;6~",
        r"kPRV7=\E[5;7~", r"kRIT3=\E[1;3C", r"kRIT4=\E[1;4C", r"kRIT5=\E[1;5C", r"kRIT6=\E[1;6C",
        r"kRIT7=\E[1;7C", r"kUP=\E[1;2A", r"kUP3=\E[1;3A", r"kUP4=\E[1;4A", r"kUP5=\E[1;5A", r"kUP6=\E[1;6A",
        r"kUP7=\E[1;7A", r"ka2=\EOx", r"kb1=\EOt", r"kb3=\EOv", r"kc2=\EOr", r"kp5=\EOE", r"kpADD=\EOk",
        r"kpCMA=\EOl", r"kpDIV=\EOo", r"kpDOT=\EOn", r"kpMUL=\EOj", r"kpSUB=\EOm", r"kpZRO=\EOp",
        r"rmxx=\E[29m", r"smxx=\E[9m", r"xm=\E[<%i%p3%d;%p1%d;%p2%d;%?%p4%tM%em%;",
    ],
};

#[rustfmt::skip]
static XTERM_256COLOR: Description = Description {
    names: &["xterm-256color", "xterm with 256 colors"],
    base: Some(&XTERM),
    capabilities: &[
        "ccc", "colors#0x100", "pairs#0x10000",
        r"initc=\E]4;%p1%d;rgb:%p2%{255}%*%{1000}%/%2.2X/%p3%{255}%*%{1000}%/%2.2X/%p4%{255}%*%{1000}%/%2.2X\E\\",
        r"oc=\E]104\007", r"rs1=\Ec\E]104\007",
        r"setab=\E[%?%p1%{8}%<%t4%p1%d%e%p1%{16}%<%t10%p1%{8}%-%d%e48;5;%p1%d%;m",
        r"setaf=\E[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m", "setb@", "setf@",
    ],
};

#[rustfmt::skip]
static SCREEN: Description = Description {
    names: &["screen", "VT 100/ANSI X3.64 virtual terminal"],
    base: None,
    capabilities: &[
        "OTbs", "OTpt", "am", "km", "mir", "msgr", "xenl", "AX", "G0", "colors#8", "cols#80", "it#8",
        "lines#24", "pairs#64", "U8#1",
        r"acsc=++\,\,--..00``aaffgghhiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz{{||}}~~", "bel=^G", r"blink=\E[5m",
        r"bold=\E[1m", r"cbt=\E[Z", r"civis=\E[?25l", r"clear=\E[H\E[J", r"cnorm=\E[34h\E[?25h", r"cr=\r",
        r"csr=\E[%i%p1%d;%p2%dr", r"cub=\E[%p1%dD", "cub1=^H", r"cud=\E[%p1%dB", r"cud1=\n", r"cuf=\E[%p1%dC",
        r"cuf1=\E[C", r"cup=\E[%i%p1%d;%p2%dH", r"cuu=\E[%p1%dA", r"cuu1=\EM", r"cvvis=\E[34l",
        r"dch=\E[%p1%dP", r"dch1=\E[P", r"dim=\E[2m", r"dl=\E[%p1%dM", r"dl1=\E[M", r"ed=\E[J", r"el=\E[K",
        r"el1=\E[1K", r"enacs=\E(B\E)0", r"flash=\Eg", r"home=\E[H", r"hpa=\E[%i%p1%dG", "ht=^I", r"hts=\EH",
        r"ich=\E[%p1%d@", r"il=\E[%p1%dL", r"il1=\E[L", r"ind=\n", r"indn=\E[%p1%dS", r"is2=\E)0", "kbs=^?",
        r"kcbt=\E[Z", r"kcub1=\EOD", r"kcud1=\EOB", r"kcuf1=\EOC", r"kcuu1=\EOA", r"kdch1=\E[3~", r"kend=\E[4~",
        r"kf1=\EOP", r"kf10=\E[21~", r"kf11=\E[23~", r"kf12=\E[24~", r"kf2=\EOQ", r"kf3=\EOR", r"kf4=\EOS",
        r"kf5=\E[15~", r"kf6=\E[17~", r"kf7=\E[18~", r"kf8=\E[19~", r"kf9=\E[20~", r"khome=\E[1~",
        r"kich1=\E[2~", r"kmous=\E[M", r"knp=\E[6~", r"kpp=\E[5~", r"nel=\EE", r"op=\E[39;49m", r"rc=\E8",
        r"rev=\E[7m", r"ri=\EM", r"rin=\E[%p1%dT", "rmacs=^O", r"rmcup=\E[?1049l", r"rmir=\E[4l",
        r"rmkx=\E[?1l\E>", r"rmso=\E[23m", r"rmul=\E[24m", r"rs2=\Ec\E[?1000l\E[?25h", r"sc=\E7",
        r"setab=\E[4%p1%dm", r"setaf=\E[3%p1%dm",
        r"sgr=\E[0%?%p6%t;1%;%?%p1%t;3%;%?%p2%t;4%;%?%p3%t;7%;%?%p4%t;5%;%?%p5%t;2%;m%?%p9%t\016%e\017%;",
        r"sgr0=\E[m\017", "smacs=^N", r"smcup=\E[?1049h", r"smir=\E[4h", r"smkx=\E[?1h\E=", r"smso=\E[3m",
        r"smul=\E[4m", r"tbc=\E[3g", r"u6=\E[%i%d;%dR", r"u7=\E[6n", r"u8=\E[?1;2c", r"u9=\E[c",
        r"vpa=\E[%i%p1%dd", r"E0=\E(B", r"S0=\E(%p1%c",
    ],
};

#[rustfmt::skip]
static SCREEN_256COLOR: Description = Description {
    names: &["screen-256color", "GNU Screen with 256 colors"],
    base: Some(&SCREEN),
    capabilities: &[
        "colors#0x100", "pairs#0x10000",
        r"setab=\E[%?%p1%{8}%<%t4%p1%d%e%p1%{16}%<%t10%p1%{8}%-%d%e48;5;%p1%d%;m",
        r"setaf=\E[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m",
    ],
};

#[rustfmt::skip]
static TMUX: Description = Description {
    names: &["tmux", "tmux terminal multiplexer"],
    base: Some(&SCREEN),
    capabilities: &[
        "hs", r"dsl=\E]0;\007", "fsl=^G", r"invis=\E[8m", r"kDC=\E[3;2~", r"kEND=\E[1;2F", r"kHOM=\E[1;2H",
        r"kIC=\E[2;2~", r"kLFT=\E[1;2D", r"kNXT=\E[6;2~", r"kPRV=\E[5;2~", r"kRIT=\E[1;2C", r"kf13=\E[1;2P",
        r"kf14=\E[1;2Q", r"kf15=\E[1;2R", r"kf16=\E[1;2S", r"kf17=\E[15;2~", r"kf18=\E[17;2~", r"kf19=\E[18;2~",
        r"kf20=\E[19;2~", r"kf21=\E[20;2~", r"kf22=\E[21;2~", r"kf23=\E[23;2~", r"kf24=\E[24;2~",
        r"kf25=\E[1;5P", r"kf26=\E[1;5Q", r"kf27=\E[1;5R", r"kf28=\E[1;5S", r"kf29=\E[15;5~", r"kf30=\E[17;5~",
        r"kf31=\E[18;5~", r"kf32=\E[19;5~", r"kf33=\E[20;5~", r"kf34=\E[21;5~", r"kf35=\E[23;5~",
        r"kf36=\E[24;5~", r"kf37=\E[1;6P", r"kf38=\E[1;6Q", r"kf39=\E[1;6R", r"kf40=\E[1;6S", r"kf41=\E[15;6~",
        r"kf42=\E[17;6~", r"kf43=\E[18;6~", r"kf44=\E[19;6~", r"kf45=\E[20;6~", r"kf46=\E[21;6~",
        r"kf47=\E[23;6~", r"kf48=\E[24;6~", r"kf49=\E[1;3P", r"kf50=\E[1;3Q", r"kf51=\E[1;3R", r"kf52=\E[1;3S",
        r"kf53=\E[15;3~", r"kf54=\E[17;3~", r"kf55=\E[18;3~", r"kf56=\E[19;3~", r"kf57=\E[20;3~",
        r"kf58=\E[21;3~", r"kf59=\E[23;3~", r"kf60=\E[24;3~", r"kf61=\E[1;4P", r"kf62=\E[1;4Q", r"kf63=\E[1;4R",
        r"kind=\E[1;2B", r"kri=\E[1;2A", r"ritm=\E[23m", r"rmso=\E[27m",
        r"sgr=\E[0%?%p6%t;1%;%?%p2%t;4%;%?%p1%p3%|%t;7%;%?%p4%t;5%;%?%p5%t;2%;%?%p7%t;8%;m%?%p9%t\016%e\017%;",
        r"sitm=\E[3m", r"smso=\E[7m", r"tsl=\E]0;", r"BD=\E[?2004l", r"BE=\E[?2004h", r"Cr=\E]112\007",
        r"Cs=\E]12;%p1%s\007", r"E3=\E[3J", r"Ms=\E]52;%p1%s;%p2%s\007", r"PE=\E[201~", r"PS=\E[200~",
        r"Se=\E[2 q", r"Smulx=\E[4:%p1%dm", r"Ss=\E[%p1%d q", r"TS=\E]0;", r"kDC3=\E[3;3~", r"kDC4=\E[3;4~",
        r"kDC5=\E[3;5~", r"kDC6=\E[3;6~", r"kDC7=\E[3;7~", r"kDN=\E[1;2B", r"kDN3=\E[1;3B", r"kDN4=\E[1;4B",
        r"kDN5=\E[1;5B", r"kDN6=\E[1;6B", r"kDN7=\E[1;7B", r"kEND3=\E[1;3F", r"kEND4=\E[1;4F", r"kEND5=\E[1;5F",
        r"kEND6=\E[1;6F", r"kEND7=\E[1;7F", r"kHOM3=\E[1;3H", r"kHOM4=\E[1;4H", r"kHOM5=\E[1;5H",
        r"kHOM6=\E[1;6H", r"kHOM7=\E[1;7H", r"kIC3=\E[2;3~", r"kIC4=\E[2;4~", r"kIC5=\E[2;5~", r"kIC6=\E[2;6~",
        r"kIC7=\E[2;7~", r"kLFT3=\E[1;3D", r"kLFT4=\E[1;4D", r"kLFT5=\E[1;5D", r"kLFT6=\E[1;6D",
        r"kLFT7=\E[1;7D", r"kNXT3=\E[6;3~", r"kNXT4=\E[6;4~", r"kNXT5=\E[6;5~", r"kNXT6=\E[6;6~",
        r"kNXT7=\E[6;7~", r"kPRV3=\E[5;3~", r"kPRV4=\E[5;4~", r"kPRV5=\E[5;5~", r"kPRV6=\E[5;6~",
        r"kPRV7=\E[5;7~", r"kRIT3=\E[1;3C", r"kRIT4=\E[1;4C", r"kRIT5=\E[1;5C", r"kRIT6=\E[1;6C",
        r"kRIT7=\E[1;7C", r"kUP=\E[1;2A", r"kUP3=\E[1;3A", r"kUP4=\E[1;4A", r"kUP5=\E[1;5A", r"kUP6=\E[1;6A",
        r"kUP7=\E[1;7A", r"rmxx=\E[29m", r"smxx=\E[9m",
    ],
};

#[rustfmt::skip]
static TMUX_256COLOR: Description = Description {
    names: &["tmux-256color", "tmux with 256 colors"],
    base: Some(&TMUX),
    capabilities: &[
        "colors#0x100", "pairs#0x10000",
        r"setab=\E[%?%p1%{8}%<%t4%p1%d%e%p1%{16}%<%t10%p1%{8}%-%d%e48;5;%p1%d%;m",
        r"setaf=\E[%?%p1%{8}%<%t3%p1%d%e%p1%{16}%<%t9%p1%{8}%-%d%e38;5;%p1%d%;m",
    ],
};

#[rustfmt::skip]
static LINUX: Description = Description {
    names: &["linux", "Linux console"],
    base: None,
    capabilities: &[
        "am", "bce", "ccc", "eo", "mir", "msgr", "xenl", "xon", "AX", "colors#8", "it#8", "ncv#18", "pairs#64",
        "U8#1", r"acsc=++\,\,--..00``aaffgghhiijjkkllmmnnooppqqrrssttuuvvwwxxyyzz{{||}}~~", "bel=^G",
        r"blink=\E[5m", r"bold=\E[1m", r"civis=\E[?25l\E[?1c", r"clear=\E[H\E[J", r"cnorm=\E[?25h\E[?0c",
        r"cr=\r", r"csr=\E[%i%p1%d;%p2%dr", r"cub=\E[%p1%dD", "cub1=^H", r"cud=\E[%p1%dB", r"cud1=\n",
        r"cuf=\E[%p1%dC", r"cuf1=\E[C", r"cup=\E[%i%p1%d;%p2%dH", r"cuu=\E[%p1%dA", r"cuu1=\E[A",
        r"cvvis=\E[?25h\E[?8c", r"dch=\E[%p1%dP", r"dch1=\E[P", r"dim=\E[2m", r"dl=\E[%p1%dM", r"dl1=\E[M",
        r"ech=\E[%p1%dX", r"ed=\E[J", r"el=\E[K", r"el1=\E[1K", r"enacs=\E)0", r"flash=\E[?5h$<200/>\E[?5l",
        r"home=\E[H", r"hpa=\E[%i%p1%dG", "ht=^I", r"hts=\EH", r"ich=\E[%p1%d@", r"ich1=\E[@", r"il=\E[%p1%dL",
        r"il1=\E[L", r"ind=\n",
        r"initc=\E]P%p1%x%p2%{255}%*%{1000}%/%02x%p3%{255}%*%{1000}%/%02x%p4%{255}%*%{1000}%/%02x", r"kb2=\E[G",
        "kbs=^?", r"kcbt=\E^I", r"kcub1=\E[D", r"kcud1=\E[B", r"kcuf1=\E[C", r"kcuu1=\E[A", r"kdch1=\E[3~",
        r"kend=\E[4~", r"kf1=\E[[A", r"kf10=\E[21~", r"kf11=\E[23~", r"kf12=\E[24~", r"kf13=\E[25~",
        r"kf14=\E[26~", r"kf15=\E[28~", r"kf16=\E[29~", r"kf17=\E[31~", r"kf18=\E[32~", r"kf19=\E[33~",
        r"kf2=\E[[B", r"kf20=\E[34~", r"kf3=\E[[C", r"kf4=\E[[D", r"kf5=\E[[E", r"kf6=\E[17~", r"kf7=\E[18~",
        r"kf8=\E[19~", r"kf9=\E[20~", r"khome=\E[1~", r"kich1=\E[2~", r"kmous=\E[M", r"knp=\E[6~", r"kpp=\E[5~",
        "kspd=^Z", r"nel=\r\n", r"oc=\E]R", r"op=\E[39;49m", r"rc=\E8", r"rev=\E[7m", r"ri=\EM", "rmacs=^O",
        r"rmam=\E[?7l", r"rmir=\E[4l", r"rmpch=\E[10m", r"rmso=\E[27m", r"rmul=\E[24m", r"rs1=\Ec\E]R",
        r"sc=\E7", r"setab=\E[4%p1%dm", r"setaf=\E[3%p1%dm",
        r"sgr=\E[0;10%?%p1%t;7%;%?%p2%t;4%;%?%p3%t;7%;%?%p4%t;5%;%?%p5%t;2%;%?%p6%t;1%;m%?%p9%t\016%e\017%;",
        r"sgr0=\E[m\017", "smacs=^N", r"smam=\E[?7h", r"smir=\E[4h", r"smpch=\E[11m", r"smso=\E[7m",
        r"smul=\E[4m", r"tbc=\E[3g", r"u6=\E[%i%d;%dR", r"u7=\E[6n", r"u8=\E[?6c", r"u9=\E[c",
        r"vpa=\E[%i%p1%dd", r"E3=\E[3J", r"kcbt2=\E[Z",
    ],
};

#[rustfmt::skip]
static VT100: Description = Description {
    names: &["vt100", "vt100-am", "DEC VT100 (w/advanced video)"],
    base: None,
    capabilities: &[
        "OTbs", "am", "mc5i", "msgr", "xenl", "xon", "cols#80", "it#8", "lines#24", "vt#3",
        "acsc=``aaffggjjkkllmmnnooppqqrrssttuuvvwwxxyyzz{{||}}~~", "bel=^G", r"blink=\E[5m$<2>",
        r"bold=\E[1m$<2>", r"clear=\E[H\E[J$<50>", r"cr=\r", r"csr=\E[%i%p1%d;%p2%dr", r"cub=\E[%p1%dD",
        "cub1=^H", r"cud=\E[%p1%dB", r"cud1=\n", r"cuf=\E[%p1%dC", r"cuf1=\E[C$<2>",
        r"cup=\E[%i%p1%d;%p2%dH$<5>", r"cuu=\E[%p1%dA", r"cuu1=\E[A$<2>", r"ed=\E[J$<50>", r"el=\E[K$<3>",
        r"el1=\E[1K$<3>", r"enacs=\E(B\E)0", r"home=\E[H", "ht=^I", r"hts=\EH", r"ind=\n", r"ka1=\EOq",
        r"ka3=\EOs", r"kb2=\EOr", "kbs=^H", r"kc1=\EOp", r"kc3=\EOn", r"kcub1=\EOD", r"kcud1=\EOB",
        r"kcuf1=\EOC", r"kcuu1=\EOA", r"kent=\EOM", r"kf0=\EOy", r"kf1=\EOP", r"kf10=\EOx", r"kf2=\EOQ",
        r"kf3=\EOR", r"kf4=\EOS", r"kf5=\EOt", r"kf6=\EOu", r"kf7=\EOv", r"kf8=\EOl", r"kf9=\EOw", "lf1=pf1",
        "lf2=pf2", "lf3=pf3", "lf4=pf4", r"mc0=\E[0i", r"mc4=\E[4i", r"mc5=\E[5i", r"rc=\E8", r"rev=\E[7m$<2>",
        r"ri=\EM$<5>", "rmacs=^O", r"rmam=\E[?7l", r"rmkx=\E[?1l\E>", r"rmso=\E[m$<2>", r"rmul=\E[m$<2>",
        r"rs2=\E<\E>\E[?3;4;5l\E[?7;8h\E[r", r"sc=\E7",
        r"sgr=\E[0%?%p1%p6%|%t;1%;%?%p2%t;4%;%?%p1%p3%|%t;7%;%?%p4%t;5%;m%?%p9%t\016%e\017%;$<2>",
        r"sgr0=\E[m\017$<2>", "smacs=^N", r"smam=\E[?7h", r"smkx=\E[?1h\E=", r"smso=\E[7m$<2>",
        r"smul=\E[4m$<2>", r"tbc=\E[3g", r"u6=\E[%i%d;%dR", r"u7=\E[6n", r"u8=\E[?%[;0123456789]c", r"u9=\EZ",
    ],
};

#[rustfmt::skip]
static ANSI: Description = Description {
    names: &["ansi", "ansi/pc-term compatible with color"],
    base: None,
    capabilities: &[
        "OTbs", "am", "mc5i", "mir", "msgr", "AX", "colors#8", "cols#80", "it#8", "lines#24", "ncv#3",
        "pairs#64",
        r"acsc=+\020\,\021-\030.^Y0\333`\004a\261f\370g\361h\260j\331k\277l\332m\300n\305o~p\304q\304r\304s_t\303u\264v\301w\302x\263y\363z\362{\343|\330}\234~\376",
        "bel=^G", r"blink=\E[5m", r"bold=\E[1m", r"cbt=\E[Z", r"clear=\E[H\E[J", r"cr=\r", r"cub=\E[%p1%dD",
        r"cub1=\E[D", r"cud=\E[%p1%dB", r"cud1=\E[B", r"cuf=\E[%p1%dC", r"cuf1=\E[C", r"cup=\E[%i%p1%d;%p2%dH",
        r"cuu=\E[%p1%dA", r"cuu1=\E[A", r"dch=\E[%p1%dP", r"dch1=\E[P", r"dl=\E[%p1%dM", r"dl1=\E[M",
        r"ech=\E[%p1%dX", r"ed=\E[J", r"el=\E[K", r"el1=\E[1K", r"home=\E[H", r"hpa=\E[%i%p1%dG", r"ht=\E[I",
        r"hts=\EH", r"ich=\E[%p1%d@", r"il=\E[%p1%dL", r"il1=\E[L", r"ind=\n", r"indn=\E[%p1%dS",
        r"invis=\E[8m", "kbs=^H", r"kcbt=\E[Z", r"kcub1=\E[D", r"kcud1=\E[B", r"kcuf1=\E[C", r"kcuu1=\E[A",
        r"khome=\E[H", r"kich1=\E[L", r"mc4=\E[4i", r"mc5=\E[5i", r"nel=\r\E[S", r"op=\E[39;49m",
        r"rep=%p1%c\E[%p2%{1}%-%db", r"rev=\E[7m", r"rin=\E[%p1%dT", r"rmacs=\E[10m", r"rmpch=\E[10m",
        r"rmso=\E[m", r"rmul=\E[m", r"s0ds=\E(B", r"s1ds=\E)B", r"s2ds=\E*B", r"s3ds=\E+B", r"setab=\E[4%p1%dm",
        r"setaf=\E[3%p1%dm",
        r"sgr=\E[0;10%?%p1%t;7%;%?%p2%t;4%;%?%p3%t;7%;%?%p4%t;5%;%?%p6%t;1%;%?%p7%t;8%;%?%p9%t;11%;m",
        r"sgr0=\E[0;10m", r"smacs=\E[11m", r"smpch=\E[11m", r"smso=\E[7m", r"smul=\E[4m", r"tbc=\E[3g",
        r"u6=\E[%i%d;%dR", r"u7=\E[6n", r"u8=\E[?%[;0123456789]c", r"u9=\E[c", r"vpa=\E[%i%p1%dd",
    ],
};

#[rustfmt::skip]
static DUMB: Description = Description {
    names: &["dumb", "80-column dumb tty"],
    base: None,
    capabilities: &[
        "am", "cols#80", "bel=^G", r"cr=\r", r"cud1=\n", r"ind=\n",
    ],
};
