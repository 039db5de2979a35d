use std::io::ErrorKind;

use super::*;

fn blames(codes: &[Errno]) -> Vec<bool> {
    let errors = codes.iter().map(|&code| io::Error::from(code));
    errors.map(|error| blames_backend(&error)).collect()
}

#[test]
fn no_answer_and_a_closed_way_are_the_backends() {
    let theirs = [
        Errno::CONNREFUSED,
        Errno::CONNRESET,
        Errno::CONNABORTED,
        Errno::TIMEDOUT,
        Errno::HOSTUNREACH,
        Errno::HOSTDOWN,
        Errno::NOPROTOOPT,
        Errno::PERM,
        Errno::ACCESS,
    ];
    assert_eq!(blames(&theirs), [true; 9]);
    assert!(blames_backend(&io::Error::new(ErrorKind::TimedOut, "late")));
}

#[test]
fn a_lack_of_our_own_is_nobodys_fault() {
    let ours = [
        Errno::MFILE,
        Errno::NFILE,
        Errno::NOMEM,
        Errno::NOBUFS,
        Errno::ADDRNOTAVAIL,
        Errno::ADDRINUSE,
        Errno::AGAIN,
        Errno::INTR,
        Errno::NETUNREACH,
        Errno::NETDOWN,
        Errno::AFNOSUPPORT,
    ];
    assert_eq!(blames(&ours), [false; 11]);
}
