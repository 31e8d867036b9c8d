# Adds a method and a formulation to a copy of the tree as CONTRIBUTING.md says, each by its header, its theory page and
# its line in a catalogue, builds the program there and runs both. Nothing else of the copy is touched.
#   cmake -D source=TREE -D work=FOLDER -P adding.cmake
function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Runs the program and leaves what it printed in `printed`.
function(taut)
  execute_process(COMMAND ${program} ${ARGV} OUTPUT_VARIABLE text COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  set(printed "${text}" PARENT_SCOPE)
endfunction()
function(expect_printed pattern)
  if(NOT printed MATCHES "${pattern}")
    message(FATAL_ERROR "`${pattern}` is not in\n${printed}")
  endif()
endfunction()
# Leaves one number of the JSON object that was printed in `variable`.
function(number variable)
  string(JSON value GET "${printed}" ${ARGN})
  set(${variable} ${value} PARENT_SCOPE)
endfunction()
function(expect_less a b)
  if(NOT a LESS b)
    message(FATAL_ERROR "${a} is not less than ${b}")
  endif()
endfunction()

# Puts one line before another one that is in the file once.
function(add_line file line before)
  file(READ ${file} text)
  string(FIND "${text}" "${before}" first)
  string(FIND "${text}" "${before}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "${file} should have this once: ${before}")
  endif()
  string(REPLACE "${before}" "${line}\n${before}" text "${text}")
  file(WRITE ${file} "${text}")
endfunction()

set(tree ${work}/tree)
set(new ${source}/tests/install/adding)
file(REMOVE_RECURSE ${work})
foreach(part CMakeLists.txt cmake src cli gpu examples studies docs/theory)
  get_filename_component(folder ${tree}/${part} DIRECTORY)
  file(COPY ${source}/${part} DESTINATION ${folder})
endforeach()

# The method.
file(COPY ${new}/position_verlet.hpp DESTINATION ${tree}/src/taut/method)
file(COPY ${new}/position-verlet.md DESTINATION ${tree}/docs/theory)
set(catalogue ${tree}/src/taut/method/catalogue.hpp)
add_line(${catalogue} "#include <taut/method/position_verlet.hpp>" "#include <taut/method/projected.hpp>")
add_line(${catalogue} "  visit(Projected<PositionVerlet>{});" "  visit(Projected<ImplicitMidpoint>{});")

# The formulation.
file(COPY ${new}/restoring.hpp DESTINATION ${tree}/src/taut/formulation)
file(COPY ${new}/restoring.md DESTINATION ${tree}/docs/theory)
set(catalogue ${tree}/src/taut/method/ordinary/ode_catalogue.hpp)
add_line(${catalogue} "#include <taut/formulation/restoring.hpp>" "#include <taut/formulation/charts.hpp>")
add_line(${catalogue} "  visit(Restoring{});" "  visit(Linear{});")

# Without optimisation the compiler is twice as fast, and the program fast enough for what follows.
step(${CMAKE_COMMAND} -S ${tree} -B ${work}/build -G Ninja -D CMAKE_BUILD_TYPE=None -D CMAKE_CXX_FLAGS=-O0
  -D TAUT_BUILD_TESTS=OFF -D TAUT_BUILD_BENCH=OFF)
step(${CMAKE_COMMAND} --build ${work}/build --target taut_cli)
set(program ${work}/build/cli/taut)

# The method is listed, offered by the shell, runs, does what its facts claim, and can be compiled for one run.
taut(methods --json)
expect_printed("\"name\": \"position-verlet\"")
taut(completions bash)
expect_printed("'position-verlet'")
taut(run pendulum --method position-verlet --steps 2000 --step 0.05 --json)
number(moved energy max_error)
number(residual residual position_max)
expect_less(0 ${moved})
expect_less(${moved} 1e-2)
expect_less(${residual} 1e-13)
taut(check pendulum --method position-verlet)
expect_printed("step 0.05: pass|: pass")
set(ENV{TAUT_INCLUDE} ${tree}/src)
taut(run pendulum --method position-verlet --steps 2000 --step 0.05 --json --backend specialise)
number(specialised energy max_error)
expect_less(${specialised} 1e-2)

# The formulation is known to the command line and to model files, and holds the residuals that another one lets grow.
taut(methods)
expect_printed("restoring")
taut(completions bash)
expect_printed("'restoring'")
taut(run pendulum --method rk4 --formulation underlying --steps 5000 --step 0.05 --json)
number(grown residual position_max)
taut(run pendulum --method rk4 --set run.formulation=restoring --steps 5000 --step 0.05 --json)
number(held residual position_max)
expect_less(${held} 1e-5)
expect_less(1e-4 ${grown})
taut(check pendulum --method rk4 --formulation restoring)

# A name that is in no list is still refused, with the new one among those that are.
execute_process(COMMAND ${program} run pendulum --method rk4 --formulation restorin ERROR_VARIABLE printed RESULT_VARIABLE status)
expect_printed("Did you mean `restoring`")
if(NOT status EQUAL 2)
  message(FATAL_ERROR "a wrong name gives the status ${status}")
endif()
