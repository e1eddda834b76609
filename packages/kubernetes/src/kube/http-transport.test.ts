import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { connect, createServer as createTcpServer, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { configMaps } from "../apis/resources.ts";
import { SeededEntropy } from "../entropy.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { withSpan } from "../system/current-span.ts";
import { readBody } from "./api-body.ts";
import { createClient } from "./client.ts";
import type { Bearer, ClusterAccess } from "./access/cluster-access.ts";
import {
  ClusterUnreachableError,
  httpTransport,
  type HttpTransport,
  type HttpTransportOptions,
} from "./http-transport.ts";
import { isJsonObject } from "../json.ts";
import { createInformerCache } from "./informer-cache.ts";
import { isRefused } from "./refusal.ts";
import { systemClock } from "../system/system-clock.ts";
import { issueAuthority, issueClient, issueServing } from "../certificate/certificate.ts";

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const { signal } = new AbortController();
const directory = mkdtempSync(join(tmpdir(), "transport-"));
const issuing = { now: Date.now() - 60_000, validityMs: 3_600_000, entropy: new SeededEntropy(1) };
const authority = await issueAuthority({ ...issuing, commonName: "ca" });
const serving = await issueServing({ ...issuing, authority, hosts: ["127.0.0.1", "api.example"] });
const ann = await issueClient({ ...issuing, authority, commonName: "ann", organizations: ["team"] });
const bob = await issueClient({ ...issuing, authority, commonName: "bob", organizations: [] });

let handler: Handler = () => {};
const sockets = new Set<Duplex>();
const server = createServer(
  {
    cert: serving.certificatePem,
    key: serving.privateKeyPem,
    ca: authority.certificatePem,
    requestCert: true,
    rejectUnauthorized: false,
  },
  (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => handler(request, response, Buffer.concat(chunks).toString()));
  },
);
server.on("connection", (socket) => {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
});
let url = "";
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
const open: HttpTransport[] = [];
after(() => {
  for (const transport of open) transport.close();
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

function aTransport(access: Partial<ClusterAccess> = {}, options: HttpTransportOptions = { env: {} }): HttpTransport {
  const transport = httpTransport(
    { server: url, authority: { kind: "inline", pem: authority.certificatePem }, ...access },
    options,
  );
  open.push(transport);
  return transport;
}
const echo: Handler = (request, response, body) => {
  const peer = (request.socket as TLSSocket).getPeerCertificate();
  const subject = Object.keys(peer).length === 0 ? undefined : peer.subject;
  response.setHeader("warning", ['299 - "one"', '299 - "two"']);
  response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, subject, body }));
};
interface Echo {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly subject?: unknown;
}
async function ask(transport: HttpTransport, path = "/x"): Promise<Echo> {
  const answer = await createClient(transport).requestJson({ method: "GET", path }, signal);
  assert.ok(isJsonObject(answer));
  return answer as unknown as Echo;
}

test("a write names the span that it belongs to, a read does not", async () => {
  handler = echo;
  const client = createClient(aTransport());
  const named = async (method: "GET" | "PATCH"): Promise<unknown> => {
    const answer = await client.requestJson({ method, path: "/x" }, signal);
    return (answer as unknown as Echo).headers["traceparent"];
  };
  const reference = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", isSampled: true };
  const found = await withSpan({ reference, isNamed: false }, async () => [await named("GET"), await named("PATCH")]);
  assert.deepEqual(found, [undefined, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]);
  assert.equal(await named("PATCH"), undefined);
});

test("a request has path prefix, query, repeated headers and body", async () => {
  handler = (request, response, body) => {
    assert.deepEqual(request.headersDistinct["impersonate-group"], ["a", "b"]);
    echo(request, response, body);
  };
  const transport = aTransport({ server: `${url}/prefix/` });
  const query = new URLSearchParams({ labelSelector: "a in (b,c)" });
  const answer = await transport(
    {
      method: "POST",
      path: "/api/v1/x",
      query,
      headers: { "impersonate-group": "a\nb" },
      body: { kind: "object", value: { a: "ä" } },
    },
    signal,
  );
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["warning"], '299 - "one", 299 - "two"');
  assert.ok(answer.body?.kind === "stream");
  const chunks = await Array.fromAsync(answer.body.chunks);
  const seen = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
  assert.equal(seen["url"], "/prefix/api/v1/x?labelSelector=a+in+%28b%2Cc%29");
  assert.equal(seen["body"], '{"a":"ä"}');
});

test("one connection is reused for many requests", async () => {
  handler = echo;
  const transport = aTransport();
  const before = sockets.size;
  for (let round = 0; round < 5; round++) await ask(transport);
  assert.equal(sockets.size - before, 1);
});

test("a client certificate is sent, and a replaced file is used immediately", async () => {
  handler = echo;
  const [certificate, key] = [join(directory, "tls.crt"), join(directory, "tls.key")];
  const put = (pair: typeof ann): void => {
    writeFileSync(certificate, pair.certificatePem);
    writeFileSync(key, pair.privateKeyPem);
  };
  put(ann);
  const file = (path: string): { kind: "file"; path: string } => ({ kind: "file", path });
  const transport = aTransport({ clientCertificate: { certificate: file(certificate), key: file(key) } });
  assert.deepEqual((await ask(transport)).subject, { O: "team", CN: "ann" });
  put(bob);
  for (const path of [certificate, key]) utimesSync(path, 1, 1);
  assert.deepEqual((await ask(transport)).subject, { CN: "bob" });
});

test("a replaced token file is read again", async () => {
  handler = echo;
  const path = join(directory, "token");
  writeFileSync(path, "one\n");
  const transport = aTransport({ bearer: { kind: "file", path } });
  assert.equal((await ask(transport)).headers["authorization"], "Bearer one");
  writeFileSync(path, "two\n");
  utimesSync(path, 1, 1);
  assert.equal((await ask(transport)).headers["authorization"], "Bearer two");
});

test("an expired token is refused until its file holds a new one, which is used for the request that was refused", async () => {
  const valid = "Bearer two";
  handler = (request, response, body) => {
    if (request.headers.authorization === valid) return echo(request, response, body);
    response.statusCode = 401;
    response.end("Unauthorized");
  };
  const path = join(directory, "expiring");
  const write = (token: string): void => {
    writeFileSync(path, token);
    // As after a change within the resolution of the file system.
    utimesSync(path, 1, 1);
  };
  write("one");
  const transport = aTransport({ bearer: { kind: "file", path } });
  await assert.rejects(
    ask(transport),
    (error: unknown) => isRefused(error, "other") && /Unauthorized/.test(String(error)),
  );
  write("two");
  assert.equal((await ask(transport)).headers["authorization"], valid);
});

test("a burst of 10 MB of watch events arrives whole, and the last change of each object counts", async () => {
  const metadata = (count: number, version: number): Record<string, unknown> => ({
    namespace: "demo",
    name: `map-${count}`,
    uid: `uid-${count}`,
    resourceVersion: String(version),
  });
  const burst = ["one", "last"]
    .flatMap((round, index) =>
      Array.from({ length: 200 }, (_, count) => {
        const data = { round, fill: "ä".repeat(13_000) };
        const object = {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: metadata(count, 2 + index * 200 + count),
          data,
        };
        return `${JSON.stringify({ type: index === 0 ? "ADDED" : "MODIFIED", object })}\n`;
      }),
    )
    .join("");
  assert.ok(Buffer.byteLength(burst) > 10_000_000);
  handler = (request, response) => {
    response.setHeader("content-type", "application/json");
    if (request.url?.includes("watch=true") === true) response.write(burst);
    else
      response.end(
        JSON.stringify({ apiVersion: "v1", kind: "ConfigMapList", metadata: { resourceVersion: "1" }, items: [] }),
      );
  };
  const cache = createInformerCache({
    client: createClient(aTransport()),
    clock: systemClock,
    entropy: new SeededEntropy(1),
  });
  try {
    const last = Promise.withResolvers<void>();
    const lease = cache.acquire({ type: configMaps }, ({ after: object }) => {
      if (object?.metadata.name === "map-199" && object.data?.["round"] === "last") last.resolve();
    });
    await last.promise;
    const held = await cache.list(configMaps, { namespace: "demo" });
    assert.equal(held.length, 200);
    assert.deepEqual(new Set(held.map(({ data }) => data?.["round"])), new Set(["last"]));
    assert.deepEqual(new Set(held.map(({ data }) => data?.["fill"]?.length)), new Set([13_000]));
    lease.release();
  } finally {
    await cache.stop();
  }
});

test("no request is sent to a server whose certificate cannot be verified", async () => {
  handler = echo;
  const { authority: _none, ...bare } = { server: url, authority: undefined };
  await assert.rejects(httpTransport(bare, { env: {} })({ method: "GET", path: "/" }, signal), ClusterUnreachableError);
  await assert.rejects(ask(aTransport({ tlsServerName: "other.example" })), ClusterUnreachableError);
  await ask(aTransport({ tlsServerName: "api.example" }));
  const insecure = httpTransport({ server: url, insecureSkipTlsVerify: true }, { env: {} });
  open.push(insecure);
  await ask(insecure);
});

function aPlugin(name: string, script: string): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}
const plugin = (command: string): Bearer => ({
  kind: "exec",
  plugin: {
    command,
    args: ["--hello"],
    env: { REGION: "eu" },
    apiVersion: "client.authentication.k8s.io/v1",
    provideClusterInfo: true,
    interactiveMode: "Never",
    installHint: "Install it first",
  },
});

test("an exec plugin runs once, receives the cluster info, and runs again when its token expires or is refused", async () => {
  const log = join(directory, "runs");
  const command = aPlugin(
    "login",
    `printf '%s %s %s\\n' "$1" "$REGION" "$KUBERNETES_EXEC_INFO" >> ${log}
n=$(wc -l < ${log})
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t%d","expirationTimestamp":"2026-01-01T00:10:00Z"}}' $n`,
  );
  const clock = new VirtualClock();
  let refuse = false;
  handler = (request, response, body) => {
    if (refuse && request.headers.authorization === "Bearer t2") {
      response.statusCode = 401;
      response.end("Unauthorized");
    } else echo(request, response, body);
  };
  const transport = aTransport({ bearer: plugin(command) }, { env: { PATH: process.env["PATH"] }, clock });
  const token = async (): Promise<unknown> => (await ask(transport)).headers["authorization"];
  const plain = (text: unknown): string => String(text).replaceAll(" ", "");
  assert.deepEqual([plain(await token()), plain(await token())], ["Bearert1", "Bearert1"]);
  clock.advance(11 * 60_000);
  assert.equal(await token(), "Bearer t2");
  refuse = true;
  clock.advance(-60 * 60_000);
  assert.equal(await token(), "Bearer t3");
  const [line = ""] = readFileSync(log, "utf8").split("\n");
  const [argument, region, ...info] = line.split(" ");
  assert.deepEqual([argument, region], ["--hello", "eu"]);
  const sent = JSON.parse(info.join(" ")) as { spec: { interactive: boolean; cluster: { server: string } } };
  assert.equal(sent.spec.interactive, false);
  assert.equal(sent.spec.cluster.server, url);
});

test("the error for a missing plugin has its name and install hint", async () => {
  const transport = aTransport({ bearer: plugin(join(directory, "absent")) });
  await assert.rejects(ask(transport), (error: unknown) => {
    assert.ok(error instanceof ClusterUnreachableError);
    assert.match(error.message, /Cannot run the credential plugin ".*absent"\. Install it first/);
    return true;
  });
});

test("an incomplete response fails after the idle timeout", async () => {
  handler = (_request, response) => {
    response.write('{"a":');
  };
  const transport = aTransport({}, { env: {}, idleTimeoutMs: 100 });
  await assert.rejects(ask(transport));
});

test("a request may be silent for longer than the others of its transport", async () => {
  handler = (_request, response) => {
    response.write('{"a":');
    setTimeout(() => response.end("1}"), 300);
  };
  const transport = aTransport({}, { env: {}, idleTimeoutMs: 100 });
  const answer = await transport({ method: "GET", path: "/", idleTimeoutMs: 60_000 }, new AbortController().signal);
  assert.deepEqual(await readBody(answer.body), { json: { a: 1 }, text: '{"a":1}' });
});

test("an aborted request rejects with the signal's reason", async () => {
  handler = () => {};
  const aborting = new AbortController();
  const asking = aTransport()({ method: "GET", path: "/" }, aborting.signal);
  const reason = new Error("enough");
  setTimeout(() => aborting.abort(reason), 20);
  await assert.rejects(asking, reason);
});

test("an aborted watch ends", async () => {
  handler = (_request, response) => {
    response.write(
      `${JSON.stringify({ type: "ADDED", object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } } })}\n`,
    );
  };
  const aborting = new AbortController();
  const seen: (string | undefined)[] = [];
  await assert.rejects(async () => {
    for await (const event of createClient(aTransport()).watch(configMaps, {}, {}, aborting.signal)) {
      seen.push(event.object.metadata.name);
      aborting.abort(new Error("enough"));
    }
  });
  assert.deepEqual(seen, ["a"]);
});

test("a read on a kept-alive connection that the server has closed is retried", async () => {
  handler = echo;
  const transport = aTransport();
  await ask(transport);
  let closed = 0;
  handler = (request, response, body) => {
    if (closed++ === 0) request.socket.destroy();
    else echo(request, response, body);
  };
  await ask(transport);
  assert.equal(closed, 2);
});

test("a write on such a connection is not retried", async () => {
  handler = echo;
  const transport = aTransport();
  await ask(transport);
  let asked = 0;
  handler = (request) => {
    asked++;
    request.socket.destroy();
  };
  await assert.rejects(transport({ method: "POST", path: "/" }, signal), ClusterUnreachableError);
  assert.equal(asked, 1);
});

/** First lines of requests to a proxy that leads every name to this machine, while `use` runs. */
async function askedOfProxy(use: (proxyUrl: string) => Promise<void>): Promise<readonly string[]> {
  const asked: string[] = [];
  const proxy = createTcpServer((socket) => {
    socket.once("data", (chunk) => {
      const [line = ""] = chunk.toString().split("\r\n");
      asked.push(line);
      const port = Number(/^CONNECT [^:]+:(\d+)/.exec(line)?.[1]);
      const onward = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        socket.pipe(onward).pipe(socket);
      });
      onward.on("error", () => socket.destroy());
    });
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  } finally {
    proxy.close();
  }
  return asked;
}

test("the proxy of the kubeconfig is used", async () => {
  handler = echo;
  const asked = await askedOfProxy(async (proxyUrl) => {
    const transport = aTransport({ proxyUrl });
    await ask(transport);
    transport.close();
  });
  assert.equal(asked.length, 1);
  assert.match(asked[0] ?? "", /^CONNECT 127\.0\.0\.1:/);
});

for (const [what, variable, host, isUsed] of [
  ["is used", "HTTPS_PROXY", "api.example", true],
  ["in small letters is used", "https_proxy", "api.example", true],
  ["is not used for this machine", "HTTPS_PROXY", "127.0.0.1", false],
] as const)
  test(`the proxy of the environment ${what}`, async () => {
    handler = echo;
    const asked = await askedOfProxy(async (proxyUrl) => {
      const server = url.replace("127.0.0.1", host);
      const transport = aTransport({ server }, { env: { [variable]: proxyUrl, NO_PROXY: "" } });
      await ask(transport);
      transport.close();
    });
    assert.deepEqual(
      asked.map((line) => line.replace(/:\d+ .*/, "")),
      isUsed ? [`CONNECT ${host}`] : [],
    );
  });

test("the error for an unreachable server has its address", async () => {
  const transport = httpTransport({ server: "https://127.0.0.1:1" }, { env: {} });
  await assert.rejects(transport({ method: "GET", path: "/" }, signal), {
    name: "ClusterUnreachableError",
    message: /Cannot reach the API server "https:\/\/127\.0\.0\.1:1": .*ECONNREFUSED/,
  });
});
