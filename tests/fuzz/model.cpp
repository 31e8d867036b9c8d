// Any bytes as a model file, read and, where they are a small model, differentiated.
#include <taut/model/system.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // A system of particles is as large as its count says: a digit more is a gigabyte more, and no mistake of the reader.
  if (text.find("particles") != std::string::npos) return 0;
  const taut::ReadModel read = taut::read_model(text, "fuzz.toml");
  if (read.model.has_value() == !read.errors.empty()) std::abort();  // a model or its errors, never both
  for (const taut::ModelError& error : read.errors)
    if (error.text().size() > 1500) std::abort();
  if (read.model && read.model->coordinates.size() <= 8) {
    const taut::System system = taut::derive(*read.model);
    if (system.n != static_cast<int>(read.model->coordinates.size())) std::abort();
  }
  return 0;
}
