import type { Pod } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, keyOf, parseKey } from "@purser/kubernetes/apis/object";
import { pods } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";
import { persistentVolumeClaims, persistentVolumes } from "../kinds/resource-types.ts";
import { ownKey, type BuiltInController, type Pass } from "./runtime.ts";

/** Names of the claims that a pod uses. */
function claimsOf(pod: Pod): readonly string[] {
  return objectsIn(objectIn(asJson(pod), "spec"), "volumes").flatMap((volume) => {
    const name = textIn(objectIn(volume, "persistentVolumeClaim"), "claimName");
    return name === "" ? [] : [name];
  });
}

/** Removes the protection finalizer of a deleted object that is no longer in use. */
async function letGo(
  pass: Pass,
  type: ResourceType,
  key: string,
  finalizer: string,
  isUsed: (object: KubeObject) => boolean,
): Promise<undefined> {
  const object = pass.get(type, parseKey(key));
  if (object?.metadata.deletionTimestamp === undefined) return undefined;
  const { finalizers = [], ...metadata } = object.metadata;
  if (!finalizers.includes(finalizer) || isUsed(object)) return undefined;
  const left = finalizers.filter((held) => held !== finalizer);
  await pass.writer.replace(type, {
    ...object,
    metadata: { ...metadata, ...(left.length === 0 ? {} : { finalizers: left }) },
  });
  return undefined;
}

/** Keeps a deleted claim while a scheduled pod uses it. */
export const claimProtection: BuiltInController = {
  name: "pvc-protection-controller",
  watches: [
    { table: "persistentvolumeclaims", keys: ownKey },
    {
      table: "pods",
      keys: ({ before, after }) => {
        const pod = (after ?? before) as Pod | undefined;
        return pod === undefined ? [] : claimsOf(pod).map((name) => `${pod.metadata.namespace ?? ""}/${name}`);
      },
    },
  ],
  reconcile: async (key, pass) =>
    letGo(pass, persistentVolumeClaims, key, "kubernetes.io/pvc-protection", (claim) => {
      const { namespace = "", name } = keyOf(claim);
      return pass
        .list(pods, namespace)
        .some((pod) => (pod.spec?.nodeName ?? "") !== "" && claimsOf(pod).includes(name));
    }),
};

/** Keeps a deleted volume while it is bound to a claim. */
export const volumeProtection: BuiltInController = {
  name: "pv-protection-controller",
  watches: [{ table: "persistentvolumes", keys: ownKey }],
  reconcile: async (key, pass) =>
    letGo(
      pass,
      persistentVolumes,
      key,
      "kubernetes.io/pv-protection",
      (volume) => textIn(objectIn(asJson(volume), "status"), "phase") === "Bound",
    ),
};
