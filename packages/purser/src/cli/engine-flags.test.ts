import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "./command.ts";
import { commands } from "./commands.ts";
import { engineFlags } from "./engine-flags.ts";
import { parseArguments } from "./program.ts";
import type { Terminal } from "./output/terminal.ts";

function flags(...args: readonly string[]): ReturnType<typeof engineFlags> {
  const parsed = parseArguments("purser", commands, ["run", ...args]);
  assert.ok(parsed.kind === "run");
  const terminal = { env: {} } as Terminal;
  const { arguments: given, options } = parsed;
  return engineFlags({ arguments: given, options, terminal, signal: new AbortController().signal }, false);
}

test("--apis names the families that are served, both when it is absent", () => {
  assert.deepEqual(
    [flags(), flags("--apis", "v1"), flags("--apis", "v1, v0")].map(({ families }) => families),
    [["v0", "v1"], ["v1"], ["v0", "v1"]],
  );
});

test("without OLM v0 no PackageManifests are served and none of an earlier process are removed", () => {
  assert.equal(flags().packageServing, "none");
  assert.ok(!("packageServing" in flags("--apis", "v1")));
});

test("without OLM v1 no catalog is served over HTTP", () => {
  assert.deepEqual(flags().catalogServing, { host: "127.0.0.1" });
  assert.ok(!("catalogServing" in flags("--apis", "v0", "--catalog-address", "127.0.0.1:7444")));
});

test("namespaces that are watched and protected are lists, and a list with an empty name watches all", () => {
  const { watchedNamespaces, protectedNamespaces } = flags(
    "--watched-namespaces",
    "a, b",
    "--protected-copied-csv-namespaces",
    "c,,d",
  );
  assert.deepEqual([watchedNamespaces, protectedNamespaces], [new Set(["a", "b"]), new Set(["c", "d"])]);
  for (const given of [flags(), flags("--watched-namespaces", ""), flags("--watched-namespaces", "a,")])
    assert.ok(!("watchedNamespaces" in given) && !("protectedNamespaces" in given));
});

test("an InstallPlan is retried for a minute, or as long as the flag says", () => {
  assert.ok(!("installPlanRetryMs" in flags()));
  assert.equal(flags("--install-plan-retry-timeout", "1m30s").installPlanRetryMs, 90_000);
});

test("a namespace that cannot exist is refused", () => {
  for (const flag of ["--watched-namespaces", "--protected-copied-csv-namespaces"])
    assert.throws(
      () => flags(flag, "a,B"),
      new UsageError(`${flag} "B" is not a DNS-1123 label (lower-case letters, digits and "-", at most 63 characters)`),
    );
});

const refused: readonly (readonly [args: readonly string[], message: string, hint: string])[] = [
  [["--apis", "v2"], '--apis "v2": "v2" is not an API family', "write v0, v1 or v0,v1"],
  [
    ["--install-plan-retry-timeout", "soon"],
    '--install-plan-retry-timeout "soon" is not a duration',
    "write for example 30s, 10m or 1h30m",
  ],
  [["--apis", ""], '--apis "": "" is not an API family', "write v0, v1 or v0,v1"],
  [["--apis", "v1", "--package-api"], "PackageManifests belong to OLM v0", "leave out the flag, or add v0 to --apis"],
];
for (const [args, message, hint] of refused)
  test(`purser run ${args.join(" ")} is refused: ${message}`, () =>
    assert.throws(
      () => flags(...args),
      (error) => error instanceof UsageError && error.message === message && error.hints[0] === hint,
    ));
