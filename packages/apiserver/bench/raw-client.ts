import { readFileSync } from "node:fs";
import { Agent, request as httpsRequest } from "node:https";
import { credentialSource } from "@purser/kubernetes/testing/access-credentials";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";

/** The part of a response that measurements use. */
export interface Answered {
  readonly metadata?: { readonly continue?: string };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly availableReplicas?: number;
  };
}

/** Requests over kept-alive connections with raw bodies, so that no client's overhead is measured. */
export interface RawClient {
  /** @returns the size of the answer's body. Throws when the status is not 2xx. */
  send(method: string, path: string, body?: unknown): Promise<number>;
  /** The same with the answer's body as JSON. */
  ask(method: string, path: string, body?: unknown, contentType?: string): Promise<Answered>;
  /** @returns the status code, whichever it is. The body may be bytes of another type, and the answer of another form. */
  status(method: string, path: string, body?: unknown, contentType?: string, accept?: string): Promise<number>;
  /** Calls `onBytes` for each piece of the answer until the server or `close` ends it; resolves when the answer began. */
  stream(path: string, onBytes: (bytes: Buffer) => void): Promise<{ close(): void }>;
  close(): void;
}

export async function rawClient(kubeconfig: string, connections: number): Promise<RawClient> {
  const loaded = loadKubeconfig({ path: kubeconfig, env: {} });
  if (!loaded.ok) throw new Error(`cannot use ${kubeconfig}: ${readFileSync(kubeconfig, "utf8").length} bytes`);
  const access = loaded.value;
  const { tls, authorization } = await credentialSource(access, {}, undefined).current();
  const agent = new Agent({
    keepAlive: true,
    maxSockets: connections,
    rejectUnauthorized: access.insecureSkipTlsVerify !== true,
    ...(tls.authorityPem === undefined ? {} : { ca: tls.authorityPem }),
    ...(tls.certificatePem === undefined ? {} : { cert: tls.certificatePem }),
    ...(tls.keyPem === undefined ? {} : { key: tls.keyPem }),
  });
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    ...(authorization === undefined ? {} : { authorization }),
  };
  const open = (method: string, path: string, body?: string | Uint8Array, contentType?: string, accept?: string) =>
    httpsRequest(new URL(path, access.server), {
      method,
      agent,
      headers: {
        ...headers,
        ...(contentType === undefined ? {} : { "content-type": contentType }),
        ...(accept === undefined ? {} : { accept }),
      },
    }).end(body);
  const asBody = (body: unknown): string | Uint8Array | undefined =>
    body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  const send = (
    method: string,
    path: string,
    body: unknown,
    contentType: string | undefined,
    onBytes: (bytes: Buffer) => void,
  ): Promise<void> =>
    new Promise((answered, refused) => {
      const call = open(method, path, asBody(body), contentType);
      call.on("error", refused);
      call.on("response", (response) => {
        response.on("data", onBytes);
        response.on("end", () => {
          const status = response.statusCode ?? 0;
          if (status >= 200 && status < 300) answered();
          else refused(new Error(`${method} ${path}: ${status}`));
        });
      });
    });
  return {
    async send(method, path, body) {
      let size = 0;
      await send(method, path, body, undefined, (bytes) => (size += bytes.length));
      return size;
    },
    async ask(method, path, body, contentType) {
      const chunks: Buffer[] = [];
      await send(method, path, body, contentType, (bytes) => chunks.push(bytes));
      return JSON.parse(Buffer.concat(chunks).toString()) as Answered;
    },
    status: (method, path, body, contentType, accept) =>
      new Promise((answered, refused) => {
        const call = open(method, path, asBody(body), contentType, accept);
        call.on("error", refused);
        call.on("response", (response) => {
          response.resume();
          response.on("end", () => answered(response.statusCode ?? 0));
        });
      }),
    stream: (path, onBytes) =>
      new Promise((began, refused) => {
        const call = open("GET", path);
        call.on("error", refused);
        call.on("response", (response) => {
          response.on("data", onBytes);
          began({ close: () => call.destroy() });
        });
      }),
    close: () => agent.destroy(),
  };
}
