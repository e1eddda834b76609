import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, Agent, request } from "node:https";
import type { AddressInfo } from "node:net";
import { issueServiceCertificate } from "@purser/kubernetes/certificate/service-certificate";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { usedRight, type UsedRight } from "./used-right.ts";

/** One request that passed, with the status of its answer. */
export interface RecordedRequest extends UsedRight {
  readonly status: number;
  /** Of an answer 403. */
  readonly refusal?: string;
}

/** A server in front of an API server that notes every request. */
export interface RecordingProxy {
  readonly port: number;
  /** PEM of the authority of its certificate. */
  readonly authority: string;
  readonly requests: readonly RecordedRequest[];
  stop(): Promise<void>;
}

/** Forwards everything to `origin`, with the caller's own credentials, from a free port of 127.0.0.1. */
export async function startRecordingProxy(origin: string): Promise<RecordingProxy> {
  const certificate = await issueServiceCertificate({
    hosts: ["127.0.0.1", "localhost"],
    now: systemClock.now(),
    entropy: systemEntropy,
  });
  const { hostname, port } = new URL(origin);
  // The cluster of a test has an authority of its own; the token that passes is of that cluster alone.
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const requests: RecordedRequest[] = [];
  const forward = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method = "GET", url = "/", headers } = incoming;
    const outgoing = request({ agent, hostname, port, method, path: url, headers }, (answer) => {
      const { statusCode: status = 500 } = answer;
      const used = usedRight(method, url);
      const noted: { refusal?: string } & RecordedRequest = { ...used, status };
      requests.push(noted);
      // An apply that creates needs both rights, and only the answer says that it did.
      if (used.verb === "patch" && status === 201) requests.push({ ...used, verb: "create", status });
      if (status === 403)
        answer.on("data", (chunk: Buffer) => (noted.refusal = (noted.refusal ?? "") + chunk.toString()));
      response.writeHead(status, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  };
  const server = createServer({ cert: certificate.certificatePem, key: certificate.privateKeyPem }, forward);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: (server.address() as AddressInfo).port,
    authority: certificate.authorityPem,
    requests,
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
}
