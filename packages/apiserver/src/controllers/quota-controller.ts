import { asJson, parseKey } from "@purser/kubernetes/apis/object";
import { groupResource } from "@purser/kubernetes/apis/resource-type";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { objectIn } from "../kinds/decoding/json-parts.ts";
import { measureInTurns } from "../admission/quotas.ts";
import { usedIn } from "../kinds/quotas/quota.ts";
import { viewOf } from "../machinery.ts";
import { resourceQuotas } from "../kinds/resource-types.ts";
import { collectable, namespacedTypes } from "./known-kinds.ts";
import { followingCustom, neighbours, ownKey, type BuiltInController } from "./runtime.ts";

/** Maintains `status.hard` and `status.used` of quotas. */
export const quotaController: BuiltInController = {
  name: "resourcequota-controller",
  watches: [
    { table: "resourcequotas", keys: ownKey },
    ...collectable
      .filter(({ namespaced, plural }) => namespaced && plural !== "resourcequotas")
      .map((type) => ({ table: groupResource(type), keys: neighbours("resourcequotas") })),
  ],
  start: followingCustom(neighbours("resourcequotas")),
  reconcile: async (key, pass) => {
    const quota = pass.get(resourceQuotas, parseKey(key));
    if (quota === undefined) return undefined;
    const spec = objectIn(asJson(quota), "spec");
    const before = objectIn(asJson(quota), "status");
    const hard = objectIn(spec, "hard");
    const { namespace = "" } = quota.metadata;
    const view = viewOf(pass.storage);
    await measureInTurns(view, namespace);
    const now = usedIn(view, namespacedTypes(pass), namespace, spec, pass.nowMs());
    // Usage that is no longer calculated is kept as long as the resource is limited.
    const kept = Object.entries(objectIn(before, "used")).filter(([name]) => Object.hasOwn(hard, name));
    const used = { ...Object.fromEntries(kept), ...now };
    const filled = Object.entries({ hard, used }).filter(([, amounts]) => Object.keys(amounts).length > 0);
    const status = Object.fromEntries(filled);
    if (deepEqual(status, before)) return undefined;
    await pass.writer.replace(resourceQuotas, { ...quota, status }, "status");
    return undefined;
  },
};
