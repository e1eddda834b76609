import assert from "node:assert/strict";
import { after, test } from "node:test";
import { done, type Result } from "@purser/kubernetes/result";
import type { ImageProblem } from "../image-problem.ts";
import type { RegistryAuth } from "../registry-auth.ts";
import { FaultRegistry, type FaultRegistryOptions } from "../testing/fault-registry.ts";
import { PatientClock } from "../testing/patient-clock.ts";
import { testImage } from "../testing/test-image.ts";
import { parsedReference, sourceOptions, testConnections } from "../testing/test-source.ts";
import { registrySource, type RegistrySourceOptions } from "./registry-source.ts";

const connections = testConnections();
after(() => connections.close());
const signal = new AbortController().signal;
const image = await testImage([{ "a.yaml": "a" }]);
const ann = { path: "", username: "ann", password: "pw-planted" };

async function started(auth: FaultRegistryOptions["auth"]): Promise<{ registry: FaultRegistry; reference: string }> {
  const registry = await FaultRegistry.start(auth === undefined ? {} : { auth });
  return { registry, reference: registry.push("operators/etcd:1", image) };
}

function sourceOf(reference: string, auth: RegistryAuth | undefined, options: Partial<RegistrySourceOptions> = {}) {
  const credentials = () => Promise.resolve(done(auth));
  return registrySource(parsedReference(reference), sourceOptions(reference, { connections, credentials, ...options }));
}

async function read(source: ReturnType<typeof sourceOf>): Promise<Result<unknown, ImageProblem>> {
  const digest = await source.resolve(signal);
  return digest.ok ? source.manifest(digest.value, signal) : digest;
}

const withPassword = { kind: "token", username: "ann", password: "pw-planted" } as const;
const basicAuth = { kind: "basic", username: "ann", password: "pw-planted" } as const;
const withIdentity = { kind: "token", username: "ann", identityToken: "refresh" } as const;
const identity = { ...ann, identityToken: "refresh" };
const cases: readonly {
  readonly rule: string;
  readonly server: FaultRegistryOptions["auth"];
  readonly auth: RegistryAuth | undefined;
  readonly status: number | undefined;
}[] = [
  { rule: "basic authentication with the right password", server: basicAuth, auth: ann, status: undefined },
  {
    rule: "basic authentication with a wrong password",
    server: basicAuth,
    auth: { ...ann, password: "x" },
    status: 401,
  },
  { rule: "basic authentication without credentials", server: basicAuth, auth: undefined, status: 401 },
  { rule: "an anonymous token", server: { kind: "token" }, auth: undefined, status: undefined },
  { rule: "a token by password", server: withPassword, auth: ann, status: undefined },
  { rule: "a token by a wrong password", server: withPassword, auth: { ...ann, password: "x" }, status: 401 },
  {
    rule: "a token by identity token",
    server: { kind: "token", identityToken: "refresh" },
    auth: { ...ann, identityToken: "refresh" },
    status: undefined,
  },
  {
    rule: "a token by a wrong identity token",
    server: { kind: "token", identityToken: "refresh" },
    auth: { ...ann, identityToken: "x" },
    status: 401,
  },
  {
    rule: "a token by password at a service that only knows POST",
    server: { ...withPassword, only: "POST" },
    auth: ann,
    status: undefined,
  },
  {
    rule: "a token by a wrong password at a service that only knows POST",
    server: { ...withPassword, only: "POST" },
    auth: { ...ann, password: "x" },
    status: 401,
  },
  {
    rule: "an anonymous token at a service that only knows POST",
    server: { kind: "token", only: "POST" },
    auth: undefined,
    status: 405,
  },
  {
    rule: "a token by identity token at a service that only knows GET",
    server: { ...withIdentity, only: "GET" },
    auth: identity,
    status: undefined,
  },
  {
    rule: "a token by a wrong identity token at a service that only knows GET",
    server: { ...withIdentity, only: "GET" },
    auth: { ...ann, identityToken: "x" },
    status: 401,
  },
  {
    rule: "a registry token that the registry does not know",
    server: { kind: "token" },
    auth: { ...ann, registryToken: "x" },
    status: 401,
  },
];
for (const { rule, server, auth, status } of cases)
  test(`${rule} ${status === undefined ? "reads the image" : "is unauthorized"}`, async () => {
    const { registry, reference } = await started(server);
    await using _ = registry;
    const result = await read(sourceOf(reference, auth));
    assert.equal(result.ok ? undefined : result.problem.httpStatus, status);
    if (!result.ok) assert.equal(result.problem.kind, status === 401 ? "unauthorized" : "invalid");
  });

const tokensOf = (registry: FaultRegistry) => registry.requests.filter(({ position }) => position === "token");

test("one token serves all requests of a source, also those at the same time", async () => {
  const { registry, reference } = await started({ kind: "token" });
  await using _ = registry;
  const source = sourceOf(reference, undefined);
  await Promise.all([1, 2, 3].map(() => source.manifest(image.manifest.digest, signal)));
  assert.ok((await source.blob(image.config, signal)).ok);
  assert.equal(tokensOf(registry).length, 1);
});

test("a token is for the repository, the service and nothing else", async () => {
  const { registry, reference } = await started({ kind: "token" });
  await using _ = registry;
  await read(sourceOf(reference, undefined));
  assert.deepEqual(
    tokensOf(registry).map(({ method, path }) => `${method} ${path}`),
    ["GET /token?service=fault-registry&scope=repository%3Aoperators%2Fetcd%3Apull"],
  );
});

test("an identity token is sent by POST and never in a URL", async () => {
  const { registry, reference } = await started({ kind: "token", identityToken: "refresh-planted" });
  await using _ = registry;
  await read(sourceOf(reference, { ...ann, identityToken: "refresh-planted" }));
  const [request] = tokensOf(registry);
  assert.equal(request?.method, "POST");
  assert.match(request.body, /grant_type=refresh_token&refresh_token=refresh-planted/);
  assert.ok(registry.requests.every(({ path }) => !path.includes("planted")));
});

for (const [given, server, auth] of [
  ["a password", { ...withPassword, only: "POST" }, ann],
  [
    "an identity token",
    { ...withIdentity, identityToken: "refresh-planted", only: "GET" },
    { ...ann, identityToken: "refresh-planted" },
  ],
] as const)
  test(`${given} is in no URL where the service only knows ${server.only}`, async () => {
    const { registry, reference } = await started(server);
    await using _ = registry;
    assert.ok((await read(sourceOf(reference, auth))).ok);
    assert.deepEqual(
      tokensOf(registry)
        .map(({ method }) => method)
        .sort(),
      ["GET", "POST"],
    );
    assert.ok(registry.requests.every(({ path }) => !path.includes("planted")));
  });

test("a refresh token that comes with a token is used for the next one", async () => {
  const { registry, reference } = await started({ ...withIdentity, rotates: true, expiresInSeconds: 100 });
  await using _ = registry;
  const clock = new PatientClock(10 ** 9);
  const source = sourceOf(reference, identity, { clock });
  assert.ok((await read(source)).ok);
  for (const next of ["refresh-1", "refresh-2"]) {
    clock.advance(100_000);
    assert.ok((await source.blob(image.config, signal)).ok);
    assert.equal(new URLSearchParams(tokensOf(registry).at(-1)?.body).get("refresh_token"), next);
  }
});

test("a token that has expired by our clock is replaced before it is used", async () => {
  const { registry, reference } = await started({ kind: "token", expiresInSeconds: 100 });
  await using _ = registry;
  const clock = new PatientClock(10 ** 9);
  const source = sourceOf(reference, undefined, { clock });
  await read(source);
  clock.advance(80_000);
  await source.blob(image.config, signal);
  assert.equal(tokensOf(registry).length, 1);
  clock.advance(11_000);
  await source.blob(image.config, signal);
  assert.equal(tokensOf(registry).length, 2);
});

for (const days of [-1, 1])
  test(`a token service whose clock is off by ${days} day changes nothing`, async () => {
    const { registry, reference } = await started({ kind: "token", clockAheadMs: days * 86_400_000 });
    await using _ = registry;
    const source = sourceOf(reference, undefined);
    assert.ok((await read(source)).ok);
    assert.ok((await source.blob(image.config, signal)).ok);
    assert.equal(tokensOf(registry).length, 1);
  });

test("a token that the registry refuses is replaced once", async () => {
  const { registry, reference } = await started({ kind: "token" });
  await using _ = registry;
  const source = sourceOf(reference, undefined);
  await source.resolve(signal);
  registry.tokens.expireAll();
  assert.ok((await source.manifest(image.manifest.digest, signal)).ok);
  assert.equal(tokensOf(registry).length, 2);
});

test("a registry that refuses every token is asked twice and no more", async () => {
  const { registry, reference } = await started({ kind: "token" });
  await using _ = registry;
  const headers = { "WWW-Authenticate": `Bearer realm="${registry.origin}/token",service="fault-registry"` };
  registry.fail("manifest", { fault: { kind: "status", status: 401, headers } });
  const result = await sourceOf(reference, undefined).manifest(image.manifest.digest, signal);
  assert.ok(!result.ok);
  assert.equal(result.problem.kind, "unauthorized");
  assert.equal(registry.requests.filter(({ position }) => position === "manifest").length, 2);
});

const redirected: readonly {
  readonly rule: string;
  readonly to: (self: FaultRegistry, other: FaultRegistry) => string;
  readonly isSent: boolean;
}[] = [
  { rule: "another host does not get the credentials", to: (_, other) => `${other.origin}{path}`, isSent: false },
  { rule: "the same host gets the credentials", to: (self) => `${self.origin}{path}?again`, isSent: true },
  {
    rule: "the same host under another name does not get the credentials",
    to: (self) => `${self.origin.replace("127.0.0.1", "localhost")}{path}`,
    isSent: false,
  },
];
for (const { rule, to, isSent } of redirected)
  test(`after a redirect ${rule}`, async () => {
    const { registry, reference } = await started(basicAuth);
    await using _ = registry;
    await using other = await FaultRegistry.start();
    other.push("operators/etcd:1", image);
    registry.fail("blob", { fault: { kind: "redirect", to: to(registry, other) }, times: 1 });
    await sourceOf(reference, ann).blob(image.config, signal);
    const last = [...registry.requests, ...other.requests].filter(({ position }) => position === "blob").at(-1);
    assert.equal(last?.headers.authorization !== undefined, isSent);
  });

test("what goes back to the registry after another host gets no credentials any more", async () => {
  const { registry, reference } = await started(basicAuth);
  await using _ = registry;
  await using other = await FaultRegistry.start();
  registry.fail("blob", { fault: { kind: "redirect", to: `${other.origin}{path}` }, times: 1 });
  other.push("operators/etcd:1", image);
  other.fail("blob", { fault: { kind: "redirect", to: `${registry.origin}{path}` } });
  const result = await sourceOf(reference, ann).blob(image.config, signal);
  assert.equal(result.ok ? 200 : result.problem.httpStatus, 401);
});

const realms: readonly { readonly rule: string; readonly realm: string; readonly says: RegExp }[] = [
  { rule: "no URL", realm: "token", says: /names no usable token service/ },
  { rule: "a file", realm: "file:///etc/passwd", says: /names no usable token service/ },
  { rule: "a URL with a password", realm: "http://a:b@example.com/", says: /names no usable token service/ },
];
for (const { rule, realm, says } of realms)
  test(`a challenge with ${rule} in place of a token service is a problem`, async () => {
    const { registry, reference } = await started(undefined);
    await using _ = registry;
    registry.fail("ping", {
      fault: { kind: "status", status: 401, headers: { "WWW-Authenticate": `Bearer realm="${realm}"` } },
    });
    const result = await sourceOf(reference, ann).resolve(signal);
    assert.ok(!result.ok);
    assert.match(result.problem.cause, says);
  });

const refusals: readonly {
  readonly given: string;
  readonly server: FaultRegistryOptions["auth"];
  readonly auth: RegistryAuth | undefined;
  readonly remedy: string;
}[] = [
  {
    given: "a wrong password of an auth file",
    server: basicAuth,
    auth: { ...ann, password: "x", source: "auth file /home/ann/.docker/config.json" },
    remedy:
      "the credentials for HOST come from auth file /home/ann/.docker/config.json: correct them there, or provide others that allow it",
  },
  {
    given: "a token service that refuses a pull secret",
    server: withPassword,
    auth: { ...ann, password: "x", source: "pull secret team/pull" },
    remedy:
      "the credentials for HOST come from pull secret team/pull: correct them there, or provide others that allow it",
  },
  {
    given: "no credentials",
    server: basicAuth,
    auth: undefined,
    remedy: "no credentials for HOST were found: provide some in a pull secret or an auth file",
  },
];
for (const { given, server, auth, remedy } of refusals)
  test(`a refusal of ${given} names where they came from`, async () => {
    const { registry, reference } = await started(server);
    await using _ = registry;
    const result = await read(sourceOf(reference, auth));
    assert.ok(!result.ok);
    assert.equal(result.problem.remedy, remedy.replace("HOST", registry.host));
  });

test("a registry that asks for no credentials, and a store of blobs, are not said to refuse them", async () => {
  const { registry, reference } = await started(basicAuth);
  await using _ = registry;
  const elsewhere = await started(undefined);
  await using __ = elsewhere.registry;
  elsewhere.registry.fail("ping", { fault: { kind: "status", status: 403 } });
  registry.fail("blob", { fault: { kind: "redirect", to: `http://${elsewhere.registry.host}/v2/` } });
  const held = await sourceOf(reference, { ...ann, source: "auth file x" }).blob(image.config, signal);
  elsewhere.registry.fail("manifest", { fault: { kind: "status", status: 403 } });
  const open = await read(sourceOf(elsewhere.reference, { ...ann, source: "auth file x" }));
  for (const result of [held, open]) {
    assert.ok(!result.ok);
    const { host } = elsewhere.registry;
    assert.equal(
      result.problem.remedy,
      `provide credentials for ${host} that allow it: a pull secret, or an entry in an auth file`,
    );
  }
});

test("no problem holds a password, an identity token, a bearer token or what a registry says", async () => {
  const planted = { ...ann, identityToken: "refresh-planted" };
  const says = JSON.stringify({
    errors: [{ code: "pw-planted", message: "pw-planted refresh-planted" }],
    token: "pw-planted",
  });
  const problems: string[] = [];
  for (const position of ["ping", "token", "manifest", "blob"] as const)
    for (const auth of [ann, planted, { ...ann, registryToken: "bearer-planted" }])
      for (const fault of [
        { kind: "status", status: 401, body: says },
        { kind: "status", status: 403, body: says },
        { kind: "status", status: 500, body: says },
        { kind: "redirect", to: "http://ann:pw-planted@127.0.0.1:1/?pw-planted" },
        { kind: "redirect", to: "http://127.0.0.1:1/pw?signature=pw-planted" },
        { kind: "body", contentType: "application/json", body: says },
      ] as const) {
        const { registry, reference } = await started({ ...withPassword, identityToken: "refresh-planted" });
        await using _ = registry;
        registry.fail(position, { fault });
        const source = sourceOf(reference, auth);
        for (const result of [await read(source), await source.blob(image.config, signal)])
          if (!result.ok) problems.push(JSON.stringify(result.problem));
      }
  assert.ok(problems.length > 50, `only ${problems.length} problems`);
  assert.deepEqual(
    problems.filter((text) => text.includes("planted")),
    [],
  );
});
