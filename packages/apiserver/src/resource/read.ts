import { formatKey } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { Machinery } from "../machinery.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import type { Answer, Item } from "../request/answer.ts";
import type { ListOptions } from "../request/query.ts";
import { listOptions, parseRevision } from "../request/query.ts";
import { badRequest, expired, notFound, tooLargeRevision } from "../request/refusal.ts";
import { readToken, writeToken } from "./continue-token.ts";
import { outputOf } from "./output.ts";
import type { ObjectRequest, ResourceRequest } from "./resource-request.ts";
import type { StoredVersion } from "../storage/storage.ts";
import type { Selection } from "./selection.ts";
import { selection } from "./selection.ts";
import { convertsMetadata, itemsToServed, oneToServed } from "./versions.ts";
import { turns, workPerTurn } from "../turns.ts";

/** How long a read waits for a revision that is not there yet. */
const futureWaitMs = 3000;
const futureStepMs = 100;

/** Waits for `revision`; undefined when it has come. `asked`: its digits, where a double has not room for them. */
export async function awaitRevision(
  { storage, clock }: Machinery,
  revision: number,
  signal: AbortSignal,
  asked = String(revision),
): Promise<Result<undefined, ApiStatus>> {
  for (let waited = 0; storage.revision() < revision; waited += futureStepMs) {
    if (waited >= futureWaitMs) return tooLargeRevision(BigInt(asked), storage.revision());
    await clock.sleep(futureStepMs, signal);
  }
  return done(undefined);
}

export function storageKey(kind: ServedKind, namespace: string | undefined, name: string): string {
  return kind.type.namespaced ? formatKey({ namespace: namespace ?? "", name }) : name;
}

export async function getObject(request: ObjectRequest): Promise<Result<Answer, ApiStatus>> {
  const { machinery, kind, call, namespace, name } = request;
  const output = outputOf(request);
  if (!output.ok) return output;
  const asked = call.query.get("resourceVersion") ?? "";
  if (asked !== "") {
    const revision = parseRevision(asked, "get");
    if (!revision.ok) return revision;
    const there = await awaitRevision(machinery, revision.value, call.signal, asked);
    if (!there.ok) return there;
  }
  const stored = machinery.storage.version(kind.table, storageKey(kind, namespace, name));
  if (stored === undefined) return notFound(kind.type, name);
  const object = await oneToServed(machinery, kind, stored.object, stored.size);
  return object.ok ? output.value.object(object.value, 200) : object;
}

interface Snapshot {
  readonly versions: readonly StoredVersion[];
  /** Revision that the list reports and that its pages stay at. */
  readonly revision: number;
}

const lostContinuation =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

function keyInScope(kind: ServedKind, namespace: string | undefined, after: string): string {
  return kind.type.namespaced && namespace !== undefined ? `${namespace}/${after}` : after;
}

async function continued(
  { machinery, kind, namespace, call: { signal } }: ResourceRequest,
  { resourceVersion: asked = "0", continueToken = "" }: ListOptions,
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
  const found = storage.scan(kind.table, range);
  if (!found.ok) return expired(lostContinuation, writeToken(-1, key));
  const versions = inclusive ? found.value.filter((version) => !(version.key < start)) : found.value;
  return done({ versions, revision: revision < 0 ? storage.revision() : revision });
}

async function snapshot(request: ResourceRequest, options: ListOptions): Promise<Result<Snapshot, ApiStatus>> {
  const { machinery, kind, namespace, call } = request;
  const { storage } = machinery;
  if (options.continueToken !== undefined) return continued(request, options);
  const scope = namespace === undefined ? {} : { namespace };
  const asked = options.resourceVersion;
  if (asked !== undefined) {
    const revision = parseRevision(asked, "list");
    if (!revision.ok) return revision;
    const there = await awaitRevision(machinery, revision.value, call.signal, asked);
    if (!there.ok) return there;
    const exact =
      revision.value > 0 && (options.match === "Exact" || (options.match === undefined && options.limit > 0));
    if (exact) {
      const found = storage.scan(kind.table, { ...scope, at: revision.value });
      return found.ok
        ? done({ versions: found.value, revision: revision.value })
        : expired("The resourceVersion for the provided list is too old.");
    }
  }
  const found = storage.scan(kind.table, scope);
  return done({ versions: found.ok ? found.value : [], revision: storage.revision() });
}

export interface Page {
  /** In the version that is served. */
  readonly items: readonly Item[];
  readonly metadata: JsonObject;
}

/** What a list goes on with: stored versions, or items where only the objects decide whether they are chosen. */
type Candidates =
  | { readonly kind: "versions"; readonly versions: readonly StoredVersion[] }
  | { readonly kind: "items"; readonly items: readonly Item[] };

async function choose(
  { machinery, kind }: ResourceRequest,
  versions: readonly StoredVersion[],
  { matches, decides, work }: Selection,
): Promise<Result<Candidates, ApiStatus>> {
  if (matches === undefined) return done({ kind: "versions", versions });
  let open = convertsMetadata(kind);
  const mayMatch = (version: StoredVersion): boolean => {
    const decided = decides?.(version);
    if (decided === undefined) open = true;
    return decided !== false;
  };
  const left = open ? versions : await filtered(versions, mayMatch, work);
  if (!open) return done({ kind: "versions", versions: left });
  const items = await itemsToServed(machinery, kind, left);
  if (!items.ok) return items;
  return done({ kind: "items", items: await filtered(items.value, ({ passing }) => matches(passing), work) });
}

/** So many are looked at together: each wait for a turn costs as much as a few looks. */
const lookedAtTogether = 64;

/** Those that `isChosen` chooses, in their order; others have their turns in between. `work` is that of one look. */
async function filtered<Type>(
  all: readonly Type[],
  isChosen: (one: Type) => boolean,
  work: number,
): Promise<readonly Type[]> {
  const together = Math.max(1, Math.min(lookedAtTogether, Math.floor(workPerTurn / work)));
  const chosen: Type[] = [];
  for (let from = 0; from < all.length; from += together) {
    await turns.before(work * together);
    for (const one of all.slice(from, from + together)) if (isChosen(one)) chosen.push(one);
  }
  return chosen;
}

/** Cuts a page out of what is chosen, and reads no more objects than it must for that. */
async function page(
  request: ResourceRequest,
  { versions, revision }: Snapshot,
  options: ListOptions,
  chosen: Selection,
): Promise<Result<Page, ApiStatus>> {
  const { machinery, kind, namespace } = request;
  const limit = options.resourceVersion === "0" && options.continueToken === undefined ? 0 : options.limit;
  const resourceVersion = String(revision);
  const all = await choose(request, versions, chosen);
  if (!all.ok) return all;
  const count = all.value.kind === "versions" ? all.value.versions.length : all.value.items.length;
  const cut = limit > 0 && count > limit;
  const end = cut ? limit : count;
  const items =
    all.value.kind === "items"
      ? done(all.value.items.slice(0, end))
      : await itemsToServed(machinery, kind, all.value.versions.slice(0, end));
  if (!items.ok) return items;
  if (!cut) return done({ items: items.value, metadata: { resourceVersion } });
  const last = items.value.at(-1)?.passing.metadata;
  const name = last?.name ?? "";
  const after = kind.type.namespaced && namespace === undefined ? `${last?.namespace ?? ""}/${name}` : name;
  return done({
    items: items.value,
    metadata: {
      resourceVersion,
      continue: writeToken(revision, after),
      ...(chosen.matches === undefined ? { remainingItemCount: count - limit } : {}),
    },
  });
}

/** What the options of a list choose: a page of the objects as they are, or were. */
export async function findPage(request: ResourceRequest, options: ListOptions): Promise<Result<Page, ApiStatus>> {
  const chosen = selection(request.kind, options);
  if (!chosen.ok) return chosen;
  const found = await snapshot(request, options);
  if (!found.ok) return found;
  return page(request, found.value, options, chosen.value);
}

export async function listObjects(request: ResourceRequest): Promise<Result<Answer, ApiStatus>> {
  const output = outputOf(request, true);
  if (!output.ok) return output;
  const options = listOptions(request.call.query, false);
  if (!options.ok) return options;
  const found = await findPage(request, options.value);
  return found.ok ? output.value.list(found.value.items, found.value.metadata) : found;
}
