import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Answer } from "../cluster.ts";

/** Facts about an object that one server has returned. */
export interface Known {
  readonly rv: string;
  readonly oldrv: string;
  readonly uid: string;
  readonly anchor: string;
}

/** A response without values that necessarily differ: uids, revisions, times, addresses. */
export interface NormalForm {
  readonly code: number;
  readonly warnings: readonly string[];
  readonly body: JsonValue;
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function entryKey(entry: JsonObject): string {
  return ["operation", "manager", "apiVersion", "subresource"]
    .map((name) => JSON.stringify(member(entry, name) ?? ""))
    .join();
}

function normalMetadata(metadata: JsonObject, known: Known): JsonObject {
  const entries = Object.entries(metadata).map(([key, value]): readonly [string, JsonValue | undefined] => {
    switch (key) {
      case "uid":
        return [key, "UID"];
      case "resourceVersion":
        return [key, value === known.rv ? "unchanged" : "changed"];
      case "creationTimestamp":
      case "deletionTimestamp":
        return [key, typeof value === "string" && time.test(value) ? "TIME" : value];
      case "managedFields":
        return [key, normalManagers(value)];
      default:
        return [key, value];
    }
  });
  return Object.fromEntries(entries);
}

/** Entries of one second are ordered by name, others by time, which is random: sorted here. */
function normalManagers(value: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  return (value as readonly JsonValue[])
    .filter(isJsonObject)
    .map(({ time: _time, ...entry }) => entry)
    .toSorted((a, b) => (entryKey(a) < entryKey(b) ? -1 : 1));
}

const controllers: ReadonlySet<unknown> = new Set(["kube-controller-manager", "kube-apiserver"]);

/** Addresses and ports are allocated randomly. */
function normalService(object: JsonObject): JsonObject {
  const items = member(object, "items");
  if (Array.isArray(items))
    return {
      ...object,
      items: (items as readonly JsonValue[]).map((item) => (isJsonObject(item) ? normalService(item) : item)),
    };
  const spec = member(object, "spec");
  if (member(object, "kind") !== "Service" || !isJsonObject(spec)) return object;
  const given = (value: JsonValue | undefined): JsonValue | undefined =>
    typeof value === "string" && /^[\d.]+$/.test(value) ? "ADDRESS" : value;
  const { clusterIP, clusterIPs, ports, healthCheckNodePort, ...rest } = spec;
  const all = Array.isArray(clusterIPs)
    ? (clusterIPs as readonly JsonValue[]).map((ip) => given(ip) ?? null)
    : clusterIPs;
  return {
    ...object,
    spec: {
      ...rest,
      ...(clusterIP === undefined ? {} : { clusterIP: given(clusterIP) }),
      ...(all === undefined ? {} : { clusterIPs: all }),
      ...(ports === undefined ? {} : { ports: givenPorts(ports) }),
      ...(healthCheckNodePort === undefined ? {} : { healthCheckNodePort: givenPort(healthCheckNodePort) }),
    },
  };
}

/** Allocated node ports differ between the servers. */
const givenPort = (port: JsonValue | undefined): JsonValue | undefined =>
  typeof port === "number" && port >= 30_000 ? "GIVEN" : port;

function givenPorts(ports: JsonValue): JsonValue {
  if (!Array.isArray(ports)) return ports;
  return (ports as readonly JsonValue[]).map((port) =>
    isJsonObject(port) && port["nodePort"] !== undefined ? { ...port, nodePort: givenPort(port["nodePort"]) } : port,
  );
}

/** Removes what controllers write: the status of workloads and its managers. */
function withoutControllers(object: JsonObject): JsonObject {
  const { status: _status, metadata, ...rest } = object;
  const held = isJsonObject(metadata) ? metadata : {};
  const { annotations, managedFields, finalizers } = held;
  const { "deployment.kubernetes.io/revision": _revision, ...kept } = isJsonObject(annotations) ? annotations : {};
  const managers = Array.isArray(managedFields)
    ? (managedFields as readonly JsonValue[]).filter(isOfClient)
    : managedFields;
  return {
    ...rest,
    metadata: {
      ...held,
      // Controllers write asynchronously.
      resourceVersion: undefined,
      ...(annotations === undefined ? {} : { annotations: Object.keys(kept).length === 0 ? undefined : kept }),
      ...(managers === undefined ? {} : { managedFields: managers }),
      ...(Array.isArray(finalizers) ? { finalizers: unprotected(finalizers as readonly JsonValue[]) } : {}),
    },
  };
}

/** Controllers restore protection finalizers of claims and volumes asynchronously. */
function unprotected(finalizers: readonly JsonValue[]): readonly JsonValue[] | undefined {
  const kept = finalizers.filter(
    (name) => name !== "kubernetes.io/pv-protection" && name !== "kubernetes.io/pvc-protection",
  );
  return kept.length === 0 ? undefined : kept;
}

function normalObject(object: JsonObject, known: Known, controlled: boolean): JsonObject {
  const metadata = member(object, "metadata");
  const { items } = object;
  if (Array.isArray(items))
    return {
      kind: object["kind"] ?? null,
      items: (items as readonly JsonValue[]).map((item) =>
        isJsonObject(item) ? normalObject(item, { ...known, rv: "" }, controlled) : item,
      ),
    };
  const whole = normalService(
    isJsonObject(metadata) ? { ...object, metadata: normalMetadata(metadata, known) } : object,
  );
  return controlled ? withoutControllers(whole) : whole;
}

function causeText(cause: JsonValue, known: Known, controlled: boolean): string {
  if (!isJsonObject(cause)) return JSON.stringify(cause);
  const { field, reason, message } = cause;
  return JSON.stringify([
    field,
    reason,
    withoutPatched(`patch: ${typeof message === "string" ? message : ""}`, known, controlled),
  ]);
}

/** Several errors come in any order; the message repeats the causes. */
function normalStatus(status: JsonObject, known: Known, controlled: boolean): JsonObject {
  const { details } = status;
  const message =
    typeof status["message"] === "string" ? withoutPatched(status["message"], known, controlled) : status["message"];
  if (!isJsonObject(details)) return { ...status, message };
  const { uid, causes, ...rest } = details;
  const sorted = Array.isArray(causes)
    ? [...new Set((causes as readonly JsonValue[]).map((cause) => causeText(cause, known, controlled)))].toSorted()
    : undefined;
  const several = sorted !== undefined && sorted.length > 1 && typeof message === "string";
  return {
    ...status,
    message,
    ...(several ? { message: message.replace(/ is invalid: \[.*$/su, " is invalid: […]") } : {}),
    details: {
      ...rest,
      ...(uid === undefined ? {} : { uid: "UID" }),
      ...(sorted === undefined ? {} : { causes: sorted }),
    },
  };
}

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/gu;

const quoted = /^(.*?patch: Invalid value: )("(?:[^"\\]|\\.)*")(.*)$/su;

/** An invalid patch result is quoted completely, including times and revision. */
function withoutPatched(raw: string, known: Known, controlled: boolean): string {
  const message = raw
    // Which of several undeclared fields is reported depends on Go's map iteration order.
    .replace(/\): .*: field not declared in schema.*$/su, "): field not declared in schema")
    // Depends on Go's map iteration order as well.
    .replace(/(?<=: errors:\n)(?: {2}[^\n]*\n?)+/u, (faults) => faults.split("\n").toSorted().join("\n"))
    // A strategic merge patch is quoted as merging left it: without nulls, directives and moved items.
    .replace(/(patch: Invalid value: \\*")map\[.*\](\\*": )/su, "$1PATCH$2")
    // Go's named string types.
    .replaceAll(/(of type|cannot convert \S+ to) (\[\])?(string|(v1|core|types)\.\w+)(?=$|[\s"])/gu, "$1 $2NAME")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ(?=\\*")/gu, "TIME")
    .replaceAll(/(resourceVersion\\*":\\*")\d+/gu, "$1RV")
    .replaceAll(/(?<port>nodePort\\*":)3\d{4}/gu, "$<port>30000");
  const [, before = "", json = "", after = ""] = quoted.exec(message) ?? [];
  if (json === "") return message;
  try {
    const quotedDocument = JSON.parse(JSON.parse(json) as string) as JsonValue;
    const document = controlled ? withoutControllerEntries(quotedDocument) : quotedDocument;
    return `${before}${JSON.stringify(isJsonObject(document) ? sortedKeys(normalObject(document, known, controlled)) : document)}${after}`;
  } catch {
    return message;
  }
}

/** Patches copy metadata to other places, including what controllers own. */
function withoutControllerEntries(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutControllerEntries);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, held]): readonly [string, JsonValue | undefined] =>
    key === "managedFields" && Array.isArray(held)
      ? [key, (held as readonly JsonValue[]).filter(isOfClient)]
      : [key, held === undefined ? held : withoutControllerEntries(held)],
  );
  return Object.fromEntries(entries);
}

function isOfClient(entry: JsonValue): boolean {
  return isJsonObject(entry) && !controllers.has(member(entry, "manager")) && member(entry, "subresource") !== "status";
}

/** The value with the members of its objects sorted by name. */
export function sortedKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(sortedKeys);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(keysOf(value).map((key) => [key, sortedKeys(value[key] ?? null)]));
}

function keysOf(value: JsonValue): string[] {
  return isJsonObject(value)
    ? Object.keys(value)
        .filter((key) => value[key] !== undefined)
        .toSorted()
    : [];
}

/** Replaces values that only one server knows with placeholders. */
function withoutFacts(text: string, { rv, oldrv, uid, anchor }: Known): string {
  // Patches may copy metadata to other places.
  let result = text
    .replaceAll(/\b10\.(0\.0|96\.\d+)\.\d+\b/gu, "ADDRESS")
    .replaceAll(/"resourceVersion":"\d+"/gu, '"resourceVersion":"RV"')
    .replaceAll(/(?<=ResourceVersion in (?:precondition|object meta): )\d+/gu, "RV")
    .replaceAll(/\d{4}-(?!01-01|02-01)\d\d-\d\dT\d\d:\d\d:\d\dZ/gu, "TIME");
  for (const [fact, word] of [
    [uid, "UID"],
    [anchor, "ANCHOR"],
  ] as const)
    if (fact !== "") result = result.replaceAll(fact, word);
  result = result
    .replaceAll(uuid, "UID")
    .replaceAll(/(\bgen-|BAD!)[a-z0-9]{5}\b/gu, "GENERATED")
    .replaceAll(/\bkube-api-access-[a-z0-9]{5}\b/gu, "kube-api-access");
  for (const fact of [rv, oldrv]) if (fact !== "") result = result.replaceAll(`(${fact})`, "(RV)");
  return result;
}

export function normalForm(answer: Answer, known: Known, controlled: boolean): NormalForm {
  const { object } = answer;
  const raw =
    member(object, "kind") === "Status"
      ? normalStatus(object, known, controlled)
      : normalObject(object, known, controlled);
  const clean = JSON.parse(withoutFacts(JSON.stringify(raw), known)) as JsonValue;
  // Warnings about fields are in document order, which is random here; ours has additional warnings.
  const warnings = answer.warnings
    .filter((text) => !text.startsWith("embedded server: "))
    .map((text) => withoutFacts(text, known))
    .toSorted();
  return {
    code: answer.code,
    warnings,
    body: Object.keys(object).length === 0 ? withoutFacts(answer.text, known) : clean,
  };
}
