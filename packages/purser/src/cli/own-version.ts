import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageDirectory } from "../engine/package-directory.ts";

/** The version in this package's manifest. */
export function ownVersion(): string {
  const manifest = JSON.parse(readFileSync(join(packageDirectory(), "package.json"), "utf8")) as {
    readonly version: string;
  };
  return manifest.version;
}
