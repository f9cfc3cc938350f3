//! G1 to G21 over a scripted session.
