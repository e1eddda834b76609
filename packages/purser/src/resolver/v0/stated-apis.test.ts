import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveNow } from "../resolution.ts";
import { type ShortNamespace, shortNamespace } from "../testing/short-world.ts";
import { translatedDependencies, propertiesText } from "./properties.ts";
import { resolveNamespace } from "./resolve-namespace.ts";

function answer(world: ShortNamespace, owned?: readonly string[]): string {
  const input = shortNamespace(world);
  const clusterServiceVersions =
    owned === undefined
      ? input.clusterServiceVersions
      : [
          {
            apiVersion: "operators.coreos.com/v1alpha1" as const,
            kind: "ClusterServiceVersion" as const,
            metadata: { name: "t.v1", namespace: "ns" },
            spec: {
              displayName: "t",
              version: "1.0.0",
              install: { strategy: "deployment" },
              customresourcedefinitions: { owned: owned.map((name) => ({ name, version: "v1", kind: "K" })) },
            },
          },
        ];
  const outcome = resolveNow(resolveNamespace({ ...input, clusterServiceVersions }));
  return outcome.kind === "resolved"
    ? outcome.operators.map(({ bundle }) => bundle.name).join(" ")
    : `${outcome.kind}: ${outcome.upstream}`;
}

test("a bundle that states one API twice is in conflict with itself, and an older one is chosen", () => {
  const channel = { "a/alpha": ["a.v1 1.0.0 P=K", "a.v2 2.0.0 r=a.v1 P=K,K"] };
  assert.equal(answer({ catalogs: { "olm/cat": channel }, subscriptions: ["a a/alpha"] }), "a.v1");
  assert.equal(
    answer({ catalogs: { "olm/cat": { "a/alpha": ["a.v2 2.0.0 P=K,K"] } }, subscriptions: ["a a/alpha"] }),
    "unsatisfiable: constraints not satisfiable: cat/olm/alpha/a.v2 and cat/olm/alpha/a.v2 provide K (g.io/v1), " +
      "subscription a exists, subscription a requires cat/olm/alpha/a.v2",
  );
});

test("an installed CSV states one API twice by two definitions of one kind, not by one that is listed twice", () => {
  const world: ShortNamespace = {
    catalogs: { "olm/cat": { "t/alpha": ["t.v1 1.0.0 P=K"] } },
    subscriptions: ["t t/alpha at=t.v1"],
  };
  assert.equal(answer(world, ["ks.g.io", "ks.g.io"]), "");
  assert.equal(
    answer(world, ["ks.g.io", "others.g.io"]),
    "unsatisfiable: constraints not satisfiable: @existing/ns//t.v1 and @existing/ns//t.v1 provide K (g.io/v1), " +
      "subscription t exists, subscription t requires @existing/ns//t.v1",
  );
});

test("the keys of a catalog's own properties are sorted, those of translated requirements keep the order of OLM", () => {
  const own = [
    { type: "olm.package.required", value: { packageName: "b", versionRange: ">1", message: "why" } },
    { type: "olm.gvk.required", value: { version: "v1", kind: "K", group: "g.io" } },
  ];
  assert.equal(
    propertiesText(own, translatedDependencies(own)),
    '{"properties":[' +
      '{"type":"olm.package.required","value":{"message":"why","packageName":"b","versionRange":"\\u003e1"}},' +
      '{"type":"olm.gvk.required","value":{"group":"g.io","kind":"K","version":"v1"}},' +
      '{"type":"olm.package.required","value":{"packageName":"b","versionRange":"\\u003e1"}},' +
      '{"type":"olm.gvk.required","value":{"group":"g.io","version":"v1","kind":"K"}}]}',
  );
  assert.equal(propertiesText([]), "{}");
});
