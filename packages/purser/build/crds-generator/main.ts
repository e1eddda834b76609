// node build/crds-generator/main.ts: writes crds/ anew.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { manifests } from "./manifests.ts";

const directory = resolve(import.meta.dirname, "../../crds");
for (const [path, text] of manifests()) {
  const file = resolve(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`${path}: ${Buffer.byteLength(text)} bytes`);
}
