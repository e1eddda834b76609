import { readFileSync } from "node:fs";
import { Agent, request as httpsRequest } from "node:https";
import { credentialSource } from "../../src/kube/access-credentials.ts";
import { loadKubeconfig } from "../../src/kube/kubeconfig.ts";

/** Requests over kept connections, bodies as bytes: what a client of ours would add is in neither server's figures. */
export interface RawClient {
  /** @returns the size of the answer's body. Throws when the status is not 2xx. */
  send(method: string, path: string, body?: unknown): Promise<number>;
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
  const open = (method: string, path: string, body?: string) =>
    httpsRequest(new URL(path, access.server), { method, agent, headers }).end(body);
  return {
    send: (method, path, body) =>
      new Promise((answered, refused) => {
        const call = open(method, path, body === undefined ? undefined : JSON.stringify(body));
        call.on("error", refused);
        call.on("response", (response) => {
          let size = 0;
          response.on("data", (bytes: Buffer) => (size += bytes.length));
          response.on("end", () => {
            const status = response.statusCode ?? 0;
            if (status >= 200 && status < 300) answered(size);
            else refused(new Error(`${method} ${path}: ${status}`));
          });
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
