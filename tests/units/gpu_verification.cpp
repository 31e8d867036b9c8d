// What gpu/verify found on a device holds for the sources that it had: `taut --version` says so, no more.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "support/run_program.hpp"

namespace {

using taut::test::OwnFolder, taut::test::read_text, taut::test::run_taut;

const std::string script = std::string(TAUT_SOURCE_DIR) + "/gpu/verification";

std::string said(const OwnFolder& folder, const std::string& arguments) {
  const std::string to = folder / "said";
  EXPECT_EQ(std::system(("'" + script + "' " + arguments + " >'" + to + "'").c_str()), 0);
  std::string text = read_text(to);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string record_in(const OwnFolder& folder, const std::string& sources, const std::string& equal) {
  const std::string path = folder / "verified.json";
  std::ofstream(path) << "{\n  \"device\": \"NVIDIA H200\",\n  \"driver\": \"CUDA 13.0\",\n"
                         "  \"date\": \"2026-11-18\",\n  \"sources\": \""
                      << sources << "\",\n  \"all_equal\": " << equal
                      << ",\n  \"models\": [{\"name\": \"pendulum\", \"equal\": true}]\n}\n";
  return "--record '" + path + "'";
}

void write_in(const OwnFolder& folder, const std::string& file, const std::string& text) {
  std::filesystem::create_directories((folder / file).parent_path());
  std::ofstream(folder / file) << text;
}

TEST(VerificationOnADevice, HoldsForTheSourcesThatItHad) {
  const OwnFolder folder;
  const std::string sources = said(folder, "--hash"), other(64, '0');
  EXPECT_EQ(sources.size(), 64U);
  EXPECT_EQ(said(folder, record_in(folder, sources, "true")),
            "verified on NVIDIA H200, CUDA 13.0, 2026-11-18");
  EXPECT_EQ(said(folder, record_in(folder, other, "true")),
            "not verified since 2026-11-18: the sources are no longer those of NVIDIA H200, CUDA 13.0, "
            "2026-11-18");
  EXPECT_EQ(said(folder, record_in(folder, sources, "false")),
            "other bits than the processor's on NVIDIA H200, CUDA 13.0, 2026-11-18");
  EXPECT_EQ(said(folder, "--record /nowhere/verified.json"), "not verified on a device");
}

TEST(VerificationOnADevice, HashesCodeAndNotComments) {
  const OwnFolder folder;
  const auto hash_of = [&](const std::string& text) {
    write_in(folder, "taut/mechanism/device_unit.hpp", text);
    return said(folder, "--hash '" + folder.string() + "'");
  };
  const std::string plain = hash_of("int x = 1;\n");
  EXPECT_EQ(hash_of("int  x =\n1; // a comment\n"), plain);
  EXPECT_NE(hash_of("int x = 2;\n"), plain);
}

// What makes the kernel is hashed: what its headers include, and the sources that write and fill it; no
// other file.
TEST(VerificationOnADevice, HashesWhatMakesTheKernel) {
  const OwnFolder folder;
  const auto hash_with = [&](const std::string& file, const std::string& text) {
    write_in(folder, file, text);
    return said(folder, "--hash '" + folder.string() + "'");
  };
  write_in(folder, "taut/mechanism/device_unit.hpp", "#include <taut/measure/gauge.hpp>\n");
  write_in(folder, "taut/measure/gauge.hpp", "#include <taut/measure/units.hpp>\n");
  const std::string plain = hash_with("taut/report/figure.hpp", "int x = 1;\n");
  EXPECT_EQ(hash_with("taut/report/figure.hpp", "int x = 2;\n"), plain) << "no unit includes it";
  const std::string deep = hash_with("taut/measure/units.hpp", "int x = 1;\n");
  EXPECT_NE(deep, plain) << "a header of a header of the unit";
  EXPECT_NE(hash_with("taut/mechanism/device_machine.cpp", "int x = 1;\n"), deep) << "it fills the slots";
  const std::string all = said(folder, "--files");
  for (const char* file : {"taut/measure/gauge.hpp", "taut/method/rattle.hpp", "taut/model/code/emit.cpp",
                           "taut/backend/device_steps.cpp", "taut/mechanism/device_machine.cpp",
                           "taut/method/implicit_midpoint.hpp", "taut/ensemble/worker_on_device.cpp"})
    EXPECT_NE(("\n" + all + "\n").find(std::string("\n") + file + "\n"), std::string::npos) << file;
}

TEST(VerificationOnADevice, IsWhatTheVersionSays) {
  const OwnFolder folder;
  const std::string sentence = said(folder, "");
  std::cout << "ensembles on a GPU: " << sentence << "\n";
  EXPECT_NE(run_taut("--version").out.find("\nensembles on a GPU: " + sentence + "\n"), std::string::npos);
}

}  // namespace
