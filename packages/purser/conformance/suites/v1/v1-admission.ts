import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { load } from "js-yaml";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asKubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { resourcePath } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { clusterCatalogs, clusterExtensions, clusterObjectSets } from "../../../src/apis/olm-resources.ts";
import { deprecationPolicy } from "../../../src/apis/v1/deprecation-policy.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { readBody } from "@purser/kubernetes/kube/api-body";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { describeKubeconfigProblem, loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import type { Transport } from "@purser/kubernetes/kube/transport";
import { parseWarnings } from "@purser/kubernetes/testing/warnings";
import { firstDifference } from "../../compare.ts";
import type { GoldenCase, Suite, SuiteSession } from "../../suite.ts";
import { absent, answer } from "../../suite.ts";

type CrdSet = "experimental" | "standard";

const types = [clusterExtensions, clusterCatalogs, clusterObjectSets];
const policyTypes: readonly (readonly [ResourceType, KubeObject])[] = [
  [policyType("ValidatingAdmissionPolicy", "validatingadmissionpolicies"), deprecationPolicy.policy],
  [policyType("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"), deprecationPolicy.binding],
];

function policyType(kind: string, plural: string): ResourceType {
  return { group: "admissionregistration.k8s.io", version: "v1", kind, plural, namespaced: false };
}

interface Response {
  readonly status: number;
  readonly json: JsonValue | undefined;
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Numbers as doubles, as in the recorded answers of the golden file. */
function asDoubles(json: JsonValue | undefined): JsonValue | undefined {
  return json === undefined ? undefined : (JSON.parse(JSON.stringify(json)) as JsonValue);
}

/** One API server as the cases need it: raw requests, and one of the two CRD sets at a time. */
class Server {
  readonly #transport: Transport;
  readonly #isEventual: boolean;
  #set: CrdSet | undefined;
  /** Set when the server did not start to use a CRD set: every later case fails at once. */
  #unusable: unknown;

  /** `isEventual`: a policy takes a moment to decide, so wait until it does. In process it decides at once or never. */
  constructor(transport: Transport, isEventual: boolean) {
    this.#transport = transport;
    this.#isEventual = isEventual;
  }

  async send(
    method: "GET" | "POST" | "PUT" | "DELETE",
    path: string,
    object?: JsonObject,
    query?: URLSearchParams,
  ): Promise<Response> {
    const response = await this.#transport(
      {
        method,
        path,
        headers: { accept: "application/json", "content-type": "application/json" },
        ...(query === undefined ? {} : { query }),
        ...(object === undefined
          ? {}
          : { body: { kind: "bytes", bytes: new TextEncoder().encode(JSON.stringify(object)) } }),
      },
      AbortSignal.timeout(300_000),
    );
    const { json, text } = await readBody(response.body);
    return {
      status: response.status,
      json: asDoubles(json),
      text,
      warnings: parseWarnings(response.headers["warning"]),
    };
  }

  async #put(type: ResourceType, object: KubeObject): Promise<void> {
    const name = object.metadata.name ?? "";
    const path = resourcePath(type, { name });
    const held = asKubeObject((await this.send("GET", path)).json);
    const { resourceVersion } = held?.metadata ?? {};
    const wanted = {
      ...object,
      metadata: { ...object.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    };
    const isThere = held?.kind === object.kind;
    const { status, text } = await this.send(
      isThere ? "PUT" : "POST",
      isThere ? path : resourcePath(type),
      wanted as unknown as JsonObject,
    );
    if (status >= 300) throw new Error(`${object.kind} ${name}: ${status} ${text}`);
  }

  /** Waits until the set decides about requests: schemas take a moment to become effective. */
  async use(set: CrdSet): Promise<void> {
    if (this.#set === set) return;
    if (this.#unusable !== undefined) throw this.#unusable;
    try {
      await this.#switch(set);
      this.#set = set;
    } catch (error) {
      this.#unusable = error;
      throw error;
    }
  }

  async #switch(set: CrdSet): Promise<void> {
    for (const [type, object] of policyTypes) await this.#put(type, object);
    for (const type of types) {
      if (set === "standard" && type === clusterObjectSets) {
        await this.send("DELETE", resourcePath(customResourceDefinitions, { name: `${type.plural}.${type.group}` }));
        continue;
      }
      const directory = set === "standard" ? "standard/" : "";
      const file = resolve(import.meta.dirname, `../../../crds/${directory}${type.group}_${type.plural}.yaml`);
      await this.#put(customResourceDefinitions, load(readFileSync(file, "utf8")) as KubeObject);
    }
    for (let tries = 0; !(await this.#isEffective(set)); tries++) {
      if (tries > 300) throw new Error(`the ${set} CRDs do not become effective`);
      await sleep(100);
    }
  }

  async #isEffective(set: CrdSet): Promise<boolean> {
    const probe = {
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata: { name: "probe" },
      spec: {
        namespace: "probe",
        serviceAccount: { name: "probe" },
        progressDeadlineMinutes: 10,
        source: { sourceType: "Catalog", catalog: { packageName: "probe" } },
      },
    };
    const query = new URLSearchParams({ dryRun: "All" });
    const { status, warnings } = await this.send("POST", resourcePath(clusterExtensions), probe, query);
    const pruned = warnings.some((text) => text.includes("progressDeadlineMinutes"));
    const warned = warnings.some((text) => text.includes("serviceAccount is deprecated"));
    const sets = await this.send("GET", resourcePath(clusterObjectSets));
    const catalogs = await this.send("GET", resourcePath(clusterCatalogs));
    return (
      status === 201 &&
      (warned || !this.#isEventual) &&
      pruned === (set === "standard") &&
      sets.status === (set === "standard" ? 404 : 200) &&
      catalogs.status === 200
    );
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function causesOf(status: JsonObject): readonly JsonObject[] {
  const details = member(status, "details");
  const causes = isJsonObject(details) ? member(details, "causes") : undefined;
  if (!Array.isArray(causes)) return [];
  return (causes as readonly JsonValue[])
    .filter(isJsonObject)
    .map(({ field = null, message = null, reason = null }) => ({ field, message, reason }))
    .toSorted((a, b) => {
      const [left, right] = [a, b].map(({ field, message }) => `${textOf(field)}\u0000${textOf(message)}`);
      return (left ?? "") < (right ?? "") ? -1 : 1;
    });
}

/** The answer in the suite's shape. */
function outcomeOf({ status, json, text, warnings }: Response, sent: JsonObject): JsonObject {
  const more = warnings.length === 0 ? {} : { warnings };
  if (!isJsonObject(json)) return { code: status, message: text, reason: null, ...more };
  if (status >= 300) {
    const causes = causesOf(json);
    return {
      code: status,
      reason: member(json, "reason") ?? null,
      ...(causes.length > 0 ? { causes } : {}),
      ...(causes.length < 2 ? { message: member(json, "message") ?? null } : {}),
      ...more,
    };
  }
  const [spec, observed] = [member(json, "spec"), member(json, "status")];
  const metadata = member(json, "metadata");
  return {
    accepted: true,
    code: status,
    generation: (isJsonObject(metadata) ? member(metadata, "generation") : undefined) ?? null,
    ...(spec !== undefined && firstDifference(spec, member(sent, "spec")) !== undefined ? { spec } : {}),
    ...(observed === undefined ? {} : { status: observed }),
    ...more,
  };
}

interface Step {
  readonly op: string;
  readonly object: JsonObject;
  /** The object as it is sent: whole numbers beyond a double keep their digits. */
  readonly exact: JsonObject;
}

/** Newer than the type library. */
interface ExactJson {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

const exactJson = JSON as unknown as ExactJson;

function readExactly(text: string): JsonObject {
  const read = exactJson.parse(text, (_, value, { source = "" }) =>
    typeof value === "number" && /^-?[0-9]{16,}$/.test(source) ? exactJson.rawJSON(source) : value,
  );
  return read as JsonObject;
}

function objectsOf(input: JsonValue | undefined): readonly JsonObject[] {
  const steps = isJsonObject(input) ? member(input, "steps") : undefined;
  return (Array.isArray(steps) ? (steps as readonly JsonValue[]) : []).filter(isJsonObject);
}

function objectOf(step: JsonObject): JsonObject {
  const object = member(step, "object");
  return isJsonObject(object) ? object : {};
}

function stepsOf(golden: GoldenCase): readonly Step[] {
  const exact = objectsOf(member(readExactly(golden.text), "input"));
  return objectsOf(golden.input).map((step, index) => ({
    op: textOf(member(step, "op")),
    object: objectOf(step),
    exact: objectOf(exact[index] ?? {}),
  }));
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = member(object, "metadata");
  return isJsonObject(metadata) ? metadata : {};
}

async function runStep(server: Server, type: ResourceType, { op, object, exact }: Step): Promise<JsonObject> {
  if (op === "create") return outcomeOf(await server.send("POST", resourcePath(type), exact), object);
  const metadata = metadataOf(object);
  const name = textOf(member(metadata, "name"));
  const held = asKubeObject((await server.send("GET", resourcePath(type, { name }))).json);
  const { resourceVersion } = held?.metadata ?? {};
  const next = { ...exact, metadata: { ...metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
  const path = resourcePath(type, { name }, op === "status" ? "status" : undefined);
  return outcomeOf(await server.send("PUT", path, next), object);
}

async function runCase(server: Server, golden: GoldenCase): Promise<JsonObject> {
  await server.use(member(golden.input, "crds") === "standard" ? "standard" : "experimental");
  const outcomes: JsonObject[] = [];
  const created: string[] = [];
  for (const step of stepsOf(golden)) {
    const type = types.find(({ kind }) => kind === member(step.object, "kind")) ?? clusterExtensions;
    outcomes.push(await runStep(server, type, step));
    const name = textOf(member(metadataOf(step.object), "name"));
    if (name !== "") created.push(resourcePath(type, { name }));
  }
  for (const path of new Set(created)) await server.send("DELETE", path);
  return { steps: outcomes };
}

function clusterOf(kubeconfig: string): SuiteSession {
  const access = loadKubeconfig({ path: kubeconfig, env: process.env });
  if (!access.ok) throw new Error(describeKubeconfigProblem(access.problem));
  const transport = httpTransport(access.value);
  const server = new Server(transport, true);
  return {
    run: async (golden) => answer(await runCase(server, golden)),
    close: () => transport.close(),
  };
}

/** One embedded API server for each set, so that no case waits for a schema to change. Imported here, because a run on a real cluster does not need it. */
async function embeddedServers(): Promise<SuiteSession> {
  const { createApiServer } = await import("@purser/apiserver");
  const started = [await createApiServer(), await createApiServer()] as const;
  const [experimental, standard] = started.map((server) => new Server(server.transport(), false));
  return {
    async run(golden) {
      const server = member(golden.input, "crds") === "standard" ? standard : experimental;
      return server === undefined ? absent("a server") : answer(await runCase(server, golden));
    },
    async close() {
      for (const server of started) await server.stop();
    },
  };
}

export const suite: Suite = {
  name: "v1-admission",
  open: ({ kubeconfig }) => (kubeconfig === undefined ? embeddedServers() : clusterOf(kubeconfig)),
};
