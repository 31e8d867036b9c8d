// Every table and reader of a model, right and wrong, on one line and on many: a text with n entries of a
// kind. Reading takes a time that grows as n; bench/reading.cpp shows it, and tests/units/model_hostile.cpp
// holds it.
#pragma once

#include <taut/model/model.hpp>

#include <functional>
#include <string>
#include <vector>

namespace taut::test {

struct ReadingCase {
  std::string name;
  bool right;                                 // its text is a model
  std::function<std::string(int)> text;       // the text of n entries
  std::function<std::string(int)> file = {};  // the file that it names, if it names one
};

// Returns entry(0), entry(1), …, entry(n - 1) with a text between them.
inline std::string many(int n, const std::string& between, const std::function<std::string(int)>& entry) {
  std::string text;
  for (int i = 0; i < n; ++i) text += (i > 0 ? between : "") + entry(i);
  return text;
}

inline std::string str(int i) { return std::to_string(i); }
inline std::string quoted_x(int i) { return "\"x" + str(i) + "\""; }

// A system of n coordinates; `rest` follows in [system].
inline std::string system_of(int n, const std::string& rest, const std::string& between = ", ") {
  return "[system]\ncoordinates = [" + many(n, between, quoted_x) + "]\n" + rest;
}
inline std::string natural_system(int n, const std::string& rest = {}) {
  return system_of(n, "mass = 1\npotential = \"x0\"\n" + rest);
}
inline std::string particles_of(int n, const std::string& rest) {
  return "[particles]\ncount = " + str(n) + "\nposition = [\"2*i\", \"sin(i)\", \"cos(i)\"]\n" + rest;
}
inline std::string one_table(const std::string& header, const std::string& places, const std::string& rest) {
  return "[[" + header + "]]\nbetween = [" + places + "]\n" + rest;
}
// Tables of the same kind, each with one term of so many particles.
inline std::string tables_of(const std::string& header, int places, int n, const std::string& rest) {
  return particles_of(n + places, many(n, "", [&](int i) {
                        return one_table(
                            header, "[" + many(places, ", ", [&](int k) { return str(i + k); }) + "]", rest);
                      }));
}
// One table with a list of terms.
inline std::string list_of(const std::string& header, int places, int n, const std::string& rest) {
  return particles_of(
      n + places, one_table(header,
                            many(n, ", ",
                                 [&](int i) {
                                   return "[" + many(places, ", ", [&](int k) { return str(i + k); }) + "]";
                                 }),
                            rest));
}

inline std::string xyz_file(int n) {
  return str(n) + "\nLattice=\"900000000 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3\n" +
         many(n, "", [](int i) { return "Ar " + str(2 * i) + ".5 1.0 2.0\n"; });
}
inline std::string lammps_file(int n) {
  return "made up\n\n" + str(n) + " atoms\n" + str(n - 1) +
         " bonds\n1 atom types\n1 bond types\n0 900000000 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\nMasses\n\n1 "
         "2.0\n\n"
         "Atoms # bond\n\n" +
         many(n, "", [](int i) { return str(i + 1) + " 1 1 " + str(2 * i) + " 1.0 2.0\n"; }) + "\nBonds\n\n" +
         many(n - 1, "", [](int i) { return str(i + 1) + " 1 " + str(i + 1) + " " + str(i + 2) + "\n"; });
}
inline std::string pdb_file(int n) {
  const auto padded = [](const std::string& word, std::size_t width) {
    return std::string(width - std::min(width, word.size()), ' ') + word;
  };
  return many(n, "",
              [&](int i) {
                return "ATOM  " + padded(str(i % 100000), 5) + "  C   ALA A   1    " +
                       padded(str(i) + ".5", 8) + "   1.000   2.000  1.00  0.00           C\n";
              }) +
         many(n < 90000 ? n - 1 : 0, "",
              [&](int i) { return "CONECT" + padded(str(i), 5) + padded(str(i + 1), 5) + "\n"; });
}

inline std::vector<ReadingCase> reading_cases() {
  const auto vector_entry = [](int i) { return "[" + str(2 * i) + ".5, 0.0, 0.0]"; };
  const auto from_file = [](const std::string& name, const std::string& rest) {
    return [=](int) { return "[particles]\nfile = \"" + name + "\"\n" + rest; };
  };
  return {
      {"coordinates on one line", true, [](int n) { return natural_system(n); }},
      {"coordinates on many lines", true,
       [](int n) { return system_of(n, "mass = 1\npotential = \"x0\"\n", ",\n"); }},
      {"coordinates with umlauts in a comment on their line", true,
       [](int n) {
         return "[system]\ncoordinates = [" + many(n, ", ", quoted_x) +
                "] # ä\nmass = 1\npotential = \"x0\"\n";
       }},
      {"a Hamiltonian that is natural", true,
       [](int n) {
         return system_of(
             n, "hamiltonian = \"" + many(n, " + ", [](int i) { return "p_x" + str(i) + "^2/2"; }) + "\"\n");
       }},
      {"a Hamiltonian with a chain of momenta", true,
       [](int n) {
         return system_of(n, "hamiltonian = \"" +
                                 many(n, " + ", [](int i) { return "cosh(p_x" + str(i) + ")"; }) + "\"\n");
       }},
      {"a long potential", true,
       [](int n) {
         return "[system]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"" +
                many(n, " + ", [](int i) { return "sin(" + str(i) + "*x)"; }) + "\"\n";
       }},
      {"masses", true,
       [](int n) {
         return system_of(
             n, "mass = [" + many(n, ", ", [](int i) { return str(i + 1); }) + "]\npotential = \"x0\"\n");
       }},
      {"constraints", true,
       [](int n) {
         return natural_system(2 * n, "constraints = [" + many(n, ", ", [](int i) {
                                        return "\"x" + str(2 * i) + " - x" + str(2 * i + 1) + "^2\"";
                                      }) + "]\n");
       }},
      {"initial values", true,
       [](int n) {
         return natural_system(n) + "[initial]\n" +
                many(n, "", [](int i) { return "x" + str(i) + " = " + str(i) + ".5\n"; });
       }},
      {"parameters, each of the one before", true,
       [](int n) {
         return "[parameters]\na0 = 1\n" +
                many(n, "", [](int i) { return "a" + str(i + 1) + " = \"a" + str(i) + " + 1\"\n"; }) +
                natural_system(1);
       }},
      {"definitions", true,
       [](int n) {
         return "[definitions]\n" +
                many(n, "", [](int i) { return "d" + str(i) + " = \"sin(x" + str(i) + ")\"\n"; }) +
                natural_system(n);
       }},
      {"quantities", true,
       [](int n) {
         return natural_system(n) + "[quantities]\n" + many(n, "", [](int i) {
                  return "k" + str(i) + " = \"x" + str(i) + "*v_x" + str(i) + "\"\n";
                });
       }},
      {"velocities of the start", true,
       [](int n) {
         return natural_system(n) + "[initial]\n" +
                many(n, "", [](int i) { return "v_x" + str(i) + " = " + str(i) + ".5\n"; });
       }},
      {"forces", true,
       [](int n) {
         return natural_system(n) + many(n, "", [](int i) {
                  return "[[forces]]\non = \"x" + str(i) + "\"\nforce = \"-v_x" + str(i) + "\"\n";
                });
       }},
      {"damping", true,
       [](int n) {
         return natural_system(n) + "[damping]\n" +
                many(n, "", [](int i) { return "x" + str(i) + " = 0.5\n"; });
       }},
      {"events", true,
       [](int n) {
         return natural_system(n) + many(n, "", [](int i) {
                  return "[[events]]\nname = \"e" + str(i) + "\"\nwhen = \"x" + str(i) + " - 1\"\n";
                });
       }},
      {"unknown names in forces and events", false,
       [](int n) {
         return natural_system(1) + many(n, "", [](int i) {
                  return "[[forces]]\non = \"x0\"\nforce = \"y" + str(i) + "\"\n[[events]]\nwhen = \"z" +
                         str(i) + "\"\n";
                });
       }},
      {"unknown names in definitions and quantities", false,
       [](int n) {
         return "[definitions]\n" +
                many(n, "", [](int i) { return "d" + str(i) + " = \"y" + str(i) + "\"\n"; }) +
                natural_system(1) + "[quantities]\n" +
                many(n, "", [](int i) { return "k" + str(i) + " = \"z" + str(i) + "\"\n"; });
       }},
      {"bodies to draw", true,
       [](int n) {
         return natural_system(n + 1) + "[draw]\nbodies = [" +
                many(n, ", ", [](int i) { return "[\"x" + str(i) + "\", \"x" + str(i + 1) + "\"]"; }) + "]\n";
       }},
      {"unknown names", false,
       [](int n) {
         return "[parameters]\n" +
                many(n, "", [](int i) { return "a" + str(i) + " = \"b" + str(i) + "\"\n"; }) +
                natural_system(1);
       }},
      {"unknown names on one line", false,
       [](int n) {
         return natural_system(
             1, "constraints = [" + many(n, ", ", [](int i) { return "\"y" + str(i) + "\""; }) + "]\n");
       }},
      {"unknown names in one formula", false,
       [](int n) {
         return "[system]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"" +
                many(n, " + ", [](int i) { return "y" + str(i); }) + "\"\n";
       }},
      {"initial values of nothing", false,
       [](int n) {
         return natural_system(n) + "[initial]\n" +
                many(n, "", [](int i) { return "y" + str(i) + " = 1\n"; });
       }},
      {"coordinates listed twice", false,
       [](int n) { return system_of(n, "mass = 1\npotential = \"x0\"\n") + many(1, "", quoted_x); }},
      {"coordinates that are numbers", false,
       [](int n) {
         return "[system]\ncoordinates = [" + many(n, ", ", str) + "]\nmass = 1\npotential = \"1\"\n";
       }},
      {"unknown tables", false,
       [](int n) { return natural_system(1) + many(n, "", [](int i) { return "[t" + str(i) + "]\n"; }); }},
      {"constraints that say the same", false,
       [](int n) {
         return natural_system(n + 2,
                               "constraints = [" + many(n, ", ", [](int) { return "\"x0 - x1\""; }) + "]\n");
       }},

      {"positions on one line", true,
       [=](int n) {
         return "[particles]\ncount = " + str(n) + "\nposition = [" + many(n, ", ", vector_entry) + "]\n";
       }},
      {"positions on many lines", true,
       [=](int n) {
         return "[particles]\ncount = " + str(n) + "\nposition = [" + many(n, ",\n", vector_entry) + "]\n";
       }},
      {"velocities and masses", true,
       [=](int n) {
         return particles_of(n, "velocity = [" + many(n, ", ", vector_entry) + "]\nmass = [" +
                                    many(n, ", ", [](int i) { return str(i + 1); }) + "]\n");
       }},
      {"rods in one list", true, [](int n) { return list_of("rods", 2, n, ""); }},
      {"rods in many tables", true, [](int n) { return tables_of("rods", 2, n, ""); }},
      {"angles in many tables", true, [](int n) { return tables_of("angles", 3, n, ""); }},
      {"springs in one list", true, [](int n) { return list_of("springs", 2, n, "stiffness = 1\n"); }},
      {"springs in many tables", true, [](int n) { return tables_of("springs", 2, n, "stiffness = 1\n"); }},
      {"bends in one list", true, [](int n) { return list_of("bends", 3, n, "potential = \"costheta\"\n"); }},
      {"torsions in one list", true,
       [](int n) { return list_of("torsions", 4, n, "potential = \"cos(phi)\"\n"); }},
      {"a field on a list", true,
       [](int n) {
         return particles_of(n, "[[field]]\nof = [" + many(n, ", ", str) + "]\npotential = \"z\"\n");
       }},
      {"fields in tables on one line", true,
       [](int n) {
         return particles_of(2, "").insert(0, "field = [" + many(n, ", ", [](int) {
                                                return std::string("{ of = \"0\", potential = \"z\" }");
                                              }) + "]\n");
       }},
      {"constraints in many tables", true,
       [](int n) { return tables_of("constraint", 2, n, "formula = \"x1 - x2 + 2\"\n"); }},
      {"pairs", true,
       [](int n) { return particles_of(n, "[[pairs]]\npotential = \"exp(-r)\"\ncutoff = 3\n"); }},
      {"pairs that skip a chain of springs", true,
       [](int n) {
         return list_of("springs", 2, n, "stiffness = 1\n") +
                "[[pairs]]\npotential = \"exp(-r)\"\ncutoff = 3\nexclude_bonded = 3\n";
       }},
      {"rods to particles that are not there", false,
       [](int n) {
         return particles_of(
             2, many(n, "", [](int i) { return one_table("rods", "[0, " + str(i + 2) + "]", ""); }));
       }},
      {"unknown names in tables", false,
       [](int n) {
         return particles_of(
             2, many(n, "", [](int i) { return "[[field]]\npotential = \"y" + str(i) + "\"\n"; }));
       }},
      {"XYZ", true, from_file("a.xyz", ""), xyz_file},
      {"XYZ with a wrong number", false, from_file("a.xyz", ""),
       [](int n) { return xyz_file(n) + "Ar 1 2 3\n"; }},
      {"XYZ with a long comment", true, from_file("a.xyz", ""),
       [](int n) {
         return "1\n" + many(n, "", [](int i) { return "k" + str(i) + "=\"\""; }) + "\nAr 0 0 0\n";
       }},
      {"LAMMPS data", true, from_file("a.data", "[[springs]]\nfrom = \"bonds\"\nstiffness = 1\n"),
       lammps_file},
      {"PDB", true, from_file("a.pdb", ""), pdb_file},
      {"PDB with CONECT", true,
       [](int n) {
         return std::string("[particles]\nfile = \"a.pdb\"\n") +
                (n < 90000 ? "[[springs]]\nfrom = \"bonds\"\nstiffness = 1\n" : "");
       },
       pdb_file},
  };
}

inline ReadModel read_case(const ReadingCase& c, int n) {
  return read_model(c.text(n), "model.toml", {},
                    {.file = [&](const std::string& path) -> FoundText { return {c.file(n), path}; }});
}

}  // namespace taut::test
