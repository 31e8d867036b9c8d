// Particles from files: what each format gives, and the same again as terms of a model.

#include <taut/model/model.hpp>
#include <taut/model/particles/particle_file.hpp>
#include <taut/model/particles/particles.hpp>

#include <gtest/gtest.h>

namespace {

using namespace taut;

ParticleFile read(const std::string& text, const FileChoice& choice) {
  std::vector<ModelError> errors;
  const SourceText source("file", text);
  const auto file = read_particle_file(source, choice, errors);
  EXPECT_TRUE(file) << text_of(errors);
  return file.value_or(ParticleFile{});
}

using Numbers = std::vector<double>;

const std::string two_frames =
    "2\nanything\nO 0 0 0\nH1 1.5 -2e-1 +3\n3\n"
    "time=0.5 Lattice=\"10.0 0.0 0.0 0.0 20.0 0.0 0.0 0.0 30.0\" "
    "Properties=species:S:1:pos:R:3:tags:I:2:velo:R:3:mass:R:1 pbc=\"T F T\"\r\n"
    "O  0 0 0  7 8  0.1 0.2 0.3  16\nH  1 0 0  7 8  0 0 0  1\n\tH 0 1 0  7 8  0 0 0.25  2\n\n";

TEST(ParticleFiles, Xyz) {
  const ParticleFile plain = read(two_frames, {.most_particles = 10});
  EXPECT_EQ(plain.count, 2);
  EXPECT_EQ(plain.species, (std::vector<std::string>{"O", "H1"}));
  EXPECT_EQ(plain.position, (Numbers{0, 0, 0, 1.5, -0.2, 3}));
  EXPECT_TRUE(plain.velocity.empty() && plain.mass.empty() && plain.bonds.empty());

  const ParticleFile extended = read(two_frames, {.frame = 1, .most_particles = 10});
  EXPECT_EQ(extended.count, 3);
  EXPECT_EQ(extended.position, (Numbers{0, 0, 0, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(extended.velocity, (Numbers{0.1, 0.2, 0.3, 0, 0, 0, 0, 0, 0.25}));
  EXPECT_EQ(extended.mass, (Numbers{16, 1, 2}));
  EXPECT_EQ(extended.box, (std::array<double, 3>{10, 0, 30}));
}

const std::string pdb =
    "HEADER    TWO MODELS\n"
    "CRYST1   12.500   10.000   10.000  90.00  90.00  90.00 P 1           1\n"
    "MODEL        1\n"
    "HETATM    1  O   HOH A   1       0.000   0.000   0.000  1.00  0.00           O\n"
    "HETATM    2  H1  HOH A   1      -0.957   0.000   0.000  1.00  0.00\n"
    "HETATM    3 HG11 HOH A   1       0.240   0.927 -10.000  1.00  0.00\n"
    "HETATM    9 CA   CAL A   2       5.000   0.000   0.000\n"
    "ENDMDL\n"
    "MODEL        2\n"
    "HETATM    1  O   HOH A   1       0.500   0.000   0.000  1.00  0.00           O\n"
    "ENDMDL\n"
    "CONECT    1    2    3\nCONECT    2    1\nCONECT    3    1    1\nEND\n";

TEST(ParticleFiles, Pdb) {
  const ParticleFile file = read(pdb, {.format = ParticleFormat::pdb, .most_particles = 10});
  EXPECT_EQ(file.count, 4);
  EXPECT_EQ(file.species, (std::vector<std::string>{"O", "H", "H", "CA"}));
  EXPECT_EQ(file.position, (Numbers{0, 0, 0, -0.957, 0, 0, 0.24, 0.927, -10, 5, 0, 0}));
  EXPECT_EQ(file.box, (std::array<double, 3>{12.5, 10, 10}));
  ASSERT_EQ(file.bonds.size(), 2U);  // each is listed from both ends
  EXPECT_EQ(file.bonds[0].particle, (std::array<int, 4>{0, 1}));
  EXPECT_EQ(file.bonds[1].particle, (std::array<int, 4>{0, 2}));
  std::string second = pdb;
  second.resize(second.find("CONECT"));
  EXPECT_EQ(read(second, {.format = ParticleFormat::pdb, .frame = 1, .most_particles = 10}).position,
            (Numbers{0.5, 0, 0}));
}

// The atoms are out of order; there are image flags, sections that are skipped, and comments.
const std::string data =
    "LAMMPS data file\n\n  4 atoms  # so many\n2 bonds\n1 angles\n1 dihedrals\n2 atom types\n2 bond types\n"
    "1 angle types\n1 dihedral types\n0 extra bond per atom\n\n-5.0 5.0 xlo xhi\n0 20 ylo yhi\n0 30 zlo "
    "zhi\n0 0 0 xy xz yz\n\n"
    "Masses\n\n1 16.0 # O\n2 1.0\n\nBond Coeffs # harmonic\n\n1 450 1.0\n2 450 1.0\n\n"
    "Atoms  # full\n\n30 1 2 0.4 1 0 0 0 0 0\n10 1 1 -0.8 4.5 0 0 -1 0 2\n20 1 2 0.4 0 1 0 0 0 0\n40 2 2 0 9 "
    "9 9 0 0 0\n\n"
    "Velocities\n\n20 1 2 3\n10 4 5 6\n30 7 8 9\n40 0 0 0\n\nBonds\n\n1 2 10 20\n2 1 10 30\n\nAngles\n\n1 1 "
    "20 10 30\n\n"
    "Dihedrals\n\n1 1 20 10 30 40\n";

TEST(ParticleFiles, LammpsData) {
  const ParticleFile file = read(data, {.format = ParticleFormat::lammps, .most_particles = 10});
  EXPECT_EQ(file.count, 4);
  EXPECT_EQ(file.species, (std::vector<std::string>{"1", "2", "2", "2"}));
  EXPECT_EQ(file.position, (Numbers{-5.5, 0, 60, 0, 1, 0, 1, 0, 0, 9, 9, 9}));  // with their images
  EXPECT_EQ(file.velocity, (Numbers{4, 5, 6, 1, 2, 3, 7, 8, 9, 0, 0, 0}));
  EXPECT_EQ(file.mass, (Numbers{16, 1, 1, 1}));
  EXPECT_EQ(file.box, (std::array<double, 3>{10, 20, 30}));
  ASSERT_EQ(file.bonds.size(), 2U);
  EXPECT_EQ(file.bonds[0].type, 2);
  EXPECT_EQ(file.bonds[0].particle, (std::array<int, 4>{0, 1}));
  ASSERT_EQ(file.angles.size(), 1U);
  EXPECT_EQ(file.angles[0].particle, (std::array<int, 4>{1, 0, 2}));
  ASSERT_EQ(file.dihedrals.size(), 1U);
  EXPECT_EQ(file.dihedrals[0].particle, (std::array<int, 4>{1, 0, 2, 3}));
}

TEST(ParticleFiles, LammpsStyles) {
  const auto atoms = [](const std::string& style, const std::string& line) {
    const FileChoice choice{.format = ParticleFormat::lammps, .style = style, .most_particles = 10};
    return read("\n1 atoms\n3 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\nAtoms\n\n" + line + "\n",
                choice);
  };
  for (const auto& [style, line] :
       std::vector<std::pair<std::string, std::string>>{{"atomic", "1 3 4 5 6"},
                                                        {"charge", "1 3 0.5 4 5 6"},
                                                        {"bond", "1 7 3 4 5 6"},
                                                        {"angle", "1 7 3 4 5 6"},
                                                        {"molecular", "1 7 3 4 5 6"},
                                                        {"full", "1 7 3 0.5 4 5 6"}}) {
    EXPECT_EQ(atoms(style, line).position, (Numbers{4, 5, 6})) << style;
    EXPECT_EQ(atoms(style, line).species.front(), "3") << style;
  }
}

TEST(ParticleFiles, MassesOfElements) {
  EXPECT_EQ(atomic_weight("C"), 12.011);
  EXPECT_EQ(atomic_weight("C12"), 12.011);
  EXPECT_EQ(atomic_weight("CL"), 35.45);
  EXPECT_EQ(atomic_weight("8"), 15.999);
  EXPECT_EQ(atomic_weight("118"), 294);
  EXPECT_EQ(element_of_weight(16.0), "O");
  EXPECT_EQ(element_of_weight(1.0), "H");
  EXPECT_EQ(element_of_weight(2.0), "X");
  EXPECT_FALSE(atomic_weight("119"));
  EXPECT_FALSE(atomic_weight("Qx"));
  EXPECT_FALSE(atomic_weight(""));
}

std::shared_ptr<const ParticleModel> model_of(const std::string& text, const std::string& name,
                                              const std::string& file) {
  const Surroundings around{.file = [&](const std::string& path) -> FoundText {
    if (path != name) return {{}, path, "there is no such file"};
    return {file, path};
  }};
  const ReadModel read = read_model(text, "test.toml", {}, around);
  EXPECT_TRUE(read.model) << text_of(read.errors);
  if (!read.model) return nullptr;
  EXPECT_EQ(read.model->files.at(name)->text(), file);  // what a checkpoint keeps
  return read.model->particles;
}

TEST(ParticleFiles, BecomeTermsOfAModel) {
  // The images are left out, because they would stretch the bonds over the box.
  std::string whole = data;
  whole.replace(whole.find("4.5 0 0 -1 0 2"), 14, "0.0 0 0  0 0 0");
  whole.replace(whole.find("9 9 9 0 0 0"), 11, "2 1 1 0 0 0");
  const auto model = model_of(
      "[particles]\nfile = \"w.data\"\n[[rods]]\nfrom = \"bonds\"\ntype = 2\n[[springs]]\nfrom = "
      "\"bonds\"\ntype = "
      "[1]\nstiffness = 2\n[[rods]]\nfrom = \"angles\"\n[[bends]]\nfrom = \"angles\"\nstiffness = 1\nangle = "
      "2\n"
      "[[torsions]]\nfrom = \"dihedrals\"\npotential = \"1 + cos(phi)\"\n[[field]]\nspecies = [2]\npotential "
      "= "
      "\"z\"\n[[pairs]]\nspecies = 2\npotential = \"1/r\"\ncutoff = 4\n",
      "w.data", whole);
  ASSERT_TRUE(model);
  ASSERT_EQ(model->constraints.size(), 2U);
  const auto ends = [&](int group) {
    const auto& particle = model->constraints[group]->particle;
    return std::pair(particle[0][0], particle[1][0]);
  };
  EXPECT_EQ(ends(0), std::pair(0, 1));
  EXPECT_EQ(ends(1), std::pair(1, 2));  // the ends of the angle
  ASSERT_EQ(model->potentials.size(), 4U);
  EXPECT_EQ(model->potentials[3]->size(), 3);  // the field on atoms of type 2
  EXPECT_EQ(model->pairs.front()->sets, (std::vector<std::vector<int>>{{1, 2, 3}}));
  EXPECT_EQ(model->p[0], 16 * 4.0);  // m v
  EXPECT_EQ(model->box, (std::array<double, 3>{10, 20, 30}));
}

TEST(ParticleFiles, KeysOfTheModelReplaceTheFile) {
  const auto model = model_of(
      "[particles]\ndimension = 2\nfile = \"w.xyz\"\nmass = \"2 + i\"\nvelocity = [\"-y\", \"x\"]\nbox = [0, "
      "7]\n",
      "w.xyz", "2\n\nA 1 2 0\nB 3 4 0\n");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->mass, (Numbers{2, 3}));
  EXPECT_EQ(model->q, (Numbers{1, 3, 2, 4}));
  EXPECT_EQ(model->p, (Numbers{-4, -12, 2, 9}));
  EXPECT_EQ(model->box, (std::array<double, 3>{0, 7, 0}));
}

TEST(ParticleFiles, HostileOnesAreRefused) {
  const auto refused = [](const std::string& text, ParticleFormat format) {
    std::vector<ModelError> errors;
    const SourceText source("file", text);
    EXPECT_FALSE(read_particle_file(source, {.format = format, .most_particles = 100}, errors));
    EXPECT_EQ(errors.size(), 1U);
  };
  for (const ParticleFormat format : {ParticleFormat::xyz, ParticleFormat::pdb, ParticleFormat::lammps}) {
    refused("", format);
    refused("\n\n\n\n", format);
    refused(std::string(1000000, '7'), format);
    refused(std::string(1000000, '\n'), format);
    refused("ATOM", format);
    refused("\xff\xfe\xfd", format);
  }
  refused("99999999999999999999\n\n", ParticleFormat::xyz);
  refused("101\n\n", ParticleFormat::xyz);
  refused("1\n=\"\nO 0 0\n", ParticleFormat::xyz);
  refused("1\n===\"=\nO 0 0 1e999\n", ParticleFormat::xyz);
  refused("\n1000 atoms\n", ParticleFormat::lammps);
}

}  // namespace
