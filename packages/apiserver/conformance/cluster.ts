import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ApiRequest, Transport, UserInfo, WatchEvent } from "@purser/kubernetes/kube/transport";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { readBody, readEvents } from "@purser/kubernetes/kube/api-body";
import { anonymousAccess, httpTransport } from "@purser/kubernetes/kube/http-transport";
import { impersonationHeaders } from "@purser/kubernetes/testing/impersonation";
import type { KeyPair } from "@purser/kubernetes/certificate/certificate";
import type { ClusterAccess } from "@purser/kubernetes/kube/access/kubeconfig";
import { describeKubeconfigProblem, loadKubeconfig, parseKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { parseWarnings } from "@purser/kubernetes/testing/warnings";

export interface Ask {
  /** GET by default. */
  readonly method?: ApiRequest["method"];
  /** With its query. */
  readonly path: string;
  /** An object is sent as JSON, a text unchanged. */
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  /** The user of the request; the administrator by default. */
  readonly as?: Caller;
}

export type Caller = "anonymous" | UserInfo | { readonly token: string } | { readonly certificate: KeyPair };

export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty when the response is not a JSON object. */
  readonly object: JsonObject;
  readonly text: string;
  /** Message of a Status; empty otherwise. */
  readonly message: string;
  readonly warnings: readonly string[];
}

export interface OpenWatch {
  readonly code: number;
  /** Undefined at the end of the stream. */
  next(): Promise<WatchEvent | undefined>;
  stop(): void;
}

/** The server under test, accessed through HTTP only. */
export interface Cluster {
  /** Requests as the administrator, for rows about clients. */
  readonly transport: Transport;
  ask(ask: Ask): Promise<Answer>;
  watch(path: string, headers?: Readonly<Record<string, string>>): Promise<OpenWatch>;
  /** Path of a kubeconfig file. */
  kubeconfig(): Promise<string>;
  /** Authority of client certificates; absent when its key is not available. */
  readonly clientAuthority?: KeyPair;
  /** Whether the cluster is an existing one, not started here. */
  readonly given: boolean;
  close(): Promise<void>;
}

/** Timeout of a request; longer than any row waits. */
const answerMs = 300_000;

function callerHeaders(as: Caller | undefined): Readonly<Record<string, string>> {
  if (as === undefined || as === "anonymous" || "certificate" in as) return {};
  return "token" in as ? { authorization: `Bearer ${as.token}` } : impersonationHeaders(as);
}

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
      ...callerHeaders(as),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: { kind: "bytes", bytes: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)) } }),
  };
}

function clusterAt(
  access: ClusterAccess,
  { stop, ...rest }: Pick<Cluster, "kubeconfig" | "given" | "clientAuthority"> & { readonly stop: () => Promise<void> },
): Cluster {
  const admin = httpTransport(access);
  const anonymous = httpTransport(anonymousAccess(access));
  const transportOf = ({ as }: Ask): Transport => {
    if (as === undefined) return admin;
    if (as === "anonymous" || "token" in as) return anonymous;
    if (!("certificate" in as)) return admin;
    const { certificatePem, privateKeyPem } = as.certificate;
    const clientCertificate = {
      certificate: { kind: "inline", pem: certificatePem },
      key: { kind: "inline", pem: privateKeyPem },
    } as const;
    return httpTransport({ ...anonymousAccess(access), clientCertificate });
  };
  return {
    ...rest,
    transport: admin,
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
    async watch(path, headers = {}) {
      const abort = new AbortController();
      const response = await admin(requestOf({ path, headers }), abort.signal);
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

/** `ca.crt` and `ca.key` in the kubeconfig's directory, where our control plane script stores them. */
function authorityBeside(kubeconfig: string): Pick<Cluster, "clientAuthority"> {
  const read = (name: string): string => readFileSync(join(dirname(kubeconfig), name), "utf8");
  try {
    return { clientAuthority: { certificatePem: read("ca.crt"), privateKeyPem: read("ca.key") } };
  } catch {
    return {};
  }
}

/**
 * The cluster of a kubeconfig file.
 * @throws when it cannot be loaded
 */
export function clusterOf(kubeconfig: string): Cluster {
  const access = loadKubeconfig({ path: kubeconfig, env: process.env });
  if (!access.ok) throw new Error(describeKubeconfigProblem(access.problem));
  return clusterAt(access.value, {
    given: true,
    ...authorityBeside(kubeconfig),
    stop: () => Promise.resolve(),
    kubeconfig: () => Promise.resolve(kubeconfig),
  });
}

/** Starts the embedded server on a socket. Imported lazily, because an existing cluster does not need it. */
export async function embeddedCluster(): Promise<Cluster> {
  const { createApiServer } = await import("../src/server.ts");
  const { memoryStorage } = await import("../src/storage/object-store.ts");
  const { systemClock } = await import("@purser/kubernetes/system/system-clock");
  const { systemEntropy } = await import("@purser/kubernetes/system/system-entropy");
  const { serverIdentity } = await import("../src/listener/identity.ts");
  const storage = memoryStorage();
  const server = await createApiServer({ clock: systemClock, entropy: systemEntropy, storage });
  // Compacts the history, as in a server that has been running for some minutes.
  storage.compact(storage.revision());
  const { url } = await server.listen({ host: "127.0.0.1", port: 0 });
  const text = server.adminKubeconfig(url);
  const access = parseKubeconfig(text, { directory: "/" });
  if (!access.ok) throw new Error(describeKubeconfigProblem(access.problem));
  const { authority } = await serverIdentity(storage, systemClock, systemEntropy);
  // Written once, because rows run concurrently and a rewritten file is empty for a moment.
  let written: Promise<string> | undefined;
  const write = async (): Promise<string> => {
    const directory = await mkdtemp(join(tmpdir(), "conformance-"));
    await writeFile(join(directory, "kubeconfig"), text, { mode: 0o600 });
    return join(directory, "kubeconfig");
  };
  return clusterAt(access.value, {
    given: false,
    clientAuthority: authority,
    kubeconfig: () => (written ??= write()),
    stop: async () => {
      await server.stop();
      if (written !== undefined) await rm(dirname(await written), { recursive: true });
    },
  });
}
