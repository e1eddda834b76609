import { apiVersionOf, type GroupVersionKind, type ResourceType } from "../apis/resource-type.ts";
import type { Clock } from "../clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { done, failed, type Result } from "../result.ts";
import { UnreadableAnswerError } from "./api-body.ts";
import type { KubeClient } from "./client.ts";
import { KeptMisses } from "./kept-misses.ts";
import { ApiRefusedError, isRefused } from "./refusal.ts";

/** Whether a kind is served. `unavailable`: the server of its group version (an aggregated API) does not respond. */
export type KindLookup =
  | { readonly kind: "served"; readonly type: ResourceType }
  | { readonly kind: "absent" }
  | { readonly kind: "unavailable"; readonly why: string };

/**
 * The currently served types. A group version whose server does not respond counts as not served, so that one broken
 * aggregated API affects only its own users. All methods reject only when the API server itself does not respond or is
 * overloaded (429).
 */
export interface Discovery {
  /** The served type; undefined when it is not served. A miss queries the server again, a hit is cached. */
  typeOf(gvk: GroupVersionKind, signal?: AbortSignal): Promise<ResourceType | undefined>;
  /** As `typeOf`, for callers that distinguish an unresponsive server from a kind that does not exist. */
  lookUp(gvk: GroupVersionKind, signal?: AbortSignal): Promise<KindLookup>;
  /**
   * As `typeOf`, for callers that ask again and again: a miss is not asked for again for a minute, while no definition or
   * APIService of the group changes. Without a clock as `typeOf`.
   */
  typeOfLately(gvk: GroupVersionKind, signal?: AbortSignal): Promise<ResourceType | undefined>;
  /** The kind in the server's preferred version, or in another one when that lacks it. */
  preferred(kind: { readonly group: string; readonly kind: string }): Promise<ResourceType | undefined>;
  /** Whether `group/version` is served. */
  serves(apiVersion: string): Promise<boolean>;
  /** All served types, those that cannot be listed too, in the server's order. */
  all(): Promise<readonly ResourceType[]>;
  /** Drops the cache of a group, or of everything: call it when CustomResourceDefinitions or APIServices change. */
  invalidate(group?: string): void;
}

/** Longer than kube-apiserver waits for a backend before it reports it as unavailable. */
const timeoutMs = 10_000;

/** A backend accepted the request and did not respond. */
class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/**
 * Discovery by group on demand, cached until something is missing.
 * @param clock limits a request to ten seconds; without it only the transport's timeout applies
 */
export function createDiscovery(client: KubeClient, clock?: Clock): Discovery {
  /** By `group/version`; concurrent equal requests are shared. */
  const versions = new Map<string, Promise<readonly ResourceType[] | undefined>>();
  const groups = new Map<string, Promise<readonly string[]>>();

  function typesOf(apiVersion: string): Promise<readonly ResourceType[] | undefined> {
    return once(versions, apiVersion, async () => {
      const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const body = await readOrAbsent(client, path, clock);
      // Whoever may write CSVs decides how many that is, and a miss is looked up again anyway.
      if (body === undefined) versions.delete(apiVersion);
      return body === undefined ? undefined : typesIn(body, apiVersion);
    });
  }

  /** The preferred version first. */
  function versionsOf(group: string): Promise<readonly string[]> {
    return once(groups, group, async () => {
      if (group === "") return ["v1"];
      const body = await readOrAbsent(client, `/apis/${group}`, clock);
      return body === undefined ? [] : versionNames(body);
    });
  }

  const misses = new KeptMisses();

  async function typeOf(gvk: GroupVersionKind, signal?: AbortSignal): Promise<ResourceType | undefined> {
    const found = await lookUp(gvk, signal);
    return found.kind === "served" ? found.type : undefined;
  }

  async function find(gvk: GroupVersionKind): Promise<KindLookup> {
    const answer = await answered(typesOf(apiVersionOf(gvk)));
    if (!answer.ok) return { kind: "unavailable", why: answer.problem };
    const type = answer.value?.find(({ kind }) => kind === gvk.kind);
    return type === undefined ? { kind: "absent" } : { kind: "served", type };
  }

  async function lookUp(gvk: GroupVersionKind, signal?: AbortSignal): Promise<KindLookup> {
    signal?.throwIfAborted();
    const known = versions.has(apiVersionOf(gvk));
    const found = await find(gvk);
    if (found.kind !== "absent" || !known) return found;
    versions.delete(apiVersionOf(gvk));
    return find(gvk);
  }

  async function preferred({
    group,
    kind,
  }: {
    readonly group: string;
    readonly kind: string;
  }): Promise<ResourceType | undefined> {
    const names = await answered(versionsOf(group));
    for (const version of names.ok ? names.value : []) {
      const found = await find({ group, version, kind });
      if (found.kind === "served") return found.type;
    }
    return undefined;
  }

  async function serves(apiVersion: string): Promise<boolean> {
    const types = await answered(typesOf(apiVersion));
    return types.ok && types.value !== undefined;
  }

  function invalidate(group?: string): void {
    if (clock !== undefined) misses.changed(group, clock.monotonic());
    for (const apiVersion of versions.keys())
      if (group === undefined || groupOf(apiVersion) === group) versions.delete(apiVersion);
    if (group === undefined) groups.clear();
    else groups.delete(group);
  }

  return {
    lookUp,
    typeOf,
    async typeOfLately(gvk, signal) {
      if (clock === undefined) return typeOf(gvk, signal);
      if (misses.has(gvk, clock.monotonic())) return undefined;
      const type = await typeOf(gvk, signal);
      if (type === undefined) misses.note(gvk, clock.monotonic());
      return type;
    },
    async preferred(kind) {
      const known = groups.has(kind.group);
      const type = await preferred(kind);
      if (type !== undefined || !known) return type;
      invalidate(kind.group);
      return preferred(kind);
    },
    async serves(apiVersion) {
      const known = versions.has(apiVersion);
      if (await serves(apiVersion)) return true;
      if (!known) return false;
      versions.delete(apiVersion);
      return serves(apiVersion);
    },
    async all() {
      const body = await readOrAbsent(client, "/apis", clock);
      const names = isJsonObject(body) ? listOf(body["groups"]).flatMap((group) => versionNames(group, group)) : [];
      const found: ResourceType[] = [];
      for (const apiVersion of ["v1", ...names]) {
        const types = await answered(typesOf(apiVersion));
        if (types.ok) found.push(...(types.value ?? []));
      }
      return found;
    },
    invalidate,
  };
}

/**
 * The result, or why the server behind this path does not respond.
 * @throws when the API server itself does not respond
 */
async function answered<Value>(asked: Promise<Value>): Promise<Result<Value, string>> {
  try {
    return done(await asked);
  } catch (error) {
    const isOverload = error instanceof ApiRefusedError && error.refusal.status.code === 429;
    const expected = [ApiRefusedError, UnreadableAnswerError, NoAnswerError].some((kind) => error instanceof kind);
    if (isOverload || !(error instanceof Error) || !expected) throw error;
    return failed(error.message.trim());
  }
}

/** Failed requests are not cached. */
function once<Value>(held: Map<string, Promise<Value>>, key: string, ask: () => Promise<Value>): Promise<Value> {
  let answer = held.get(key);
  if (answer === undefined) {
    answer = ask();
    held.set(key, answer);
    answer.catch(() => held.delete(key));
  }
  return answer;
}

async function readOrAbsent(
  client: KubeClient,
  path: string,
  clock: Clock | undefined,
): Promise<JsonObject | undefined> {
  // Not the caller's signal: several callers wait for the same response.
  const asking = new AbortController();
  const answered = new AbortController();
  const late = clock?.sleep(timeoutMs, answered.signal).then(
    () => asking.abort(new NoAnswerError(`no answer within ${timeoutMs / 1000} seconds`)),
    () => {},
  );
  try {
    const body = await client.requestJson({ method: "GET", path }, asking.signal);
    return isJsonObject(body) ? body : undefined;
  } catch (error) {
    if (isRefused(error, "notFound")) return undefined;
    // Transports may reject an aborted request with any error.
    throw asking.signal.aborted ? asking.signal.reason : error;
  } finally {
    answered.abort();
    await late;
  }
}

/** Types of an `APIResourceList` without subresources (`pods/log`). */
function typesIn(body: JsonObject, apiVersion: string): readonly ResourceType[] {
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  return listOf(body["resources"]).flatMap((entry) => {
    const { name, kind, namespaced } = entry;
    if (typeof name !== "string" || typeof kind !== "string" || name.includes("/")) return [];
    return [{ group: groupOf(apiVersion), version, kind, plural: name, namespaced: namespaced === true }];
  });
}

/** Versions of an `APIGroup`, the preferred one first; with `named`, as `group/version`. */
function versionNames(body: JsonObject, named?: JsonObject): readonly string[] {
  const member = named === undefined ? "version" : "groupVersion";
  const preferred = isJsonObject(body["preferredVersion"]) ? body["preferredVersion"][member] : undefined;
  const names = listOf(body["versions"]).flatMap((entry) => {
    const name = entry[member];
    return typeof name === "string" ? [name] : [];
  });
  return [...names.filter((name) => name === preferred), ...names.filter((name) => name !== preferred)];
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}
