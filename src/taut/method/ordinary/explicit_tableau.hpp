// Coefficients of explicit Runge-Kutta methods with their embedded error estimates, as text: fractions, or
// decimals of 30 digits if they are roots of the order conditions (dop853). They are read in 128-bit
// arithmetic and rounded once; docs/theory/explicit-runge-kutta.md.
#pragma once

#include <taut/method/composition_table.hpp>
#include <taut/problem/state.hpp>

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace taut {

struct ExplicitScheme {
  std::string_view name, what, source;
  int order, stages;
  std::span<const std::string_view> a;  // the rows below the diagonal, one after the other
  std::span<const std::string_view> b;
  std::span<const std::string_view> error = {};   // b - b̂ of the embedded method; empty: no estimate
  std::span<const std::string_view> error3 = {};  // the second, lower one of dop853
  int error_order = 0;                            // the order of b̂
};

namespace explicit_digits {

inline constexpr std::array<std::string_view, 0> euler_a = {};
inline constexpr std::array<std::string_view, 1> euler_b = {"1"};

inline constexpr std::array<std::string_view, 1> rk2_a = {"1/2"};
inline constexpr std::array<std::string_view, 2> rk2_b = {"0", "1"};

inline constexpr std::array<std::string_view, 6> rk4_a = {"1/2", "0", "1/2", "0", "0", "1"};
inline constexpr std::array<std::string_view, 4> rk4_b = {"1/6", "1/3", "1/3", "1/6"};

// clang-format off
inline constexpr std::array<std::string_view, 21> dopri5_a = {
    "1/5",
    "3/40", "9/40",
    "44/45", "-56/15", "32/9",
    "19372/6561", "-25360/2187", "64448/6561", "-212/729",
    "9017/3168", "-355/33", "46732/5247", "49/176", "-5103/18656",
    "35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84"};
inline constexpr std::array<std::string_view, 7> dopri5_b = {
    "35/384", "0", "500/1113", "125/192", "-2187/6784", "11/84", "0"};
inline constexpr std::array<std::string_view, 7> dopri5_error = {
    "71/57600", "0", "-71/16695", "71/1920", "-17253/339200", "22/525", "-1/40"};

inline constexpr std::array<std::string_view, 66> dop853_a = {
    "0.0526001519587677318785587544488",
    "0.0197250569845378994544595329183", "0.0591751709536136983633785987549",
    "0.0295875854768068491816892993775", "0", "0.0887627564304205475450678981324",
    "0.241365134159266685502369798665", "0", "-0.884549479328286085344864962717",
    "0.924834003261792003115737966543",
    "0.037037037037037037037037037037", "0", "0", "0.170828608729473871279604482173",
    "0.125467687566822425016691814123",
    "0.037109375", "0", "0", "0.170252211019544039314978060272", "0.0602165389804559606850219397283",
    "-0.017578125",
    "0.0370920001185047927108779319836", "0", "0", "0.170383925712239993810214054705",
    "0.107262030446373284651809199168", "-0.0153194377486244017527936158236",
    "0.00827378916381402288758473766002",
    "0.624110958716075717114429577812", "0", "0", "-3.36089262944694129406857109825",
    "-0.868219346841726006818189891453", "27.5920996994467083049415600797",
    "20.1540675504778934086186788979", "-43.4898841810699588477366255144",
    "0.477662536438264365890433908527", "0", "0", "-2.48811461997166764192642586468",
    "-0.590290826836842996371446475743", "21.2300514481811942347288949897",
    "15.2792336328824235832596922938", "-33.2882109689848629194453265587",
    "-0.0203312017085086261358222928593",
    "-0.93714243008598732571704021658", "0", "0", "5.18637242884406370830023853209",
    "1.09143734899672957818500254654", "-8.14978701074692612513997267357",
    "-18.5200656599969598641566180701", "22.7394870993505042818970056734",
    "2.49360555267965238987089396762", "-3.0467644718982195003823669022",
    "2.27331014751653820792359768449", "0", "0", "-10.5344954667372501984066689879",
    "-2.00087205822486249909675718444", "-17.9589318631187989172765950534",
    "27.9488845294199600508499808837", "-2.85899827713502369474065508674",
    "-8.87285693353062954433549289258", "12.3605671757943030647266201528",
    "0.643392746015763530355970484046"};
inline constexpr std::array<std::string_view, 12> dop853_b = {
    "0.0542937341165687622380535766363", "0", "0", "0", "0", "4.45031289275240888144113950566",
    "1.89151789931450038304281599044", "-5.8012039600105847814672114227",
    "0.31116436695781989440891606237", "-0.152160949662516078556178806805",
    "0.201365400804030348374776537501", "0.0447106157277725905176885569043"};
inline constexpr std::array<std::string_view, 12> dop853_error = {
    "0.01312004499419488073250102996", "0", "0", "0", "0", "-1.225156446376204440720569753",
    "-0.4957589496572501915214079952", "1.664377182454986536961530415",
    "-0.350328848749973681688648729", "0.3341791187130174790297318841",
    "0.08192320648511571246570742613", "-0.02235530786388629525884427845"};
// The weights of the third-order method itself; its estimate is b minus these.
inline constexpr std::array<std::string_view, 12> dop853_third = {
    "0.244094488188976377952755905512", "0", "0", "0", "0", "0", "0", "0", "0.733846688281611857341361741547",
    "0", "0", "0.0220588235294117647058823529412"};
// clang-format on

}  // namespace explicit_digits

inline constexpr std::array<ExplicitScheme, 5> explicit_schemes = {{
    {"euler", "one slope, at the start", "Euler", 1, 1, explicit_digits::euler_a, explicit_digits::euler_b},
    {"rk2", "midpoint rule, explicit", "Seiler 5", 2, 2, explicit_digits::rk2_a, explicit_digits::rk2_b},
    {"rk4", "the classical method of order 4", "Kutta", 4, 4, explicit_digits::rk4_a, explicit_digits::rk4_b},
    {"dopri5",
     "order 5 with an estimate of order 4",
     "Dormand-Prince",
     5,
     7,
     explicit_digits::dopri5_a,
     explicit_digits::dopri5_b,
     explicit_digits::dopri5_error,
     {},
     4},
    {"dop853", "order 8 with estimates of orders 5 and 3", "Dormand-Prince, Hairer-Norsett-Wanner", 8, 12,
     explicit_digits::dop853_a, explicit_digits::dop853_b, explicit_digits::dop853_error,
     explicit_digits::dop853_third, 5},
}};

constexpr const ExplicitScheme* find_explicit(std::string_view name) {
  for (const ExplicitScheme& scheme : explicit_schemes)
    if (scheme.name == name) return &scheme;
  return nullptr;
}

// Reads "3/40", "-5" or "0.25".
inline Float128 parse_coefficient(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return parse_decimal<Float128>(text);
  return parse_decimal<Float128>(text.substr(0, slash)) / parse_decimal<Float128>(text.substr(slash + 1));
}

struct ExplicitTableau {
  Matrix<Float128, dynamic, dynamic> A;
  Vector<Float128, dynamic> b, c, error, error3;  // the last two are empty if there is no estimate

  int stages() const { return static_cast<int>(b.size()); }
};

inline ExplicitTableau explicit_tableau(const ExplicitScheme& scheme) {
  const int s = scheme.stages;
  using Row = Vector<Float128, dynamic>;
  ExplicitTableau t{Matrix<Float128, dynamic, dynamic>::Zero(s, s), Row::Zero(s), Row::Zero(s), {}, {}};
  std::size_t next = 0;
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < i; ++j) {
      t.A(i, j) = parse_coefficient(scheme.a[next++]);
      t.c[i] += t.A(i, j);
    }
  const auto read = [&](std::span<const std::string_view> texts) {
    Row row = Row::Zero(static_cast<Eigen::Index>(texts.size()));
    for (std::size_t i = 0; i < texts.size(); ++i)
      row[static_cast<Eigen::Index>(i)] = parse_coefficient(texts[i]);
    return row;
  };
  t.b = read(scheme.b);
  t.error = read(scheme.error);
  t.error3 = read(scheme.error3);
  if (t.error3.size() > 0) t.error3 = t.b - t.error3;
  return t;
}

}  // namespace taut
