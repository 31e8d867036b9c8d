// Trajectories of particles in the formats that other programs read, each against the bytes its description
// asks for or by an independent reader; and what samples may hold beside the state.
#include <taut/model/model.hpp>
#include <taut/store/trajectory.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "support/run_program.hpp"

namespace taut {
namespace {

using test::lines_of;
using test::OwnFolder;
using test::read_text;
using test::run_taut;

// A dumbbell that turns in the plane z = 0.25, and a free particle, in a box that is open in z.
const std::string dumbbell_file =
    "3\nLattice=\"10 0 0 0 12.5 0 0 0 1\" pbc=\"T T F\" Properties=species:S:1:pos:R:3:velo:R:3\n"
    "N 0.5 0 0.25 0 0.75 0\nN -0.5 0 0.25 0 -0.75 0\nAr 3.1 2.7 0.1 0.1 -0.2 0.3\n";
const std::string dumbbell =
    "[particles]\nfile = \"dumbbell.xyz\"\nmass = [2, 2, 40]\n[[rods]]\nbetween = [0, 1]\n[output]\n"
    "quantities = [\"energies\", \"forces\", \"iterations\", \"multipliers\", \"virial\"]\nformat = "
    "\"binary\"\n[run]\nmethod = \"rattle\"\nstep = 0.01\nsteps = 25\nevery = 10\n";

struct DumbbellRun {
  DumbbellRun() {
    std::ofstream(folder / "dumbbell.xyz") << dumbbell_file;
    std::ofstream(folder / "dumbbell.toml") << dumbbell;
    const auto ran = run_taut("run dumbbell.toml --out out", folder.string());
    EXPECT_EQ(ran.status, 0) << ran.err;
    TrajectoryReader reader(path("out/trajectory.taut"));
    names = reader.identity().columns();
    while (const auto some = reader.next())
      for (std::size_t i = 0; i < some->size(); i += names.size())
        rows.emplace_back(some->begin() + static_cast<std::ptrdiff_t>(i),
                          some->begin() + static_cast<std::ptrdiff_t>(i + names.size()));
    EXPECT_EQ(rows.size(), 4U);  // steps 0, 10, 20, 25
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }
  std::string exported(const std::string& format, const std::string& name) const {
    const auto ran = run_taut("export out --" + format + " --out " + name, folder.string());
    EXPECT_EQ(ran.status, 0) << ran.err;
    return read_text(path(name));
  }
  double value(std::size_t row, const std::string& name) const {
    const auto at = std::find(names.begin(), names.end(), name);
    EXPECT_NE(at, names.end()) << name;
    return at == names.end() ? NAN : rows[row][static_cast<std::size_t>(at - names.begin())];
  }
  OwnFolder folder;
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};

TEST(Exports, ExtendedXyzIsReadAgainToTheSameBits) {
  const DumbbellRun run;
  const std::string text = run.exported("xyz", "out.xyz");
  const std::vector<std::string> lines = lines_of(text);
  ASSERT_EQ(lines.size(), 20U);
  EXPECT_TRUE(
      lines[6].starts_with("Lattice=\"10 0 0 0 12.5 0 0 0 1\" pbc=\"T T F\" "
                           "Properties=species:S:1:pos:R:3:velo:R:3:masses:R:1:constraint_force:R:3 "
                           "Time=0.1 energy="))
      << lines[6];
  EXPECT_TRUE(lines[2].starts_with("N 0.5 0 0.25 0 0.75 0 2 ")) << lines[2];
  const Surroundings around{.file = [&](const std::string&) -> FoundText { return {text, "out.xyz"}; }};
  const ReadModel read = read_model("[particles]\nfile = \"out.xyz\"\nframe = 3\n", "again.toml", {}, around);
  ASSERT_TRUE(read.model) << text_of(read.errors);
  const auto again = run_taut("run again.toml --steps 0 --json --set particles.frame=3", run.folder.string());
  EXPECT_EQ(again.status, 2);  // the file is not there yet
  std::ofstream(run.folder / "again.toml") << "[particles]\nfile = \"out.xyz\"\n";
  const auto start = run_taut("run again.toml --steps 0 --set particles.frame=3 --format binary --out again",
                              run.folder.string());
  ASSERT_EQ(start.status, 0) << start.err;
  TrajectoryReader reader(run.path("again/trajectory.taut"));
  const auto rows = reader.next();
  ASSERT_TRUE(rows);
  for (std::size_t j = 1; j <= 9; ++j) EXPECT_EQ((*rows)[j], run.rows[3][j]) << j;
  for (std::size_t j = 10; j <= 18; ++j) EXPECT_NEAR((*rows)[j], run.rows[3][j], 1e-13) << j;  // p / m · m
}

// CHARMM's layout: Fortran records, 32-bit positions, the cell in 64 bits.
TEST(Exports, DcdIsLaidOutAsCharmmDoes) {
  const DumbbellRun run;
  const std::string bytes = run.exported("dcd", "out.dcd");
  std::size_t at = 0;
  const auto integer = [&] {
    std::int32_t x = 0;
    std::memcpy(&x, bytes.data() + at, sizeof x);
    at += sizeof x;
    return x;
  };
  const auto record = [&](std::int32_t size) {
    EXPECT_EQ(integer(), size);
    const std::string body = bytes.substr(at, static_cast<std::size_t>(size));
    at += static_cast<std::size_t>(size);
    EXPECT_EQ(integer(), size);
    return body;
  };
  const auto number = [](const std::string& body, std::size_t k) {
    std::int32_t x = 0;
    std::memcpy(&x, body.data() + 4 * k, sizeof x);
    return x;
  };
  const std::string control = record(84);
  EXPECT_EQ(control.substr(0, 4), "CORD");
  EXPECT_EQ(number(control, 1), 4);    // frames
  EXPECT_EQ(number(control, 2), 0);    // first step
  EXPECT_EQ(number(control, 3), 10);   // steps between frames
  EXPECT_EQ(number(control, 4), 25);   // steps
  EXPECT_EQ(number(control, 11), 1);   // a cell follows
  EXPECT_EQ(number(control, 20), 24);  // version
  float step = 0;
  std::memcpy(&step, control.data() + 40, sizeof step);
  EXPECT_EQ(step, 0.01F);
  EXPECT_EQ(number(record(164), 0), 2);  // titles of 80 letters
  EXPECT_EQ(number(record(4), 0), 3);    // points
  for (std::size_t row = 0; row < 4; ++row) {
    const std::string cell = record(48);
    std::array<double, 6> edge{};
    std::memcpy(edge.data(), cell.data(), 48);
    EXPECT_EQ(edge, (std::array<double, 6>{10, 0, 12.5, 0, 0, 0}));
    for (std::size_t a = 0; a < 3; ++a) {
      const std::string axis = record(12);
      for (std::size_t i = 0; i < 3; ++i) {
        float x = 0;
        std::memcpy(&x, axis.data() + 4 * i, sizeof x);
        EXPECT_EQ(x, static_cast<float>(run.rows[row][1 + 3 * i + a]));
      }
    }
  }
  EXPECT_EQ(at, bytes.size());
}

// Returns what h5dump of the HDF5 library prints after DATA.
std::vector<double> h5dump(const DumbbellRun& run, const std::string& what) {
  const std::string out = run.path("dump");
  const std::string command =
      "h5dump -w 0 -y -m %.17g " + what + " '" + run.path("out.h5") + "' > '" + out + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_text(out);
  const std::string text = read_text(out);
  const std::size_t data = text.find("DATA {");
  EXPECT_NE(data, std::string::npos) << text;
  std::string numbers =
      data == std::string::npos ? "" : text.substr(data + 6, text.find('}', data) - data - 6);
  std::replace(numbers.begin(), numbers.end(), ',', ' ');
  std::istringstream in(numbers);
  std::vector<double> values;
  for (double x = 0; in >> x;) values.push_back(x);
  return values;
}

TEST(Exports, H5mdIsReadByTheHdf5Library) {
  const DumbbellRun run;
  run.exported("h5md", "out.h5");
  EXPECT_EQ(h5dump(run, "-a /h5md/version"), (std::vector<double>{1, 1}));
  EXPECT_EQ(h5dump(run, "-a /particles/all/box/dimension"), (std::vector<double>{3}));
  EXPECT_EQ(h5dump(run, "-d /particles/all/box/edges"), (std::vector<double>{10, 12.5, 0}));
  EXPECT_EQ(h5dump(run, "-d /particles/all/mass"), (std::vector<double>{2, 2, 40}));
  EXPECT_EQ(h5dump(run, "-d /particles/all/species"), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(h5dump(run, "-d /particles/all/position/step"), (std::vector<double>{0, 10, 20, 25}));
  EXPECT_EQ(h5dump(run, "-d /particles/all/velocity/time"), (std::vector<double>{0, 0.1, 0.2, 0.25}));
  const std::vector<double> position = h5dump(run, "-d /particles/all/position/value"),
                            velocity = h5dump(run, "-d /particles/all/velocity/value"),
                            force = h5dump(run, "-d /particles/all/constraint_force/value"),
                            energy = h5dump(run, "-d /observables/total_energy/value"),
                            virial = h5dump(run, "-d /observables/virial/value");
  ASSERT_EQ(position.size(), 36U);
  ASSERT_EQ(velocity.size(), 36U);
  ASSERT_EQ(force.size(), 36U);
  ASSERT_EQ(energy.size(), 4U);
  ASSERT_EQ(virial.size(), 4U);
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t j = 0; j < 9; ++j) {
      EXPECT_EQ(position[9 * row + j], run.rows[row][1 + j]);
      EXPECT_EQ(velocity[9 * row + j], run.rows[row][10 + j] / (j < 6 ? 2 : 40));
    }
    EXPECT_EQ(force[9 * row], run.value(row, "f_x0"));
    EXPECT_EQ(energy[row], run.value(row, "energy"));
    EXPECT_EQ(virial[row], run.value(row, "virial"));
  }
  const std::string all = run.path("all");
  ASSERT_EQ(std::system(("h5dump '" + run.path("out.h5") + "' > '" + all + "' 2>&1").c_str()), 0)
      << read_text(all);
  for (const char* part : {"\"periodic\", \"periodic\", \"none\\000", "(0): \"taut\"", "\"N\\000\", \"Ar\"",
                           "GROUP \"author\"", "HARDLINK \"/observables/iterations/step\""})
    EXPECT_NE(read_text(all).find(part), std::string::npos) << part;
}

// Two masses m at the distance L turn with the speed v: the rod pulls with m v² / (L/2), its
// multiplier times L.
TEST(Quantities, OfADumbbellAreThoseOfTheClosedForm) {
  const DumbbellRun run;
  const double m = 2, v = 0.75, L = 1, tension = m * v * v / (L / 2);
  EXPECT_NEAR(run.value(0, "lambda_1"), tension / L, 1e-12);  // positive under tension
  EXPECT_NEAR(run.value(0, "f_x0"), -tension, 1e-12);         // towards the middle
  EXPECT_NEAR(run.value(0, "f_x1"), tension, 1e-12);
  EXPECT_NEAR(run.value(0, "virial"), -tension * L, 1e-12);
  EXPECT_NEAR(run.value(0, "virial_xx"), -tension * L, 1e-12);
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_NEAR(std::hypot(run.value(row, "f_x0"), run.value(row, "f_y0")), tension, 1e-4) << row;
    EXPECT_EQ(run.value(row, "f_x2"), 0);  // nothing holds the free particle
    EXPECT_NEAR(run.value(row, "virial_xx") + run.value(row, "virial_yy") + run.value(row, "virial_zz"),
                run.value(row, "virial"), 1e-12);
    EXPECT_NEAR(run.value(row, "virial_xy"), run.value(row, "virial_yx"), 1e-12);
    EXPECT_NEAR(run.value(row, "kinetic_energy") + run.value(row, "potential_energy"),
                run.value(row, "energy"), 1e-12);
    EXPECT_EQ(run.value(row, "potential_energy"), 0);
  }
  EXPECT_EQ(run.value(0, "iterations"), 0);
  EXPECT_GE(run.value(3, "iterations"), 25);
}

// A spring is drawn out by x in a box of volume L³, beside a rod at rest: V = k x²/2, its force k x
// pulls along r.
TEST(Quantities, OfPotentialsAreThoseOfTheClosedForm) {
  const OwnFolder folder;
  std::ofstream(folder / "spring.toml")
      << "[particles]\ncount = 4\nposition = [[0, 0, 0], [3, 4, 0], [7, 7, 7], [8, 7, 7]]\nvelocity = [[0, "
         "0, "
         "1], [0, 0, 1], [0, 0, 0], [0, 0, 0]]\nbox = [20, 20, 20]\n[[springs]]\nbetween = [0, 1]\nstiffness "
         "= "
         "2\nlength = 4\n[[pairs]]\npotential = \"1/r\"\ncutoff = 6\nof = [0, 1]\n[[rods]]\nbetween = [2, "
         "3]\n"
         "[output]\nquantities = [\"potentials\", \"virial_potentials\", \"pressure\"]\n[run]\nmethod = "
         "\"rattle\"\nstep = 0.01\nsteps = 0\n";
  const auto ran = run_taut("run spring.toml --format csv --out out", folder.string());
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto lines = lines_of(read_text(folder / "out/samples.csv"));
  const std::string names =
      "V_spring_1,V_pair_1,virial_V,virial_V_xx,virial_V_xy,virial_V_xz,virial_V_yx,virial_V_yy,virial_V_yz,"
      "virial_V_zx,virial_V_zy,virial_V_zz,pressure";
  ASSERT_TRUE(lines[0].ends_with(names)) << lines[0];
  std::vector<double> row;
  std::istringstream in(lines[1]);
  for (std::string word; std::getline(in, word, ',');) row.push_back(std::stod(word));
  const double r = 5, pull = 2 * (r - 4) - 1 / (r * r), virial = -pull * r, kinetic = 1;
  const std::vector<double> right{1,
                                  1 / r - 1.0 / 6,
                                  virial,
                                  virial * 9 / 25,
                                  virial * 12 / 25,
                                  0,
                                  virial * 12 / 25,
                                  virial * 16 / 25,
                                  0,
                                  0,
                                  0,
                                  0,
                                  (2 * kinetic + virial) / (3 * 8000)};
  for (std::size_t k = 0; k < right.size(); ++k)
    EXPECT_NEAR(row[row.size() - right.size() + k], right[k], 1e-13) << k;
}

// A pendulum that hangs at rest carries its weight.
TEST(Quantities, OfAPendulumAreThoseOfTheClosedForm) {
  const OwnFolder folder;
  const auto ran = run_taut(
      "run pendulum --set gravity=9.81 --set x=0 --set y=-1 --set p_x=0 --set p_y=0 --steps 0 --format csv "
      "--out out "
      "--set 'output.quantities=[\"forces\", \"multipliers\", \"virial\", \"energies\"]'",
      folder.string());
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto lines = lines_of(read_text(folder / "out/samples.csv"));
  EXPECT_EQ(
      lines[0],
      "t,x,y,p_x,p_y,energy,position_residual,momentum_residual,kinetic_energy,potential_energy,lambda_1,"
      "f_x,f_y,virial");
  std::vector<double> hangs;
  std::istringstream in(lines[1]);
  for (std::string word; std::getline(in, word, ',');) hangs.push_back(std::stod(word));
  ASSERT_EQ(hangs.size(), 14U);
  EXPECT_NEAR(hangs[10], 9.81, 1e-12);
  EXPECT_NEAR(hangs[11], 0, 1e-12);
  EXPECT_NEAR(hangs[12], 9.81, 1e-12);   // upwards
  EXPECT_NEAR(hangs[13], -9.81, 1e-12);  // y f_y
  EXPECT_EQ(hangs[8], 0);
}

// Two free particles that repel each other: no constraint, so no force of one, and a pressure all the same.
TEST(Quantities, OfASystemWithoutConstraintsHaveNoForcesOfConstraints) {
  const OwnFolder folder;
  std::ofstream(folder / "gas.toml")
      << "[particles]\ncount = 2\nposition = [[0, 0, 0], [2, 0, 0]]\nvelocity = [[0, 1, 0], [0, 0, 0]]\n"
         "box = [10, 10, 10]\n[[pairs]]\npotential = \"1/r\"\ncutoff = 4\n[output]\nquantities = "
         "[\"forces\", \"virial\", \"pressure\"]\n[run]\nstep = 0.01\nsteps = 0\n";
  const auto ran = run_taut("run gas.toml --format csv --out out", folder.string());
  ASSERT_EQ(ran.status, 0) << ran.err;
  std::vector<double> row;
  std::istringstream in(lines_of(read_text(folder / "out/samples.csv"))[1]);
  for (std::string word; std::getline(in, word, ',');) row.push_back(std::stod(word));
  ASSERT_EQ(row.size(), 16U + 6 + 10 + 1);
  for (std::size_t k = 16; k + 1 < row.size(); ++k) EXPECT_EQ(row[k], 0) << k;
  EXPECT_NEAR(row.back(), (2 * 0.5 + 0.25 * 2) / (3 * 1000), 1e-15);
}

TEST(Quantities, AKineticEnergyNeedsANaturalSystem) {
  const auto ran = run_taut("run charged-particle --set 'output.quantities=[\"energies\"]' --steps 1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.err.find("a kinetic energy of a Hamiltonian that is not ½ pᵀWp + V(q)"), std::string::npos)
      << ran.err;
}

// The folder holds the bytes of the file: a run continues although file and model are gone, and to
// the same bits.
TEST(ARunOfAFile, GoesOnWithoutIt) {
  const DumbbellRun run;
  const std::string before = run_taut("export out --csv", run.folder.string()).out;
  std::filesystem::remove(run.folder / "dumbbell.xyz");
  std::filesystem::remove(run.folder / "dumbbell.toml");
  std::filesystem::remove(run.folder / "out/summary.json");
  const auto resumed = run_taut("resume out --previous --new-samples", run.folder.string());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  const auto last = lines_of(before).back();
  EXPECT_EQ(lines_of(run_taut("export out --csv", run.folder.string()).out).back(), last);
}

// Samples that begin in the middle of a run keep their steps, and those that were there before.
TEST(Exports, OfNewSamplesHaveTheirSteps) {
  const DumbbellRun run;
  const auto go_on = [&] {
    std::filesystem::remove(run.folder / "out/summary.json");
    return run_taut("resume out --previous --new-samples", run.folder.string());
  };
  const std::string all = read_text(run.path("out/trajectory.taut"));
  ASSERT_EQ(go_on().status, 0);
  run.exported("h5md", "out.h5");
  EXPECT_EQ(h5dump(run, "-d /particles/all/position/step"), (std::vector<double>{10, 20, 25}));
  const auto dcd = run_taut("export out --dcd --out out.dcd", run.folder.string());
  EXPECT_EQ(
      dcd.err,
      "taut: frame 3 is of step 25, not 10 steps after the one before it as in the rest: DCD has no place "
      "for its time, 0.25, and readers will take it for another. Leave it out, or export --xyz or --h5md.\n");
  std::int32_t first = 0;
  std::memcpy(&first, read_text(run.path("out.dcd")).data() + 12, sizeof first);
  EXPECT_EQ(first, 10);
  ASSERT_EQ(go_on().status, 0);
  EXPECT_EQ(read_text(run.path("out/trajectory.taut.old")), all);
  EXPECT_TRUE(std::filesystem::exists(run.folder / "out/trajectory.taut.old.2"));
}

TEST(ARunOfAFile, IsRefusedWithThePlaceInTheFile) {
  const OwnFolder folder;
  std::filesystem::create_directory(folder / "models");
  std::ofstream(folder / "models/a.toml") << "[particles]\nfile = \"a.xyz\"\n";
  const auto missing = run_taut("run models/a.toml", folder.string());
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(
      missing.err,
      "models/a.toml:2:9: cannot read models/a.xyz: there is no such file\n"
      "   2 | file = \"a.xyz\"\n     |         ^^^^^  the path is as seen from the folder of the model\n");
  std::ofstream(folder / "models/a.xyz") << "1\n\nO 0 zero 0\n";
  const auto wrong = run_taut("run models/a.toml", folder.string());
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.err,
            "models/a.xyz:3:5: a coordinate must be a number, not `zero`\n   3 | O 0 zero 0\n     |    "
            " ^^^^\n");
}

}  // namespace
}  // namespace taut
