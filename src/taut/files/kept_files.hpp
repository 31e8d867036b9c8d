// The files that a folder keeps for its own run, which nothing else that is written may replace.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace taut {

// Throws InputError if `path`, which was typed after `option`, is a file that the folder keeps, by whatever
// name and whether it is there yet or not. `is_kept` is asked about the path inside the folder; `whose` says
// to what such files belong: "the run".
void refuse_kept_files(const std::string& folder, const std::string& path, std::string_view option,
                       std::string_view whose, const std::function<bool(const std::string& inside)>& is_kept);

// Asks whether there is a folder with an entry of this name. Throws InputError if the system does not say:
// what could not be looked at is not absent.
bool is_folder_with(const std::string& path, const std::string& name);

}  // namespace taut
