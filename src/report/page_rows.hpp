#pragma once
/// The rows of a page as its script reads them, and what is known of them: which machine they are
/// of, what bounds them, and which stand beside each other.

#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "railyard/results/row.hpp"
#include "report/page.hpp"
#include "report/page_documents.hpp"

namespace railyard::report {

/// What a row is about, as opposed to what came out.
using RowSubject =
    std::tuple<std::string, std::string, results::Parameters, std::string, std::string>;

inline RowSubject subject_of(const results::Row& row) {
    return {row.experiment, row.fabric, row.parameters, row.metric, row.unit};
}

/// The files with their machines; those of one machine and build are told together: they differ in
/// their date, if at all.
PageJson sources_json(std::span<const PageInput::Source> sources);

/// Where files of different machines say something of the same interconnect, it has the file's name
/// behind its own from now on: "shm (june)". The fabrics gain these names.
void tell_machines_apart(std::vector<PageInput::Source>& sources,
                         std::vector<PageInput::Fabric>& fabrics);

/// One sheet for each experiment, metric and unit: page/src/data.ts describes it. The fabrics'
/// names stand for themselves, once, in `fabrics`.
PageJson sheets_json(std::span<const results::Row> rows, std::vector<std::string>& fabrics);

/// Results of real interconnects that the machine bounds, each beside its limit, as measured on the
/// same machine.
PageJson limits_json(std::span<const PageInput::Source> sources,
                     std::span<const PageInput::Fabric> fabrics);

/// Files side by side (report/compare.hpp): all that real interconnects and other programs say of
/// the same thing, and models where two files do not say the same.
PageJson comparison_json(std::span<const PageInput::Source> sources,
                         std::span<const PageInput::Fabric> fabrics);

}  // namespace railyard::report
