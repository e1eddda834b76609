import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { corrupted, spoiled } from "./bad-input.ts";
import type { Draw } from "./draw.ts";
import { changedAt, merged, type Place, placesOf, pointerOf } from "./json-places.ts";
import type { Subject } from "./subjects/subject.ts";

/**
 * One request. In path and body `{{rv}}`, `{{oldrv}}` and `{{uid}}` are replaced with the values of the object on the
 * respective server, `{{anchor}}` with the uid of the namespace's first ConfigMap.
 */
export interface Operation {
  readonly subject: Subject;
  readonly name: string;
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path of the object, without subresource and query. */
  readonly object: string;
  /** Paths of all objects that it may change: the object, or those of a collection. */
  readonly objects: readonly string[];
  readonly path: string;
  readonly body: string;
  readonly contentType: string;
}

type Endpoint = "main" | "status" | "scale";

const managers = ["m1", "m2", "m3", "kubectl"] as const;

const defaultNames = ["x", "y", "z"] as const;

function body(
  draw: Draw,
  subject: Subject,
  name: string,
  parts: readonly [number, number],
  sparse = false,
): JsonObject {
  const { apiVersion, kind, base, fragments, always = {} } = subject;
  const start: JsonObject = merged({ apiVersion, kind, metadata: { name } }, always);
  return draw
    .some(fragments, ...parts)
    .reduce<JsonObject>((whole, fragment) => merged(whole, fragment(draw)), sparse ? start : merged(start, base));
}

function statusBody(draw: Draw, subject: Subject, name: string): JsonObject {
  const { apiVersion, kind, status, fragments } = subject;
  const start: JsonObject = { apiVersion, kind, metadata: { name } };
  const parts = [...draw.some(status, 1, 2), ...(draw.chance(0.3) ? draw.some(fragments, 1, 2) : [])];
  return parts.reduce<JsonObject>((whole, fragment) => merged(whole, fragment(draw)), start);
}

/** Scaled Deployments create Pods, whose states are not comparable. */
function scaleBody(draw: Draw, subject: Subject, name: string): JsonObject {
  const replicas = subject.controlled === true ? 0 : draw.one([0, 0, 0, 1, -1, 3]);
  return { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name, namespace: "{ns}" }, spec: { replicas } };
}

function drawBody(draw: Draw, subject: Subject, name: string, endpoint: Endpoint, sparse: boolean): JsonObject {
  switch (endpoint) {
    case "main":
      return body(draw, subject, name, sparse ? [1, 3] : [0, 5], sparse);
    case "status":
      return statusBody(draw, subject, name);
    case "scale":
      return scaleBody(draw, subject, name);
  }
}

function query(draw: Draw, patch: "apply" | "other" | undefined): string {
  const parts: string[] = [];
  if (patch === "apply" || draw.chance(0.6)) parts.push(`fieldManager=${draw.one(managers)}`);
  if (patch === "apply" ? draw.chance(0.35) : patch !== undefined && draw.chance(0.01)) parts.push("force=true");
  if (draw.chance(0.4)) parts.push(`fieldValidation=${draw.one(["Strict", "Warn", "Ignore", "Strict", "Foo"])}`);
  if (draw.chance(0.08)) parts.push(`dryRun=${draw.one(["All", "All", "All", "Foo"])}`);
  if (draw.chance(0.01)) parts.push("fieldManager=a%0Ab");
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

/** A revision or uid, sometimes a wrong one. */
function preconditions(draw: Draw): JsonObject {
  const revision = draw.weighted<JsonObject>([
    [5, {}],
    [3, { resourceVersion: "{{rv}}" }],
    [1, { resourceVersion: "{{oldrv}}" }],
    [0.2, { resourceVersion: "abc" }],
    [0.2, { resourceVersion: "0" }],
  ]);
  const uid = draw.weighted<JsonObject>([
    [8, {}],
    [1, { uid: "{{uid}}" }],
    [0.3, { uid: "1-2" }],
  ]);
  return { metadata: { ...revision, ...uid } };
}

/** The result of a strategic merge patch without its key depends on how Go's maps compare. */
function isKey(place: Place): boolean {
  return (
    typeof place.at(-2) === "number" && ["name", "port", "containerPort", "mountPath"].includes(String(place.at(-1)))
  );
}

function nameOf(body: JsonValue): JsonValue | undefined {
  return isJsonObject(body) && isJsonObject(body["metadata"]) ? body["metadata"]["name"] : undefined;
}

/** Replaces some values of a body with null, which deletes. */
function withNulls(draw: Draw, patch: JsonObject): JsonObject {
  let result: JsonValue = patch;
  for (const place of placesOf(patch))
    if (typeof place.at(-1) === "string" && place.length > 1 && !isKey(place) && draw.chance(0.1))
      result = changedAt(result, place, () => null) ?? null;
  return isJsonObject(result) ? result : patch;
}

function mergePatch(draw: Draw, subject: Subject, name: string, endpoint: Endpoint): JsonObject {
  const { apiVersion: _version, kind: _kind, ...rest } = drawBody(draw, subject, name, endpoint, true);
  const patch = withNulls(draw, rest);
  const { metadata, ...others } = patch;
  const { name: _name, ...kept } = isJsonObject(metadata) ? metadata : {};
  return draw.chance(0.9) ? { ...others, ...(Object.keys(kept).length === 0 ? {} : { metadata: kept }) } : patch;
}

/** Owner references are left alone: the garbage collector acts on wrong ones at any time. */
function isOwned(place: Place): boolean {
  return place.includes("ownerReferences");
}

function jsonPatch(draw: Draw, subject: Subject, name: string, endpoint: Endpoint): JsonValue {
  const whole = drawBody(draw, subject, name, endpoint, false);
  const places = placesOf(whole).filter(
    (place) =>
      place[0] !== "apiVersion" &&
      place[0] !== "kind" &&
      (endpoint !== "scale" || place[0] === "spec") &&
      !isOwned(place),
  );
  return Array.from({ length: 1 + draw.below(3) }, (): JsonValue => {
    const place = draw.one(places) ?? ["data"];
    const other = draw.one(places) ?? ["data"];
    let value: JsonValue = null;
    changedAt(whole, draw.chance(0.8) ? place : other, (held) => {
      value = held ?? null;
      return held;
    });
    const last = place.at(-1);
    const path = typeof last === "number" && draw.chance(0.3) ? [...place.slice(0, -1), "-"] : place;
    const op = draw.one(["add", "add", "add", "replace", "remove", "test", "copy", "move"] as const);
    switch (op) {
      case "add":
      case "replace":
      case "test":
        return { op, path: pointerOf(path), value };
      case "remove":
        return { op, path: pointerOf(path) };
      case "copy":
      case "move":
        return { op, path: pointerOf(path), from: pointerOf(other) };
    }
  });
}

/** Adds strategic merge patch directives to lists with a merge key. */
function strategicPatch(draw: Draw, subject: Subject, name: string, endpoint: Endpoint): JsonObject {
  let patch: JsonValue = mergePatch(draw, subject, name, endpoint);
  for (const [path, key] of subject.mergeLists ?? []) {
    if (!draw.chance(0.5)) continue;
    const list = path.at(-1) ?? "";
    const order = (items: readonly JsonValue[]): readonly JsonValue[] =>
      items.filter(isJsonObject).flatMap((item) => (key in item ? [{ [key]: item[key] ?? null }] : []));
    let items: readonly JsonValue[] = [];
    patch =
      changedAt(patch, path, (held) => {
        if (!Array.isArray(held)) return held;
        items = (held as readonly JsonValue[]).map((item) =>
          isJsonObject(item) && draw.chance(0.2) ? { [key]: item[key] ?? null, $patch: "delete" } : item,
        );
        return draw.chance(0.1) ? [...items, { $patch: draw.one(["replace", "bogus"]) }] : items;
      }) ?? patch;
    if (items.length > 0 && draw.chance(0.4))
      patch = changedAt(patch, [...path.slice(0, -1), `$setElementOrder/${list}`], () => order(items)) ?? patch;
  }
  // Whether members are added or deleted first depends on Go's map iteration order.
  if (draw.chance(0.1))
    patch =
      changedAt(patch, ["metadata"], () => ({
        "$deleteFromPrimitiveList/finalizers": ["x.io/a"],
      })) ?? patch;
  if (draw.chance(0.05))
    patch = changedAt(patch, ["metadata"], () => ({ labels: { $patch: "replace", l: "r" } })) ?? patch;
  return isJsonObject(patch) ? patch : {};
}

/** The real garbage collector notices a new definition late: what it must release is left alone. */
function deleteOptions(draw: Draw, subject: Subject): JsonObject {
  return {
    ...(subject.custom !== true && draw.chance(0.3)
      ? { propagationPolicy: draw.one(["Background", "Foreground", "Orphan", ...(draw.chance(0.1) ? ["Nope"] : [])]) }
      : {}),
    ...(draw.chance(0.2)
      ? {
          preconditions: draw.one<JsonObject>([
            { uid: "{{uid}}" },
            { uid: "zz" },
            { resourceVersion: "{{rv}}" },
            { resourceVersion: "{{oldrv}}" },
          ]),
        }
      : {}),
    ...(draw.chance(0.1) ? { gracePeriodSeconds: draw.one([0, 5]) } : {}),
    ...(subject.custom !== true && draw.chance(0.05) ? { orphanDependents: draw.chance(0.5) } : {}),
    ...(draw.chance(0.1) ? { dryRun: ["All"] } : {}),
  };
}

const types = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
  whole: "application/json",
} as const;

/** What a sequence has created so far, judging by its requests: missing objects are created more often than changed. */
export class Sequence {
  readonly #draw: Draw;
  readonly #subjects: readonly Subject[];
  readonly #ns: string;
  readonly #made = new Set<string>();

  constructor(draw: Draw, subjects: readonly Subject[], ns: string) {
    this.#draw = draw;
    this.#subjects = subjects;
    this.#ns = ns;
  }

  next(): Operation {
    const draw = this.#draw;
    const subject = draw.weighted(this.#subjects.map((one) => [one.weight, one] as const));
    if (subject === undefined) throw new Error("there is nothing to write");
    const names = (subject.names ?? defaultNames).map((name) => name.replace("{ns}", this.#ns));
    const name = draw.one(names) ?? "x";
    const place = { ns: this.#ns, name, names };
    const object = `${subject.collection.replace("{ns}", this.#ns)}/${name}`;
    const isMade = this.#made.has(object);
    const operation = drawOperation(draw, subject, place, isMade);
    if (operation.method === "DELETE") this.#made.delete(object);
    else if (operation.method === "POST" || operation.contentType === types.apply) this.#made.add(object);
    return operation;
  }
}

interface Named {
  readonly ns: string;
  readonly name: string;
  readonly names: readonly string[];
}

type Kind =
  | "create"
  | "post"
  | "generate"
  | "put"
  | "merge"
  | "json"
  | "strategic"
  | "apply"
  | "delete"
  | "deletecollection";

function kindsOf(subject: Subject, isMade: boolean): readonly (readonly [number, Kind])[] {
  const deletes = subject.undeletable === true ? 0 : 1;
  if (subject.createOnly === true) return [[1, "create"]];
  if (!isMade)
    return [
      [6, "create"],
      [0.3, "generate"],
      [1, "put"],
      [0.3, "merge"],
      [0.3, "json"],
      [0.2, "strategic"],
      [4, "apply"],
      [0.2 * deletes, "delete"],
    ];
  return [
    [0.7, "create"],
    [0.1, "generate"],
    [2.5, "put"],
    [2, "merge"],
    [2, "json"],
    [subject.custom === true ? 0.2 : 2, "strategic"],
    [4, "apply"],
    [deletes, "delete"],
    [0.15 * deletes, "deletecollection"],
    [subject.posts === undefined ? 0 : 1, "post"],
  ];
}

function drawEndpoint(draw: Draw, subject: Subject): Endpoint {
  if (subject.status.length > 0 && draw.chance(0.15)) return "status";
  return subject.scale === true && draw.chance(0.05) ? "scale" : "main";
}

/** Draws the next request about one object. */
function drawOperation(draw: Draw, asked: Subject, { ns, name, names }: Named, isMade: boolean): Operation {
  const version = asked.versions === undefined || draw.chance(0.7) ? undefined : draw.one(asked.versions);
  const subject = version === undefined ? asked : inVersion(asked, version);
  const collection = subject.collection.replace("{ns}", ns);
  const object = `${collection}/${name}`;
  const endpoint = drawEndpoint(draw, subject);
  const place = endpoint === "main" ? object : `${object}/${endpoint}`;
  const known = `${asked.collection.replace("{ns}", ns)}/`;
  const write = (method: Operation["method"], path: string, form: keyof typeof types, value: JsonValue): Operation => {
    const drawn = draw.chance(0.06) ? corrupted(draw, value) : value;
    // Cluster-scoped objects have the run's name, so that runs do not collide.
    const sent = subject.collection.includes("{ns}") || nameOf(drawn) === nameOf(value) ? drawn : value;
    const target = subject.dryRunOnly === true ? rehearsed(path) : path;
    const raw = { text: JSON.stringify(sent), contentType: types[form] };
    const { text, contentType } = draw.chance(0.02) ? spoiled(draw, raw) : raw;
    const body = text.replaceAll("{ns}", ns).replaceAll("{stem}", name.split(".")[0] ?? name);
    const objects = [`${known}${name}`];
    return { subject, name, method, object: `${known}${name}`, objects, path: target, body, contentType };
  };
  switch (draw.weighted(kindsOf(subject, isMade))) {
    case "create": {
      const whole = body(draw, subject, name, [0, 5]);
      // Reviews are not stored, so they need no name.
      const sent = subject.createOnly === true && draw.chance(0.85) ? { ...whole, metadata: {} } : whole;
      return write("POST", `${collection}${query(draw, undefined)}`, "whole", sent);
    }
    case "post": {
      const [subresource, fragment] = draw.one(subject.posts ?? []) ?? ["status", () => ({})];
      return write(
        "POST",
        rehearsed(`${object}/${subresource}`),
        "whole",
        merged({ metadata: { name } }, fragment(draw)),
      );
    }
    case "generate": {
      const { metadata, ...rest } = body(draw, subject, name, [0, 2]);
      const { name: _name, ...kept } = isJsonObject(metadata) ? metadata : {};
      // Names of definitions and namespaces must match their content, or are labels too.
      const generateName = subject.names === undefined ? draw.one(["gen-", "gen-", "gen-", "BAD!"]) : "gen-";
      const whole = { ...rest, metadata: { ...kept, generateName } };
      // A dry run, because the generated name is unknown and the object would be left behind.
      return write("POST", `${collection}?dryRun=All`, "whole", whole);
    }
    case "put": {
      const whole = drawBody(draw, subject, name, endpoint, false);
      return write("PUT", `${place}${query(draw, undefined)}`, "whole", merged(whole, preconditions(draw)));
    }
    case "merge": {
      const patch = mergePatch(draw, subject, name, endpoint);
      const whole = draw.chance(0.1) ? merged(patch, preconditions(draw)) : patch;
      return write("PATCH", `${place}${query(draw, "other")}`, "merge", whole);
    }
    case "json":
      return write("PATCH", `${place}${query(draw, "other")}`, "json", jsonPatch(draw, subject, name, endpoint));
    case "strategic":
      return write(
        "PATCH",
        `${place}${query(draw, "other")}`,
        "strategic",
        strategicPatch(draw, subject, name, endpoint),
      );
    case "apply": {
      const whole = drawBody(draw, subject, name, endpoint, draw.chance(0.5));
      const sent = draw.chance(0.05) ? merged(whole, preconditions(draw)) : whole;
      return write("PATCH", `${place}${query(draw, "apply")}`, "apply", sent);
    }
    case "deletecollection": {
      const selector = draw.one(["l=a", "l%3Da,app", "l!=a", "metadata.name=x", "l in (a"]);
      const field = selector.startsWith("metadata") ? "fieldSelector" : "labelSelector";
      const dry = draw.chance(0.2) ? "&dryRun=All" : "";
      const whole = write("DELETE", `${collection}?${field}=${selector.replaceAll(" ", "%20")}${dry}`, "whole", {});
      // Cluster-scoped objects may belong to others.
      if (!subject.collection.includes("{ns}")) return { ...whole, path: `${object}?dryRun=All` };
      return { ...whole, objects: names.map((one) => `${known}${one}`) };
    }
    case "delete":
    case undefined: {
      const options = deleteOptions(draw, subject);
      const dry = draw.chance(0.1) ? "?dryRun=All" : "";
      return write(
        "DELETE",
        `${object}${dry}`,
        "whole",
        Object.keys(options).length === 0 ? {} : { kind: "DeleteOptions", apiVersion: "v1", ...options },
      );
    }
  }
}

/** The path with a dry run. */
function rehearsed(path: string): string {
  return path.includes("dryRun=") ? path : `${path}${path.includes("?") ? "&" : "?"}dryRun=All`;
}

/** The same objects through another version of their group. */
function inVersion(subject: Subject, version: string): Subject {
  const [group = ""] = subject.apiVersion.split("/");
  return {
    ...subject,
    apiVersion: `${group}/${version}`,
    collection: subject.collection.replace(/^(\/apis\/[^/]+\/)[^/]+/u, `$1${version}`),
  };
}
