import assert from "node:assert/strict";
import { test } from "node:test";
import type { HoldCode } from "../../policy/verdict.ts";
import { resolveNow } from "../resolution.ts";
import { resolveExtension } from "./resolve-extension.ts";
import type { ShortExtension } from "../testing/short-world.ts";
import { shortExtension } from "../testing/short-world.ts";
import { whyExtensionBundle } from "./why.ts";

const world: ShortExtension = {
  catalogs: {
    "far -5": { "app/stable": ["app.v9 2.5.0"] },
    near: {
      "app/stable": ["app.v1 1.0.0", "app.v2 2.0.0 r=app.v1", "app.v3 3.0.0 r=app.v2"],
      "app/fast": ["app.v4 2.9.0 r=app.v1"],
    },
  },
  extension: { packageName: "app", channels: ["stable"], version: "<3.0.0" },
  holds: ["app.v7 frozen"],
};

function why(bundle: string, change: Partial<ShortExtension> = {}): string {
  const answer = resolveNow(whyExtensionBundle(shortExtension({ ...world, ...change }), bundle));
  switch (answer.kind) {
    case "chosen":
    case "notAsked":
    case "lessPreferred":
      return `${answer.kind}: ${answer.text}`;
    case "excluded":
    case "undecided":
      return `${answer.kind} ${answer.explanation.code}: ${answer.explanation.summary}`;
  }
}

test("every bundle of the package has the rule that chose or excluded it", () => {
  const asks = "ClusterExtension ext asks for package app <3.0.0, channel stable";
  const expected: Readonly<Record<string, string>> = {
    "app.v2": `chosen: ${asks}; this is the best of catalog near`,
    "app.v1":
      "lessPreferred: app.v2 (catalog near) comes before app.v1 (catalog near): version 2.0.0 is newer than 1.0.0",
    "app.v9":
      "lessPreferred: app.v2 (catalog near) comes before app.v9 (catalog far): catalog near has priority 0, far has -5",
    "app.v3":
      "excluded NoVersionInRange: app.v3 cannot be chosen: ClusterExtension ext asks for app <3.0.0, but the catalog has 3.0.0",
    "app.v4":
      "excluded ChannelNotFound: app.v4 cannot be chosen: ClusterExtension ext asks for channel stable of package app, which has fast and stable",
    other: `notAsked: ${asks}; no catalog that it uses has other in that package`,
  };
  for (const [bundle, text] of Object.entries(expected)) assert.equal(why(bundle), text);
});

test("a bundle without an upgrade edge is excluded for that alone, and so is a held one", () => {
  const change = { extension: { packageName: "app" }, installed: { name: "app.v1", version: "1.0.0" } };
  assert.match(why("app.v3", change), /^excluded NoUpgradePath: app\.v3 cannot be chosen/);
  assert.match(why("app.v2", { holds: ["app.v2 frozen"] }), /^excluded VersionHeld: app\.v2 cannot be chosen/);
});

test("when resolution is refused, why returns that refusal", () => {
  const tie = { catalogs: { one: world.catalogs["near"] ?? "", two: world.catalogs["near"] ?? "" } };
  assert.match(why("app.v2", tie), /^undecided AmbiguousCatalog/);
  assert.match(why("app.v2", { catalogs: { one: "gone" } }), /^undecided CatalogUnavailable/);
});

test("what time alone lets through gives an extension that waits its cause, before what a rule refuses", () => {
  const input = shortExtension({
    catalogs: { near: world.catalogs["near"] ?? "" },
    extension: { packageName: "app", channels: ["stable"] },
  });
  const codeOf = (...codes: readonly HoldCode[]): string | undefined => {
    const holds = codes.map((code, index) => ({
      code,
      bundles: [`app.v${index + 1}`],
      reason: code,
      remedy: { summary: "wait", command: "" },
    }));
    const outcome = resolveNow(resolveExtension({ ...input, holds }));
    return outcome.kind === "failed" ? outcome.explanation.code : outcome.kind;
  };
  assert.equal(codeOf("VersionHeld", "VersionHeld", "VersionHeld"), "VersionHeld");
  assert.equal(codeOf("VersionHeld", "OutsideWindow", "Soaking"), "OutsideWindow");
  assert.equal(codeOf("Soaking", "VersionHeld", "OutsideWindow"), "Soaking");
});
