#pragma once
/// What a profile can say of the MPI library of its time: the keys of [mpi].

#include "interconnects/virtual/model/schema_row.hpp"

namespace railyard::model::schema {

inline constexpr std::array of_mpi{
    row<&P::mpi, &Mpi::name>("mpi", "name", "what it was called"),
    row<&P::mpi, &Mpi::connections>("mpi", "connections", "when connections are made"),
    row<&P::mpi, &Mpi::wildcard_connects>("mpi", "wildcard_connects",
                                          "a receive from any source connects to every rank"),
    row<&P::mpi, &Mpi::matching>("mpi", "matching", "how receives and messages find each other"),
    row<&P::mpi, &Mpi::tagged>("mpi", "tagged", "let the adapter match, where it can"),
    row<&P::mpi, &Mpi::eager_limit>("mpi", "eager_limit", "larger messages are offered first"),
    row<&P::mpi, &Mpi::watched_rings>("mpi", "watched_rings",
                                      "peers that write into rings; further ones send mail"),
    row<&P::mpi, &Mpi::ring_cells>("mpi", "ring_cells", "packets that a ring holds"),
    row<&P::mpi, &Mpi::ring_bytes>("mpi", "ring_bytes", "four packets of the largest size"),
    row<&P::mpi, &Mpi::piece>("mpi", "piece", "size of the pieces of a streamed message"),
    row<&P::mpi, &Mpi::mail_buffers>("mpi", "mail_buffers",
                                     "receive buffers for all peers that send mail"),
    row<&P::mpi, &Mpi::mail_credits>("mpi", "mail_credits",
                                     "packets that one peer may have under way by mail"),
    row<&P::mpi, &Mpi::bulk>("mpi", "bulk", "how the bytes of a large message get across"),
    row<&P::mpi, &Mpi::rails>("mpi", "rails", "what becomes of a large message on several ports"),
    row<&P::mpi, &Mpi::ports>("mpi", "ports", "how many ports it uses; 0: all"),
    row<&P::mpi, &Mpi::striping_threshold>("mpi", "striping_threshold",
                                           "larger messages are cut over the ports"),
    row<&P::mpi, &Mpi::registration_cache>("mpi", "registration_cache",
                                           "registered memory that is kept"),
    row<&P::mpi, &Mpi::shared_memory>("mpi", "shared_memory",
                                      "collectives of one node go through its memory"),
    row<&P::mpi, &Mpi::algorithms>("mpi", "algorithms", "of collectives"),
    row<&P::mpi, &Mpi::send_overhead>("mpi", "send_overhead",
                                      "its own work for each message, before it leaves ..."),
    row<&P::mpi, &Mpi::send_rest>("mpi", "send_rest", "... and after it has left"),
    row<&P::mpi, &Mpi::receive_start>("mpi", "receive_start",
                                      "its own work for each receive that is asked for"),
    row<&P::mpi, &Mpi::receive_overhead>("mpi", "receive_overhead",
                                         "its own work for each message that has come"),
    row<&P::mpi, &Mpi::posted_entry>("mpi", "posted_entry",
                                     "a look at one posted receive, by its own matching"),
    row<&P::mpi, &Mpi::unexpected_entry>("mpi", "unexpected_entry",
                                         "a look at one unexpected message, likewise"),
    row<&P::mpi, &Mpi::rendezvous_overhead>("mpi", "rendezvous_overhead",
                                            "its own work at each step of a rendezvous"),
};

}  // namespace railyard::model::schema
