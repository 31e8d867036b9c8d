#include <taut/run/durable_file.hpp>
#include <taut/run/whole_file.hpp>

namespace taut {

void write_whole_file(const std::string& path, const std::string& text) {
  make_folder_of(path);
  replace_file(path, text);
}

}  // namespace taut
