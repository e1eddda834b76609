import { apiVersionOf, type GroupVersionKind, type ResourceType } from "../apis/resource-type.ts";
import type { Clock } from "../clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { done, failed, type Result } from "../result.ts";
import { UnreadableAnswerError } from "./api-body.ts";
import type { KubeClient } from "./client.ts";
import { ApiRefusedError, isRefused } from "./refusal.ts";

/** Whether a kind is served. `unavailable`: the server behind its group version (an aggregated API) does not answer. */
export type KindLookup =
  | { readonly kind: "served"; readonly type: ResourceType }
  | { readonly kind: "absent" }
  | { readonly kind: "unavailable"; readonly why: string };

/**
 * What is served now. A group version whose server does not answer counts as not served, so that one broken aggregated API
 * stops nothing but its own users.
 * Every method rejects only when the API server itself gives no answer or is overloaded (429).
 */
export interface Discovery {
  /** The type as served now; undefined when it is not. A miss asks the server again, a hit comes from memory. */
  typeOf(gvk: GroupVersionKind, signal?: AbortSignal): Promise<ResourceType | undefined>;
  /** As `typeOf`, for callers that treat a server that does not answer differently from a kind that does not exist. */
  lookUp(gvk: GroupVersionKind, signal?: AbortSignal): Promise<KindLookup>;
  /** The kind in the version that the server prefers; in another one when that lacks it. */
  preferred(kind: { readonly group: string; readonly kind: string }): Promise<ResourceType | undefined>;
  /** Whether `group/version` is served at all. */
  serves(apiVersion: string): Promise<boolean>;
  /** Everything that can be listed and is served now, in the server's order. */
  all(): Promise<readonly ResourceType[]>;
  /** Forgets a group, or everything: call it when CustomResourceDefinitions or APIServices change. */
  invalidate(group?: string): void;
}

/** Longer than kube-apiserver waits for a backend before it calls it unavailable. */
const patienceMs = 10_000;

/** A backend took the request and sent nothing. */
class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

/**
 * What an API server serves, asked group by group when it is needed and kept until something is missing.
 * @param clock ends a question after ten seconds; without one it takes as long as the transport lets it
 */
export function createDiscovery(client: KubeClient, clock?: Clock): Discovery {
  /** By `group/version`; equal questions at the same time are asked once. */
  const versions = new Map<string, Promise<readonly ResourceType[] | undefined>>();
  const groups = new Map<string, Promise<readonly string[]>>();

  function typesOf(apiVersion: string): Promise<readonly ResourceType[] | undefined> {
    return once(versions, apiVersion, async () => {
      const path = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const body = await readOrAbsent(client, path, clock);
      return body === undefined ? undefined : typesIn(body, apiVersion);
    });
  }

  /** Preferred first. */
  function versionsOf(group: string): Promise<readonly string[]> {
    return once(groups, group, async () => {
      if (group === "") return ["v1"];
      const body = await readOrAbsent(client, `/apis/${group}`, clock);
      return body === undefined ? [] : versionNames(body);
    });
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
    for (const apiVersion of versions.keys())
      if (group === undefined || groupOf(apiVersion) === group) versions.delete(apiVersion);
    if (group === undefined) groups.clear();
    else groups.delete(group);
  }

  return {
    lookUp,
    async typeOf(gvk, signal) {
      const found = await lookUp(gvk, signal);
      return found.kind === "served" ? found.type : undefined;
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

/** What came, or why the server behind this path does not answer. @throws when the API server itself cannot answer now */
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

/** Failed questions are not kept: the next one asks again. */
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
  // Several callers wait for one answer, so that no single one of them may abort it.
  const asking = new AbortController();
  const answered = new AbortController();
  const late = clock?.sleep(patienceMs, answered.signal).then(
    () => asking.abort(new NoAnswerError(`no answer within ${patienceMs / 1000} seconds`)),
    () => {},
  );
  try {
    const body = await client.requestJson({ method: "GET", path }, asking.signal);
    return isJsonObject(body) ? body : undefined;
  } catch (error) {
    if (isRefused(error, "notFound")) return undefined;
    // What a transport rejects with when it is aborted is its own affair.
    throw asking.signal.aborted ? asking.signal.reason : error;
  } finally {
    answered.abort();
    await late;
  }
}

/** Types of an `APIResourceList`; subresources (`pods/log`) are none. */
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
