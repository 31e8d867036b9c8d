# Installs taut into an empty folder, then builds and runs a project that knows only that folder. The project chooses
# no build type: find_package(taut) alone has to give a program that is optimised.
function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(expect output)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE printed OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  if(NOT printed STREQUAL output)
    message(FATAL_ERROR "${ARGN} printed '${printed}', not '${output}'")
  endif()
endfunction()
function(configure_outside folder)
  step(${CMAKE_COMMAND} -S ${outside} -B ${folder} -G ${generator} -D CMAKE_CXX_COMPILER=${compiler}
    -D CMAKE_PREFIX_PATH=${work}/prefix -D taut_expected_version=${version} ${ARGN})
endfunction()

file(REMOVE_RECURSE ${work})
step(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)
step(${work}/prefix/bin/taut --version)

# Libraries that were compiled with a sanitizer need it in the program too.
configure_outside(${work}/build -D CMAKE_CXX_FLAGS=${sanitizers})
step(${CMAKE_COMMAND} --build ${work}/build)
execute_process(COMMAND ${reference} OUTPUT_VARIABLE nanoseconds OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
step(${work}/build/outside ${nanoseconds})
step(${work}/build/runs_a_model)
step(${work}/build/runs_a_model_in_a_shared_library)
expect("optimised" ${work}/build/optimised)
expect("not optimised" ${work}/build/not_optimised)

# A choice of the user's is not overridden.
configure_outside(${work}/chosen-type -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS=${sanitizers})
configure_outside(${work}/chosen-flags "-DCMAKE_CXX_FLAGS=-O0 ${sanitizers}")
foreach(folder IN ITEMS chosen-type chosen-flags)
  step(${CMAKE_COMMAND} --build ${work}/${folder} --target optimised)
  expect("not optimised" ${work}/${folder}/optimised)
endforeach()
