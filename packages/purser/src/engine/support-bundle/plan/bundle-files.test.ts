import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { bundleFiles, eventsAfter, type SupportWorld } from "./bundle-files.ts";
import { redacted, redactedText } from "./redact.ts";

const jwt = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl";
const key = "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----";

for (const [name, given, expected] of [
  [
    "data of a Secret, also within a revision",
    {
      phases: [
        { objects: [{ object: { kind: "Secret", data: { a: "eA==" }, stringData: { b: "x" }, type: "Opaque" } }] },
      ],
    },
    {
      phases: [
        { objects: [{ object: { kind: "Secret", data: "<redacted>", stringData: "<redacted>", type: "Opaque" } }] },
      ],
    },
  ],
  [
    "data of a ConfigMap, which stays",
    { kind: "ConfigMap", data: { a: "b" } },
    { kind: "ConfigMap", data: { a: "b" } },
  ],
  [
    "variables that are named like credentials",
    {
      env: [
        { name: "DB_PASSWORD", value: "x" },
        { name: "API_KEY", value: "x" },
        { name: "MODE", value: "x" },
      ],
    },
    {
      env: [
        { name: "DB_PASSWORD", value: "<redacted>" },
        { name: "API_KEY", value: "<redacted>" },
        { name: "MODE", value: "x" },
      ],
    },
  ],
  [
    "fields that are named like credentials, not those that name objects",
    { password: "x", accessToken: "y", secretName: "z", pullSecrets: ["p"], secretRef: "q" },
    { password: "<redacted>", accessToken: "<redacted>", secretName: "z", pullSecrets: ["p"], secretRef: "q" },
  ],
  [
    "manifests of InstallPlans and configurations of extensions",
    { resource: { kind: "Secret", name: "a", manifest: "{}" }, config: { configType: "Inline", inline: { x: 1 } } },
    {
      resource: { kind: "Secret", name: "a", manifest: "<redacted>" },
      config: { configType: "Inline", inline: "<redacted>" },
    },
  ],
  [
    "what only makes an object long",
    {
      metadata: {
        managedFields: [{}],
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", a: "b" },
      },
      icon: [],
    },
    { metadata: { annotations: { a: "b" } } },
  ],
  ["a token within a text of a status", { message: `got ${jwt}` }, { message: "got <redacted>" }],
] as const)
  test(`${name}`, () => {
    assert.deepEqual(redacted(given), expected);
  });

test("a log keeps its lines but for tokens, keys and passwords of URLs", () => {
  const log = [
    `authorization: Bearer ${"a".repeat(20)}`,
    `sent ${jwt}.`,
    "pull https://user:pass@registry.example/x",
    key,
    "bearer of news",
    "pulled quay.io/a/b@sha256:00",
  ].join("\n");
  assert.equal(
    redactedText(log),
    [
      "authorization: Bearer <redacted>",
      "sent <redacted>.",
      "pull https://<redacted>@registry.example/x",
      "<redacted>",
      "bearer of news",
      "pulled quay.io/a/b@sha256:00",
    ].join("\n"),
  );
  assert.equal(redactedText(key.slice(0, -12)), "<redacted>");
});

const object = (name: string, text = ""): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { namespace: "data", name, annotations: { text } },
});
const world: SupportWorld = {
  versions: { client: "0.1.0", cluster: "v1.36.3" },
  checks: [{ name: "clock", summary: `saw ${jwt}`, findings: [] }],
  kinds: [{ resource: "things.g", objects: [object("b"), object("a")], isCut: false }],
  unread: ["list pods"],
  logs: [{ namespace: "purser-system", pod: "purser-a", container: "purser", text: `${jwt}\n` }],
};

test("the files are sorted, redacted, and the same whatever the order of the objects is", () => {
  const files = bundleFiles(world);
  assert.deepEqual(
    files.map(({ path }) => path),
    [
      "contents.json",
      "doctor.json",
      "logs/purser-system/purser-a/purser.log",
      "objects/things.g.json",
      "versions.json",
    ],
  );
  assert.ok(files.every(({ text }) => !text.includes("eyJ")));
  const [kind] = world.kinds;
  assert.ok(kind !== undefined);
  assert.deepEqual(
    (JSON.parse(files.find(({ path }) => path === "contents.json")?.text ?? "{}") as { unread?: unknown }).unread,
    ["list pods"],
  );
  assert.deepEqual(bundleFiles({ ...world, kinds: [{ ...kind, objects: kind.objects.toReversed() }] }), files);
});

test("objects that do not fit are left out whole, a log keeps its end, and the contents say so", () => {
  const large = "x".repeat(3 * 2 ** 20);
  const files = bundleFiles({
    ...world,
    kinds: [{ resource: "things.g", objects: [object("a", large), object("b", large)], isCut: false }],
    logs: [{ namespace: "n", pod: "p", container: "c", text: `first\n${large}${large}last\n` }],
  });
  const text = (path: string): string => files.find((file) => file.path === path)?.text ?? "";
  const things = JSON.parse(text("objects/things.g.json")) as readonly KubeObject[];
  assert.deepEqual(
    things.map(({ metadata }) => metadata.name),
    ["a"],
  );
  assert.ok(text("logs/n/p/c.log").endsWith("xlast\n"));
  assert.equal(text("logs/n/p/c.log").length, 4 * 2 ** 20);
  const contents = JSON.parse(text("contents.json")) as {
    readonly files: readonly { readonly path: string; readonly isCut: boolean }[];
  };
  assert.deepEqual(
    contents.files.filter(({ isCut }) => isCut).map(({ path }) => path),
    ["logs/n/p/c.log", "objects/things.g.json"],
  );
});

test("events count by the last time at which they happened, and one without a time is kept", () => {
  const event = (name: string, more: object): KubeObject => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name },
    ...more,
  });
  const [old, late] = ["2026-01-01T00:00:00Z", "2026-01-01T02:00:00Z"];
  const events = [
    event("old", { lastTimestamp: old }),
    event("repeated", { firstTimestamp: old, lastTimestamp: late }),
    event("series", { lastTimestamp: old, series: { lastObservedTime: late } }),
    event("newer API", { lastTimestamp: null, eventTime: old }),
    event("at the time", { lastTimestamp: "2026-01-01T01:00:00Z" }),
    event("without", {}),
  ];
  const kept = eventsAfter(events, Date.parse("2026-01-01T01:00:00Z"));
  assert.deepEqual(
    kept.map(({ metadata }) => metadata.name),
    ["repeated", "series", "at the time", "without"],
  );
});
