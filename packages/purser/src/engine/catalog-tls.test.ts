// The catalog address over https: certificates that are read again, and entity tags with and without the switch.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { issueAuthority, issueServing, type KeyPair } from "@purser/kubernetes/certificate/certificate";
import { Counters } from "@purser/kubernetes/kube/counters";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { clusterCatalogs } from "../apis/olm-resources.ts";
import { parseCompat } from "../compat.ts";
import type { CatalogListener } from "../registry-api/http/catalog-listener.ts";
import { startCatalogServing } from "./serving/catalog-serving.ts";
import { World } from "./testing/world.ts";

const issuing = { now: Date.now() - 60_000, validityMs: 3_600_000, entropy: systemEntropy };
let world: World;
let directory: string;
let authority: KeyPair;

before(async () => {
  world = await World.open();
  directory = await mkdtemp(join(tmpdir(), "purser-catalog-tls-"));
  authority = await issueAuthority({ ...issuing, commonName: "catalogs" });
  await world.reaches(
    clusterCatalogs,
    { name: "demo" },
    "served",
    ({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Serving" && is === "True") === true,
  );
});
after(async () => {
  await world?.stop();
  await rm(directory, { recursive: true, force: true });
});

async function certified(name: string) {
  const files = { certificate: join(directory, "tls.crt"), key: join(directory, "tls.key") };
  const serving = await issueServing({ ...issuing, authority, hosts: ["127.0.0.1", name] });
  await writeFile(files.certificate, serving.certificatePem);
  await writeFile(files.key, serving.privateKeyPem);
  return files;
}

interface Served {
  readonly listener: CatalogListener;
  readonly clock: VirtualClock;
  readonly logged: readonly string[];
}

async function served(context: TestContext, switches = ""): Promise<Served> {
  const compat = parseCompat(switches);
  assert.ok(compat.ok);
  const clock = new VirtualClock();
  const logged: string[] = [];
  const content = world.openDirectories();
  context.after(() => content.stop());
  const started = await startCatalogServing(
    { host: "127.0.0.1", port: 0, files: await certified("first") },
    {
      reader: world.client,
      content,
      clock,
      entropy: systemEntropy,
      log: (level, text) => void (level === "debug" || logged.push(text)),
      metrics: new Counters(),
      compat: compat.value,
    },
  );
  assert.ok(started.ok, JSON.stringify(started));
  context.after(() => started.value.stop());
  return { listener: started.value, clock, logged };
}

interface Got {
  readonly status: number | undefined;
  readonly tag: string | undefined;
}

function ask({ listener }: Served, headers: Readonly<Record<string, string>> = {}): Promise<Got> {
  const url = `${listener.origin}/catalogs/demo/api/v1/all`;
  return new Promise((resolve, reject) => {
    get(url, { ca: authority.certificatePem, headers, agent: false }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve({ status: answer.statusCode, tag: answer.headers.etag }));
    }).on("error", reject);
  });
}

/** Asks until the content has been read. */
async function ready(one: Served): Promise<Got> {
  return world.until("the content", async () => {
    const got = await ask(one);
    return got.status === 200 ? got : undefined;
  });
}

test("without --compat=catalog-tags content is served over https with its digest as entity tag, which answers 304", async (context) => {
  const one = await served(context);
  assert.match(one.listener.origin, /^https:\/\/127\.0\.0\.1:\d+$/);
  const { tag = "" } = await ready(one);
  assert.match(tag, /^W\/"sha256:[0-9a-f]{64}"$/);
  const catalog = await world.client.get(clusterCatalogs, { name: "demo" });
  assert.ok(catalog?.status?.resolvedSource?.image.ref.endsWith(tag.slice(3, -1)));
  assert.deepEqual(await ask(one, { "If-None-Match": `"other", ${tag}` }), { status: 304, tag });
  assert.deepEqual(await ask(one, { "If-None-Match": tag.slice(2) }), { status: 304, tag });
  assert.equal((await ask(one, { "If-None-Match": 'W/"other"' })).status, 200);
  assert.equal((await ask(one, { "If-Match": tag })).status, 412);
});

test("with --compat=catalog-tags no entity tag is sent, and none answers 304", async (context) => {
  const one = await served(context, "catalog-tags");
  assert.equal((await ready(one)).tag, undefined);
  assert.equal((await ask(one, { "If-None-Match": 'W/"sha256:aa"' })).status, 200);
});

const shownNames = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subjectaltname ?? "");
      socket.destroy();
    }).on("error", reject);
  });

test("a renewed certificate of the catalog address is shown to new connections, and a broken one is not", async (context) => {
  const { listener, clock, logged } = await served(context);
  assert.match(await shownNames(listener.port), /DNS:first/);
  const files = await certified("second");
  const lines = async (count: number): Promise<void> => {
    while (logged.length < count) {
      clock.advance(10_000);
      await setImmediate();
    }
  };
  await lines(1);
  assert.match(await shownNames(listener.port), /DNS:second/);
  await writeFile(files.certificate, "no certificate");
  await lines(2);
  assert.match(await shownNames(listener.port), /DNS:second/);
  assert.deepEqual(logged, [
    "the certificate of the catalog address was renewed",
    "the new certificate of the catalog address cannot be used",
  ]);
});

test("a client that speaks only TLS 1.1 is refused", async (context) => {
  const { listener } = await served(context);
  const refused = new Promise((resolve) => {
    connect({
      host: "127.0.0.1",
      port: listener.port,
      rejectUnauthorized: false,
      minVersion: "TLSv1.1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    }).on("error", resolve);
  });
  assert.match(String(await refused), /alert|version|reset|unsupported/i);
});

test("files that are missing or fit no certificate keep the address closed, with the cause", async () => {
  const files = { certificate: join(directory, "no.crt"), key: join(directory, "no.key") };
  const options = {
    reader: world.client,
    content: world.openDirectories(),
    clock: new VirtualClock(),
    entropy: systemEntropy,
  };
  const compat = parseCompat("");
  assert.ok(compat.ok);
  const start = () =>
    startCatalogServing(
      { host: "127.0.0.1", port: 0, files },
      { ...options, log: () => undefined, metrics: new Counters(), compat: compat.value },
    );
  try {
    const missing = await start();
    assert.ok(!missing.ok);
    assert.deepEqual([missing.problem.kind, missing.problem.address], ["catalogAddress", "127.0.0.1:0"]);
    assert.match(missing.problem.message, /no such file .*no\.crt/);
    await writeFile(files.certificate, "x");
    await writeFile(files.key, "y");
    const broken = await start();
    assert.ok(!broken.ok);
    assert.match(broken.problem.message, /PEM|pem/);
  } finally {
    await (options.content as { stop(): Promise<void> }).stop();
  }
});
