import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { listMember, nameOf, objectMember, textMember } from "../directory/first-object.ts";
import type { ParsedBundle } from "../directory/parse-directory.ts";

/**
 * The permissions of a bundle, one key per scope and resource: `cluster foo: deployments.apps` to verbs. The CSV's permissions and
 * the roles among the manifests count.
 */
export function permissionsIn({ csv, objects }: ParsedBundle): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const add = (holder: string, rule: JsonObject): void => {
    for (const resource of resourcesOf(rule)) {
      const subject = `${holder}: ${resource}`;
      const verbs = found.get(subject) ?? new Set();
      for (const verb of textsIn(rule, "verbs")) verbs.add(verb);
      found.set(subject, verbs);
    }
  };
  const strategy = objectMember(objectMember(objectMember(csv.object, "spec"), "install"), "spec");
  for (const [key, scope] of [
    ["permissions", "namespace"],
    ["clusterPermissions", "cluster"],
  ] as const) {
    for (const permission of objectsIn(strategy, key))
      for (const rule of objectsIn(permission, "rules"))
        add(`${scope} ${textMember(permission, "serviceAccountName")}`, rule);
  }
  for (const { object } of objects) {
    const kind = textMember(object, "kind");
    if (kind !== "Role" && kind !== "ClusterRole") continue;
    for (const rule of objectsIn(object, "rules")) add(`${kind} ${nameOf(object)}`, rule);
  }
  return found;
}

/** `deployments.apps`, `secrets (named a)`, `/healthz`: one word per thing that a rule is about. */
function resourcesOf(rule: JsonObject): readonly string[] {
  const names = textsIn(rule, "resourceNames").toSorted();
  const named = names.length === 0 ? "" : ` (named ${names.join(", ")})`;
  const groups = textsIn(rule, "apiGroups");
  const resources = textsIn(rule, "resources").flatMap((resource) =>
    groups.map((group) => `${resource}${group === "" ? "" : `.${group}`}${named}`),
  );
  return [...resources, ...textsIn(rule, "nonResourceURLs")];
}

function textsIn(object: JsonObject, key: string): readonly string[] {
  return listMember(object, key).filter((item) => typeof item === "string");
}

function objectsIn(object: JsonObject, key: string): readonly JsonObject[] {
  return listMember(object, key).filter((item) => isJsonObject(item));
}
