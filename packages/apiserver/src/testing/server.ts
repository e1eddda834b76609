import assert from "node:assert/strict";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import type { ApiRequest, UserInfo, WatchEvent } from "@purser/kubernetes/kube/transport";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { objectsIn } from "../kinds/decoding/json-parts.ts";
import type { ApiServer } from "../server.ts";
import type { ApiServerOptions } from "../server-options.ts";
import { createApiServer } from "../server.ts";
import { memoryStorage } from "../storage/object-store.ts";
import type { Storage } from "../storage/storage.ts";

export interface Ask {
  readonly method?: ApiRequest["method"];
  readonly path: string;
  /** An object is passed as it is, a text as bytes. */
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  readonly user?: UserInfo;
}

export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when the response is not a JSON object. */
  readonly object: JsonObject;
  readonly text: string;
  /** Message of a Status; empty otherwise. */
  readonly message: string;
  /** Texts of the warnings. */
  readonly warnings: readonly string[];
}

export interface TestServer {
  readonly server: ApiServer;
  readonly storage: Storage;
  readonly clock: VirtualClock;
  ask(ask: Ask): Promise<Answer>;
  /** Events of a watch as they arrive; `stop` ends it. */
  watch(path: string, user?: UserInfo): Promise<OpenWatch>;
}

export interface OpenWatch {
  readonly code: number;
  next(): Promise<WatchEvent | undefined>;
  stop(): void;
}

/** A server without controllers and sockets, on a virtual clock. */
export async function testServer(
  options: Partial<Omit<ApiServerOptions, "clock" | "storage" | "entropy">> = {},
): Promise<TestServer> {
  const clock = new VirtualClock();
  const storage = memoryStorage();
  const server = await createApiServer({
    clock,
    storage,
    entropy: new SeededEntropy(7),
    controllers: false,
    ...options,
  });
  return {
    server,
    storage,
    clock,
    ask: (ask) => askServer(server, ask),
    watch: (path, user) => openWatch(server, path, user),
  };
}

function requestOf({ method = "GET", path, body, headers }: Ask): ApiRequest {
  const mark = path.indexOf("?");
  return {
    method,
    path: mark < 0 ? path : path.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? "" : path.slice(mark + 1)),
    headers: { "user-agent": "test/1", ...headers },
    ...(body === undefined
      ? {}
      : {
          body:
            typeof body === "string" ? { kind: "bytes", bytes: Buffer.from(body) } : { kind: "object", value: body },
        }),
  };
}

export async function askServer(server: ApiServer, ask: Ask): Promise<Answer> {
  const response = await server.transport(ask.user)(requestOf(ask), new AbortController().signal);
  const { body } = response;
  const text = body?.kind === "bytes" ? Buffer.from(body.bytes).toString() : "";
  const value = body?.kind === "object" ? body.value : parse(text);
  return {
    code: response.status,
    headers: response.headers,
    object: isJsonObject(value) ? value : {},
    text,
    message: isJsonObject(value) && typeof value["message"] === "string" ? value["message"] : "",
    warnings: (response.headers["warning"] ?? "")
      .split(/, (?=299)/)
      .filter((warning) => warning !== "")
      .map((warning) => warning.slice(7, -1).replaceAll('\\"', '"')),
  };
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

async function openWatch(server: ApiServer, path: string, user?: UserInfo): Promise<OpenWatch> {
  const abort = new AbortController();
  const response = await server.transport(user)(requestOf({ path }), abort.signal);
  const iterator = response.body?.kind === "events" ? response.body.events[Symbol.asyncIterator]() : undefined;
  return {
    code: response.status,
    next: async () => {
      const result = await iterator?.next();
      return result === undefined || result.done === true ? undefined : result.value;
    },
    stop: () => abort.abort(),
  };
}

/** Compares only the members of `expected`, so that a failure shows the relevant difference. */
export function assertContains(actual: JsonValue | undefined, expected: JsonValue, path = ""): void {
  if (!isJsonObject(expected)) {
    assert.deepEqual(actual, expected, path);
    return;
  }
  assert.ok(isJsonObject(actual), `${path} is no object: ${JSON.stringify(actual)}`);
  for (const [key, value] of Object.entries(expected))
    if (value === undefined) assert.equal(actual[key], undefined, `${path}.${key}`);
    else assertContains(actual[key], value, `${path}.${key}`);
}

export function configMap(name: string, more: JsonObject = {}, namespace = "demo"): JsonObject {
  const { metadata, ...rest } = more;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, ...(isJsonObject(metadata) ? metadata : {}) },
    ...rest,
  };
}

export async function withNamespace(server: TestServer, name: string): Promise<string> {
  const answer = await server.ask({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name } },
  });
  assert.equal(answer.code, 201, JSON.stringify(answer.object));
  return `/api/v1/namespaces/${name}`;
}

/** A server with controllers and a namespace `demo`. */
export async function started(): Promise<TestServer> {
  const server = await testServer({ controllers: true });
  await withNamespace(server, "demo");
  return server;
}

/** The objects of a collection. */
export async function items(server: TestServer, path: string): Promise<readonly JsonObject[]> {
  return objectsIn((await server.ask({ path })).object, "items");
}
