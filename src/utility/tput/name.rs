//! The names of capabilities that terminfo(5) defines, sorted.

/// Those that are numbers.
#[rustfmt::skip]
pub(super) const NUMBERS: &[&str] = &[
    "bitwin", "bitype", "btns", "bufsz", "colors", "cols", "cps", "it", "lh", "lines", "lm", "lw", "ma",
    "maddr", "mcs", "mjump", "mls", "ncv", "nlab", "npins", "orc", "orhi", "orl", "orvi", "pairs", "pb",
    "spinh", "spinv", "vt", "widcs", "wnum", "wsl", "xmc",
];

/// Those that are true or false, or strings.
#[rustfmt::skip]
pub(super) const OTHERS: &[&str] = &[
    "acsc", "am", "bce", "bel", "bicr", "binel", "birep", "blink", "bold", "bw", "cbt", "ccc", "chr", "chts",
    "civis", "clear", "cmdch", "cnorm", "colornm", "cpi", "cpix", "cr", "crxm", "csin", "csnm", "csr", "cub",
    "cub1", "cud", "cud1", "cuf", "cuf1", "cup", "cuu", "cuu1", "cvr", "cvvis", "cwin", "da", "daisy", "db",
    "dch", "dch1", "dclk", "defbi", "defc", "devt", "dial", "dim", "dispc", "dl", "dl1", "docr", "dsl", "ech",
    "ed", "ehhlm", "el", "el1", "elhlm", "elohlm", "enacs", "endbi", "eo", "erhlm", "eslok", "ethlm", "evhlm",
    "ff", "flash", "fln", "fsl", "getm", "gn", "hc", "hd", "hls", "home", "hook", "hpa", "hs", "ht", "hts",
    "hu", "hup", "hz", "ich", "ich1", "if", "il", "il1", "in", "ind", "indn", "initc", "initp", "invis", "ip",
    "iprog", "is1", "is2", "is3", "kBEG", "kCAN", "kCMD", "kCPY", "kCRT", "kDC", "kDL", "kEND", "kEOL", "kEXT",
    "kFND", "kHLP", "kHOM", "kIC", "kLFT", "kMOV", "kMSG", "kNXT", "kOPT", "kPRT", "kPRV", "kRDO", "kRES",
    "kRIT", "kRPL", "kSAV", "kSPD", "kUND", "ka1", "ka3", "kb2", "kbeg", "kbs", "kc1", "kc3", "kcan", "kcbt",
    "kclo", "kclr", "kcmd", "kcpy", "kcrt", "kctab", "kcub1", "kcud1", "kcuf1", "kcuu1", "kdch1", "kdl1", "ked",
    "kel", "kend", "kent", "kext", "kf0", "kf1", "kf10", "kf11", "kf12", "kf13", "kf14", "kf15", "kf16", "kf17",
    "kf18", "kf19", "kf2", "kf20", "kf21", "kf22", "kf23", "kf24", "kf25", "kf26", "kf27", "kf28", "kf29",
    "kf3", "kf30", "kf31", "kf32", "kf33", "kf34", "kf35", "kf36", "kf37", "kf38", "kf39", "kf4", "kf40",
    "kf41", "kf42", "kf43", "kf44", "kf45", "kf46", "kf47", "kf48", "kf49", "kf5", "kf50", "kf51", "kf52",
    "kf53", "kf54", "kf55", "kf56", "kf57", "kf58", "kf59", "kf6", "kf60", "kf61", "kf62", "kf63", "kf7", "kf8",
    "kf9", "kfnd", "khlp", "khome", "khts", "kich1", "kil1", "kind", "kll", "km", "kmous", "kmov", "kmrk",
    "kmsg", "knp", "knxt", "kopn", "kopt", "kpp", "kprt", "kprv", "krdo", "kref", "kres", "krfr", "kri",
    "krmir", "krpl", "krst", "ksav", "kslt", "kspd", "ktbc", "kund", "lf0", "lf1", "lf10", "lf2", "lf3", "lf4",
    "lf5", "lf6", "lf7", "lf8", "lf9", "ll", "lpi", "lpix", "mc0", "mc4", "mc5", "mc5i", "mc5p", "mcub",
    "mcub1", "mcud", "mcud1", "mcuf", "mcuf1", "mcuu", "mcuu1", "meml", "memu", "mgc", "mhpa", "minfo", "mir",
    "mrcup", "msgr", "mvpa", "ndscr", "nel", "npc", "nrrmc", "nxon", "oc", "op", "os", "pad", "pause", "pctrm",
    "pfkey", "pfloc", "pfx", "pfxl", "pln", "porder", "prot", "pulse", "qdial", "rbim", "rc", "rcsd", "rep",
    "reqmp", "rev", "rf", "rfi", "ri", "rin", "ritm", "rlm", "rmacs", "rmam", "rmclk", "rmcup", "rmdc", "rmicm",
    "rmir", "rmkx", "rmln", "rmm", "rmp", "rmpch", "rmsc", "rmso", "rmul", "rmxon", "rs1", "rs2", "rs3", "rshm",
    "rsubm", "rsupm", "rum", "rwidm", "s0ds", "s1ds", "s2ds", "s3ds", "sam", "sbim", "sc", "scesa", "scesc",
    "sclk", "scp", "scs", "scsd", "sdrfq", "setab", "setaf", "setb", "setcolor", "setf", "sgr", "sgr0", "sgr1",
    "sitm", "slength", "slines", "slm", "smacs", "smam", "smcup", "smdc", "smgb", "smgbp", "smgl", "smglp",
    "smglr", "smgr", "smgrp", "smgt", "smgtb", "smgtp", "smicm", "smir", "smkx", "smln", "smm", "smpch", "smsc",
    "smso", "smul", "smxon", "snlq", "snrmq", "sshm", "ssubm", "ssupm", "subcs", "sum", "supcs", "swidm", "tbc",
    "tone", "tsl", "u0", "u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9", "uc", "ul", "vpa", "wait",
    "wind", "wingo", "xenl", "xhp", "xhpa", "xoffc", "xon", "xonc", "xsb", "xt", "xvpa", "zerom",
];
