import assert from "node:assert/strict";
import { test } from "node:test";
import type { HeldVersions } from "../../policy/held-versions.ts";
import { newerBundles, newerLines } from "./held-newer.ts";

const bundle = (version: string) => ({ name: `etcd.v${version}`, version });
const many = Array.from({ length: 25 }, (_, minor) => bundle(`1.${minor}.0`));
const held = (versions: readonly string[], reason: string): HeldVersions => ({
  code: "VersionHeld",
  bundles: versions.map((version) => `etcd.v${version}`),
  reason,
  remedy: { summary: "" },
});

test("only versions above the installed one count, each once and the newest first; all of them when nothing is installed", () => {
  const versions = (installed: string | undefined) =>
    newerBundles([...many, bundle("1.24.0"), bundle("next")], installed).map(({ version }) => version);
  assert.deepEqual(versions("1.21.0"), ["1.24.0", "1.23.0", "1.22.0"]);
  assert.equal(versions(undefined).length, 25);
  assert.deepEqual(versions("2.0.0"), []);
});

test("versions that are held are counted by reason, with what is allowed", () => {
  const newer = newerBundles(many, "1.1.0");
  const all = many.map(({ version }) => version);
  assert.deepEqual(newerLines(newer, [held(all, "UpdatePolicy a/b: no upgrades")]), [
    "  held      1.24.0, 1.23.0, 1.22.0 and 20 more: UpdatePolicy a/b: no upgrades",
    "  allowed   no newer version",
  ]);
  assert.deepEqual(newerLines(newer, [held(["1.24.0", "1.0.0"], "denied"), held(["1.0.0"], "old")]), [
    "  held      1.24.0: denied",
    "  allowed   1.23.0, 1.22.0, 1.21.0 and 19 more",
  ]);
  assert.deepEqual(newerLines([], []), ["  newer     the catalogs have no newer version"]);
});

test("beyond three reasons their number is shown", () => {
  const newer = newerBundles(many, "1.19.0");
  const reasons = newer.map(({ version }) => held([version], `soaks ${version}`));
  assert.deepEqual(newerLines(newer, reasons).slice(3), [
    "            and 2 more reasons: -o json",
    "  allowed   no newer version",
  ]);
});
