# Installs taut into an empty folder, then builds and runs a project that knows only that folder.
function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work})
step(${CMAKE_COMMAND} --install ${build} --prefix ${work}/prefix)
step(${CMAKE_COMMAND} -S ${outside} -B ${work}/build -G ${generator} -D CMAKE_CXX_COMPILER=${compiler}
  -D CMAKE_PREFIX_PATH=${work}/prefix -D CMAKE_BUILD_TYPE=Release -D taut_expected_version=${version})
step(${CMAKE_COMMAND} --build ${work}/build)
step(${work}/build/outside)
step(${work}/prefix/bin/taut --version)
