use super::*;

#[test]
fn an_error_of_one_client_is_no_reason_to_pause() {
    let of_one_client = [
        Errno::CONNABORTED,
        Errno::PROTO,
        Errno::NOPROTOOPT,
        Errno::HOSTDOWN,
        Errno::NONET,
        Errno::HOSTUNREACH,
        Errno::OPNOTSUPP,
        Errno::NETUNREACH,
        Errno::NETDOWN,
    ];
    let lasting = [
        Errno::MFILE,
        Errno::NFILE,
        Errno::NOBUFS,
        Errno::NOMEM,
        Errno::PERM,
    ];

    for errno in of_one_client {
        assert!(concerns_one_client(&errno.into()), "{errno}");
    }
    for errno in lasting {
        assert!(!concerns_one_client(&errno.into()), "{errno}");
    }
}
