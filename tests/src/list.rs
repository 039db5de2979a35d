//! Turns the matrix into tests: one `#[test]` for each row that can be asked.
//!
//! The names are written here once more because a test's name has to be known
//! when the phase's crate is compiled. They stand under the phase from which they
//! can be asked. A test of this crate compares the list with the matrix.
//! Texts that are compared with snapshots stand there, too.

use crate::behaviours;
use crate::phase::Phase;

/// All tests of one phase: `testkit::phase!("phase-07", env!("CARGO_BIN_EXE_phase-07"));`
#[macro_export]
macro_rules! phase {
    ($name:tt, $binary:expr) => {
        $crate::rows!($name, [tests $name, $binary]);
    };
    // The same with a flag set whenever a behaviour does not set it itself. It changes
    // texts, which are left out.
    ($name:tt, $binary:expr, $flag:literal $value:literal) => {
        $crate::rows!($name, [with $flag $value, $name, $binary]);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! rows {
    ("phase-01", $then:tt) => {
        $crate::each! { $then texts: help_text start_text error_texts }
        $crate::each! { $then 1:
            forwards_every_byte
            serves_many_at_once
            second_client_does_not_wait
            reply_after_client_fin
            client_goes_on_after_backend_fin
            fin_before_any_byte
            banner_is_delivered
            small_messages_go_at_once
            slow_reader_holds_the_backend_up
            reset_is_passed_on
            idle_connections_hold_no_buffer
            large_messages_go_through_a_pipe
            slow_readers_hold_no_pipe
            large_messages_without_a_descriptor
            refused_backend_closes_the_client
            backend_may_be_a_name
            address_in_use_ends_the_program
            own_listener_is_no_backend
            out_of_descriptors
            storm_of_resets
            nobody_reads_the_log
            log_cannot_be_written
            addresses_cannot_be_printed
            connect_has_a_deadline
            last_backend_is_never_ejected
            connections_wait_for_clients
            first_client_gets_a_waiting_connection
            one_client_too_many
            burst_of_one_address
            idle_connection_is_closed
            half_closed_connection_is_closed
            soft_limit_is_raised
            bytes_come_before_the_idle_clock
            proxy_v1_names_the_client
            proxy_v2_names_the_client
            header_is_read_by_others
            header_of_an_ipv6_client
            mapped_client_is_announced_as_ipv4
            one_access_line_per_connection
            fault_delays
            fault_disconnects
            fault_seed_repeats_a_run
            name_leads_to_its_backend
            hello_arrives_unchanged
            most_specific_name_wins
            names_with_odd_dots
            hello_in_two_packets
            slow_and_big_hello
            largest_hello
            hello_over_two_records
            unknown_extensions_do_no_harm
            real_hellos_are_led
            records_may_end_anywhere
            other_protocols_do_not_wait
            nobody_is_asked_without_names
            tls_is_passed_through
            scanner_reaches_no_backend
            short_messages_do_not_wait
            beginnings_of_a_hello_are_waited_for
            end_settles_it
            slow_hello_costs_the_others_nothing
            last_client_may_finish
            nothing_to_wait_for
            signals_that_mean_nothing
            transfer_is_finished
            drain_says_how_many
            each_worker_listens
            program_started_twice
        }
    };
    ("phase-02", $then:tt) => {
        $crate::rows!("phase-01", $then);
        $crate::each! { $then 2:
            round_robin_takes_turns
            weighted_is_smooth
            random_has_no_pattern
            least_connections_fills_the_gap
            count_returns_however_it_ends
            dead_backend_gets_no_share
            down_backend_leaves_and_returns
            all_down_closes_the_client
            nobody_notices_before_the_next_check
            silent_address_costs_a_part_of_the_budget
            what_was_sent_is_not_repeated
            hanging_up_is_a_failure
            clients_convict_nobody
            half_an_answer_is_no_failure
        }
    };
    ("phase-03", $then:tt) => {
        $crate::rows!("phase-02", $then);
        $crate::each! { $then 3:
            one_answer_is_not_enough
            transition_is_logged_once
            check_has_a_deadline
            checks_are_not_heard
            check_does_not_end_an_ejection
        }
    };
    ("phase-04", $then:tt) => {
        $crate::rows!("phase-03", $then);
        $crate::each! { $then 4:
            ejection_ends_and_doubles
            one_client_tries_after_an_ejection
            who_cannot_be_tried_gets_no_share
            old_sessions_prove_nothing
            missing_route_blames_nobody
            header_goes_to_whoever_serves
        }
    };
    ("phase-05", $then:tt) => {
        $crate::rows!("phase-04", $then);
        $crate::each! { $then 5:
            stale_connections_hurt_nobody
            a_lone_client_finds_a_waiting_connection
            a_backend_that_speaks_first_is_not_pooled
            pool_follows_the_load
            burst_does_not_stampede
            end_of_a_waiting_connection_is_noticed
            hanging_up_is_no_reason_to_hurry
            silent_drop_is_outlived
            nothing_waits_at_a_backend_that_is_down
            waiting_connection_names_its_own_client
        }
    };
    ("phase-06", $then:tt) => {
        $crate::rows!("phase-05", $then);
        $crate::each! { $then 6:
            hard_limit_lowers_the_cap
            refused_clients_cost_few_lines
        }
    };
    ("phase-07", $then:tt) => {
        $crate::rows!("phase-06", $then);
        $crate::each! { $then 7: }
    };
    ("phase-08", $then:tt) => {
        $crate::rows!("phase-07", $then);
        $crate::each! { $then texts: metrics_page }
        $crate::each! { $then 8:
            page_is_served_to_get_only
            every_series_begins_at_zero
            scrapers_hold_nobody_up
            active_connections_are_counted
            rejected_clients_are_counted
            clients_create_no_series
            clean_end_is_told
            backend_is_named_as_the_cause
            client_is_named_as_the_cause
            limit_is_named_as_the_cause
            bytes_are_counted_as_they_pass
            retries_and_failures_are_counted
            connect_duration_is_the_connect
            log_is_json_if_wanted
            lost_lines_are_counted
            counters_are_of_all_workers
            pool_events_are_counted
        }
    };
    ("phase-09", $then:tt) => {
        $crate::rows!("phase-08", $then);
        $crate::each! { $then 9:
            faults_are_counted
        }
    };
    ("phase-10", $then:tt) => {
        $crate::rows!("phase-09", $then);
        $crate::each! { $then 10:
            unknown_name_without_a_default
            hello_without_a_name
            two_names_count_for_none
            silent_client_hears_the_greeting
            short_deadline_is_short
            half_a_hello_takes_no_processor
            bytes_come_before_the_deadline_for_names
            encrypted_hello_is_told
            ssl_2_is_known
            too_much_is_known_from_its_header
            hello_is_not_interrupted
            many_silent_clients_hear_the_greeting
        }
    };
    ("phase-11", $then:tt) => {
        $crate::rows!("phase-10", $then);
        $crate::each! { $then texts: drain_log }
        $crate::each! { $then 11:
            drain_has_a_deadline
            second_signal_ends_at_once
            drain_counts_who_is_there
            cut_is_no_end
            end_is_heard_after_a_cut
            cut_connections_are_told
            client_is_still_identified
            metrics_while_draining
            closed_connections_are_forgotten
            signal_in_a_storm
            nothing_waits_while_draining
        }
    };
    ("phase-12", $then:tt) => {
        $crate::rows!("phase-11", $then);
        $crate::each! { $then 12: }
    };
    ("phase-13", $then:tt) => {
        $crate::rows!("phase-12", $then);
        $crate::each! { $then 13:
            protocol_leads_to_its_backend
            nobody_is_asked_where_detection_is_off
            listeners_end_together
        }
    };
    ("phase-14", $then:tt) => {
        $crate::rows!("phase-13", $then);
        $crate::each! { $then 14:
            reset_waits_for_the_bytes
            urgent_byte_holds_nobody_up
            break_is_noticed_while_bytes_wait
            break_after_an_end_is_noticed
            last_words_go_on_while_they_move
        }
    };
    ("phase-15", $then:tt) => {
        $crate::rows!("phase-14", $then);
        $crate::each! { $then 15:
            workers_without_descriptors
            clients_stay_with_a_thread
            no_worker_idles_while_another_is_full
            queued_clients_are_served
        }
    };
    ("phase-16", $then:tt) => {
        $crate::rows!("phase-15", $then);
        $crate::each! { $then 16:
            pool_may_be_off_for_one_backend
        }
    };
    ("phase-17", $then:tt) => {
        $crate::rows!("phase-16", $then);
        $crate::each! { $then 17: }
    };
    ("phase-18", $then:tt) => {
        $crate::rows!("phase-17", $then);
        $crate::each! { $then 18: }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! each {
    ([tests $name:tt, $binary:expr] $since:literal: $($row:ident)*) => {
        $(
            #[test]
            fn $row() {
                $crate::check($name, $binary, stringify!($row), None);
            }
        )*
    };
    ([with $flag:literal $value:literal, $name:tt, $binary:expr] $since:literal: $($row:ident)*) => {
        $(
            #[test]
            fn $row() {
                $crate::check($name, $binary, stringify!($row), Some(($flag, $value)));
            }
        )*
    };
    ([with $flag:literal $value:literal, $name:tt, $binary:expr] texts: $($text:ident)*) => {};
    ([tests $name:tt, $binary:expr] texts: $($text:ident)*) => {
        $(
            #[test]
            fn $text() {
                $crate::snapshot($name, $binary, env!("CARGO_MANIFEST_DIR"), stringify!($text));
            }
        )*
    };
    ([into $list:ident] texts: $($text:ident)*) => {};
    ([into $list:ident] $since:literal: $($row:ident)*) => {
        $list.extend_from_slice(&[$(($since, stringify!($row))),*]);
    };
}

/// Observes one behaviour and compares it with its cell; panics if they differ. With
/// `flag`, that flag is set unless the behaviour sets it.
pub fn check(phase: &str, binary: &str, row: &str, flag: Option<(&'static str, &'static str)>) {
    let number = number(phase);
    let row = behaviours::rows()
        .find(|known| known.name == row)
        .expect("the list names rows of the matrix only");

    let Some(wanted) = row.cell(number).wanted() else {
        return;
    };
    let mut phase = Phase::new(number, binary);
    phase.always = flag;
    let saw = (row.run)(&phase);
    assert_eq!(saw, wanted, "{}", row.says);
}

/// The number in a phase's name.
pub fn number(phase: &str) -> u8 {
    phase
        .strip_prefix("phase-")
        .and_then(|number| number.parse().ok())
        .expect("a phase is called `phase-NN`")
}
