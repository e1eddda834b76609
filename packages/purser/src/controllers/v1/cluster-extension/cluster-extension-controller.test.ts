import assert from "node:assert/strict";
import { test } from "node:test";
import type { CacheView } from "@purser/kubernetes/kube/informer-cache";
import { clusterExtensions } from "../../../apis/olm-resources.ts";
import type { ClusterExtension } from "../../../apis/v1/cluster-extension.ts";
import type { SecretContents } from "../../../rollout/memory/secret-contents.ts";
import type { Surroundings } from "../../surroundings.ts";
import { clusterExtensionController } from "./cluster-extension-controller.ts";

const extension = (name: string, annotations: Readonly<Record<string, string>> = {}, reason = "r"): ClusterExtension =>
  ({ metadata: { name, annotations }, status: { conditions: [{ type: "Ready", status: "False", reason }] } }) as never;

test("a change of an extension that was created for another one wakes those that lack dependencies, another change its own", () => {
  const { watches } = clusterExtensionController({} as Surroundings, {} as SecretContents);
  const { map, indexes } = watches.find(({ type }) => type === clusterExtensions) ?? {};
  const all = [extension("app", {}, "DependencyMissing"), extension("other")];
  const byIndex = (_: unknown, index: string): readonly ClusterExtension[] =>
    all.filter((one) => (indexes?.[index]?.(one as never) ?? []).length > 0);
  const woken = (changed: ClusterExtension): readonly string[] =>
    (map?.(changed as never, { byIndex } as unknown as CacheView) ?? []).map(({ name }) => name);
  assert.deepEqual(woken(extension("store", { "purser.dev/wanted-by": "app" })), ["store", "app"]);
  assert.deepEqual(woken(extension("store")), ["store"]);
});
