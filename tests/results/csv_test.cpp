#include "railyard/results/results.hpp"

#include <gtest/gtest.h>

#include "results/samples.hpp"

namespace railyard::results {
namespace {

TEST(Csv, OfNoRowsIsAHeader) {
    EXPECT_EQ(to_csv({}),
              "experiment,fabric,metric,value,unit,p1,p50,p99,mean,min,max,spread,iterations,"
              "steady\r\n");
}

TEST(Csv, HasAColumnForEveryParameterSeen) {
    Row first = sample_row();
    first.parameters = {{"op", "rdma_write"}};
    first.statistics = single(0.25, 3);
    Row second = first;
    second.parameters = {{"queue", std::int64_t{8}}, {"message_bytes", std::int64_t{64}}};
    second.value = 1e6;
    second.steady = false;
    EXPECT_EQ(to_csv(std::vector{first, second}),
              "experiment,fabric,message_bytes,op,queue,metric,value,unit,p1,p50,p99,mean,min,max,"
              "spread,iterations,steady\r\n"
              "latency-uni,shm,,rdma_write,,latency,0.103,us,0.25,0.25,0.25,0.25,0.25,0.25,0,3,"
              "yes\r\n"
              "latency-uni,shm,64,,8,latency,1000000,us,0.25,0.25,0.25,0.25,0.25,0.25,0,3,no\r\n");
}

TEST(Csv, QuotesAsTheRfcSays) {
    Row row = sample_row();
    row.parameters = {{"comma", "a,b"}, {"line", "a\nb"}, {"quote", "say \"so\""}};
    const std::string text = to_csv(std::vector{row});
    EXPECT_NE(text.find("shm,\"a,b\",\"a\nb\",\"say \"\"so\"\"\",latency"), std::string::npos)
        << text;
}

TEST(Csv, QuotesNamesOfParametersToo) {
    Row row = sample_row();
    row.parameters = {{"a,b", "c"}};
    EXPECT_TRUE(to_csv(std::vector{row}).starts_with("experiment,fabric,\"a,b\",metric"));
}

}  // namespace
}  // namespace railyard::results
