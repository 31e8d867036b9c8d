// `taut run --precision` against an independent computation with 60 digits: steps_in_many_digits.py beside
// this file prints the table. Five steps of h = 1/10.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/all_digits.hpp"
#include "support/in_full.hpp"
#include "support/run_program.hpp"

namespace {

using namespace taut::test;

struct Case {
  std::string model, method;
  std::vector<std::string> state;  // q, then p
};

const std::vector<Case> cases = {
    {"pendulum",
     "rattle",
     {"0.7257060973345309463638210001969613553461", "-0.6880048403110869801210295094762403088822",
      "0.1120063243411971890365360612930175523701", "0.118144041657734292835893248369752238587"}},
    {"pendulum",
     "lobatto(3)",
     {"0.7254996333159309916857234146811445958706", "-0.6882225527098408549053742660690435560775",
      "0.1119185699976186516015408052861351845351", "0.1179805590136608405500165271326092736426"}},
    {"pendulum",
     "midpoint",
     {"0.7257060973345309463638210001969613553461", "-0.6880048403110869801210295094762403088822",
      "0.1120063243411971890365360612930175523701", "0.118144041657734292835893248369752238587"}},
    {"double-pendulum",
     "rattle",
     {"0.4181946620553081753217859065149562293614", "-0.9083574321975059332089388438377797872431",
      "0.01777443129647335717415204649054354714779", "-1.824689052736184863826124836012995843624",
      "-0.3448505359348548659622395853953635062081", "-0.1587642135386983484671780743271134338945",
      "0.08029506418976865616195170411150686454505", "-0.3445450984195767526768549186715115189078"}},
    {"double-pendulum",
     "lobatto(3)",
     {"0.418266545161117470797844843477495526845", "-0.9083243348050204469290797004977160002914",
      "0.01776031683576218657408061014544862913978", "-1.824618371167038019023389269056533411104",
      "-0.3450998722047507656774021319308222371994", "-0.1589121041369092736797089204614343047358",
      "0.08033091779166773609053031144415055428886", "-0.3448651654396280305144382202907653989484"}},
    {"charged-particle",
     "midpoint",
     {"0.3290374435602350610033957292205958497755", "-0.5385171532284474673674868725366246725581",
      "0.775714919551038387952993311729604897112", "-0.1539461466137332655291141042047898471618",
      "-0.9637120807408470758673485135749509105954", "-0.6037288028387333423594868420975193608014"}},
    {"charged-particle",
     "lobatto(3)",
     {"0.3276893488127137791878726274614827379948", "-0.5385105085708769326738562946994377704388",
      "0.7762899734206510284088832024644867259688", "-0.156223819452943181089441993183844805277",
      "-0.9639368282184929857307276779729529473486", "-0.6027351195415062075428016017854437318894"}}};

// The pendulum begins where its constraint bends the motion most.
std::string start_of(const std::string& model) {
  return model == "pendulum" ? " --set x=0.6 --set y=-0.8 --set p_x=0.4 --set p_y=0.3" : "";
}

double worst_difference(const Case& c, const std::string& precision) {
  const Ran ran = run_taut("run " + c.model + " --method '" + c.method + "' --step 0.1 --steps 5 --json" +
                           start_of(c.model) + " --precision " + precision);
  EXPECT_EQ(ran.status, 0) << ran.err;
  std::vector<std::string> state = digits_after(ran.out, "q");
  for (const std::string& p : digits_after(ran.out, "p")) state.push_back(p);
  EXPECT_EQ(state.size(), c.state.size()) << ran.out;
  double worst = 0;
  for (std::size_t i = 0; i < std::min(state.size(), c.state.size()); ++i)
    worst = std::max(worst, std::abs(difference(state[i], c.state[i])));
  return worst;
}

// Five steps of states of size 1 leave a few units of rounding: 1.9e-34 for quad, 1.1e-19 for long.
// Each case takes some ten seconds to compile; the long form of the test makes all of them.
TEST(StepsInManyDigits, QuadAgreesToThirtyTwoDigits) {
  for (const Case& c : in_full() ? cases : std::vector{cases[0], cases[6]})
    EXPECT_LT(worst_difference(c, "quad"), 1e-32) << c.model << ", " << c.method;
}

TEST(StepsInManyDigits, LongAgreesToEighteenDigits) {
  for (const Case& c : in_full() ? std::vector{cases[1], cases[6]} : std::vector{cases[1]}) {
    EXPECT_LT(worst_difference(c, "long"), 3e-18) << c.model << ", " << c.method;
    EXPECT_LT(worst_difference(c, "double"), 3e-15) << c.model << ", " << c.method;
    EXPECT_GT(worst_difference(c, "double"), 3e-18) << "a double has no such digits";
  }
}

// max |H - H₀| of a symmetric symplectic method falls with its order, far below the rounding of a double.
double energy_error(const std::string& method, const std::string& step, const std::string& steps) {
  const Ran ran = run_taut("run pendulum --method '" + method + "' --precision quad --json --step " + step +
                           " --steps " + steps + " --set x=0.6 --set y=-0.8 --set p_x=0.4 --set p_y=0.3");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto found = digits_after(ran.out, "max_error");
  return found.empty() ? 1 : std::stod(found.front());
}

TEST(StepsInManyDigits, OrdersAreSeenFarBelowTheRoundingOfADouble) {
  for (const auto& [method, order, step, half] :
       {std::tuple{"kahan-li8", 8, "0.01", "0.005"}, std::tuple{"lobatto(6)", 10, "0.02", "0.01"}}) {
    const double whole = energy_error(method, step, "50"), halved = energy_error(method, half, "100");
    EXPECT_LT(halved, 1e-18) << method;
    EXPECT_GT(halved, 1e-31) << method << ": rounding";
    EXPECT_NEAR(std::log2(whole / halved), order, 0.2) << method;
  }
}

}  // namespace
