import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { VirtualClock } from "../../virtual-clock.ts";
import { credentialSource } from "./access-credentials.ts";
import type { Bearer, ClusterAccess } from "./cluster-access.ts";

const directory = mkdtempSync(join(tmpdir(), "access-"));
after(() => rmSync(directory, { recursive: true }));

const server = "https://one";
const env = { PATH: process.env["PATH"] };
const inline = (pem: string): { readonly kind: "inline"; readonly pem: string } => ({ kind: "inline", pem });

const authorizationOf = async (bearer: Bearer | undefined): Promise<string | undefined> => {
  const source = credentialSource({ server, ...(bearer === undefined ? {} : { bearer }) }, env, undefined);
  return (await source.current()).authorization;
};

test("each kind of credential has its Authorization header", async () => {
  const path = join(directory, "token");
  writeFileSync(path, " from-file\n");
  assert.equal(await authorizationOf(undefined), undefined);
  assert.equal(await authorizationOf({ kind: "token", token: "t" }), "Bearer t");
  assert.equal(await authorizationOf({ kind: "file", path }), "Bearer from-file");
  assert.equal(await authorizationOf({ kind: "provider", token: () => Promise.resolve("p") }), "Bearer p");
  assert.equal(await authorizationOf({ kind: "basic", username: "ann", password: "é" }), "Basic YW5uOsOp");
});

test("certificates are those of the access, and absent without one", async () => {
  assert.deepEqual(await credentialSource({ server }, env, undefined).current(), { tls: {} });
  const access: ClusterAccess = {
    server,
    authority: inline("ca"),
    clientCertificate: { certificate: inline("cert"), key: inline("key") },
  };
  assert.deepEqual(await credentialSource(access, env, undefined).current(), {
    tls: { authorityPem: "ca", certificatePem: "cert", keyPem: "key" },
  });
});

test("a file is read again once it has been replaced, or when the server refused what it held", async () => {
  const path = join(directory, "replaced");
  writeFileSync(path, "one");
  const source = credentialSource({ server, bearer: { kind: "file", path } }, env, undefined);
  const now = async (): Promise<string | undefined> => (await source.current()).authorization;
  assert.equal(await now(), "Bearer one");
  const { atime, mtime } = statSync(path);
  writeFileSync(path, "longer");
  assert.equal(await now(), "Bearer longer");
  // Of the same size and time it passes for the same file.
  utimesSync(path, atime, mtime);
  assert.equal(await now(), "Bearer longer");
  writeFileSync(path, "shrewd");
  utimesSync(path, atime, mtime);
  assert.equal(await now(), "Bearer longer");
  assert.equal(source.refused(), true);
  assert.equal(await now(), "Bearer shrewd");
});

test("only credentials of files and plugins may be new after a refusal", () => {
  const refused = (bearer: Bearer): boolean => credentialSource({ server, bearer }, env, undefined).refused();
  assert.equal(refused({ kind: "file", path: "x" }), true);
  assert.equal(refused(counting("refused").bearer), true);
  assert.equal(refused({ kind: "token", token: "t" }), false);
  assert.equal(refused({ kind: "basic", username: "a", password: "b" }), false);
  assert.equal(credentialSource({ server }, env, undefined).refused(), false);
});

/** A plugin whose token says how many times it was run; the first `failures` runs fail. */
function counting(
  name: string,
  { expires = "", failures = 0 } = {},
): { readonly bearer: Extract<Bearer, { kind: "exec" }>; readonly runs: () => number } {
  const path = join(directory, name);
  writeFileSync(path, "");
  const script = `printf x >> ${path}; n=$(wc -c < ${path} | tr -d ' '); [ $n -le ${failures} ] && exit 1
printf '{"status":{"token":"%s","clientCertificateData":"c%s","clientKeyData":"k","expirationTimestamp":"${expires}"}}' $n $n`;
  const plugin = {
    command: "/bin/sh",
    args: ["-c", script],
    env: {},
    apiVersion: "client.authentication.k8s.io/v1",
    provideClusterInfo: false,
    interactiveMode: "Never" as const,
  };
  return { bearer: { kind: "exec", plugin }, runs: () => readFileSync(path, "utf8").length };
}

test("a plugin is run again when its credential has expired or was refused, and not before", async () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 4, 5, 0, 0));
  const { bearer, runs } = counting("expiring", { expires: "2026-03-04T05:01:00Z" });
  const source = credentialSource({ server, bearer }, env, clock);
  assert.deepEqual(await source.current(), {
    tls: { certificatePem: "c1", keyPem: "k" },
    authorization: "Bearer 1",
  });
  clock.advance(59_999);
  assert.equal((await source.current()).authorization, "Bearer 1");
  clock.advance(1);
  assert.equal((await source.current()).authorization, "Bearer 2");
  clock.setBack(60_000);
  assert.equal((await source.current()).authorization, "Bearer 2");
  source.refused();
  assert.equal((await source.current()).authorization, "Bearer 3");
  assert.equal(runs(), 3);
});

test("a credential without an end, and any without a clock, is kept", async () => {
  const endless = credentialSource({ server, bearer: counting("endless").bearer }, env, new VirtualClock());
  const clockless = credentialSource(
    { server, bearer: counting("clockless", { expires: "2000-01-01T00:00:00Z" }).bearer },
    env,
    undefined,
  );
  for (const source of [endless, clockless])
    for (let time = 0; time < 2; time++) assert.equal((await source.current()).authorization, "Bearer 1");
});

test("a plugin that failed is run again with the next request", async () => {
  const { bearer, runs } = counting("failing", { failures: 1 });
  const source = credentialSource({ server, bearer }, env, undefined);
  await assert.rejects(source.current(), { name: "ExecPluginError" });
  assert.equal((await source.current()).authorization, "Bearer 2");
  assert.equal(runs(), 2);
});

test("a plugin receives all facts of the cluster, and a certificate alone sends no header", async () => {
  const script = `printf '{"status":{"clientCertificateData":"%s","clientKeyData":"k"}}' "$(printf %s "$KUBERNETES_EXEC_INFO" | base64 | tr -d '\\n')"`;
  const plugin = {
    ...counting("told").bearer.plugin,
    args: ["-c", script],
    provideClusterInfo: true,
  };
  const told = async (access: Omit<ClusterAccess, "server" | "bearer">): Promise<unknown> => {
    const source = credentialSource({ server, ...access, bearer: { kind: "exec", plugin } }, env, undefined);
    const { tls, authorization } = await source.current();
    assert.equal(authorization, undefined);
    const text = Buffer.from(tls.certificatePem ?? "", "base64").toString("utf8");
    return (JSON.parse(text) as { readonly spec: { readonly cluster: unknown } }).spec.cluster;
  };
  assert.deepEqual(await told({}), { server });
  assert.deepEqual(await told({ insecureSkipTlsVerify: false }), { server });
  const all = { tlsServerName: "api", insecureSkipTlsVerify: true, proxyUrl: "http://proxy", authority: inline("ca") };
  assert.deepEqual(await told(all), {
    server,
    "tls-server-name": "api",
    "insecure-skip-tls-verify": true,
    "proxy-url": "http://proxy",
    "certificate-authority-data": "Y2E=",
  });
});
