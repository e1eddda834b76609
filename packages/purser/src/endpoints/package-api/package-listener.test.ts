import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { request as httpsRequest } from "node:https";
import type { TLSSocket } from "node:tls";
import { after, before, suite, test } from "node:test";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import { configMaps } from "@purser/kubernetes/apis/resources";
import { issueAuthority, issueClient, type KeyPair } from "@purser/kubernetes/certificate/certificate";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import type { Log } from "@purser/kubernetes/kube/log";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import type { Content } from "../../content/content.ts";
import { AccessReviews } from "../callers/access-reviews.ts";
import { TokenReviews } from "../callers/token-reviews.ts";
import type { ExplainPort } from "../explain/explain-port.ts";
import { listenForPackages, type PackageListener } from "./package-listener.ts";
import { trustKey } from "./requesting-user.ts";
import { packageAuthority, renewAfterMs, servingCertificate } from "./serving-certificate.ts";

const never = new AbortController().signal;
const dayMs = 86_400_000;
const path = "/apis/packages.operators.coreos.com/v1/packagemanifests";
/** No CatalogSource exists, so nothing is asked of it. */
const content = {} as Content;

let server: ApiServer;
let client: KubeClient;
let clock: VirtualClock;
let authority: KeyPair;
let listener: PackageListener;
/** What reading CatalogSources throws. */
let fault: Error | undefined;
const logged: unknown[] = [];

before(async () => {
  server = await createApiServer();
  client = createClient(server.transport());
  // TLS compares certificates with the time of the machine, which the clock has reached when it was advanced.
  clock = new VirtualClock(Date.now() - renewAfterMs);
  authority = await packageAuthority(clock.now(), systemEntropy);
  const reviews = new AccessReviews(client, clock);
  const tokens = new TokenReviews(client, clock);
  const explain = { installations: () => Promise.resolve([]) } as unknown as ExplainPort;
  const asking = { reviews, tokens, explain: () => explain };
  const reader = {
    ...client,
    list: (...args: Parameters<KubeClient["list"]>) =>
      fault === undefined ? client.list(...args) : Promise.reject(fault),
  } as KubeClient;
  const log: Log = (level, message, facts) => void (level === "warn" && logged.push([message, facts]));
  const options = { reader, client, content, clock, globalNamespace: "olm", log, ...asking };
  const started = await listenForPackages(options, await serving(), { host: "127.0.0.1", port: 0 });
  assert.ok(started.ok);
  listener = started.value;
});

after(async () => {
  await listener.stop();
  await server.stop();
});

const serving = (): ReturnType<typeof servingCertificate> =>
  servingCertificate(authority, ["localhost"], clock.now(), systemEntropy);

interface Seen {
  readonly status: number;
  readonly certificate: X509Certificate;
}

/** One request over a connection of its own, which trusts only the listener's authority. */
function ask(
  target: string,
  identity?: KeyPair,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
): Promise<Seen> {
  const { promise, resolve, reject } = Promise.withResolvers<Seen>();
  const own = identity === undefined ? {} : { cert: identity.certificatePem, key: identity.privateKeyPem };
  const asked = httpsRequest(
    {
      ...own,
      host: "127.0.0.1",
      servername: "localhost",
      port: listener.port,
      path: target,
      method,
      headers,
      ca: authority.certificatePem,
      agent: false,
    },
    (response) => {
      const certificate = (response.socket as TLSSocket).getPeerX509Certificate();
      response.resume();
      response.on("end", () => {
        if (certificate === undefined) reject(new Error("a TLS server has a certificate"));
        else resolve({ status: response.statusCode ?? 0, certificate });
      });
    },
  );
  asked.on("error", reject);
  asked.end();
  return promise;
}

const proxyOf = async (proxies: KeyPair, commonName: string): Promise<KeyPair> => {
  const issuing = { now: clock.now() - dayMs, validityMs: 10 * dayMs, entropy: systemEntropy };
  return issueClient({ ...issuing, authority: proxies, commonName, organizations: [] });
};
const newAuthority = (): Promise<KeyPair> =>
  issueAuthority({ now: clock.now() - dayMs, validityMs: 10 * dayMs, entropy: systemEntropy, commonName: "proxies" });

suite("the listener of the package API", () => {
  test("a renewed certificate is served to new connections, by the authority that the APIService names", async () => {
    const former = (await ask("/healthz")).certificate;
    clock.advance(renewAfterMs);
    listener.renew(await serving());
    const { certificate } = await ask("/healthz");
    assert.notEqual(certificate.fingerprint256, former.fingerprint256);
    assert.ok(Date.parse(certificate.validTo) > Date.parse(former.validTo));
    assert.ok(certificate.verify(new X509Certificate(authority.certificatePem).publicKey));
  });

  test("a front proxy with a new authority is believed without a restart", async () => {
    const proxies = await newAuthority();
    const proxy = await proxyOf(proxies, "proxy");
    const headers = { "x-remote-user": "root", "x-remote-group": "system:masters" };
    assert.equal((await ask(path, proxy, headers)).status, 403);
    const data = { "requestheader-client-ca-file": proxies.certificatePem, "requestheader-allowed-names": '["proxy"]' };
    const patch = { data };
    written(await client.write({ verb: "patch", type: configMaps, key: trustKey, patchType: "merge", patch }, never));
    clock.advance(10_000);
    let last = 0;
    // The connection that is not believed makes the listener read the ConfigMap again; the answer does not wait for that.
    while (last !== 200) last = (await ask(path, proxy, headers)).status;
    assert.equal((await ask(path, await proxyOf(proxies, "other"), headers)).status, 403);
    assert.equal((await ask(path, await proxyOf(await newAuthority(), "proxy"), headers)).status, 403);
    assert.equal((await ask(path, proxy, { "x-remote-user": "alice" })).status, 403);
  });

  test("what is not served is refused: other methods with 405, other paths with 404; what fails is a 500 with the cause in the log", async () => {
    const proxies = await newAuthority();
    const proxy = await proxyOf(proxies, "proxy");
    const data = { "requestheader-client-ca-file": proxies.certificatePem, "requestheader-allowed-names": "[]" };
    const patch = { data };
    written(await client.write({ verb: "patch", type: configMaps, key: trustKey, patchType: "merge", patch }, never));
    clock.advance(10_000);
    const headers = { "x-remote-user": "root", "x-remote-group": "system:masters" };
    while ((await ask(path, proxy, headers)).status !== 200);
    // Any name is allowed here, but no connection without a certificate of the authority.
    assert.equal((await ask(path, undefined, headers)).status, 403);
    const statusOf = async (method: string, target: string, accept = "application/json"): Promise<number> =>
      (await ask(target, proxy, { ...headers, accept }, method)).status;
    fault = new Error("the disk is gone");
    assert.deepEqual([await statusOf("GET", path), await statusOf("HEAD", path)], [500, 500]);
    fault = undefined;
    const failures = ["GET", "HEAD"].map((method) => [
      "a request for PackageManifests failed",
      { method, target: path, error: "Error: the disk is gone" },
    ]);
    assert.deepEqual(logged, failures);
    assert.deepEqual(
      [
        await statusOf("POST", path),
        await statusOf("DELETE", path),
        await statusOf("GET", `${path}?watch=true`),
        await statusOf("POST", "/apis"),
        await statusOf("GET", "/apis/other"),
        await statusOf("GET", path, "application/yaml"),
        await statusOf("HEAD", path),
        await statusOf("GET", "/apis"),
        await statusOf("GET", "/apis/packages.operators.coreos.com"),
        await statusOf("GET", "/openapi/v3"),
      ],
      [405, 405, 405, 405, 404, 406, 200, 200, 200, 200],
    );
  });
});
