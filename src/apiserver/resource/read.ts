import type { KubeObject } from "../../apis/object.ts";
import { formatKey } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import type { JsonObject } from "../../json.ts";
import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
import type { Call, Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Answer } from "../request/answer.ts";
import type { ListOptions } from "../request/query.ts";
import { listOptions, parseRevision } from "../request/query.ts";
import { badRequest, expired, notFound, tooLargeRevision } from "../request/refusal.ts";
import { readToken, writeToken } from "./continue-token.ts";
import { outputOf } from "./output.ts";
import type { Selection } from "./selection.ts";
import { selection } from "./selection.ts";
import { oneToServed, toServed } from "./versions.ts";

/** How long a read waits for a revision that is not there yet. */
const futureWaitMs = 3000;
const futureStepMs = 100;

/** Waits for `revision`; undefined when it has come. */
export async function awaitRevision(
  { storage, clock }: Machinery,
  revision: number,
  signal: AbortSignal,
): Promise<Result<undefined, ApiStatus>> {
  for (let waited = 0; storage.revision() < revision; waited += futureStepMs) {
    if (waited >= futureWaitMs) return tooLargeRevision(revision, storage.revision());
    await clock.sleep(futureStepMs, signal);
  }
  return done(undefined);
}

export function storageKey(kind: ServedKind, namespace: string | undefined, name: string): string {
  return kind.type.namespaced ? formatKey({ namespace: namespace ?? "", name }) : name;
}

export async function getObject(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  namespace: string | undefined,
  name: string,
): Promise<Result<Answer, ApiStatus>> {
  const output = outputOf(machinery, kind, call);
  if (!output.ok) return output;
  const asked = call.query.get("resourceVersion") ?? "";
  if (asked !== "") {
    const revision = parseRevision(asked, "get");
    if (!revision.ok) return revision;
    const there = await awaitRevision(machinery, revision.value, call.signal);
    if (!there.ok) return there;
  }
  const stored = machinery.storage.get(kind.table, storageKey(kind, namespace, name));
  if (stored === undefined) return notFound(kind.type, name);
  const object = await oneToServed(machinery, kind, stored);
  return object.ok ? output.value.object(object.value, 200) : object;
}

interface Snapshot {
  readonly items: readonly KubeObject[];
  /** Revision that the list reports and that its pages stay at. */
  readonly revision: number;
}

const lostContinuation =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

function keyInScope(kind: ServedKind, namespace: string | undefined, after: string): string {
  return kind.type.namespaced && namespace !== undefined ? `${namespace}/${after}` : after;
}

async function continued(
  machinery: Machinery,
  kind: ServedKind,
  namespace: string | undefined,
  { resourceVersion: asked = "0", continueToken = "" }: ListOptions,
  signal: AbortSignal,
): Promise<Result<Snapshot, ApiStatus>> {
  const { storage } = machinery;
  if (asked !== "0") return badRequest("specifying resource version is not allowed when using continue");
  const read = readToken(continueToken);
  if (!read.ok) return read;
  const { revision, key, inclusive } = read.value;
  const there = await awaitRevision(machinery, revision, signal);
  if (!there.ok) return there;
  const start = keyInScope(kind, namespace, key);
  const range = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(inclusive ? {} : { after: start }),
    ...(revision < 0 ? {} : { at: revision }),
  };
  const items = storage.list(kind.table, range);
  if (!items.ok) return expired(lostContinuation, writeToken(-1, key));
  const shown = inclusive ? items.value.filter((item) => !(keyOf(kind, item) < start)) : items.value;
  return done({ items: shown, revision: revision < 0 ? storage.revision() : revision });
}

function keyOf(kind: ServedKind, { metadata }: KubeObject): string {
  return storageKey(kind, metadata.namespace, metadata.name ?? "");
}

async function snapshot(
  machinery: Machinery,
  kind: ServedKind,
  namespace: string | undefined,
  options: ListOptions,
  signal: AbortSignal,
): Promise<Result<Snapshot, ApiStatus>> {
  const { storage } = machinery;
  if (options.continueToken !== undefined) return continued(machinery, kind, namespace, options, signal);
  const scope = namespace === undefined ? {} : { namespace };
  const asked = options.resourceVersion;
  if (asked !== undefined) {
    const revision = parseRevision(asked, "list");
    if (!revision.ok) return revision;
    const there = await awaitRevision(machinery, revision.value, signal);
    if (!there.ok) return there;
    const exact =
      revision.value > 0 && (options.match === "Exact" || (options.match === undefined && options.limit > 0));
    if (exact) {
      const items = storage.list(kind.table, { ...scope, at: revision.value });
      return items.ok
        ? done({ items: items.value, revision: revision.value })
        : expired("The resourceVersion for the provided list is too old.");
    }
  }
  const items = storage.list(kind.table, scope);
  return done({ items: items.ok ? items.value : [], revision: storage.revision() });
}

export interface Page {
  /** In the version that is served. */
  readonly items: readonly KubeObject[];
  readonly metadata: JsonObject;
}

/** Cuts a page out of the chosen objects. */
function page(
  kind: ServedKind,
  { items, revision }: Snapshot,
  options: ListOptions,
  namespace: string | undefined,
  chosen: Selection,
): Page {
  const { matches } = chosen;
  const limit = options.resourceVersion === "0" && options.continueToken === undefined ? 0 : options.limit;
  const matching = matches === undefined ? items : items.filter(matches);
  const resourceVersion = String(revision);
  if (limit === 0 || matching.length <= limit)
    return { items: matching, metadata: { resourceVersion, ...noMore(kind) } };
  const shown = matching.slice(0, limit);
  const last = shown.at(-1)?.metadata;
  const name = last?.name ?? "";
  const after = kind.type.namespaced && namespace === undefined ? `${last?.namespace ?? ""}/${name}` : name;
  return {
    items: shown,
    metadata: {
      resourceVersion,
      continue: writeToken(revision, after),
      ...(matches === undefined ? { remainingItemCount: matching.length - limit } : {}),
    },
  };
}

/** Lists of custom resources say in so many words that nothing follows. */
function noMore(kind: ServedKind): JsonObject {
  return kind.custom === undefined ? {} : { continue: "" };
}

/** What the options of a list choose: a page of the objects as they are, or were. */
export async function findPage(
  machinery: Machinery,
  kind: ServedKind,
  namespace: string | undefined,
  options: ListOptions,
  signal: AbortSignal,
): Promise<Result<Page, ApiStatus>> {
  const chosen = selection(kind, options);
  if (!chosen.ok) return chosen;
  const found = await snapshot(machinery, kind, namespace, options, signal);
  if (!found.ok) return found;
  const converted = await toServed(machinery, kind, found.value.items);
  if (!converted.ok) return converted;
  return done(page(kind, { ...found.value, items: converted.value }, options, namespace, chosen.value));
}

export async function listObjects(
  machinery: Machinery,
  kind: ServedKind,
  call: Call,
  namespace: string | undefined,
): Promise<Result<Answer, ApiStatus>> {
  const output = outputOf(machinery, kind, call, true);
  if (!output.ok) return output;
  const options = listOptions(call.query, false);
  if (!options.ok) return options;
  const found = await findPage(machinery, kind, namespace, options.value, call.signal);
  return found.ok ? output.value.list(found.value.items, found.value.metadata) : found;
}
