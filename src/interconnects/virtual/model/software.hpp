#pragma once
/// What a modelled interconnect costs its host, and the rules of its tagged port: what a profile
/// says of software, whatever carries the messages.

#include "hosts/virtual_host.hpp"
#include "interconnects/virtual/common/wire.hpp"
#include "interconnects/virtual/model/parameters.hpp"

namespace railyard::model {

Duration host_cost(const Parameters& parameters, virtual_time::HostStep step, Bytes size);
hosts::VirtualHost::Costs host_costs(const Parameters& parameters);
virtual_time::TaggedRules tagged_rules(const Parameters& parameters);

}  // namespace railyard::model
