import { test } from "node:test";
import assert from "node:assert/strict";
import type { ConfigMap } from "../apis/core.ts";
import { configMaps } from "../apis/resources.ts";
import { createClient } from "./client.ts";
import { ApiRefusedError, refusalOf } from "./refusal.ts";
import { MemoryApi } from "./testing/memory-api.ts";
import type { ApiBody, ApiRequest, ApiResponse, Transport } from "./transport.ts";
import { parseWarnings } from "./warnings.ts";

const { signal } = new AbortController();
const aMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "demo", name },
  data,
});
const answering =
  (body: ApiBody | undefined, status = 200, headers: Record<string, string> = {}): Transport =>
  async () => ({ status, headers, ...(body === undefined ? {} : { body }) });
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "ä→𝄞" } } as const;
const forms: readonly { readonly form: string; readonly body: () => ApiBody }[] = [
  { form: "an object", body: () => ({ kind: "object", value: object }) },
  { form: "bytes", body: () => ({ kind: "bytes", bytes: utf8(JSON.stringify(object)) }) },
  {
    form: "a stream cut inside characters",
    body: () => ({ kind: "stream", chunks: chunksOf(utf8(JSON.stringify(object)), 1) }),
  },
];
for (const { form, body } of forms) {
  test(`get() reads ${form}`, async () => {
    const found = await createClient(answering(body())).get(configMaps, { namespace: "demo", name: "x" });
    assert.deepEqual(found, object);
  });
}

const frames = [
  { type: "ADDED", object: { ...object, metadata: { name: "a", resourceVersion: "1" } } },
  { type: "BOOKMARK", object: { ...object, metadata: { resourceVersion: "7" } } },
  { type: "DELETED", object: { ...object, metadata: { name: "ä", resourceVersion: "8" } } },
] as const;
const lines = utf8(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
const watchForms: readonly { readonly form: string; readonly body: () => ApiBody }[] = [
  { form: "bytes", body: () => ({ kind: "bytes", bytes: lines }) },
  { form: "a stream of single bytes", body: () => ({ kind: "stream", chunks: chunksOf(lines, 1) }) },
  { form: "a stream in one piece", body: () => ({ kind: "stream", chunks: chunksOf(lines, lines.length) }) },
  {
    form: "events",
    body: () => ({
      kind: "events",
      events: (async function* () {
        yield* frames;
      })(),
    }),
  },
];
for (const { form, body } of watchForms) {
  test(`watch() reads ${form}`, async () => {
    const seen = await Array.fromAsync(createClient(answering(body())).watch(configMaps, {}, {}, signal));
    assert.deepEqual(seen, frames);
  });
}

test("a watch event that was cut off by the end of the connection is not delivered", async () => {
  const cut = lines.slice(0, lines.length - 10);
  const seen = await Array.fromAsync(
    createClient(answering({ kind: "bytes", bytes: cut })).watch(configMaps, {}, {}, signal),
  );
  assert.equal(seen.length, 2);
});

test("an ERROR event ends the watch with its Status as the refusal", async () => {
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, code: 410, reason: "Expired", message: "too old" };
  const transport = answering({ kind: "bytes", bytes: utf8(`${JSON.stringify({ type: "ERROR", object: status })}\n`) });
  await assert.rejects(
    Array.fromAsync(createClient(transport).watch(configMaps, {}, {}, signal)),
    (error: unknown) => error instanceof ApiRefusedError && error.refusal.kind === "gone",
  );
});

const statuses: readonly { readonly code: number; readonly reason: string; readonly kind: string }[] = [
  { code: 404, reason: "NotFound", kind: "notFound" },
  { code: 409, reason: "AlreadyExists", kind: "alreadyExists" },
  { code: 409, reason: "Conflict", kind: "conflict" },
  { code: 422, reason: "Invalid", kind: "invalid" },
  { code: 403, reason: "Forbidden", kind: "forbidden" },
  { code: 410, reason: "Expired", kind: "gone" },
  { code: 410, reason: "Gone", kind: "gone" },
  { code: 429, reason: "TooManyRequests", kind: "busy" },
  { code: 504, reason: "Timeout", kind: "busy" },
  { code: 429, reason: "", kind: "busy" },
  { code: 500, reason: "", kind: "other" },
  { code: 400, reason: "BadRequest", kind: "other" },
  { code: 401, reason: "Unauthorized", kind: "other" },
];
for (const { code, reason, kind } of statuses) {
  test(`a ${code} ${reason || "without reason"} is the refusal "${kind}"`, () => {
    assert.equal(refusalOf({ code, reason, message: "" }).kind, kind);
  });
}

test("a refusal in plain text keeps its text and Retry-After", async () => {
  const transport = answering({ kind: "bytes", bytes: utf8("Too many requests, please try again later.\n") }, 429, {
    "retry-after": "3",
  });
  const result = await createClient(transport).write({ verb: "create", type: configMaps, object: aMap("a") }, signal);
  assert.ok(!result.ok);
  assert.deepEqual(result.problem, {
    kind: "busy",
    status: {
      code: 429,
      reason: "",
      message: "Too many requests, please try again later.",
      details: { retryAfterSeconds: 3 },
    },
  });
});

test("list() joins pages and gives items of built-in kinds their kind", async () => {
  const asked: string[] = [];
  const transport: Transport = async ({ query }) => {
    asked.push(query?.toString() ?? "");
    const first = query?.get("continue") === null;
    const value = {
      kind: "ConfigMapList",
      metadata: { resourceVersion: "5", ...(first ? { continue: "t" } : {}) },
      items: [{ metadata: { name: first ? "a" : "b" } }],
    };
    return { status: 200, headers: {}, body: { kind: "object", value } };
  };
  const found = await createClient(transport, { pageSize: 1 }).list(configMaps, { labelSelector: "a=b" });
  assert.deepEqual(
    found.map(({ apiVersion, kind, metadata: { name } }) => ({ apiVersion, kind, name })),
    [
      { apiVersion: "v1", kind: "ConfigMap", name: "a" },
      { apiVersion: "v1", kind: "ConfigMap", name: "b" },
    ],
  );
  assert.deepEqual(asked, ["labelSelector=a%3Db&limit=1", "labelSelector=a%3Db&limit=1&continue=t"]);
});

test("a list whose snapshot expires half-way is read again in one piece", async () => {
  const transport: Transport = async ({ query }) => {
    if (query?.has("continue") === true) return refusal(410, "Expired");
    const metadata = { resourceVersion: "5", ...(query?.has("limit") === true ? { continue: "t" } : {}) };
    const items = query?.has("limit") === true ? [{ metadata: { name: "a" } }] : [{ metadata: { name: "b" } }];
    return { status: 200, headers: {}, body: { kind: "object", value: { metadata, items } } };
  };
  const found = await createClient(transport).list(configMaps);
  assert.deepEqual(
    found.map(({ metadata: { name } }) => name),
    ["b"],
  );
});

function refusal(code: number, reason: string): ApiResponse {
  const value = { kind: "Status", apiVersion: "v1", metadata: {}, code, reason, message: reason };
  return { status: code, headers: {}, body: { kind: "object", value } };
}

test("missing objects are undefined or an empty list, refusals reject", async () => {
  const api = new MemoryApi(["/api/v1/configmaps"]);
  const client = createClient(api.transport);
  assert.equal(await client.get(configMaps, { namespace: "demo", name: "none" }), undefined);
  assert.deepEqual(await createClient(new MemoryApi([]).transport).list(configMaps), []);
  api.refuse = () => ({ code: 403, reason: "Forbidden", message: "configmaps is forbidden" });
  await assert.rejects(client.get(configMaps, { namespace: "demo", name: "none" }), {
    message: "configmaps is forbidden",
  });
  await assert.rejects(client.list(configMaps), ApiRefusedError);
});

const writes: readonly {
  readonly what: string;
  readonly run: (client: ReturnType<typeof createClient>) => Promise<unknown>;
  readonly sends: Partial<ApiRequest> & { readonly queryText?: string };
}[] = [
  {
    what: "a create posts to the namespace's collection",
    run: (client) => client.write({ verb: "create", type: configMaps, object: aMap("a"), fieldManager: "m" }, signal),
    sends: { method: "POST", path: "/api/v1/namespaces/demo/configmaps", queryText: "fieldManager=m" },
  },
  {
    what: "an apply patches by name with its manager and force",
    run: (client) =>
      client.write({ verb: "apply", type: configMaps, object: aMap("a"), fieldManager: "m", force: true }, signal),
    sends: { method: "PATCH", path: "/api/v1/namespaces/demo/configmaps/a", queryText: "fieldManager=m&force=true" },
  },
  {
    what: "a replace of a status goes to the subresource",
    run: (client) =>
      client.write({ verb: "replace", type: configMaps, object: aMap("a"), subresource: "status" }, signal),
    sends: { method: "PUT", path: "/api/v1/namespaces/demo/configmaps/a/status", queryText: "" },
  },
  {
    what: "a delete carries its options in the body",
    run: (client) =>
      client.write(
        {
          verb: "delete",
          type: configMaps,
          key: { namespace: "demo", name: "a" },
          propagation: "Foreground",
          preconditions: { uid: "u" },
        },
        signal,
      ),
    sends: {
      method: "DELETE",
      path: "/api/v1/namespaces/demo/configmaps/a",
      queryText: "",
      body: {
        kind: "object",
        value: {
          kind: "DeleteOptions",
          apiVersion: "v1",
          propagationPolicy: "Foreground",
          preconditions: { uid: "u" },
        },
      },
    },
  },
];
for (const { what, run, sends } of writes) {
  test(what, async () => {
    let sent: ApiRequest | undefined;
    const transport: Transport = async (request) => {
      sent = request;
      return {
        status: 200,
        headers: {},
        body: { kind: "object", value: { kind: "Status", apiVersion: "v1", metadata: {} } },
      };
    };
    await run(createClient(transport));
    const { queryText, ...rest } = sends;
    assert.equal(sent?.query?.toString() ?? "", queryText);
    assert.deepEqual({ ...sent, ...rest }, sent);
  });
}

test("a delete returns the object only while finalizers or a grace period delay it", async () => {
  const api = new MemoryApi(["/api/v1/configmaps"]);
  const client = createClient(api.transport);
  const held = { ...aMap("held"), metadata: { namespace: "demo", name: "held", finalizers: ["a/b"] } };
  for (const object of [held, aMap("free")]) await client.write({ verb: "create", type: configMaps, object }, signal);
  const gone = await client.write(
    { verb: "delete", type: configMaps, key: { namespace: "demo", name: "free" } },
    signal,
  );
  const waits = await client.write(
    { verb: "delete", type: configMaps, key: { namespace: "demo", name: "held" } },
    signal,
  );
  assert.ok(gone.ok && waits.ok);
  assert.equal(gone.value.object, undefined);
  assert.equal(waits.value.object?.metadata.name, "held");
});

test("impersonation adds the user's headers", async () => {
  let sent: ApiRequest | undefined;
  const transport: Transport = async (request) => {
    sent = request;
    return { status: 200, headers: {}, body: { kind: "object", value: { gitVersion: "v1.36.3" } } };
  };
  const user = { name: "ann", uid: "7", groups: ["a", "b"], extra: { "Example.org/Scope": ["x"] } };
  await createClient(transport).asUser(user).version(signal);
  assert.equal(sent?.headers?.["impersonate-user"], "ann");
  assert.equal(sent?.headers?.["impersonate-group"], "a\nb");
  assert.equal(sent?.headers?.["impersonate-uid"], "7");
  assert.equal(sent?.headers?.["impersonate-extra-example.org%2Fscope"], "x");
});

const warningCases: readonly { readonly header: string | undefined; readonly texts: readonly string[] }[] = [
  { header: undefined, texts: [] },
  { header: '299 - "one"', texts: ["one"] },
  { header: '299 - "a, \\"b\\" \\\\", 299 - "c" "Wed, 21 Oct 2015 07:28:00 GMT"', texts: ['a, "b" \\', "c"] },
  { header: '299 - "twice", 299 - "twice"', texts: ["twice"] },
  { header: "nonsense", texts: [] },
];
for (const { header, texts } of warningCases) {
  test(`the warning header ${header ?? "(absent)"} has ${texts.length} texts`, () => {
    assert.deepEqual(parseWarnings(header), texts);
  });
}

test("answers that are no JSON, no object and no list reject with what was asked", async () => {
  const text = (body: string) => createClient(answering({ kind: "bytes", bytes: utf8(body) }));
  const key = { namespace: "demo", name: "x" };
  const page = (client: ReturnType<typeof text>) => client.page(configMaps, {}, {}, signal);
  await assert.rejects(
    text("<html>").get(configMaps, key),
    /^UnreadableAnswerError: The answer to GET \/api\/v1\/namespaces\/demo\/configmaps\/x is no JSON$/,
  );
  await assert.rejects(
    text("[]").get(configMaps, key),
    /^UnreadableAnswerError: The server served no object as ConfigMap$/,
  );
  const noList = /^UnreadableAnswerError: The server served no list of configmaps$/;
  for (const body of ["[]", "{}", '{"metadata": {}, "items": {}}', '{"items": []}'])
    await assert.rejects(page(text(body)), noList, body);
  assert.deepEqual(await page(text('{"metadata": {}}')), { items: [], resourceVersion: "" });
  assert.deepEqual(
    await page(text('{"metadata": {"resourceVersion": "7", "continue": "", "remainingItemCount": 3}, "items": []}')),
    { items: [], resourceVersion: "7", remainingItemCount: 3 },
  );
});

test("a page is asked for with all that it may be narrowed by, and nothing else", async () => {
  const asked: ApiRequest[] = [];
  const client = createClient(async (request) => {
    asked.push(request);
    return { status: 200, headers: {}, body: { kind: "object", value: { metadata: {}, items: [] } } };
  });
  await client.page(configMaps, { labelSelector: "", fieldSelector: "" }, {}, signal);
  await client.page(
    configMaps,
    { namespace: "demo", labelSelector: "a=b", fieldSelector: "metadata.name=x" },
    { limit: 5, continueToken: "t", resourceVersion: "7", resourceVersionMatch: "Exact", metadataOnly: true },
    signal,
  );
  assert.deepEqual(
    asked.map(({ method, path, query, headers }) => [method, path, query?.toString(), headers?.["accept"]]),
    [
      ["GET", "/api/v1/configmaps", "", "application/json"],
      [
        "GET",
        "/api/v1/namespaces/demo/configmaps",
        "labelSelector=a%3Db&fieldSelector=metadata.name%3Dx&limit=5&continue=t&resourceVersion=7&resourceVersionMatch=Exact",
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
      ],
    ],
  );
});

test("an ERROR event without a code, or without a message, is a 500", async () => {
  for (const [status, message] of [
    [{ kind: "Status", message: "odd" }, "odd"],
    [{ kind: "Status", code: 200 }, "the server answered 500"],
  ] as const) {
    const events = async function* () {
      yield* [{ type: "ERROR", object: status }];
    };
    const client = createClient(answering({ kind: "events", events: events() } as unknown as ApiBody));
    await assert.rejects(Array.fromAsync(client.watch(configMaps, {}, {}, signal)), (error: ApiRefusedError) => {
      assert.deepEqual([error.refusal.status.code, error.refusal.status.message], [500, message]);
      return true;
    });
  }
});
