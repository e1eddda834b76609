import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordingCluster } from "../../conformance/suites/v0/recording-cluster.ts";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import type { StepStatus } from "../apis/v0/install-plan.ts";
import { executeCrdStep } from "./crd-step.ts";

const manifest: CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "foos.g.io" },
  spec: {
    group: "g.io",
    names: { kind: "Foo", plural: "foos" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

/** The manifest as a cluster holds it, with these conditions. */
function live(...conditions: readonly (readonly [type: string, status: "True" | "False"])[]): CustomResourceDefinition {
  const shown = conditions.map(([type, status]) => ({ type, status, reason: "", message: "", lastTransitionTime: "" }));
  return { ...manifest, status: { conditions: shown, storedVersions: ["v1"] } };
}

/** `STATUS` after one pass, with the writes that it made. */
async function pass(status: StepStatus, ...held: readonly CustomResourceDefinition[]): Promise<string> {
  const cluster = new RecordingCluster(held);
  const outcome = await executeCrdStep(
    manifest,
    {
      resolving: "op.v1",
      resource: {
        sourceName: "cat",
        sourceNamespace: "olm",
        group: "apiextensions.k8s.io",
        version: "v1",
        kind: "CustomResourceDefinition",
        name: "foos.g.io",
      },
      status,
    },
    "ns",
    { reader: cluster, writer: cluster },
    new AbortController().signal,
  );
  return [outcome.ok ? outcome.value.status : outcome.problem.message, ...cluster.writes].join(", ");
}

const established = live(["Established", "True"], ["NamesAccepted", "True"]);
const create = "create customresourcedefinitions foos.g.io";
const table: readonly (readonly [string, Promise<string>, string])[] = [
  [
    "a CRD that waits and was deleted is not present, and is not created in the same pass",
    pass("WaitingForApi"),
    "NotPresent",
  ],
  ["a CRD that is not present is created and waits", pass("NotPresent"), `WaitingForApi, ${create}`],
  ["a CRD that waits is created once it is established", pass("WaitingForApi", established), "Created"],
  ["a CRD without conditions goes on waiting", pass("WaitingForApi", live()), "WaitingForApi"],
  [
    "a CRD whose names are taken goes on waiting",
    pass("WaitingForApi", live(["Established", "True"], ["NamesAccepted", "False"])),
    "WaitingForApi",
  ],
  ["a created CRD is left alone when it was deleted", pass("Created"), "Created"],
  ["a present CRD is left alone when it was deleted", pass("Present"), "Present"],
  ["a step that cannot be executed writes nothing", pass("NotCreated"), "Unknown"],
];

for (const [name, found, expected] of table) test(name, async () => assert.equal(await found, expected));
