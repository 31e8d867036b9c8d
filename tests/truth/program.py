"""The program under test: one call, and what it printed."""
import glob
import json
import os
import re
import subprocess

FUSED = re.compile(r"\bv?fn?m(?:add|sub|addsub|subadd|la|ls)\w*")


def fused_in(unit):
    """The fused instructions of an object, each of which rounds once where a formula rounds twice."""
    listed = subprocess.run(["objdump", "-d", unit], capture_output=True, text=True, check=True).stdout
    if "ret" not in listed:
        raise ValueError("objdump lists no instructions of " + unit)
    return FUSED.findall(listed)


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))
        self.looked_at = set()

    def call(self, arguments):
        done = subprocess.run(
            [self.path] + arguments, capture_output=True, env=self.environment, cwd=self.folder, timeout=300
        )
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")

    def new_units(self):
        """The units that the program has compiled since the last time."""
        units = set(glob.glob(os.path.join(self.folder, "cache", "taut", "*.so"))) - self.looked_at
        self.looked_at |= units
        return sorted(units)

    def file(self, text, name="model.toml"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def run(self, text, *options):
        """Runs a model; returns the exit status, the JSON object (or none) and what was said."""
        status, out, said = self.call(["run", self.file(text), "--json", *options])
        try:
            return status, json.loads(out), said
        except ValueError:
            return status, None, said
