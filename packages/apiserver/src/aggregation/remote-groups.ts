import type { APIService } from "@purser/kubernetes/apis/apiregistration";
import { apiServices } from "@purser/kubernetes/apis/resources";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { objectIn, objectsIn, textIn, textsIn } from "../kinds/decoding/json-parts.ts";
import { tableOf } from "../registry/served-kind.ts";
import type { Storage } from "../storage/storage.ts";

/** One group and version of an aggregated API. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly priority: number;
  readonly available: boolean;
  /** Entries of aggregated discovery, as last seen. */
  readonly resources: readonly JsonObject[];
}

/** The discovery documents of servers behind APIServices; kept in memory and requested again after a restart. */
export class RemoteGroups {
  readonly #storage: Storage;
  readonly #resources = new Map<string, readonly JsonObject[]>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Records a server's response to `/apis/<group>/<version>`; an invalid one removes the record. */
  note(name: string, text: string): void {
    this.#resources.set(name, resourcesIn(text));
  }

  /** Every APIService with a Service, by priority. */
  versions(): readonly RemoteVersion[] {
    const held = this.#storage.list(tableOf(apiServices));
    const remote = (held.ok ? held.value : []).filter((object) => (object as APIService).spec?.service !== undefined);
    return remote
      .map((object): RemoteVersion => {
        const service = object as APIService;
        const { group = "", version = "", groupPriorityMinimum = 0 } = service.spec ?? {};
        return {
          group,
          version,
          priority: groupPriorityMinimum,
          available: isAvailable(service),
          resources: this.#resources.get(service.metadata.name ?? "") ?? [],
        };
      })
      .toSorted((a, b) => b.priority - a.priority || (a.group < b.group ? -1 : a.group > b.group ? 1 : 0));
  }
}

export function isAvailable(service: APIService): boolean {
  return service.status?.conditions?.some(({ type, status }) => type === "Available" && status === "True") === true;
}

function resourcesIn(text: string): readonly JsonObject[] {
  let document: JsonValue;
  try {
    document = JSON.parse(text) as JsonValue;
  } catch {
    return [];
  }
  if (!isJsonObject(document) || document["kind"] !== "APIResourceList") return [];
  const entries = objectsIn(document, "resources");
  const kindOf = (entry: JsonObject): JsonObject => ({
    group: textIn(entry, "group"),
    version: textIn(entry, "version"),
    kind: textIn(entry, "kind"),
  });
  return entries
    .filter((entry) => !textIn(entry, "name").includes("/"))
    .map((entry) => {
      const name = textIn(entry, "name");
      const subresources = entries
        .filter((other) => textIn(other, "name").startsWith(`${name}/`))
        .map((other) => ({
          subresource: textIn(other, "name").slice(name.length + 1),
          responseKind: kindOf(other),
          verbs: textsIn(other, "verbs"),
        }));
      return {
        resource: name,
        responseKind: kindOf(entry),
        scope: member(entry, "namespaced") === true ? "Namespaced" : "Cluster",
        singularResource: textIn(entry, "singularName"),
        verbs: textsIn(entry, "verbs"),
        ...(textsIn(entry, "shortNames").length === 0 ? {} : { shortNames: textsIn(entry, "shortNames") }),
        ...(textsIn(entry, "categories").length === 0 ? {} : { categories: textsIn(entry, "categories") }),
        ...(subresources.length === 0 ? {} : { subresources }),
      };
    });
}

/** Aggregated discovery of `/apis` with the aggregated APIs added. */
export function withRemoteGroups(discovery: JsonObject, remote: readonly RemoteVersion[]): JsonObject {
  let items = objectsIn(discovery, "items");
  for (const { group, version, available, resources } of remote) {
    const entry = { version, freshness: available ? "Current" : "Stale", resources };
    const isSame = (item: JsonObject): boolean => textIn(objectIn(item, "metadata"), "name") === group;
    items = items.some(isSame)
      ? items.map((item) =>
          isSame(item)
            ? {
                ...item,
                versions: [...objectsIn(item, "versions").filter((held) => held["version"] !== version), entry],
              }
            : item,
        )
      : [...items, { metadata: { name: group }, versions: [entry] }];
  }
  return { ...discovery, items };
}

/** Legacy discovery of `/apis` with the aggregated groups added, whether they are available or not. */
export function withRemoteGroupList(list: JsonObject, remote: readonly RemoteVersion[]): JsonObject {
  let groups = objectsIn(list, "groups");
  for (const { group, version } of remote) {
    const entry = { groupVersion: `${group}/${version}`, version };
    const held = groups.find((other) => textIn(other, "name") === group);
    groups =
      held === undefined
        ? [...groups, { name: group, versions: [entry], preferredVersion: entry }]
        : groups.map((other) =>
            other === held && !objectsIn(held, "versions").some((known) => known["version"] === version)
              ? { ...held, versions: [...objectsIn(held, "versions"), entry] }
              : other,
          );
  }
  return { ...list, groups };
}

/** Discovery of one aggregated group; undefined when there is none. */
export function remoteGroup(remote: readonly RemoteVersion[], name: string): JsonObject | undefined {
  const [group] = objectsIn(
    withRemoteGroupList(
      { groups: [] },
      remote.filter(({ group: held }) => held === name),
    ),
    "groups",
  );
  return group === undefined ? undefined : { kind: "APIGroup", apiVersion: "v1", ...group };
}
