import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { directoryOfCaller, ownCommand } from "./own-script-directory.ts";

const own = { INIT_CWD: "/home/me", npm_lifecycle_event: "purser", npm_package_json: "/checkout/package.json" };
const cases: readonly (readonly [
  sentence: string,
  env: Readonly<Record<string, string>>,
  directory: string | undefined,
])[] = [
  ["npm run purser works in the directory of the caller", own, "/home/me"],
  ["so does npm start", { ...own, npm_lifecycle_event: "start" }, "/home/me"],
  ["other scripts of the package stay where they are", { ...own, npm_lifecycle_event: "test" }, undefined],
  ["scripts of other packages stay, too", { ...own, npm_package_json: "/other/package.json" }, undefined],
  ["a start without npm stays", {}, undefined],
];
for (const [sentence, env, directory] of cases)
  test(sentence, () => assert.equal(directoryOfCaller(env, "/checkout"), directory));

test("suggested commands use npm after npm start and after npm run purser", () => {
  for (const script of ["start", "purser"])
    assert.equal(ownCommand({ ...own, npm_lifecycle_event: script }, "/checkout"), "npm run -s purser --");
  assert.equal(ownCommand({ ...own, npm_lifecycle_event: "test" }, "/checkout"), "purser");
  assert.equal(ownCommand({}, "/checkout"), "purser");
});

test("relative paths of npm run purser are relative to the caller's directory", () => {
  const directory = mkdtempSync(join(tmpdir(), "purser-caller-"));
  try {
    writeFileSync(join(directory, "mine.yaml"), "schema: olm.package\nname: mine\n");
    const root = resolve(import.meta.dirname, "../../../..");
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        "--disable-warning=ExperimentalWarning",
        join(import.meta.dirname, "main.ts"),
        "catalog",
        "validate",
        "mine.yaml",
      ],
      {
        cwd: root,
        encoding: "utf8",
        env: {
          ...process.env,
          INIT_CWD: directory,
          npm_lifecycle_event: "purser",
          npm_package_json: join(root, "package.json"),
        },
      },
    );
    assert.match(stdout + stderr, /mine\.yaml:1/);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
