import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { CatalogSource, CatalogSourceSpec, CatalogSourceStatus } from "../../../../apis/v0/catalog-source.ts";
import type { ContentState } from "../../../../catalog/content.ts";
import type { Plan } from "@purser/kubernetes/kube/plan";
import { afterOwning, type CatalogSourceAction, planCatalogSource } from "./plan-catalog-source.ts";
import { servedByStatus } from "./served-by-status.ts";

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
  return statusIn(planCatalogSource({ source: source(before, spec), content }, now)) ?? before ?? {};
}

function statusIn({ actions }: Plan<CatalogSourceAction>): CatalogSourceStatus | undefined {
  const [action] = actions;
  return action?.kind === "status" ? action.status : undefined;
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
const polledEvery = (interval: string): CatalogSourceSpec => ({
  sourceType: "grpc",
  image,
  updateStrategy: { registryPoll: { interval } },
});
const problem = (kind: "failing" | "refused", lastGood?: typeof a): Result<ContentState, string> => {
  const why = { cause: "it is broken", remedy: "Repair it.", ...(lastGood === undefined ? {} : { lastGood }) };
  return done(kind === "failing" ? { kind, ...why, since: now } : { kind, ...why });
};

const served = after(undefined, ready());
const minute = 60_000;

const address = { sourceType: "grpc", address: "reg:50051" };
const dialled = after(undefined, ready(), address);

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
  ["a server that is connected", dialled, "Ready=True Serving, READY at reg:50051"],
  ["a server that is dialled", after(undefined, pending(), address), "Ready=False Pulling, CONNECTING at reg:50051"],
  [
    "a lost server beside last good content",
    after(dialled, problem("failing", a), address),
    "Ready=True ServingLastGood, TRANSIENT_FAILURE at reg:50051, RegistryServerError",
  ],
  [
    "a server that came back",
    after(after(dialled, problem("failing", a), address), ready(), address),
    "Ready=True Serving, READY at reg:50051",
  ],
  [
    "content whose interval cannot be parsed",
    after(undefined, ready(), polledEvery("soon")),
    `Ready=True Serving, READY at ${image}@a, InvalidIntervalError`,
  ],
  [
    "an interval that cannot be parsed before a failed pull",
    after(undefined, problem("failing"), polledEvery("soon")),
    `Ready=False Unavailable, TRANSIENT_FAILURE at ${image}, InvalidIntervalError`,
  ],
  [
    "content whose interval was corrected",
    after(after(undefined, ready(), polledEvery("soon")), ready(), polledEvery("5m")),
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
  assert.deepEqual(first.warnings, [{ reason: "RegistryServerError", message: "it is broken. Repair it." }]);
  const again = planCatalogSource({ source: source(first.status), content: problem("failing", a) }, now + minute);
  assert.deepEqual(again.actions, []);
});

for (const [interval, error] of [
  ["5", 'time: missing unit in duration "5"'],
  ["-1m", 'interval "-1m" is not positive'],
] as const)
  test(`the interval ${interval}, which is no interval, is shown with OLM's message and one event, and stalls nothing`, () => {
    const message = `error parsing spec.updateStrategy.registryPoll.interval. Using the default value of 15m0s instead. Error: ${error}`;
    const [first] = planCatalogSource({ source: source(served, polledEvery(interval)), content: ready() }, now).actions;
    assert.ok(first?.kind === "status");
    assert.deepEqual(first.warnings, [{ reason: "InvalidIntervalError", message }]);
    assert.deepEqual([first.status.reason, first.status.message], ["InvalidIntervalError", message]);
    assert.equal(first.status.conditions?.find(({ type }) => type === "Stalled")?.status, "False");
    const again = planCatalogSource(
      { source: source(first.status, polledEvery(interval)), content: ready() },
      now + minute,
    );
    assert.deepEqual(again.actions, []);
  });

test("a failed pull beside an interval that cannot be parsed keeps its conditions and its event", () => {
  const polled = polledEvery("5");
  const [first] = planCatalogSource({ source: source(undefined, polled), content: problem("failing") }, now).actions;
  assert.ok(first?.kind === "status");
  assert.deepEqual(
    first.status.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
    [
      ["Ready", "False", "Unavailable", "it is broken. Repair it."],
      ["Stalled", "True", "RegistryServerError", "it is broken. Repair it."],
    ],
  );
  assert.deepEqual(
    first.warnings.map(({ reason }) => reason),
    ["InvalidIntervalError", "RegistryServerError"],
  );
  const again = planCatalogSource({ source: source(first.status, polled), content: problem("failing") }, now + minute);
  assert.deepEqual(again.actions, []);
  const [repaired] = planCatalogSource({ source: source(first.status), content: problem("failing") }, now).actions;
  assert.ok(repaired?.kind === "status");
  assert.deepEqual([repaired.status.reason, repaired.warnings], ["RegistryServerError", []]);
});

test("a failed pull shows the next try: one write for each try, and one event", () => {
  const failing = (retryAt: number): Result<ContentState, string> =>
    done({
      kind: "failing",
      code: "CatalogUnavailable",
      cause: "host answered 503",
      remedy: "Wait.",
      since: now,
      retryAt,
    });
  const [first] = planCatalogSource({ source: source(), content: failing(now + 2000) }, now).actions;
  const text = "CatalogUnavailable: host answered 503. Wait; next try at 2026-01-01T00:00:02Z";
  assert.ok(first?.kind === "status");
  assert.deepEqual([first.status.message, first.warnings[0]?.message], [text, text]);
  const shownFirst = source(first.status);
  assert.deepEqual(planCatalogSource({ source: shownFirst, content: failing(now + 2000) }, now + 1000).actions, []);
  const [second] = planCatalogSource({ source: shownFirst, content: failing(now + 6000) }, now + 2000).actions;
  assert.ok(second?.kind === "status");
  assert.deepEqual([second.status.message, second.warnings], [text.replace("00:02Z", "00:06Z"), []]);
  assert.deepEqual(second.status.connectionState, first.status.connectionState);
});

test("the last poll of an image is written once, and kept by a process that has not polled yet", () => {
  const polled = { source: source(served), content: ready(), polledAt: now + 5000 };
  const [write] = planCatalogSource(polled, now + 5000).actions;
  assert.ok(write?.kind === "status");
  assert.deepEqual(write.status, { ...served, latestImageRegistryPoll: "2026-01-01T00:00:05Z" });
  const written = source(write.status);
  assert.deepEqual(planCatalogSource({ ...polled, source: written }, now + 9000).actions, []);
  assert.deepEqual(planCatalogSource({ source: written, content: ready() }, now + 9000).actions, []);
});

const byKey = { policy: "/etc/policy.json", scope: "docker: example.com", signer: "key sha256:1" };
const verdictOf = (status: CatalogSourceStatus): string | undefined => {
  const condition = status.conditions?.find(({ type }) => type === "SignatureVerified");
  return condition && `${condition.status} ${condition.reason}: ${condition.message}`;
};

test("the signer and the policy stand in SignatureVerified, until there is no policy", () => {
  const accepted = after(served, done({ kind: "ready", digest: a, accepted: byKey }));
  const decided = "by signature policy /etc/policy.json (docker: example.com)";
  assert.equal(verdictOf(accepted), `True Verified: image ${image} is signed by key sha256:1, accepted ${decided}`);
  const { signer: _, ...unsigned } = byKey;
  assert.equal(
    verdictOf(after(accepted, done({ kind: "ready", digest: a, accepted: unsigned }))),
    `Unknown NotRequired: image ${image} is accepted without a signature ${decided}`,
  );
  assert.deepEqual([verdictOf(after(accepted, ready())), verdictOf(served)], [undefined, undefined]);
  for (const content of [problem("failing", a), pending(undefined, now - minute)])
    assert.equal(verdictOf(after(accepted, content)), verdictOf(accepted));
});

test("a rejected image stands in SignatureVerified and in the message with that cause", () => {
  const rejected = {
    kind: "failing",
    code: "SignatureRejected",
    cause: "it has no signature",
    remedy: "Sign it.",
  } as const;
  const status = after(undefined, done({ ...rejected, since: now, retryAt: now }));
  assert.equal(verdictOf(status), "False SignatureRejected: it has no signature. Sign it.");
  assert.equal(status.message, "SignatureRejected: it has no signature. Sign it; next try at 2026-01-01T00:00:00Z");
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

test("the registryService of a valid spec is set once, and stays", () => {
  const registryService = { createdAt: "2026-01-01T00:00:00Z", protocol: "grpc" };
  assert.deepEqual(after(undefined, pending(), address).registryService, registryService);
  assert.deepEqual(after(undefined, failed("unknown sourcetype: x")).registryService, undefined);
  const [later] = planCatalogSource({ source: source(dialled, address), content: ready(b) }, now + minute).actions;
  assert.ok(later?.kind === "status");
  assert.deepEqual(later.status.registryService, registryService);
});

test("lastConnect of a server changes with its state and with its content, and not otherwise", () => {
  const connected = (status: CatalogSourceStatus, content: Result<ContentState, string>): string | undefined =>
    (statusIn(planCatalogSource({ source: source(status, address), content }, now + minute)) ?? status).connectionState
      ?.lastConnect;
  const [before, later] = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"];
  assert.deepEqual(
    [ready(), ready(b), problem("failing", a)].map((content) => connected(dialled, content)),
    [before, later, later],
  );
});

test("the digest of the content behind a bare address is in the status, through failures too", () => {
  const lost = after(dialled, problem("failing", a), address);
  assert.deepEqual([servedByStatus(dialled)?.digest, servedByStatus(lost)?.digest], [a, a]);
  assert.equal(servedByStatus(after(undefined, problem("failing"), address)), undefined);
});

const inConfigMap = { sourceType: "configmap", configMap: "cm" };
const configMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "olm", name: "cm", uid: "1", resourceVersion: "7" },
};
const owner = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "CatalogSource",
  name: "cat",
  uid: "me",
  controller: false,
  blockOwnerDeletion: false,
};
const owned = {
  ...configMap,
  metadata: { ...configMap.metadata, labels: { "olm.managed": "false" }, ownerReferences: [owner] },
};
const mine = (status?: CatalogSourceStatus): CatalogSource => {
  const object = source(status, inConfigMap);
  return { ...object, metadata: { ...object.metadata, uid: "me" } };
};

test("a ConfigMap gets owner and label first, and is named in the status as it is after that", () => {
  const world = { source: mine(), content: ready(), configMap };
  const { actions, watches } = planCatalogSource(world, now);
  assert.deepEqual(actions, [{ kind: "own", configMap: owned }]);
  assert.equal(watches?.[0]?.kind, "ConfigMap");
  const written = { ...owned, metadata: { ...owned.metadata, resourceVersion: "8" } };
  assert.deepEqual(statusIn(afterOwning(world, { kind: "owned", configMap: written }, now))?.configMapReference, {
    name: "cm",
    namespace: "olm",
    uid: "1",
    resourceVersion: "8",
    lastUpdateTime: "2026-01-01T00:00:00Z",
  });
});

test("other owners and labels stay, an owner of the same name that was deleted does not", () => {
  const others = [
    { ...owner, name: "other", uid: "2" },
    { ...owner, uid: "deleted" },
  ];
  const labels = { "olm.managed": "true", app: "a" };
  const held = { ...configMap, metadata: { ...configMap.metadata, labels, ownerReferences: others } };
  const [action] = planCatalogSource({ source: mine(), content: ready(), configMap: held }, now).actions;
  assert.ok(action?.kind === "own");
  assert.deepEqual(action.configMap.metadata.labels, labels);
  assert.deepEqual(action.configMap.metadata.ownerReferences, [others[0], owner]);
});

test("an owner that may not be written, and a missing ConfigMap, are ConfigMapErrors", () => {
  const refused = afterOwning(
    { source: mine(), content: ready(), configMap },
    { kind: "ownerRefused", message: "forbidden" },
    now,
  );
  assert.equal(refused.retry, "unable to write owner onto catalog source configmap - forbidden");
  const missing = planCatalogSource({ source: mine(), content: problem("failing", a), configMap: "missing" }, now);
  assert.deepEqual(
    [refused, missing].map((plan) => [statusIn(plan)?.reason, statusIn(plan)?.message]),
    [
      ["ConfigMapError", "unable to write owner onto catalog source configmap - forbidden"],
      [
        "ConfigMapError",
        'failed to get catalog config map cm: configmaps "cm" not found. ' +
          "Create the ConfigMap cm in namespace olm, or correct spec.configMap.",
      ],
    ],
  );
});

test("lastConnect becomes later than the last change of the ConfigMap, which leaves the content as it was", () => {
  const first = planCatalogSource({ source: mine(), content: ready(), configMap: owned }, now);
  assert.equal(first.recheckAfterMs, 5000);
  const status = statusIn(first);
  const second = planCatalogSource({ source: mine(status), content: ready(), configMap: owned }, now + 5000);
  assert.equal(statusIn(second)?.connectionState?.lastConnect, "2026-01-01T00:00:05Z");
  const third = planCatalogSource({ source: mine(statusIn(second)), content: ready(), configMap: owned }, now + minute);
  assert.deepEqual([third.actions, third.recheckAfterMs], [[], undefined]);
  const earlier = planCatalogSource({ source: mine(status), content: ready(), configMap: owned }, now - minute);
  assert.deepEqual([earlier.actions, earlier.recheckAfterMs], [[], undefined], "the clock was set back");
});

test("a CatalogSource with faulty packages stays ready, names them and warns once", () => {
  const world = { source: source(served), content: ready(), faults: [{ packageName: "p", cause: "p.yaml:1: broken" }] };
  const [action] = planCatalogSource(world, now).actions;
  assert.ok(action?.kind === "status");
  const { conditions = [] } = action.status;
  const message = "1 package cannot be used: p: p.yaml:1: broken";
  assert.equal(conditions.find(({ type }) => type === "FaultyPackages")?.message, message);
  assert.equal(conditions.find(({ type }) => type === "Ready")?.status, "True");
  assert.deepEqual(action.warnings, [{ reason: "CatalogInvalid", message }]);
  assert.deepEqual(planCatalogSource({ ...world, source: source(action.status) }, now).actions, []);
});
