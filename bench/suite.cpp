#include "bench/suite.hpp"

#include <array>

namespace railyard::bench {

void small_messages(const Settings& settings, const Report& report);
void rdma_write(const Settings& settings, const Report& report);
void rdma_read(const Settings& settings, const Report& report);
void send_receive(const Settings& settings, const Report& report);
void no_dip(const Settings& settings, const Report& report);
void all_to_all(const Settings& settings, const Report& report);
void idle(const Settings& settings, const Report& report);
void empty_poll(const Settings& settings, const Report& report);
void iwarp_tcp(const Settings& settings, const Report& report);
void mpi_ofi(const Settings& settings, const Report& report);
void ofi_raw(const Settings& settings, const Report& report);
void engine(const Settings& settings, const Report& report);
void ring(const Settings& settings, const Report& report);
void ring_for_memory();
void adapter(const Settings& settings, const Report& report);
void elite_network(const Settings& settings, const Report& report);
void datatypes(const Settings& settings, const Report& report);
void mpi_pair(const Settings& settings, const Report& report);
void mpi_iwarp(const Settings& settings, const Report& report);
void mpi_one_sided(const Settings& settings, const Report& report);
void mpi_types(const Settings& settings, const Report& report);
void mpi_queues(const Settings& settings, const Report& report);
void mpi_group(const Settings& settings, const Report& report);
void mpi_nonblocking(const Settings& settings, const Report& report);
void mpi_start(const Settings& settings, const Report& report);
void launchers(const Settings& settings, const Report& report);
void mpi_recording(const Settings& settings, const Report& report);
void mpi_virtual(const Settings& settings, const Report& report);
void virtual_scale(const Settings& settings, const Report& report);
void virtual_cost(const Settings& settings, const Report& report);
void mpi_many_ranks(const Settings& settings, const Report& report);
void halo_of_1024();
void halo_of_4096();
void halo_of_100000();
void all_connected_256();
void all_connected_512();
void executables(const Settings& settings, const Report& report);
void kernel_loops(const Settings& settings, const Report& report);
void kernel_ranks(const Settings& settings, const Report& report);

std::span<const Benchmark> all() {
    static constexpr std::array benchmarks{
        Benchmark{"small-message", "8 bytes one way, beside handing over a cache line",
                  small_messages},
        Benchmark{"rdma-write", "RDMA write into mapped memory, beside one raw copy", rdma_write},
        Benchmark{"rdma-read", "RDMA read of user memory, beside raw process_vm_readv", rdma_read},
        Benchmark{"send-recv", "send/receive of user memory, beside the raw two-copy pipeline",
                  send_receive},
        Benchmark{"no-dip", "the worst step of send/receive bandwidth from one size to the next",
                  no_dip},
        Benchmark{"all-to-all", "64 ranks exchange 8 bytes, each with each", all_to_all},
        Benchmark{"idle", "what a job that only waits takes of a core", idle},
        Benchmark{"empty-poll", "an empty poll with 256 connections, beside one with 2",
                  empty_poll},
        Benchmark{"iwarp", "RDMA over TCP on the loopback, beside plain spinning TCP", iwarp_tcp},
        Benchmark{"iwarp-mpi", "our MPI over iWARP, beside the best other one over TCP", mpi_iwarp},
        Benchmark{"ofi", "libfabric's tcp as a fabric, beside libfabric itself", ofi_raw},
        Benchmark{"mpi-ofi", "our MPI over libfabric's tcp, beside others over TCP", mpi_ofi},
        Benchmark{"engine", "the virtual-time engine: events and switches", engine},
        Benchmark{"adapter", "messages through a modelled adapter, in real time", adapter},
        Benchmark{"elite", "the switch network of Quadrics, by packets and by flits",
                  elite_network},
        Benchmark{"datatypes", "packing and reductions, beside loops written by hand", datatypes},
        Benchmark{"mpi-pair", "our MPI beside the best other one here, two ranks", mpi_pair},
        Benchmark{"mpi-one-sided", "one-sided operations beside the best other MPI's, two ranks",
                  mpi_one_sided},
        Benchmark{"mpi-types", "sends of derived types beside the best other MPI's, two ranks",
                  mpi_types},
        Benchmark{"mpi-queues", "latency behind long queues, beside empty ones", mpi_queues},
        Benchmark{"mpi-group", "collectives of 2 to 16 ranks, beside other MPIs", mpi_group},
        Benchmark{"mpi-nonblocking", "collectives that do not block, beside other MPIs",
                  mpi_nonblocking},
        Benchmark{"mpi-start", "starting and ending 64 ranks, and what a rank takes", mpi_start},
        Benchmark{"launchers", "starting and ending ranks under hydra and Slurm", launchers},
        Benchmark{"mpi-recording", "what --trace costs a call, and CG and LU", mpi_recording},
        Benchmark{"mpi-virtual", "MPI in virtual time", mpi_virtual},
        Benchmark{"virtual-scale", "a halo without arithmetic on many ranks, beside SMPI",
                  virtual_scale},
        Benchmark{"virtual-cost", "a message in virtual time by ranks, size, peers and model",
                  virtual_cost},
        Benchmark{"mpi-many-ranks", "memory and start of very many ranks in virtual time",
                  mpi_many_ranks},
        Benchmark{"executables", "MPI executables in virtual time, beside SMPI", executables},
        Benchmark{"kernel-loops", "the NAS kernels' hot loops, beside the same written plainly",
                  kernel_loops},
        Benchmark{"kernel-ranks", "NAS kernels on several ranks, beside one", kernel_ranks},
        Benchmark{"ring", "a ring of 4096 ranks in virtual time, beside one of 2", ring},
    };
    return benchmarks;
}

std::span<const MemoryBenchmark> all_of_memory() {
    static constexpr std::array benchmarks{
        MemoryBenchmark{"ring", ring_for_memory},
        MemoryBenchmark{"halo-1024", halo_of_1024},
        MemoryBenchmark{"halo-4096", halo_of_4096},
        MemoryBenchmark{"halo-100000", halo_of_100000},
        MemoryBenchmark{"connected-256", all_connected_256},
        MemoryBenchmark{"connected-512", all_connected_512},
    };
    return benchmarks;
}

}  // namespace railyard::bench
