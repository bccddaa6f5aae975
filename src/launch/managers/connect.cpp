#include "launch/managers/connect.hpp"

#include <cstdlib>

#include "launch/job/join.hpp"
#include "launch/managers/pmi_client.hpp"
#include "launch/managers/pmix_client.hpp"
#include "launch/managers/slurm_client.hpp"
#include "launch/managers/surroundings.hpp"

namespace railyard::managers {

namespace {

std::shared_ptr<Manager> connect(Road road) {
    switch (road) {
        case Road::pmi:
            return connect_pmi_by_descriptor();
        case Road::pmi_port:
            return connect_pmi_by_port();
        case Road::pmix:
            return connect_pmix();
        case Road::slurm:
            return connect_slurm();
        case Road::none:
            break;
    }
    return nullptr;
}

}  // namespace

std::shared_ptr<Manager> connect_to_manager() {
    if (std::getenv(job::Invitation::variable) != nullptr) return nullptr;
    std::shared_ptr<Manager> manager = connect(choose_road(Surroundings::here()));
    if (manager) mark_as_joined();
    return manager;
}

}  // namespace railyard::managers
