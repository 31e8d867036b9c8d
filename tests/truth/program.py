"""The program under test: one call, and what it printed."""
import json
import os
import subprocess


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))

    def call(self, arguments):
        done = subprocess.run(
            [self.path] + arguments, capture_output=True, env=self.environment, cwd=self.folder, timeout=300
        )
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")

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
