import { spawnSync } from "node:child_process";

/** Why a test that runs these programs is skipped; false when all of them are on the PATH. */
export function missingTools(...names: readonly string[]): string | false {
  const missing = names.filter((name) => spawnSync("sh", ["-c", 'command -v "$0"', name]).status !== 0);
  return (
    missing.length > 0 && `not here: ${missing.join(" and ")} not on the PATH (npm run test:registries installs them)`
  );
}
