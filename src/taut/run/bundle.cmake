# Writes ${output}: bundled_models() with the text of each file of ${models}.
set(rows "")
foreach(model IN LISTS models)
  cmake_path(GET model STEM name)
  file(READ ${model} text)
  string(APPEND rows "      {\"${name}\", R\"model(${text})model\"},\n")
endforeach()
file(WRITE ${output} "#include <taut/run/bundled.hpp>

namespace taut {

const std::vector<BundledModel>& bundled_models() {
  static const std::vector<BundledModel> all = {
${rows}  };
  return all;
}

}  // namespace taut
")
