import type { ApiRequest, Transport, UserInfo, WatchEvent } from "../../src/kube/transport.ts";
import type { JsonObject, JsonValue } from "../../src/json.ts";
import { isJsonObject } from "../../src/json.ts";
import { readBody, readEvents } from "../../src/kube/api-body.ts";
import { anonymousAccess, httpTransport } from "../../src/kube/http-transport.ts";
import { impersonationHeaders } from "../../src/kube/impersonation.ts";
import type { ClusterAccess } from "../../src/kube/kubeconfig.ts";
import { describeKubeconfigProblem, loadKubeconfig, parseKubeconfig } from "../../src/kube/kubeconfig.ts";
import { parseWarnings } from "../../src/kube/warnings.ts";

export interface Ask {
  /** GET by default. */
  readonly method?: ApiRequest["method"];
  /** With its query. */
  readonly path: string;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  /** The administrator by default. */
  readonly as?: "anonymous" | UserInfo;
}

export interface Told {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for an answer that is no JSON object. */
  readonly object: JsonObject;
  readonly text: string;
  /** Of a Status; empty otherwise. */
  readonly message: string;
  readonly warnings: readonly string[];
}

export interface OpenWatch {
  readonly code: number;
  /** Undefined at the end of the stream. */
  next(): Promise<WatchEvent | undefined>;
  stop(): void;
}

/** The server under test as a client sees it: HTTP, nothing else. */
export interface Cluster {
  ask(ask: Ask): Promise<Told>;
  watch(path: string): Promise<OpenWatch>;
  close(): Promise<void>;
}

/** Longer than any row waits. */
const answerMs = 30_000;

function requestOf({ method = "GET", path, body, headers, as }: Ask): ApiRequest {
  const mark = path.indexOf("?");
  return {
    method,
    path: mark < 0 ? path : path.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? "" : path.slice(mark + 1)),
    headers: {
      "user-agent": "conformance/1",
      accept: "application/json",
      ...(body === undefined || typeof body === "string" ? {} : { "content-type": "application/json" }),
      ...(as === undefined || as === "anonymous" ? {} : impersonationHeaders(as)),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: { kind: "bytes", bytes: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)) } }),
  };
}

function clusterAt(access: ClusterAccess, stop: () => Promise<void>): Cluster {
  const admin = httpTransport(access);
  const anonymous = httpTransport(anonymousAccess(access));
  const transportOf = (ask: Ask): Transport => (ask.as === "anonymous" ? anonymous : admin);
  return {
    async ask(ask) {
      const response = await transportOf(ask)(requestOf(ask), AbortSignal.timeout(answerMs));
      const { json, text } = await readBody(response.body);
      const object = isJsonObject(json) ? json : {};
      const message = object["message"];
      return {
        code: response.status,
        headers: response.headers,
        object,
        text,
        message: typeof message === "string" ? message : "",
        warnings: parseWarnings(response.headers["warning"]),
      };
    },
    async watch(path) {
      const abort = new AbortController();
      const response = await admin(requestOf({ path }), abort.signal);
      const events = readEvents(response.body);
      return {
        code: response.status,
        async next() {
          const result = await events.next().catch((problem: unknown) => {
            if (abort.signal.aborted) return { done: true, value: undefined } as const;
            throw problem;
          });
          return result.done === true ? undefined : result.value;
        },
        stop: () => abort.abort(),
      };
    },
    async close() {
      admin.close();
      anonymous.close();
      await stop();
    },
  };
}

/** The cluster that the kubeconfig file leads to. @throws when there is none */
export function clusterOf(kubeconfig: string): Cluster {
  const access = loadKubeconfig({ path: kubeconfig, env: process.env });
  if (!access.ok) throw new Error(describeKubeconfigProblem(access.problem));
  return clusterAt(access.value, () => Promise.resolve());
}

/** Starts the embedded server behind a socket of its own. Loaded here: a given cluster needs none of it. */
export async function embeddedCluster(): Promise<Cluster> {
  const { createApiServer } = await import("../../src/apiserver/server.ts");
  const { memoryStorage } = await import("../../src/apiserver/storage/object-store.ts");
  const { systemClock } = await import("../../src/engine/system-clock.ts");
  const { systemEntropy } = await import("../../src/engine/system-entropy.ts");
  const server = await createApiServer({ clock: systemClock, entropy: systemEntropy, storage: memoryStorage() });
  const { url } = await server.listen({ host: "127.0.0.1", port: 0 });
  const access = parseKubeconfig(await server.adminKubeconfig(url), { folder: "/" });
  if (!access.ok) throw new Error(describeKubeconfigProblem(access.problem));
  return clusterAt(access.value, () => server.stop());
}
