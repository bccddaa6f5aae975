#include "mpi/engine/settings.hpp"

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpi {

namespace {

/// No adapter: what is to be sent and what has come is seen to by processors, in calls.
bool moved_by_software(const fabric::Traits& traits) {
    return traits.clock == fabric::Clock::real && !traits.maps_allocated &&
           traits.progress != fabric::Progress::hardware;
}

Settings from_traits(const fabric::Traits& traits) {
    Settings s;
    const bool mapped = traits.maps_allocated;
    if (mapped && traits.clock == fabric::Clock::real) s.bulk = Way::automatic;
    if (!mapped) {
        // A ring that nobody maps is written by the adapter: it pays for few and small packets.
        s.watched_rings = traits.placement == fabric::Placement::last_byte_last ? 4 : 0;
        s.ring_bytes = Bytes(32 << 10);
        s.ring_cells = 8;
        s.eager_limit = Bytes(4 << 10);
        s.segment_size = Bytes(4 << 10);
        s.segmented_eager_limit = Bytes(0);
        switch (traits.bulk) {
            case fabric::Bulk::read:
                s.bulk = Way::read;
                break;
            case fabric::Bulk::write:
                s.bulk = Way::write;
                break;
            case fabric::Bulk::send:
                s.bulk = Way::stream;
                break;
        }
    }
    if (moved_by_software(traits)) {
        // A request costs the processor more than the bytes of a message do, and those are copied
        // on their way anyhow: few requests, and no question before a message that is not long.
        s.watched_rings = 0;
        s.eager_limit = s.segment_size = std::max(s.eager_limit, traits.bulk_threshold);
        s.ring_bytes = Bytes(std::bit_ceil(4 * (s.eager_limit + Bytes(64)).count()));
        s.coalescing = true;
        s.copied_limit = Bytes(4 << 10);
    }
    return s;
}

void check(const Settings& s) {
    if (!std::has_single_bit(s.ring_cells) || s.ring_cells < 8 || s.ring_cells > 4096)
        throw UsageError("ring-cells: a power of two from 8 to 4096");
    if (!std::has_single_bit(s.ring_bytes.count()) || s.ring_bytes < Bytes(4096) ||
        s.ring_bytes > Bytes(1 << 30))
        throw UsageError("ring-bytes: a power of two from 4 KiB to 1 GiB");
    const Bytes quarter = s.ring_bytes / 4;
    if (s.eager_limit + Bytes(64) > quarter || s.segment_size + Bytes(64) > quarter ||
        s.segment_size < Bytes(64))
        throw UsageError(
            fmt::format("eager-limit and segment-size: below a quarter of ring-bytes, {}, by "
                        "64 B at least, and segment-size not below 64 B",
                        to_string(quarter)));
    if (s.bulk_depth < 1) throw UsageError("bulk-depth: at least 1");
    if (s.bulk_segment < Bytes(64)) throw UsageError("bulk-segment: at least 64 B");
    if (s.connections == Connections::on_demand && !s.answer_requests &&
        !(s.receive_connects && s.wildcard_connects))
        throw UsageError(
            "answer-requests: off only with receive-connects and wildcard-connects on; else a rank "
            "that only receives would never connect");
    if (s.max_connections == 1)
        throw UsageError("max-connections: at least 2, one of which is for peers that ask; 0: any");
    if (s.max_connections != 0 && s.connections != Connections::on_demand)
        throw UsageError("max-connections: only where connections are made on demand");
    if (s.max_connections != 0 && !s.answer_requests)
        throw UsageError(
            "max-connections: only with answer-requests on; else a connection that was closed "
            "would not come back before both sides need it");
    if (s.srq_buffers < 4) throw UsageError("srq-buffers: at least 4");
    if (s.credits < 2 || s.credits > 4096) throw UsageError("credits: from 2 to 4096");
}

/// Puts the layers over each other, and remembers where each value comes from.
class Layers {
  public:
    explicit Layers(const fabric::Traits& traits) : settings_(from_traits(traits)) {
        const Settings plain;
        for (const SettingRow& row : rows_)
            origins_.push_back(row.show(settings_) == row.show(plain) ? "default" : traits.name);
    }

    void set(std::string_view name, const std::string& text, const std::string& origin,
             const std::string& place) {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (rows_[i].name != name) continue;
            try {
                rows_[i].set(settings_, text);
            } catch (const UsageError& error) {
                throw UsageError(fmt::format("{}: {}", place, error.what()));
            }
            origins_[i] = origin;
            return;
        }
        throw UsageError(fmt::format(
            "{}: the MPI library has no setting '{}' (see `railyard mpi-info`)", place, name));
    }

    /// Every variable with our prefix: a name that nobody knows is refused, not passed over.
    void set_from_environment() {
        for (char** variable = environ; *variable != nullptr; ++variable) {
            const std::string_view text = *variable;
            const std::size_t equals = text.find('=');
            if (!text.starts_with(variable_prefix) || equals == text.npos) continue;
            if (equals + 1 == text.size()) continue;
            const std::string_view name = text.substr(0, equals);
            const auto row = std::ranges::find(rows_, name, &SettingRow::variable);
            set(row != rows_.end() ? row->name : name, std::string(text.substr(equals + 1)),
                "environment", std::string(name));
        }
    }

    Library library() const { return settings_.library; }
    Settings finish(std::vector<Setting>& described) {
        for (std::size_t i = 0; i < rows_.size(); ++i)
            described.push_back({std::string(rows_[i].name), rows_[i].show(settings_), origins_[i],
                                 rows_[i].variable(), std::string(rows_[i].explanation)});
        check(settings_);
        return std::move(settings_);
    }

  private:
    const std::vector<SettingRow>& rows_ = setting_rows();
    Settings settings_;
    std::vector<std::string> origins_;
};

const SettingRow* row_of_key(std::string_view key) {
    const auto found = std::ranges::find_if(
        setting_rows(), [&](const SettingRow& row) { return row.in_profiles && row.key() == key; });
    return found != setting_rows().end() ? &*found : nullptr;
}

std::string place_of(const fabric::Section::Entry& entry) {
    return fmt::format("{}:{}:{}: {}.{}", entry.source.file, entry.source.line, entry.column,
                       Settings::section, entry.key);
}

/// What is wrong with a line of a profile; empty: nothing.
std::string mistake_in(const fabric::Section::Entry& entry) {
    const SettingRow* row = row_of_key(entry.key);
    if (row == nullptr) {
        std::vector<std::string> keys;
        for (const SettingRow& known : setting_rows())
            if (known.in_profiles) keys.push_back(known.key());
        return fmt::format("there is no such key in [{}]; {}", Settings::section,
                           advice(entry.key, keys));
    }
    if (row->quoted != entry.quoted)
        return fmt::format("expected {} quotes, found {}", row->quoted ? "a text in" : "no",
                           entry.value);
    try {
        Settings ignored;
        row->set(ignored, entry.value);
    } catch (const UsageError& error) {
        return error.what();
    }
    return {};
}

void set_as_in_papers(Layers& layers, const fabric::Traits& traits) {
    const fabric::Section* const section = traits.section(Settings::section);
    if (section == nullptr || section->entries.empty())
        throw UsageError(
            fmt::format("no paper's MPI library is known for {}: its profile has no [mpi] section; "
                        "take the native one",
                        traits.name));
    check_section(traits);
    for (const fabric::Section::Entry& entry : section->entries)
        layers.set(row_of_key(entry.key)->name, entry.value, traits.name, place_of(entry));
}

}  // namespace

Settings Settings::choose(const fabric::Traits& traits, const Named& chosen) {
    const auto set_upper = [&](Layers& layers) {
        layers.set_from_environment();
        for (const auto& [setting, text] : chosen)
            layers.set(setting, text, "job", setting);
    };
    Layers layers(traits);
    set_upper(layers);
    if (layers.library() == Library::paper) {
        // Known only now, and it lies below what was set.
        set_as_in_papers(layers, traits);
        set_upper(layers);
    }
    std::vector<Setting> described;
    Settings settings = layers.finish(described);
    settings.described_ = std::move(described);
    if (settings.connections == Connections::static_client_server && !traits.client_server)
        throw UsageError(
            fmt::format("connections: nobody can listen on {}; take static-peer", traits.name));
    if (settings.payload != Settings::all_payload && traits.clock != fabric::Clock::virtual_time)
        throw UsageError(fmt::format(
            "payload: {} moves bytes; they can stay behind in virtual time only", traits.name));
    return settings;
}

std::shared_ptr<const Settings> common_settings(job::Rank& rank, const fabric::Traits& traits) {
    return rank.common<Settings>("mpi.settings." + traits.name, [&] {
        return std::make_shared<const Settings>(
            Settings::choose(traits, rank.settings(Settings::section)));
    });
}

std::vector<Setting> Settings::describe() const {
    return described_;
}

void check_section(const fabric::Traits& traits) {
    const fabric::Section* const section = traits.section(Settings::section);
    if (section == nullptr) return;
    std::vector<std::string> complaints;
    for (const fabric::Section::Entry& entry : section->entries)
        if (const std::string wrong = mistake_in(entry); !wrong.empty())
            complaints.push_back(fmt::format("{}: {}", place_of(entry), wrong));
    if (!complaints.empty()) throw UsageError(fmt::format("{}", fmt::join(complaints, "\n")));
}

void explain(fabric::Datasheet& sheet) {
    for (fabric::Part& part : sheet.parts) {
        if (part.name != Settings::section) continue;
        part.explanation = "the MPI library of its time, as settings of ours (railyard mpi-info)";
        for (fabric::Parameter& parameter : part.parameters)
            if (const SettingRow* row = row_of_key(parameter.name))
                parameter.explanation = row->explanation;
    }
}

}  // namespace railyard::mpi
