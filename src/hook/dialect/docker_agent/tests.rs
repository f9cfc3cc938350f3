//! Rules over a scripted session.
