import assert from "node:assert/strict";
import { test } from "node:test";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { clusterCatalogs, clusterExtensions, clusterObjectSets } from "../apis/olm-resources.ts";
import { parseCompat } from "../compat.ts";
import { World } from "./testing/world.ts";

const key = { name: "logbook-db" };
const upstream = 'no bundles found for package "logbook-db" matching version "9.0.0"';

for (const [claim, switches, starts] of [
  ["without --compat=condition-texts a refused extension shows the cause, then OLM's text", "", "VersionNotFound: "],
  ["with --compat=condition-texts a refused extension shows OLM's text alone", "condition-texts", upstream],
  ["with --compat=strict too", "strict", upstream],
] as const)
  test(claim, async (context) => {
    const compat = parseCompat(switches);
    assert.ok(compat.ok);
    const world = await World.open({ compat: compat.value });
    context.after(() => world.stop());
    await world.extend(key.name, "9.0.0");
    const refused = await world.reaches(clusterExtensions, key, "refused", ({ status }) =>
      (findCondition(status?.conditions, "Progressing")?.message ?? "").includes(upstream),
    );
    const message = findCondition(refused.status?.conditions, "Progressing")?.message ?? "";
    assert.ok(message.startsWith(starts) && message.endsWith(upstream), message);
  });

for (const [claim, switches, starts] of [
  ["without --compat=condition-texts a revision shows the owner of an object", "", "ObjectOwnedElsewhere: "],
  ["with --compat=condition-texts a revision shows OLM's text alone", "condition-texts", "revision object collisions"],
] as const)
  test(claim, async (context) => {
    const compat = parseCompat(switches);
    assert.ok(compat.ok);
    const world = await World.open({ compat: compat.value });
    context.after(() => world.stop());
    await world.create(customResourceDefinitions, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "ledgers.logbook.demo.purser.dev" },
      spec: {
        group: "logbook.demo.purser.dev",
        names: { kind: "Ledger", plural: "ledgers" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    });
    await world.extend(key.name, "1.0.0", { install: { preflight: { crdUpgradeSafety: { enforcement: "None" } } } });
    const revision = await world.reaches(clusterObjectSets, { name: "logbook-db-1" }, "refused", ({ status }) =>
      (findCondition(status?.conditions, "Progressing")?.message ?? "").includes("revision object collisions"),
    );
    const message = findCondition(revision.status?.conditions, "Progressing")?.message ?? "";
    assert.ok(message.startsWith(starts), message);
  });

const unread =
  "the image 127.0.0.1:1/far/catalog:v1 cannot be pulled: this process reads catalogs from directories only";
for (const [claim, switches, text] of [
  [
    "without --compat=condition-texts a catalog that cannot be read shows what to do",
    "",
    `source catalog content: ${unread}. Register the catalog with --catalog NAME=PATH.`,
  ],
  [
    "with --compat=condition-texts a catalog that cannot be read shows OLM's text alone",
    "condition-texts",
    `source catalog content: terminal error: ${unread}`,
  ],
] as const)
  test(claim, async (context) => {
    const compat = parseCompat(switches);
    assert.ok(compat.ok);
    const world = await World.open({ compat: compat.value });
    context.after(() => world.stop());
    await world.create(clusterCatalogs, {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterCatalog",
      metadata: { name: "far" },
      spec: { source: { type: "Image", image: { ref: "127.0.0.1:1/far/catalog:v1" } } },
    });
    const failed = await world.reaches(
      clusterCatalogs,
      { name: "far" },
      "not read",
      ({ status }) =>
        (findCondition(status?.conditions, "Progressing")?.message ?? "").includes("source catalog content: ") &&
        !(findCondition(status?.conditions, "Progressing")?.message ?? "").includes("is being read"),
    );
    assert.equal(findCondition(failed.status?.conditions, "Progressing")?.message, text);
  });

test("a configuration that does not fit names its field, and the remedy makes the extension install", async (context) => {
  const world = await World.open();
  context.after(() => world.stop());
  await world.extend(key.name, "1.0.0", { config: { configType: "Inline", inline: { colour: "red" } } });
  const refused = await world.reaches(
    clusterExtensions,
    key,
    "refused",
    ({ status }) => (findCondition(status?.conditions, "Progressing")?.reason ?? "") === "InvalidConfiguration",
  );
  assert.equal(
    findCondition(refused.status?.conditions, "Progressing")?.message,
    'ConfigurationInvalid: logbook-db: spec.config.inline.colour: unknown field "colour" (schema #/additionalProperties). Remove spec.config.inline.colour: kubectl patch clusterextensions.olm.operatorframework.io logbook-db --type merge -p \'{"spec":{"config":null}}\'\nerror for resolved bundle "logbook-db.v1.0.0" with version "1.0.0": invalid ClusterExtension configuration: invalid configuration: unknown field "colour"',
  );
  await world.merge(clusterExtensions, key, { spec: { config: null } });
  await world.reaches(clusterExtensions, key, "installed", ({ status }) => status?.install?.bundle.version === "1.0.0");
});
