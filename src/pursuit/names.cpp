#include <array>
#include <utility>

#include "core/names.hpp"
#include "sfg/pursuit.hpp"

namespace sfg {

namespace {

constexpr std::array kEngines{std::pair{"auto", Engine::automatic}, std::pair{"gram", Engine::gram},
                              std::pair{"stream", Engine::stream},
                              std::pair{"sparse", Engine::sparse}};

constexpr std::array kScreens{std::pair{"auto", Screen::automatic}, std::pair{"int8", Screen::int8},
                              std::pair{"bf16", Screen::bf16}, std::pair{"f32", Screen::f32}};

constexpr std::array kStatuses{std::pair{"small_gain", PursuitStatus::small_gain},
                               std::pair{"exact", PursuitStatus::exact},
                               std::pair{"reached_max_atoms", PursuitStatus::reached_max_atoms},
                               std::pair{"stalled", PursuitStatus::stalled},
                               std::pair{"no_direction", PursuitStatus::no_direction}};

}  // namespace

std::string status_name(PursuitStatus status) {
  return detail::name_of(kStatuses, status);
}

std::string screen_name(Screen screen) {
  return detail::name_of(kScreens, screen);
}

Screen screen_from_name(const std::string& name) {
  return detail::value_of(kScreens, name, "screen");
}

std::string engine_name(Engine engine) {
  return detail::name_of(kEngines, engine);
}

Engine engine_from_name(const std::string& name) {
  return detail::value_of(kEngines, name, "engine");
}

}  // namespace sfg
