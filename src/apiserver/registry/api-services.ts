import { formatTime } from "../../clock.ts";
import type { APIService } from "../../apis/apiregistration.ts";
import type { KubeObject } from "../../apis/object.ts";
import { apiServices } from "../../apis/resources.ts";
import type { Machinery } from "../machinery.ts";
import { storeCompanion } from "../resource/create.ts";
import { priorityOf } from "./group-priority.ts";
import { tableOf } from "./served-kind.ts";

const table = tableOf(apiServices);
const managedLabel = "kube-aggregator.kubernetes.io/automanaged";

function nameOf(group: string, version: string): string {
  return `${version}.${group}`;
}

/** The APIService that hands a group and version to somebody else; undefined when this server serves it. */
export function remoteService(
  { storage }: Pick<Machinery, "storage">,
  group: string,
  version: string,
): APIService | undefined {
  const found = storage.get(table, nameOf(group, version)) as APIService | undefined;
  return found?.spec?.service === undefined ? undefined : found;
}

/** Keeps one APIService per served group and version; those of definitions go when the version goes. */
export function syncApiServices(machinery: Machinery): void {
  const { storage, clock } = machinery;
  const served = new Set<string>();
  for (const { name: group, versions } of machinery.registry().groups)
    for (const { version, kinds } of versions) {
      const name = nameOf(group, version);
      served.add(name);
      if (storage.get(table, name) !== undefined) continue;
      const custom = kinds.every((kind) => kind.custom !== undefined);
      const priority = priorityOf(group);
      storeCompanion(machinery, {
        kind: "APIService",
        apiVersion: "apiregistration.k8s.io/v1",
        metadata: { name, labels: { [managedLabel]: custom ? "true" : "onstart" } },
        spec: {
          ...(group === "" ? {} : { group }),
          version,
          groupPriorityMinimum: priority.group,
          versionPriority: priority.version,
        },
      });
      const stored = storage.get(table, name);
      if (stored === undefined) continue;
      const condition = {
        type: "Available",
        status: "True",
        lastTransitionTime: formatTime(clock.now()),
        reason: "Local",
        message: "Local APIServices are always available",
      };
      storage.put(table, name, { ...stored, status: { conditions: [condition] } } as KubeObject);
    }
  const all = storage.list(table);
  for (const { metadata } of all.ok ? all.value : [])
    if (metadata.labels?.[managedLabel] === "true" && !served.has(metadata.name ?? ""))
      storage.remove(table, metadata.name ?? "");
}
