import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveNow } from "../../resolution.ts";
import type { ShortNamespace } from "../../testing/short-world.ts";
import { shortNamespace } from "../../testing/short-world.ts";
import { whyBundle } from "./why.ts";

const world: ShortNamespace = {
  catalogs: {
    "olm/cat": {
      "app/stable": ["app.v1 1.0.0 R=Disk", "app.v2 2.0.0 r=app.v1 R=Disk"],
      "disk/stable": ["disk.v1 1.0.0 P=Disk", "disk.v2 2.0.0 r=disk.v1 P=Disk,Other D"],
      "extra/stable": ["extra.v1 1.0.0"],
    },
  },
  subscriptions: ["my app/stable"],
};

function why(bundle: string): string {
  const answer = resolveNow(whyBundle(shortNamespace(world), bundle));
  switch (answer.kind) {
    case "chosen":
    case "notAsked":
    case "lessPreferred":
      return `${answer.kind}: ${answer.text}`;
    case "excluded":
    case "undecided":
      return `${answer.kind}: ${answer.explanation.summary}`;
  }
}

test("every candidate has the rule that chose or excluded it", () => {
  const expected: Readonly<Record<string, string>> = {
    "app.v2": "chosen: Subscription my asks for package app, channel stable, catalog olm/cat",
    "disk.v1": "chosen: app.v2 (stable of olm/cat) requires the API Disk (g.io/v1)",
    "app.v1":
      "lessPreferred: app.v2 (stable of olm/cat) comes before app.v1 (stable of olm/cat) in the order of preference",
    "disk.v2":
      "excluded: disk.v2 (stable of olm/cat) cannot be chosen: The namespace can only have disk.v2, which the catalog marks olm.deprecated",
    "extra.v1": "notAsked: No Subscription and no requirement in ns can lead to extra.v1",
  };
  for (const [bundle, text] of Object.entries(expected)) assert.equal(why(bundle), text);
});

test("a namespace without an answer is explained instead", () => {
  const broken = shortNamespace({ ...world, subscriptions: ["my nothing/stable"] });
  const answer = resolveNow(whyBundle(broken, "app.v1"));
  assert.equal(answer.kind === "undecided" ? answer.explanation.code : answer.kind, "PackageNotFound");
});
