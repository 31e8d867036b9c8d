#include <taut/bytes/carry_list.hpp>
#include <taut/store/report_so_far.hpp>

#include <filesystem>

namespace taut {

namespace {

constexpr std::size_t longest_path = 1U << 16U;

void carry(Carry& c, ReportSoFar& report, std::size_t coordinates) {
  c(report.wanted.page);
  carry_list(c, report.wanted.path, longest_path);
  carry_list(c, report.wanted.figures, longest_path);
  report.record.carry(c, coordinates);
}

}  // namespace

std::string ReportWanted::page_path(const std::string& folder) const {
  if (!path.empty()) return path;
  return folder.empty() ? "report.html" : folder + "/report.html";
}

ReportWanted ReportWanted::absolute() const {
  const auto from_root = [](const std::string& p) {
    return p.empty() ? p : std::filesystem::absolute(p).lexically_normal().string();
  };
  return {page, from_root(path), from_root(figures)};
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
