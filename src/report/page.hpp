#pragma once
/// The page for a browser: plots and tables of results, beside what the papers published, in one
/// HTML file that needs no network. Made from rows, and from what the caller knows of their names.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/results/results.hpp"
#include "railyard/results/row.hpp"
#include "report/page_run.hpp"

namespace railyard::report {

struct PageInput {
    struct Source {
        std::string file;  ///< where the results were read
        results::Results results;
    };
    struct Fabric {
        std::string name;
        bool virtual_time = false;
        std::string description;
    };
    struct Experiment {
        std::string name;
        std::string summary;
        std::string source;  ///< paper and figure
    };
    /// A file of JSON; one without text is not there.
    struct Document {
        std::string file;
        std::string text;
    };

    std::string generator;  ///< who writes the page: "railyard 0.1.0 (4f2a91c)"
    std::string command{};  ///< by which; empty: none that anybody would type again
    std::vector<Source> sources;
    std::vector<Fabric> fabrics;
    std::vector<Experiment> experiments;
    Document papers;    ///< data/papers.json
    Document verdicts;  ///< what `railyard reproduce --json` wrote: the table, and rows behind it
    std::vector<RunPage> runs{};
};

/// What the page's script reads, as JSON that may stand inside a script element; page/src/data.ts
/// describes it. Throws Error for a document that is not what it should be, naming file and place.
std::string page_data(const PageInput& input);

/// The whole page around such data. Throws Error if this railyard was built without the page.
std::string page(std::string_view data);

/// All rows of `first` and `then`. Where two are of the same thing, the later one counts, in the
/// place of the earlier.
std::vector<results::Row> merged(std::vector<results::Row> first,
                                 std::span<const results::Row> then);

/// JSON that cannot end a script element, nor begin a comment in one, whatever its strings hold.
std::string script_safe(std::string_view json);

/// In pieces, to be joined. Empty if this was built without the page (RAILYARD_PAGE=OFF).
std::span<const std::string_view> page_template();

/// What stands in the template where the data goes, once.
inline constexpr std::string_view page_data_mark = "{{DATA}}";

}  // namespace railyard::report
