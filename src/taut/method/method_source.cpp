#include <taut/method/catalogue.hpp>
#include <taut/method/method_source.hpp>

namespace taut {

std::optional<MethodSource> method_source(const std::string& name) {
  std::optional<MethodSource> source;
  with_method(name, [&](const auto& method) {
    source = MethodSource{method.spelling(), requires {method.steps_are_short; }
};
});
return source;
}

}  // namespace taut
