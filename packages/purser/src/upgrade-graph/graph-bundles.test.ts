import assert from "node:assert/strict";
import { test } from "node:test";
import { upgradeGraph } from "./upgrade-graph.ts";

const entry = (name: string, replaces?: string, ...skips: readonly string[]) => ({
  name,
  replaces,
  skips,
  skipRange: undefined,
});
const bundle = (name: string, version: string | undefined, deprecation?: string) => ({
  name,
  version,
  release: undefined,
  deprecation,
});
const graphOf = (entries: readonly ReturnType<typeof entry>[], ...bundles: readonly ReturnType<typeof bundle>[]) =>
  upgradeGraph({
    name: "op",
    defaultChannel: "stable",
    deprecation: undefined,
    bundles,
    channels: [{ name: "stable", deprecation: undefined, entries }],
  }).bundles.map(({ name, kind, version }) => [kind, name, ...(version === undefined ? [] : [version])].join(" "));

test("what entries name without a bundle is missing, each once, with the version of its name; an empty name is nothing", () => {
  const entries = [entry("op.v1.2.0", "op.v1.1.0", "op.v1.0.0", ""), entry("op.v1.1.0", "", "op.v1.0.0", "other")];
  assert.deepEqual(graphOf(entries, bundle("op.v1.2.0", "1.2.0")), [
    "bundle op.v1.2.0 1.2.0",
    "missing op.v1.1.0 1.1.0",
    "missing op.v1.0.0 1.0.0",
    "missing other",
  ]);
});

test("the first of several bundles of one name counts, and equal versions are in order of their names", () => {
  const found = graphOf([], bundle("a", "1.0.0"), bundle("a", "2.0.0"), bundle("c", "1.5.0"), bundle("b", "1.5.0"));
  assert.deepEqual(found, ["bundle b 1.5.0", "bundle c 1.5.0", "bundle a 1.0.0"]);
});
