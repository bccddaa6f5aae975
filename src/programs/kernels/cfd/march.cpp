#include "kernels/cfd/march.hpp"

#include <cmath>
#include <string>

#include "kernels/cfd/flow.hpp"
#include "kernels/common/session.hpp"

namespace railyard::kernels::cfd {

namespace {

template <class Value>
Five root_mean_square(std::span<const Flow> flows, MPI_Comm comm, Value&& value) {
    Five sums{};
    for (const Flow& flow : flows) {
        const Region inside = flow.box.interior();
        for (int k = inside.first[2]; k < inside.last[2]; ++k)
            for (int j = inside.first[1]; j < inside.last[1]; ++j)
                for (int i = inside.first[0]; i < inside.last[0]; ++i) {
                    const Five five = value(flow, i, j, k);
                    for (std::size_t m = 0; m < components; ++m)
                        sums[m] += five[m] * five[m];
                }
    }
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), components, MPI_DOUBLE, MPI_SUM, comm);
    for (double& sum : sums)
        sum = std::sqrt(sum / flows.front().grid.interior());
    return sums;
}

Five residual(const Flow& flow, int i, int j, int k) {
    Five five{};
    for (int m = 0; m < components; ++m)
        five[static_cast<std::size_t>(m)] = flow.b[m][flow.box.at(i, j, k)] / flow.grid.dt;
    return five;
}

Five error(const Flow& flow, int i, int j, int k) {
    const Box& box = flow.box;
    const double h = flow.grid.h();
    Five five = exact((box.origin(0) + i) * h, (box.origin(1) + j) * h, (box.origin(2) + k) * h);
    for (int m = 0; m < components; ++m)
        five[static_cast<std::size_t>(m)] -= flow.u[m][box.at(i, j, k)];
    return five;
}

}  // namespace

Norms norms(std::span<const Flow> flows, MPI_Comm comm) {
    return {.residual = root_mean_square(flows, comm, residual),
            .error = root_mean_square(flows, comm, error)};
}

void compare(Verification& verification, const Norms& got, const Norms& reference) {
    for (std::size_t m = 0; m < components; ++m)
        verification.compare("residual " + std::to_string(m + 1), got.residual[m],
                             reference.residual[m]);
    for (std::size_t m = 0; m < components; ++m)
        verification.compare("error " + std::to_string(m + 1), got.error[m], reference.error[m]);
}

}  // namespace railyard::kernels::cfd
