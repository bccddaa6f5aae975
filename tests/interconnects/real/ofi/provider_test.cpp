#include "interconnects/real/ofi/module/provider.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <utility>

#include "interconnects/real/ofi/loader/fabric.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// As on a machine with InfiniBand, Ethernet and an adapter that has only RDM endpoints.
std::vector<Offer> machine() {
    return {
        {.provider = "tcp", .domain = "lo", .connected = true, .loopback = true},
        {.provider = "tcp", .domain = "eth0", .connected = true, .newer_ip = true},
        {.provider = "tcp", .domain = "eth0", .address = "10.0.0.1", .connected = true},
        {.provider = "sockets", .domain = "eth0", .connected = true},
        {.provider = "net", .domain = "eth0", .connected = true},
        {.provider = "verbs", .domain = "mlx5_1", .connected = true},
        {.provider = "efa", .domain = "efa_0"},
    };
}

std::size_t chosen(const std::vector<Offer>& offers, const Wish& wish) {
    return choose(offers, wish).front();
}

std::string refusal(const std::vector<Offer>& offers, const Wish& wish) {
    try {
        (void)choose(offers, wish);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(OfiProvider, HardwareComesFirst) {
    EXPECT_EQ(chosen(machine(), {}), 5U);
}

TEST(OfiProvider, HardwareIsToldFromWhatAllHostsHave) {
    for (const char* name : {"verbs", "verbs;ofi_rxm", "efa", "cxi"})
        EXPECT_TRUE(is_hardware(name)) << name;
    for (const char* name : {"tcp", "tcp;ofi_rxm", "net", "sockets", "strict"})
        EXPECT_FALSE(is_hardware(name)) << name;
}

TEST(OfiProvider, OfSoftwareTheOneThatCanBeSleptOn) {
    std::vector<Offer> offers = machine();
    offers.erase(offers.begin() + 5, offers.end());
    EXPECT_EQ(chosen(offers, {}), 2U) << "not the loopback, and the older protocol first";
}

TEST(OfiProvider, BridgesOfThisHostComeBeforeTheLoopbackOnly) {
    std::vector<Offer> offers = {
        machine()[0],
        {.provider = "tcp", .domain = "docker0", .connected = true, .bridge = true},
        machine()[1]};
    EXPECT_EQ(chosen(offers, {}), 2U) << "whatever the order, and the protocol";
    offers.pop_back();
    EXPECT_EQ(chosen(offers, {}), 1U);
    offers.pop_back();
    EXPECT_EQ(chosen(offers, {}), 0U);
}

TEST(OfiProvider, TheLoopbackIsBetterThanNothing) {
    const std::vector<Offer> offers = {machine()[0]};
    EXPECT_EQ(chosen(offers, {}), 0U);
}

TEST(OfiProvider, TheWishCounts) {
    EXPECT_EQ(chosen(machine(), {.provider = "net"}), 4U);
    EXPECT_EQ(chosen(machine(), {.provider = "sockets"}), 3U);
    EXPECT_EQ(chosen(machine(), {.domains = {.names = {"lo"}}}), 0U);
    EXPECT_EQ(chosen(machine(), {.provider = "tcp", .domains = {.names = {"lo"}}}), 0U);
}

TEST(OfiProvider, NobodyGetsSocketsWhoDoesNotAsk) {
    const std::vector<Offer> offers = {machine()[3]};
    EXPECT_THAT(refusal(offers, {}), HasSubstr("sockets on eth0"));
    EXPECT_EQ(chosen(offers, {.provider = "sockets"}), 0U);
}

TEST(OfiProvider, AddressesOfOneLinkAreNotUsed) {
    std::vector<Offer> offers = {machine()[2]};
    offers[0].link_local = true;
    EXPECT_NE(refusal(offers, {}), "");
}

TEST(OfiProvider, WhatIsNotThereIsToldWithWhatIs) {
    EXPECT_THAT(
        refusal(machine(), {.provider = "cxi"}),
        AllOf(HasSubstr("'cxi'"), HasSubstr("verbs on mlx5_1"), HasSubstr("tcp on eth0, lo"),
              HasSubstr("efa on efa_0"), HasSubstr("fi_info -p cxi")));
    EXPECT_THAT(refusal(machine(), {.domains = {.names = {"ib7"}}}),
                AllOf(HasSubstr("domain 'ib7'"), HasSubstr("RAILYARD_OFI_PROVIDER")));
    EXPECT_THAT(refusal({}, {}), HasSubstr("found: nothing"));
}

TEST(OfiProvider, WhatHasOnlyRdmEndpointsIsUsedByThem) {
    EXPECT_EQ(chosen(machine(), {.provider = "efa"}), 6U);
    EXPECT_THAT(refusal(machine(), {.provider = "efa", .endpoints = Endpoints::connected}),
                AllOf(HasSubstr("'efa'"), HasSubstr("MSG")));
}

TEST(OfiProvider, OfHardwareWithoutConnectionsRatherThanSoftware) {
    std::vector<Offer> offers = machine();
    offers.erase(offers.begin() + 5);  // verbs
    EXPECT_EQ(offers[chosen(offers, {})].provider, "efa");
}

TEST(OfiProvider, WhereThereAreBothKindsOfEndpointsConnectionsComeFirst) {
    std::vector<Offer> offers = machine();
    offers.push_back({.provider = "net", .domain = "eth0"});
    EXPECT_EQ(chosen(offers, {.provider = "net"}), 4U);
    EXPECT_EQ(chosen(offers, {.provider = "net", .endpoints = Endpoints::shared}), 7U);
}

/// Four adapters, two of them at the other socket, and one in a network of its own.
std::vector<Offer> many_adapters() {
    const auto adapter = [](const char* name, unsigned distance, const char* network = "fabric") {
        return Offer{.provider = "verbs",
                     .domain = name,
                     .network = network,
                     .connected = true,
                     .is_adapter = true,
                     .distance = distance};
    };
    return {adapter("mlx5_0", 21), adapter("mlx5_1", 10), adapter("mlx5_2", 21),
            adapter("mlx5_3", 10), adapter("mlx5_9", 10, "storage")};
}

TEST(OfiDomains, TheNearestIsTaken) {
    EXPECT_EQ(chosen(many_adapters(), {}), 1U);
}

TEST(OfiDomains, RanksOfANodeShareThoseThatAreAsNear) {
    EXPECT_EQ(chosen(many_adapters(), {.place = 1}), 3U);
    EXPECT_EQ(chosen(many_adapters(), {.place = 2}), 1U);
    // Interfaces that are no adapters may be of networks that do not reach each other.
    std::vector<Offer> offers = {machine()[2], machine()[2]};
    offers[1].domain = "eth1";
    EXPECT_EQ(chosen(offers, {.place = 1}), 0U);
}

TEST(OfiDomains, SeveralAreTakenTheNearestFirst) {
    EXPECT_EQ(choose(many_adapters(), {.domains = {.count = 4}}),
              (std::vector<std::size_t>{1, 3, 4, 0}));
}

TEST(OfiDomains, ThoseThatAreNamedAreTakenInThatOrder) {
    EXPECT_EQ(choose(many_adapters(), {.domains = parse_domains("mlx5_2,mlx5_0")}),
              (std::vector<std::size_t>{2, 0}));
    EXPECT_THAT(refusal(many_adapters(), {.domains = parse_domains("mlx5_2,mlx5_7")}),
                AllOf(HasSubstr("'mlx5_7'"), HasSubstr("'verbs'"), HasSubstr("mlx5_0")));
    EXPECT_EQ(choose(machine(), {.provider = "tcp", .domains = parse_domains("lo,eth0")}),
              (std::vector<std::size_t>{0, 2}));
}

TEST(OfiDomains, TooFewAreToldByName) {
    EXPECT_THAT(refusal(machine(), {.provider = "tcp", .domains = {.count = 2}}),
                AllOf(HasSubstr("2 domains of tcp"), HasSubstr("are 1: eth0"),
                      HasSubstr("RAILYARD_OFI_DOMAINS")));
}

TEST(OfiDomains, AreNamedOrCounted) {
    EXPECT_EQ(parse_domains("3").count, 3U);
    EXPECT_EQ(parse_domains("a,b").names, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(parse_domains("a,b").count, 2U);
    for (const char* wrong : {"0", "9", "a,", "a,,b", "a,a"})
        EXPECT_THROW((void)parse_domains(wrong), UsageError) << wrong;
}

/// The variables as they were, after a test that sets them.
class Variables {
  public:
    explicit Variables(std::initializer_list<const char*> names) {
        for (const char* name : names) {
            const char* const value = std::getenv(name);
            saved_.emplace_back(
                name, value != nullptr ? std::optional<std::string>(value) : std::nullopt);
        }
    }
    ~Variables() {
        for (const auto& [name, value] : saved_)
            value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
    }

  private:
    std::vector<std::pair<const char*, std::optional<std::string>>> saved_;
};

TEST(OfiDomains, AreAsManyAsTheEnvironmentSays) {
    const Variables saved{"RAILYARD_OFI_DOMAIN", "RAILYARD_OFI_DOMAINS"};
    ::setenv("RAILYARD_OFI_DOMAIN", "lo", 1);
    ::setenv("RAILYARD_OFI_DOMAINS", "2", 1);
    EXPECT_EQ(traits("ofi").ports, 2U);
    EXPECT_TRUE(wish_for("").domains.names.empty()) << "that of one counts no more";
    ::unsetenv("RAILYARD_OFI_DOMAINS");
    EXPECT_EQ(traits("ofi").ports, 1U);
    EXPECT_EQ(wish_for("").domains.names, std::vector<std::string>{"lo"});
}

TEST(OfiProvider, TheKindOfEndpointsIsBehindTheColon) {
    EXPECT_EQ(wish_for("net:rdm").provider, "net");
    EXPECT_EQ(wish_for("net:rdm").endpoints, Endpoints::shared);
    EXPECT_EQ(wish_for("net:msg").endpoints, Endpoints::connected);
    EXPECT_EQ(wish_for("tcp;ofi_rxm").endpoints, Endpoints::all);
    EXPECT_THROW((void)wish_for("net:rdma"), UsageError);
}

TEST(OfiProvider, TheNameHasTheLastWord) {
    ::setenv("RAILYARD_OFI_PROVIDER", "net", 1);
    ::setenv("RAILYARD_OFI_DOMAIN", "lo", 1);
    EXPECT_EQ(wish_for("").provider, "net");
    EXPECT_EQ(wish_for("tcp").provider, "tcp");
    EXPECT_EQ(wish_for("tcp").domains.names, std::vector<std::string>{"lo"});
    ::unsetenv("RAILYARD_OFI_PROVIDER");
    ::unsetenv("RAILYARD_OFI_DOMAIN");
}

TEST(OfiProvider, TagsNeedEndpointsThatAllShare) {
    EXPECT_EQ(wish_for("net", true).endpoints, Endpoints::shared);
    EXPECT_THAT([] { (void)wish_for("net:msg", true); },
                testing::ThrowsMessage<UsageError>(HasSubstr("RAILYARD_OFI_TAGGED")));
    for (const Offer& offer : look_around("", Endpoints::shared, true).offers)
        EXPECT_FALSE(offer.connected);
}

TEST(OfiProvider, PatienceIsADuration) {
    EXPECT_EQ(wish_for("tcp").patience, Duration::s(10));
    ::setenv("RAILYARD_OFI_PATIENCE", "3 s", 1);
    EXPECT_EQ(wish_for("tcp").patience, Duration::s(3));
    for (const char* wrong : {"3", "0 s", "soon"}) {
        ::setenv("RAILYARD_OFI_PATIENCE", wrong, 1);
        EXPECT_THAT([] { (void)wish_for("tcp"); },
                    testing::ThrowsMessage<UsageError>(HasSubstr("RAILYARD_OFI_PATIENCE: ")));
    }
    ::unsetenv("RAILYARD_OFI_PATIENCE");
}

/// libfabric has `tcp` wherever it is installed.
TEST(OfiProvider, LibfabricIsAsked) {
    const Found found = look_around("tcp", Endpoints::connected);
    ASSERT_FALSE(found.offers.empty());
    EXPECT_EQ(found.offers.size(), found.infos.size());
    for (const Offer& offer : found.offers) {
        EXPECT_EQ(offer.provider, "tcp");
        EXPECT_TRUE(offer.connected);
    }
    EXPECT_TRUE(look_around("no-such", Endpoints::all).offers.empty());
}

}  // namespace
}  // namespace railyard::ofi
