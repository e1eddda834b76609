import { connect as connectPlain } from "node:net";
import type { Socket } from "node:net";
import { connect } from "node:tls";
import { credentialSource } from "@purser/kubernetes/testing/access-credentials";
import { describeKubeconfigProblem, loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { CannotShow } from "./row.ts";
import type { Scene } from "./scene.ts";

/** What the server sent before it closed the connection or became silent. */
export interface RawAnswer {
  /** `HTTP/1.1 400 Bad Request`; empty without a response. */
  readonly status: string;
  readonly head: string;
  readonly body: string;
}

export interface RawOptions {
  /** Without TLS. */
  readonly plain?: boolean;
  /** Without credentials. */
  readonly anonymous?: boolean;
}

/** After this time without data the server is considered to be waiting. */
const silenceMs = 3000;

/**
 * Writes bytes to the server and reads until it closes the connection or becomes silent. `{auth}` in a text is replaced
 * with the administrator's header lines, which may be empty.
 */
export async function rawExchange(
  scene: Scene,
  parts: readonly (string | Buffer)[],
  { plain = false, anonymous = false }: RawOptions = {},
): Promise<RawAnswer> {
  const access = loadKubeconfig({ path: await scene.cluster.kubeconfig(), env: process.env });
  if (!access.ok) throw new Error(describeKubeconfigProblem(access.problem));
  const { server, insecureSkipTlsVerify = false } = access.value;
  const { hostname, port, protocol } = new URL(server);
  if (protocol !== "https:") throw new CannotShow("the server speaks no TLS");
  const { tls, authorization } = await credentialSource(access.value, process.env, systemClock).current();
  const to = { host: hostname, port: Number(port === "" ? 443 : port) };
  const socket: Socket = plain
    ? connectPlain(to)
    : connect({
        ...to,
        rejectUnauthorized: !insecureSkipTlsVerify,
        ...(tls.authorityPem === undefined ? {} : { ca: tls.authorityPem }),
        ...(anonymous || tls.certificatePem === undefined ? {} : { cert: tls.certificatePem }),
        ...(anonymous || tls.keyPem === undefined ? {} : { key: tls.keyPem }),
      });
  const auth = anonymous || authorization === undefined ? "" : `authorization: ${authorization}\r\n`;
  const received = collect(socket);
  for (const part of parts) socket.write(typeof part === "string" ? part.replaceAll("{auth}", auth) : part);
  const text = await received;
  const end = text.indexOf("\r\n\r\n");
  const head = end < 0 ? text : text.slice(0, end);
  return { status: head.split("\r\n")[0] ?? "", head: head.toLowerCase(), body: end < 0 ? "" : text.slice(end + 4) };
}

function collect(socket: Socket): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  const done = (): void => {
    socket.destroy();
    resolve(Buffer.concat(chunks).toString("utf8"));
  };
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", done);
  socket.on("end", done);
  socket.on("close", done);
  socket.setTimeout(silenceMs, done);
  return promise;
}
