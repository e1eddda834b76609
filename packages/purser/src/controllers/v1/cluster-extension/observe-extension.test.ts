import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObserveContext } from "@purser/kubernetes/kube/controller/controller";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { ClusterExtension } from "../../../apis/v1/cluster-extension.ts";
import { extensionFinalizers, pausedAnnotation } from "../../../apis/v1/labels.ts";
import { improved } from "../../../compat.ts";
import { SetContent } from "../../../content/testing/set-content.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { HeldReleases } from "./held-releases.ts";
import { observeExtension } from "./observe-extension.ts";
import { VerifiedRevisions } from "./verified-revisions.ts";

const extension: ClusterExtension = {
  apiVersion: "olm.operatorframework.io/v1",
  kind: "ClusterExtension",
  metadata: { name: "op", uid: "uid-op", finalizers: extensionFinalizers },
  spec: { namespace: "ns", source: { sourceType: "Catalog", catalog: { packageName: "op" } } },
};

/** The decision, and the types that were read for it. */
async function observed(asked: ClusterExtension | undefined): Promise<readonly unknown[]> {
  const read: string[] = [];
  class Reader extends RecordingCluster {
    override async list(...args: Parameters<RecordingCluster["list"]>): Promise<never> {
      read.push(args[0].plural);
      return (await super.list(...args)) as never;
    }
  }
  const context = {
    reader: new Reader((asked === undefined ? [] : [asked]) as readonly KubeObject[]),
    cache: { cached: () => undefined, byIndex: () => [] },
    now: 0,
    signal: new AbortController().signal,
    log: () => {},
  } as unknown as ObserveContext;
  const surroundings = { compat: improved, content: new SetContent() } as unknown as Surroundings;
  const releases = { read: () => Promise.resolve({ ok: true, value: undefined }) } as unknown as HeldReleases;
  const verified = new VerifiedRevisions();
  const ports = { releases, verified, ask: () => ({ state: { kind: "pending", since: 0 } }) as never };
  const world = await observeExtension({ name: "op" }, context, surroundings, ports);
  return [world?.decision.kind, ...read];
}

const { finalizers: _, ...withoutFinalizers } = extension.metadata;
const revisions = "clusterobjectsets";
for (const [what, asked, expected] of [
  ["that does not exist is not looked at", undefined, [undefined]],
  [
    "that is being deleted is not resolved",
    { ...extension, metadata: { ...extension.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } },
    ["wait", revisions],
  ],
  ["without finalizers gets them first", { ...extension, metadata: withoutFinalizers }, ["wait", revisions]],
  [
    "that is paused is left as it is",
    { ...extension, metadata: { ...extension.metadata, annotations: { [pausedAnnotation]: "true" } } },
    ["paused", revisions],
  ],
  [
    "that was paused is resolved",
    { ...extension, metadata: { ...extension.metadata, annotations: { [pausedAnnotation]: "false" } } },
    ["refused", revisions, "clustercatalogs", "clusterupdatepolicies"],
  ],
  ["is resolved", extension, ["refused", revisions, "clustercatalogs", "clusterupdatepolicies"]],
] as const)
  test(`an extension ${what}`, async () => assert.deepEqual(await observed(asked as ClusterExtension), expected));
