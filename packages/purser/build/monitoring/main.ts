// node packages/purser/build/monitoring/main.ts: writes deploy/monitoring/ anew.
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { monitoringFiles } from "./files.ts";

const directory = resolve(import.meta.dirname, "../../../../deploy/monitoring");
mkdirSync(directory, { recursive: true });
for (const [name, text] of monitoringFiles) {
  writeFileSync(resolve(directory, name), text);
  console.log(`${name}: ${Buffer.byteLength(text)} bytes`);
}
