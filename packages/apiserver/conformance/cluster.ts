import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ApiRequest, Transport, UserInfo, WatchEvent } from "@purser/kubernetes/kube/transport";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { readBody, readEvents } from "@purser/kubernetes/testing/api-body";
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
  /** An object is sent as JSON, a text as it is. */
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  /** The administrator by default. */
  readonly as?: Caller;
}

export type Caller = "anonymous" | UserInfo | { readonly token: string } | { readonly certificate: KeyPair };

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
  /** As the administrator, for rows about clients. */
  readonly transport: Transport;
  ask(ask: Ask): Promise<Told>;
  watch(path: string, headers?: Readonly<Record<string, string>>): Promise<OpenWatch>;
  /** A file for programs that want one. */
  kubeconfig(): Promise<string>;
  /** Whose client certificates the server believes; absent where it is out of reach. */
  readonly clientAuthority?: KeyPair;
  /** A cluster that was given, not started here. */
  readonly given: boolean;
  close(): Promise<void>;
}

/** Longer than any row waits. */
const answerMs = 30_000;

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

/** `ca.crt` and `ca.key` in the kubeconfig's folder, where a control plane of our own making keeps them. */
function authorityBeside(kubeconfig: string): Pick<Cluster, "clientAuthority"> {
  const read = (name: string): string => readFileSync(join(dirname(kubeconfig), name), "utf8");
  try {
    return { clientAuthority: { certificatePem: read("ca.crt"), privateKeyPem: read("ca.key") } };
  } catch {
    return {};
  }
}

/** The cluster that the kubeconfig file leads to. @throws when there is none */
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

/** Starts the embedded server behind a socket of its own. Loaded here: a given cluster needs none of it. */
export async function embeddedCluster(): Promise<Cluster> {
  const { createApiServer } = await import("../src/server.ts");
  const { memoryStorage } = await import("../src/storage/object-store.ts");
  const { systemClock } = await import("@purser/kubernetes/system/system-clock");
  const { systemEntropy } = await import("@purser/kubernetes/system/system-entropy");
  const { serverIdentity } = await import("../src/listener/identity.ts");
  const storage = memoryStorage();
  const server = await createApiServer({ clock: systemClock, entropy: systemEntropy, storage });
  // As a server that has run for some minutes: what was before is forgotten.
  storage.compact(storage.revision());
  const { url } = await server.listen({ host: "127.0.0.1", port: 0 });
  const text = server.adminKubeconfig(url);
  const access = parseKubeconfig(text, { folder: "/" });
  if (!access.ok) throw new Error(describeKubeconfigProblem(access.problem));
  const { authority } = await serverIdentity(storage, systemClock, systemEntropy);
  // Written once: rows run beside one another, and a file that is written again is empty for a moment.
  let written: Promise<string> | undefined;
  const write = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), "conformance-"));
    await writeFile(join(folder, "kubeconfig"), text, { mode: 0o600 });
    return join(folder, "kubeconfig");
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
