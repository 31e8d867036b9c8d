# Writes ${output}: study_files() with the text of each file of ${studies}, which lie under ${folder}.
set(rows "")
foreach(study IN LISTS studies)
  cmake_path(RELATIVE_PATH study BASE_DIRECTORY ${folder} OUTPUT_VARIABLE path)
  file(READ ${study} text)
  string(APPEND rows "      {\"${path}\", R\"study(${text})study\"},\n")
endforeach()
file(WRITE ${output} "#include <taut/study/study.hpp>

namespace taut {

const std::vector<StudyFile>& study_files() {
  static const std::vector<StudyFile> all = {
${rows}  };
  return all;
}

}  // namespace taut
")
