import { asJson, parseKey } from "../../apis/object.ts";
import { groupResource } from "../../apis/resource-type.ts";
import { deepEqual } from "../../object/semantic-equal.ts";
import { objectIn } from "../kinds/json-parts.ts";
import { usedIn } from "../kinds/quota.ts";
import { resourceQuotas } from "../kinds/resource-types.ts";
import { collectable, namespacedTypes } from "./known-kinds.ts";
import { neighbours, ownKey, type BuiltInController } from "./runtime.ts";

/** Keeps `status.hard` and `status.used` of quotas. */
export const quotaController: BuiltInController = {
  name: "resourcequota-controller",
  watches: [
    { table: "resourcequotas", keys: ownKey },
    ...collectable
      .filter(({ namespaced, plural }) => namespaced && plural !== "resourcequotas")
      .map((type) => ({ table: groupResource(type), keys: neighbours("resourcequotas") })),
  ],
  reconcile: async (key, pass) => {
    const quota = pass.get(resourceQuotas, parseKey(key));
    if (quota === undefined) return undefined;
    const spec = objectIn(asJson(quota), "spec");
    const used = usedIn(pass, namespacedTypes(pass), quota.metadata.namespace ?? "", spec, pass.nowMs());
    const status = { hard: objectIn(spec, "hard"), used };
    if (deepEqual(status, objectIn(asJson(quota), "status"))) return undefined;
    await pass.writer.replace(resourceQuotas, { ...quota, status }, "status");
    return undefined;
  },
};
