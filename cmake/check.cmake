# The targets format, format_check and tidy: the parts of the check workflow that neither compile nor test.
find_program(TAUT_CLANG_FORMAT clang-format-19)
find_program(TAUT_RUN_CLANG_TIDY run-clang-tidy-19)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/*.[ch]pp ${PROJECT_SOURCE_DIR}/cli/*.[ch]pp
  ${PROJECT_SOURCE_DIR}/tests/*.[ch]pp ${PROJECT_SOURCE_DIR}/bench/*.[ch]pp)

if(TAUT_CLANG_FORMAT)
  add_custom_target(format COMMAND ${TAUT_CLANG_FORMAT} -i ${sources} VERBATIM)
  add_custom_target(format_check COMMAND ${TAUT_CLANG_FORMAT} --dry-run -Werror ${sources} VERBATIM
    COMMENT "Checking the format")
else()
  add_custom_target(format_check COMMAND ${CMAKE_COMMAND} -E echo "clang-format-19 is missing: see packages.txt"
    COMMAND ${CMAKE_COMMAND} -E false)
endif()

if(TAUT_RUN_CLANG_TIDY)
  # clang lacks quadmath.h; it takes g++'s, searched last so that its own intrinsics come first.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=include
    OUTPUT_VARIABLE gcc_include OUTPUT_STRIP_TRAILING_WHITESPACE)
  include(ProcessorCount)
  ProcessorCount(cores)
  add_custom_target(tidy
    COMMAND ${TAUT_RUN_CLANG_TIDY} -quiet -j ${cores} -p ${PROJECT_BINARY_DIR}
      -extra-arg=-idirafter${gcc_include} -extra-arg=-Wno-unknown-warning-option
      -extra-arg=-Wno-unused-command-line-argument  # options of g++ alone
    USES_TERMINAL VERBATIM COMMENT "Running clang-tidy")
else()
  add_custom_target(tidy COMMAND ${CMAKE_COMMAND} -E echo "clang-tidy-19 is missing: see packages.txt"
    COMMAND ${CMAKE_COMMAND} -E false)
endif()
