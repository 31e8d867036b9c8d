# Writes ${output}: bundled_models() with the text of each file of ${models}, bundled_file() with
# those of ${files}.
set(rows "")
foreach(model IN LISTS models)
  cmake_path(GET model STEM name)
  file(READ ${model} text)
  string(APPEND rows "      {\"${name}\", R\"model(${text})model\"},\n")
endforeach()
set(file_rows "")
foreach(file IN LISTS files)
  cmake_path(GET file FILENAME name)
  file(READ ${file} text)
  string(APPEND file_rows "  if (name == \"${name}\") return R\"model(${text})model\";\n")
endforeach()
file(WRITE ${output} "#include <taut/run/bundled.hpp>

namespace taut {

const std::vector<BundledModel>& bundled_models() {
  static const std::vector<BundledModel> all = {
${rows}  };
  return all;
}

std::optional<std::string_view> bundled_file([[maybe_unused]] std::string_view name) {
${file_rows}  return std::nullopt;
}

}  // namespace taut
")
