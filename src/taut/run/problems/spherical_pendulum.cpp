#include <taut/run/make_ready_made_here.hpp>

template std::unique_ptr<taut::ReadyMadeRun> taut::make_ready_made(std::string_view, std::string_view,
                                                                   const taut::SphericalPendulum<double>&);
