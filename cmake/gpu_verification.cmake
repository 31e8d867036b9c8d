# Writes the sentence of gpu/verification as a header: cmake -D script=... -D output=... -P gpu_verification.cmake
execute_process(COMMAND bash ${script} OUTPUT_VARIABLE sentence OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\\" "\\\\" sentence "${sentence}")
string(REPLACE "\"" "\\\"" sentence "${sentence}")
file(WRITE ${output} "#pragma once\n\nnamespace taut::cli {\ninline constexpr const char* gpu_verification = \"${sentence}\";\n}\n")
