// Before `npm pack`: the pages of the repository that the published package shows.
import { copyFileSync } from "node:fs";
import { join, resolve } from "node:path";

const own = resolve(import.meta.dirname, "..");
for (const name of ["README.md", "LICENSE"]) copyFileSync(join(own, "../..", name), join(own, name));
