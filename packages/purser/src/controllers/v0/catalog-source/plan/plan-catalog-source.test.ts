import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { CatalogSource, CatalogSourceSpec, CatalogSourceStatus } from "../../../../apis/v0/catalog-source.ts";
import type { ContentState } from "../../../../catalog/content.ts";
import { planCatalogSource } from "./plan-catalog-source.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const image = "example.com/cat:v1";
const moved = { sourceType: "grpc", image: "example.com/cat:v2" };
const [a, b] = [digestOf("a"), digestOf("b")];

function source(status?: CatalogSourceStatus, spec: CatalogSourceSpec = { sourceType: "grpc", image }): CatalogSource {
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "CatalogSource",
    metadata: { namespace: "olm", name: "cat", generation: 1 },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

/** Status after the state; what was there when nothing is written. */
function after(
  before: CatalogSourceStatus | undefined,
  content: Result<ContentState, string>,
  spec?: CatalogSourceSpec,
): CatalogSourceStatus {
  const [action] = planCatalogSource({ source: source(before, spec), content }, now).actions;
  return action?.kind === "status" ? action.status : (before ?? {});
}

/** `Ready=True Serving, READY at example.com/cat:v1@a`, digests by their names. */
function shown({ conditions = [], connectionState, reason = "" }: CatalogSourceStatus): string {
  const ready = conditions.find(({ type }) => type === "Ready");
  const address = (connectionState?.address ?? "").replace(a, "a").replace(b, "b");
  const failure = reason === "" ? "" : `, ${reason}`;
  return `Ready=${ready?.status} ${ready?.reason}, ${connectionState?.lastObservedState} at ${address}${failure}`;
}

const pending = (lastGood?: typeof a, since = now): Result<ContentState, string> =>
  done({ kind: "pending", since, ...(lastGood === undefined ? {} : { lastGood }) });
const ready = (digest = a): Result<ContentState, string> => done({ kind: "ready", digest });
const problem = (kind: "failing" | "refused", lastGood?: typeof a): Result<ContentState, string> => {
  const why = { cause: "it is broken", remedy: "Repair it.", ...(lastGood === undefined ? {} : { lastGood }) };
  return done(kind === "failing" ? { kind, ...why, since: now } : { kind, ...why });
};

const served = after(undefined, ready());
const minute = 60_000;

const table: readonly (readonly [claim: string, status: CatalogSourceStatus, shown: string])[] = [
  [
    "content that is being read for the first time",
    after(undefined, pending()),
    `Ready=False Pulling, CONNECTING at ${image}`,
  ],
  ["content that is ready", served, `Ready=True Serving, READY at ${image}@a`],
  ["changed content", after(served, ready(b)), `Ready=True Serving, READY at ${image}@b`],
  [
    "a failure without content",
    after(undefined, problem("failing")),
    `Ready=False Unavailable, TRANSIENT_FAILURE at ${image}, RegistryServerError`,
  ],
  [
    "a source that this process does not read",
    after(undefined, problem("refused"), { sourceType: "grpc", address: "reg:50051" }),
    "Ready=False Unavailable, TRANSIENT_FAILURE at reg:50051, RegistryServerError",
  ],
  [
    "a failure beside last good content",
    after(served, problem("failing", a)),
    `Ready=True ServingLastGood, READY at ${image}@a, RegistryServerError`,
  ],
  [
    "last good content under a reference that cannot be read: the old name stays",
    after(served, problem("refused", a), moved),
    `Ready=True ServingLastGood, READY at ${image}@a, RegistryServerError`,
  ],
  [
    "content read under another reference",
    after(served, ready(), moved),
    `Ready=True Serving, READY at ${moved.image}@a`,
  ],
  [
    "a spec that names no content",
    after(undefined, failed("unknown sourcetype: x")),
    "Ready=False SpecInvalid, undefined at , SpecInvalidError",
  ],
  [
    "last good content after the spec was repaired",
    after(after(served, failed("unknown sourcetype: x")), pending(a)),
    `Ready=True Serving, READY at ${image}@a`,
  ],
  [
    "content that takes more than a moment to be read again, and is not kept",
    after(served, pending(undefined, now - minute)),
    `Ready=False Pulling, CONNECTING at ${image}`,
  ],
];

for (const [claim, status, text] of table)
  test(`a CatalogSource shows ${claim}`, () => assert.equal(shown(status), text));

test("a restart that reads again what was served, and a long read beside last good content, write nothing", () => {
  const writes = (content: Result<ContentState, string>): number =>
    planCatalogSource({ source: source(served), content }, now).actions.length;
  assert.deepEqual([pending(), pending(a), pending(a, now - minute), ready()].map(writes), [0, 0, 0, 0]);
});

test("a failure is emitted as an event when its message changes, with its remedy", () => {
  const [first] = planCatalogSource({ source: source(served), content: problem("failing", a) }, now).actions;
  assert.ok(first?.kind === "status");
  assert.equal(first.warning, "it is broken; Repair it.");
  const again = planCatalogSource({ source: source(first.status), content: problem("failing", a) }, now + minute);
  assert.deepEqual(again.actions, []);
});

test("an image template sets spec.image once, and shows what it came to", () => {
  const template = { "olm.catalogImageTemplate": "example.com/cat:v{kube_major_version}.{kube_minor_version}" };
  const plain = source(served);
  const templated = { ...plain, metadata: { ...plain.metadata, annotations: template } };
  const world = { content: ready(), kubeVersion: "v1.36.3" };
  const { actions } = planCatalogSource({ ...world, source: templated }, now);
  assert.deepEqual(actions.at(-1), { kind: "image", image: "example.com/cat:v1.36" });
  assert.ok(actions[0]?.kind === "status");
  const next = { ...templated, spec: { ...templated.spec, image: "example.com/cat:v1.36" }, status: actions[0].status };
  const kinds = planCatalogSource({ ...world, source: next }, now).actions.map(({ kind }) => kind);
  assert.ok(!kinds.includes("image"), "it is resolved already");
});

test("an image that is named by digest is shown once with its digest", () => {
  const pinned = `example.com/cat@${a}`;
  const { connectionState } = after(undefined, ready(), { sourceType: "grpc", image: pinned });
  assert.equal(connectionState?.address, pinned);
});
