// What `taut sample` and `taut free-energy` print, and how they end.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/own_model.hpp"
#include "support/run_program.hpp"

namespace taut::test {
namespace {

const std::string examples = std::string(TAUT_SOURCE_DIR) + "/examples/sampling/";

TEST(Sample, PrintsOneObjectWithTheKeysOfItsContract) {
  const OwnFolder own;
  const std::string command =
      "sample " + examples + "torus.toml --draws 300 --warmup 200 --chains 2 --seed 5";
  const Ran ran = run_taut(command + " --json --threads 1", own.string());
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto object = nlohmann::json::parse(ran.out);
  for (const char* key : {"chains", "draws", "seed", "kernel", "measure", "step", "accept", "rejections",
                          "mean", "sd", "mcse", "rhat", "ess_bulk", "ess_tail", "seconds", "sha256"})
    EXPECT_TRUE(object.contains(key)) << key;
  EXPECT_EQ(object["kernel"], "nuts");
  EXPECT_TRUE(object["rejections"].contains("other_solution"));
  // The draws of a folder, in other threads, are the same, and so are those that are read back.
  const Ran kept = run_taut(command + " --json --threads 2 --out draws", own.string());
  EXPECT_EQ(nlohmann::json::parse(kept.out)["sha256"], object["sha256"]);
  const Ran again = run_taut("resume draws --json", own.string());
  EXPECT_EQ(nlohmann::json::parse(again.out)["sha256"], object["sha256"]);
  EXPECT_EQ(run_taut("export draws --cmdstan --out c", own.string()).status, 0);
  EXPECT_EQ(run_taut("export draws --npy --out d.npy", own.string()).status, 0);
  EXPECT_EQ(run_taut("export draws --xyz --out d.xyz", own.string()).status, 2);
  EXPECT_EQ(run_taut("sample " + examples + "torus.toml --out draws", own.string()).status,
            2);  // another one
}

TEST(Sample, EndsWithOneIfItIsStrictAndChainsNeverMeet) {
  const OwnFolder own;
  const Ran ran = run_taut(
      "sample " + examples + "two-circles.toml --step 0.05 --inits spread --spread 2 --draws 100 --strict",
      own.string());
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.err.find("chains never meet in"), std::string::npos) << ran.err;
}

TEST(Sample, RefusesWhatIsWrong) {
  const OwnFolder own;
  const auto refused = [&](const std::string& rest, const std::string& sentence) {
    const Ran ran = run_taut("sample " + rest, own.string());
    EXPECT_EQ(ran.status, 2) << rest;
    EXPECT_NE(ran.err.find(sentence), std::string::npos) << ran.err;
  };
  refused("pendulum", "with respect to which measure");
  refused("pendulum --measure rigid", "what is to be sampled");
  refused("polymer", "not systems of particles");
  refused(examples + "torus.toml --kernel nut", "Did you mean");
  refused(examples + "torus.toml --kernel 'g-baoab(2)'", "--step");
  refused(examples + "torus.toml --set 'sampling.density=log(z)'", "not finite at the start");
}

// All draws stay in one of two wells, 100 kT deep. There the histogram begins, and what it does not know is
// said.
TEST(FreeEnergy, NamesValuesThatFreeDrawsDoNotReach) {
  const taut::test::OwnModel model(
      "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\npotential = \"100*(x^2 - 1)^2 + "
      "y^2/2\"\n[initial]\nx = 1\n");
  const std::string command =
      "free-energy m.toml --temperature 1 --coordinate x --draws 400 --json --values ";
  const Ran wide = run_taut(command + "'linspace(-1.2, 1.2, 13)'", model.folder.string());
  ASSERT_EQ(wide.status, 0) << wide.err;
  EXPECT_NE(wide.err.find("no free draw came near"), std::string::npos) << wide.err;
  const auto object = nlohmann::json::parse(wide.out);
  ASSERT_TRUE(object["direct"][11].is_number()) << object["direct"];  // x = 1
  EXPECT_NEAR(object["direct"][11], object["profile"][11], 2);
  const Ran narrow = run_taut(command + "'linspace(0.96, 1.04, 5)'", model.folder.string());
  EXPECT_EQ(narrow.err.find("no free draw"), std::string::npos) << narrow.err;
}

TEST(FreeEnergy, PrintsOneObjectAndRefusesADependentCoordinate) {
  const OwnFolder own;
  const std::string sphere =
      "free-energy " + examples + "von-mises-fisher.toml --draws 100 --warmup 100 --chains 2";
  const Ran ran = run_taut(sphere + " --coordinate z --values 'linspace(-0.5, 0.5, 3)' --json", own.string());
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto object = nlohmann::json::parse(ran.out);
  for (const double force : object["mean_force"]) EXPECT_NEAR(force, -1.8, 1e-9);  // A = -1.8 z
  EXPECT_NEAR(object["profile"].back().get<double>(), -1.8, 1e-9);
  const Ran named =
      run_taut("free-energy " + examples + "torus.toml --coordinate phi --values '[0.5]' --draws 20 --json",
               own.string());
  ASSERT_EQ(named.status, 0) << named.err;  // a quantity of the model: A = -log(1 + cos(phi)/2)
  EXPECT_NEAR(nlohmann::json::parse(named.out)["mean_force"][0].get<double>(), 0.16660705, 1e-6);
  // The dihedral has a force that three values do not resolve.
  const std::string butane =
      "free-energy " + examples + "butane.toml --draws 60 --warmup 60 --chains 2 --coordinate phi";
  const Ran coarse = run_taut(butane + " --no-direct --values '[0.3, 1.3, 2.3]'", own.string());
  EXPECT_EQ(coarse.status, 0);
  EXPECT_NE(coarse.err.find("the values are far apart"), std::string::npos) << coarse.err;
  EXPECT_EQ(ran.err.find("far apart"), std::string::npos) << ran.err;
  // What warns is a failure if that is asked for.
  EXPECT_EQ(run_taut(butane + " --no-direct --strict --values '[0.3, 1.3, 2.3]'", own.string()).status, 1);
  const Ran strict =
      run_taut(sphere + " --coordinate z --values '[0, 0.5]' --no-direct --strict", own.string());
  EXPECT_EQ(strict.status, 0) << strict.err;
  const Ran pole =
      run_taut(sphere + " --coordinate z --values '[1]' --kernel 'hmc(3)' --step 0.1", own.string());
  EXPECT_EQ(pole.status, 2);
  EXPECT_NE(pole.err.find("as a pole is for the height on a sphere"), std::string::npos) << pole.err;
  const Ran wrong = run_taut(sphere + " --coordinate 'x^2 + y^2 + z^2' --values '[1]'", own.string());
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("depend on each other"), std::string::npos) << wrong.err;
  const Ran unknown = run_taut(sphere + " --coordinate 'z + q' --values '[0.5]'", own.string());
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("--coordinate: unknown name `q` in the coordinate\n     | z + q\n     |     ^"),
            std::string::npos)
      << unknown.err;
}

}  // namespace
}  // namespace taut::test
