#include "launch/mpiexec/namespaces.hpp"

#include <unistd.h>

#include <cstdlib>

#include "launch/mpiexec/started.hpp"

namespace railyard::mpiexec::testing {

namespace {

bool run(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

}  // namespace

Namespaces::Namespaces(int hosts) {
    // An interface's name has 15 characters at most.
    const std::string mark = std::to_string(::getpid() % 100000);
    bridge_ = "ryb" + mark;
    const std::string net = "10.77." + std::to_string(::getpid() % 250);
    if (::geteuid() != 0) {
        missing_ = "only root can make network namespaces here";
        return;
    }
    if (!run("ip link add " + bridge_ + " type bridge") ||
        !run("ip addr add " + net + ".254/24 dev " + bridge_) ||
        !run("ip link set " + bridge_ + " up")) {
        missing_ = "this kernel has no bridge to plug network namespaces into";
        return;
    }
    for (int i = 0; i < hosts; ++i) {
        const std::string name = "ry" + mark + static_cast<char>('a' + i);
        names_.push_back(name);
        const std::string inside = "ip netns exec " + name + " ip ";
        if (!run("ip netns add " + name) ||
            !run("ip link add " + name + "0 type veth peer name " + name + "1 netns " + name) ||
            !run("ip link set " + name + "0 master " + bridge_ + " up") ||
            !run(inside + "link set lo up") ||
            !run(inside + "addr add " + net + "." + std::to_string(i + 1) + "/24 dev " + name +
                 "1") ||
            !run(inside + "link set " + name + "1 up")) {
            missing_ = "network namespaces with a veth pair cannot be made here";
            return;
        }
    }
}

Namespaces::~Namespaces() {
    for (const std::string& name : names_) {
        run("ip link del " + name + "0");
        run("ip netns del " + name);
    }
    run("ip link del " + bridge_);
}

std::string Namespaces::list(int ranks_each) const {
    std::string all;
    for (const std::string& name : names_)
        all += (all.empty() ? "" : ",") + name + ":" + std::to_string(ranks_each);
    return all;
}

void Namespaces::unplug(std::size_t host) const {
    run("ip link set " + names_.at(host) + "0 down");
}

}  // namespace railyard::mpiexec::testing
