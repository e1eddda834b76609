// `npm run test:registries`: installs the programs that tests of image registries run, where apt-get and root are there,
// and runs those tests. With --install-only the tests are left to `npm test`, which skips what is not on the PATH.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { planPreparation } from "./registry-programs.ts";

const root = resolve(import.meta.dirname, "..");
const isOnPath = (program: string): boolean => spawnSync("sh", ["-c", 'command -v "$0"', program]).status === 0;

/** Long enough for a slow mirror; a mirror that never answers must not hold up the tests. */
const limitMs = 300_000;

function apt(...args: readonly string[]): boolean {
  const { status } = spawnSync("apt-get", ["-q", "-o", "Dpkg::Use-Pty=0", ...args], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    timeout: limitMs,
  });
  return status === 0;
}

function prepare(): void {
  const plan = planPreparation({ isRoot: process.getuid?.() === 0, isOnPath });
  if (plan.kind === "impossible") console.log(`registries: ${plan.reason}`);
  if (plan.kind !== "install") return;
  const names = plan.packages.join(" ");
  console.log(`registries: installing ${names}`);
  // A failed update may leave lists that are good enough.
  apt("update");
  if (!apt("install", "-y", "--no-install-recommends", ...plan.packages))
    console.log(`registries: apt-get could not install ${names}; the tests that run them are skipped`);
}

prepare();
if (!process.argv.includes("--install-only")) {
  const sources = "packages/purser";
  const files = ["src", "e2e"]
    .flatMap((directory) =>
      readdirSync(join(root, sources, directory), { recursive: true, encoding: "utf8" }).map((name) =>
        join(sources, directory, name),
      ),
    )
    .filter((path) => path.endsWith(".test.ts") && readFileSync(join(root, path), "utf8").includes("missingTools("));
  const { status } = spawnSync(process.execPath, [join(root, "checks/run-tests.ts"), ...files], {
    cwd: root,
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}
