import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { connect } from "node:tls";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import type { ApiServer, Listener } from "../server.ts";
import { createApiServer } from "../server.ts";
import { memoryStorage } from "../storage/object-store.ts";
import { configMap } from "../testing/server.ts";

let server: ApiServer;
let listener: Listener;
let kubeconfig = "";
let admin: Agent;
let anonymous: Agent;

const field = (name: string): Buffer =>
  Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? "", "base64");

before(async () => {
  server = await createApiServer({
    clock: systemClock,
    entropy: systemEntropy,
    storage: memoryStorage(),
    controllers: false,
    tokens: new Map([["known", { name: "ann", groups: [] }]]),
  });
  listener = await server.listen({ host: "127.0.0.1", port: 0 });
  kubeconfig = server.adminKubeconfig(listener.url);
  const ca = field("certificate-authority-data");
  admin = new Agent({ ca, cert: field("client-certificate-data"), key: field("client-key-data"), keepAlive: true });
  anonymous = new Agent({ ca, keepAlive: true });
});

after(async () => {
  admin.destroy();
  anonymous.destroy();
  await server.stop();
});

interface Reply {
  readonly code: number;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
  readonly message: string;
}

async function send(
  path: string,
  options: { agent?: Agent; method?: string; body?: string | Buffer; headers?: Record<string, string> } = {},
): Promise<Reply> {
  const { agent = admin, method = "GET", body, headers = {} } = options;
  const outgoing = httpsRequest(`${listener.url}${path}`, { agent, method, headers });
  // A refused upload is aborted after the response.
  outgoing.on("error", () => undefined);
  outgoing.end(body);
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString();
  return {
    code: incoming.statusCode ?? 0,
    headers: incoming.headers,
    bytes,
    message: text.startsWith("{") ? String((JSON.parse(text) as { message?: string }).message) : text,
  };
}

test("the kubeconfig's client certificate authenticates the administrator, without a certificate the user is anonymous", async () => {
  assert.equal((await send("/api/v1/namespaces")).code, 200);
  const answer = await send("/api/v1/namespaces", { agent: anonymous });
  assert.equal(answer.code, 403);
  assert.match(answer.message, /User "system:anonymous" cannot list resource "namespaces"/);
  assert.match(kubeconfig, /current-context: purser/);
});

test("an unknown bearer token is refused on every path", async () => {
  const ann = await send("/api/v1/namespaces", { agent: anonymous, headers: { authorization: "Bearer known" } });
  assert.match(ann.message, /User "ann" cannot list/);
  const bad = await send("/version", { agent: anonymous, headers: { authorization: "Bearer unknown" } });
  assert.equal(bad.code, 401);
  assert.equal(bad.message, "Unauthorized");
});

test("every answer has the headers of the API", async () => {
  const answer = await send("/version", { headers: { "audit-id": "mine" } });
  assert.equal(answer.headers["audit-id"], "mine");
  assert.equal(answer.headers["cache-control"], "no-cache, private");
  assert.equal(answer.headers["content-type"], "application/json");
  assert.equal(Number(answer.headers["content-length"]), answer.bytes.length);
});

test("large answers are compressed for clients that accept gzip", async () => {
  const path = "/api/v1/namespaces/default/configmaps";
  const large = JSON.stringify(configMap("large", { data: { text: "x".repeat(200_000) } }, "default"));
  const posted = await send(path, { method: "POST", body: large, headers: { "content-type": "application/json" } });
  assert.equal(posted.code, 201);
  const answer = await send(`${path}/large`, { headers: { "accept-encoding": "gzip" } });
  assert.equal(answer.headers["content-encoding"], "gzip");
  assert.ok(gunzipSync(answer.bytes).length > 200_000);
  const plain = await send(`${path}/large`);
  assert.equal(plain.headers["content-encoding"], undefined);
});

test("a body beyond the limit is refused", async () => {
  const answer = await send("/api/v1/namespaces/default/configmaps", {
    method: "POST",
    agent: new Agent(admin.options),
    body: Buffer.alloc(5 * 1024 * 1024, "x"),
  });
  assert.equal(answer.code, 413);
  assert.equal(answer.message, "Request entity too large: limit is 3145728");
  const chunked = await send("/api/v1/namespaces/default/configmaps", {
    method: "POST",
    agent: new Agent(admin.options),
    headers: { "transfer-encoding": "chunked" },
    body: Buffer.alloc(5 * 1024 * 1024, "x"),
  });
  assert.equal(chunked.code, 413);
});

test("built-in list items leave out kind and apiVersion on the wire", async () => {
  const { bytes } = await send("/api/v1/namespaces");
  const list = JSON.parse(bytes.toString()) as { kind: string; items: Record<string, unknown>[] };
  assert.equal(list.kind, "NamespaceList");
  assert.deepEqual(Object.keys(list.items[0] ?? {}).includes("kind"), false);
});

test("several warnings are several headers", async () => {
  const outgoing = httpsRequest(`${listener.url}/api/v1/namespaces/default/configmaps`, {
    agent: admin,
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  outgoing.end(JSON.stringify({ metadata: { name: "warned" }, a: 1, b: 2 }));
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  incoming.resume();
  const warnings = incoming.rawHeaders.filter(
    (_, index) => incoming.rawHeaders[index - 1]?.toLowerCase() === "warning",
  );
  assert.deepEqual(warnings, [String.raw`299 - "unknown field \"a\""`, String.raw`299 - "unknown field \"b\""`]);
});

test("a watch is one JSON document per line, and ends with the server's connection", async () => {
  const outgoing = httpsRequest(`${listener.url}/api/v1/namespaces?watch=true`, { agent: new Agent(admin.options) });
  outgoing.end();
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  const [chunk] = (await once(incoming, "data")) as [Buffer];
  const [line = ""] = chunk.toString().split("\n");
  assert.equal((JSON.parse(line) as { type: string }).type, "ADDED");
  outgoing.destroy();
});

test("a taken port is the socket's error", async () => {
  await assert.rejects(server.listen({ host: "127.0.0.1", port: listener.port }), { code: "EADDRINUSE" });
});

test("invalid HTTP and plain HTTP are refused without affecting other clients", async () => {
  const socket = connect({ port: listener.port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  socket.write("NOT HTTP AT ALL\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1\.1 400/);
  socket.destroy();
  assert.equal((await send("/version")).code, 200);
});

test("stopping ends open watches and frees the port", async () => {
  const other = await createApiServer({
    clock: systemClock,
    entropy: systemEntropy,
    storage: memoryStorage(),
    controllers: false,
  });
  const own = await other.listen({ host: "127.0.0.1", port: 0 });
  const config = other.adminKubeconfig(own.url);
  const read = (name: string): Buffer => Buffer.from(new RegExp(`${name}: (\\S+)`).exec(config)?.[1] ?? "", "base64");
  const outgoing = httpsRequest(`${own.url}/api/v1/namespaces?watch=true`, {
    ca: read("certificate-authority-data"),
    cert: read("client-certificate-data"),
    key: read("client-key-data"),
  });
  outgoing.end();
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  incoming.resume();
  const ended = once(incoming, "close");
  await other.stop();
  await ended;
  assert.equal(incoming.complete, true, "a clean end, not a cut");
});
