#include <taut/bytes/carry_list.hpp>
#include <taut/store/report_so_far.hpp>
#include <taut/store/run_files.hpp>

#include <algorithm>
#include <filesystem>

namespace taut {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_path = 1U << 16U;

void carry(Carry& c, ReportSoFar& report, std::size_t coordinates) {
  c(report.wanted.page);
  carry_list(c, report.wanted.path, longest_path);
  carry_list(c, report.wanted.figures, longest_path);
  carry_list(c, report.command, longest_path);
  report.record.carry(c, coordinates);
}

}  // namespace

std::string ReportWanted::page_path(const std::string& folder) const {
  return (fs::path(folder) / (path.empty() ? page_name : path)).string();  // a path from the root stays
}

std::string ReportWanted::figures_path(const std::string& folder) const {
  return (fs::path(folder) / figures).string();
}

ReportWanted ReportWanted::kept_in(const std::string& folder) const {
  const auto kept = [&folder](const std::string& p) {
    if (p.empty()) return p;
    std::error_code ignored;
    const std::string inside = fs::weakly_canonical(fs::absolute(p), ignored)
                                   .lexically_relative(fs::weakly_canonical(fs::absolute(folder), ignored))
                                   .string();
    return is_inside(inside) ? inside : fs::absolute(p).lexically_normal().string();
  };
  const std::string place = kept(path);
  return {page, place == page_name ? "" : place, kept(figures)};
}

bool is_inside(const std::string& path) {
  const fs::path p(path);
  return !path.empty() && !p.is_absolute() && !is_run_file(path) &&
         std::none_of(p.begin(), p.end(), [](const fs::path& part) { return part == ".."; });
}

std::string ReportSoFar::bytes(std::size_t coordinates) const {
  Carry c;
  ReportSoFar copy = *this;
  carry(c, copy, coordinates);
  return c.bytes();
}

ReportSoFar report_so_far(std::string_view bytes, std::size_t coordinates) {
  Carry c(bytes);
  ReportSoFar report;
  carry(c, report, coordinates);
  if (!c.complete()) throw InputError("the report in it is not whole");
  return report;
}

}  // namespace taut
