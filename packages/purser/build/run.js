// `npm start` and `npm run purser`: the built package where it was built from these very sources, else the sources.
import { existsSync, readFileSync, statSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(import.meta.dirname);

/** `dist/sources.json` has size and time of change of every file that the build read; a copied tree counts as changed. */
function isBuilt() {
  try {
    const sources = JSON.parse(readFileSync(join(root, "dist/sources.json"), "utf8"));
    for (const path in sources) {
      const found = statSync(join(root, path), { throwIfNoEntry: false });
      if (found === undefined || `${found.size} ${found.ctimeMs}` !== sources[path]) return false;
    }
    return existsSync(join(root, "dist/purser.js"));
  } catch {
    return false;
  }
}

const program = pathToFileURL(join(root, isBuilt() ? "dist/purser.js" : "src/cli/main.ts"));
process.argv[1] = fileURLToPath(program);
// Sources are hundreds of files: from the second start on their stripped and compiled code is reused.
enableCompileCache();
await import(program.href);
