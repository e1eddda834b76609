import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "@purser/kubernetes/digest";
import type { ClusterCatalog, ClusterCatalogStatus } from "../../../../apis/v1/cluster-catalog.ts";
import { metadataNameLabel, serverCacheFinalizer } from "../../../../apis/v1/labels.ts";
import type { ContentState } from "../../../../catalog/content.ts";
import type { PackageFault } from "../../../../catalog/catalog-index.ts";
import { catalogRequest } from "./catalog-request.ts";
import { planClusterCatalog } from "./plan-cluster-catalog.ts";

const finalizers = [serverCacheFinalizer];
const now = Date.parse("2026-01-01T00:00:00Z");
const ref = "example.com/cat:v1";
const [a, b] = [digestOf("a"), digestOf("b")];

function catalog(
  status?: ClusterCatalogStatus,
  image: { ref: string; pollIntervalMinutes?: number } = { ref },
  annotations: Readonly<Record<string, string>> = {},
): ClusterCatalog {
  return {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name: "cat", labels: { [metadataNameLabel]: "cat" }, annotations, finalizers },
    spec: { source: { type: "Image", image } },
    ...(status === undefined ? {} : { status }),
  };
}

function after(before: ClusterCatalogStatus | undefined, content: ContentState, image = ref): ClusterCatalogStatus {
  const world = { catalog: catalog(before, { ref: image }), content, origin: "https://here" };
  for (const action of planClusterCatalog(world, now).actions) if (action.kind === "status") return action.status;
  return before ?? {};
}

/** `Progressing=True Succeeded, Serving=True Available, example.com/cat@a`, digests by their names. */
function shown({ conditions = [], resolvedSource, urls }: ClusterCatalogStatus): string {
  const texts = ["Progressing", "Serving"].map((type) => {
    const condition = conditions.find((held) => held.type === type);
    return condition === undefined ? `no ${type}` : `${type}=${condition.status} ${condition.reason}`;
  });
  const resolved = (resolvedSource?.image.ref ?? "nothing").replace(a, "a").replace(b, "b");
  return [...texts, resolved, ...(urls === undefined ? [] : [urls.base])].join(", ");
}

const pending: ContentState = { kind: "pending", since: now };
const ready = (digest = a): ContentState => ({ kind: "ready", digest });
const problem = (kind: "failing" | "refused", lastGood?: typeof a): ContentState => {
  const why = { cause: "it is broken", remedy: "Repair it.", ...(lastGood === undefined ? {} : { lastGood }) };
  return kind === "failing" ? { kind, ...why, since: now } : { kind, ...why };
};
const served = after(undefined, ready());
const url = "https://here/catalogs/cat";
const moved = "example.com/other:v2";

const table: readonly (readonly [claim: string, status: ClusterCatalogStatus, shown: string])[] = [
  ["content that is being read", after(undefined, pending), "Progressing=True Retrying, no Serving, nothing"],
  ["content that is ready", served, `Progressing=True Succeeded, Serving=True Available, example.com/cat@a, ${url}`],
  [
    "changed content",
    after(served, ready(b)),
    `Progressing=True Succeeded, Serving=True Available, example.com/cat@b, ${url}`,
  ],
  [
    "a failure that is tried again",
    after(undefined, problem("failing")),
    "Progressing=True Retrying, no Serving, nothing",
  ],
  [
    "a source that this process never reads",
    after(undefined, problem("refused")),
    "Progressing=False Blocked, no Serving, nothing",
  ],
  [
    "a failure beside last good content",
    after(served, problem("failing", a)),
    `Progressing=True Retrying, Serving=True Available, example.com/cat@a, ${url}`,
  ],
  [
    "last good content under a reference that cannot be read: the old name stays",
    after(served, problem("refused", a), moved),
    `Progressing=False Blocked, Serving=True Available, example.com/cat@a, ${url}`,
  ],
  [
    "last good content while another reference is being read",
    after(served, { ...pending, lastGood: a }, moved),
    `Progressing=True Retrying, Serving=True Available, example.com/cat@a, ${url}`,
  ],
  [
    "content read under another reference",
    after(served, ready(), moved),
    `Progressing=True Succeeded, Serving=True Available, example.com/other@a, ${url}`,
  ],
];

for (const [claim, status, text] of table)
  test(`a ClusterCatalog shows ${claim}`, () => assert.equal(shown(status), text));

test("a status that was edited by hand is written again, also without a change of content", () => {
  const { conditions = [], ...others } = served;
  const edits: Readonly<Record<string, ClusterCatalogStatus>> = {
    "a condition": {
      ...others,
      conditions: conditions.map((one) => (one.type === "Serving" ? { ...one, status: "False" } : one)),
    },
    "no conditions": others,
    "another URL": { conditions, ...others, urls: { base: "https://elsewhere/catalogs/cat" } },
    "another image": {
      conditions,
      ...others,
      resolvedSource: { type: "Image", image: { ref: "example.com/cat@sha256:0" } },
    },
  };
  for (const [what, edited] of Object.entries(edits)) assert.equal(shown(after(edited, ready())), shown(served), what);
});

test("a restart that reads again what was served writes nothing", () => {
  for (const content of [pending, { ...pending, lastGood: a }, ready()] as const)
    assert.equal(after(served, content), served);
});

test("a ClusterCatalog asks for its image with its interval, its pull secret and the content that its status shows", () => {
  const request = catalogRequest(
    catalog(served, { ref, pollIntervalMinutes: 10 }, { "purser.dev/pull-secret": "olm/pull" }),
  );
  assert.deepEqual(request, {
    source: { kind: "image", reference: ref },
    isUnchecked: true,
    credentials: [{ namespace: "olm", name: "pull" }],
    policy: ["catalog/cat"],
    poll: { everyMs: 600_000, jitter: [1, 1.01] },
    lastGood: a,
  });
});

test("a pull secret that is not NAMESPACE/NAME names none, and a reference with a digest is not polled", () => {
  for (const secret of ["pull", "/pull", "olm/", "olm/pull/more", ""])
    assert.deepEqual(
      catalogRequest(catalog(undefined, { ref }, { "purser.dev/pull-secret": secret }))?.credentials,
      [],
    );
  assert.equal(
    catalogRequest(catalog(undefined, { ref: `example.com/cat@${a}`, pollIntervalMinutes: 5 }))?.poll,
    undefined,
  );
});

test("a ClusterCatalog has its finalizer before anything else, and loses it once its status shows that nothing is served", () => {
  type Change = { readonly off?: true; readonly finalizers?: readonly string[]; readonly deleted?: true };
  const pass = (status: ClusterCatalogStatus | undefined, { off, deleted, finalizers: names = [] }: Change) => {
    const live = catalog(status);
    const metadata = {
      ...live.metadata,
      finalizers: names,
      ...(deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
    };
    const spec = { ...live.spec, ...(off ? { availabilityMode: "Unavailable" as const } : {}) };
    const content = off || deleted ? undefined : ready();
    return planClusterCatalog({ catalog: { ...live, metadata, spec }, content, origin: "https://here" }, now).actions;
  };
  const lines = (actions: ReturnType<typeof pass>): readonly string[] =>
    actions.map((action) => {
      if (action.kind === "status") return shown(action.status);
      return action.kind === "finalizers" && action.write.verb === "patch"
        ? JSON.stringify(action.write.patch)
        : action.kind;
    });
  const statusOf = (actions: ReturnType<typeof pass>): ClusterCatalogStatus => {
    const [action] = actions;
    assert.ok(action?.kind === "status");
    return action.status;
  };
  const foreign = "example.com/hold";
  assert.deepEqual(lines(pass(undefined, { finalizers: [foreign] })), [
    `{"metadata":{"finalizers":["${foreign}","${serverCacheFinalizer}"]}}`,
  ]);
  const deleted = { finalizers: [serverCacheFinalizer, foreign], deleted: true } as const;
  const leaving = pass(served, deleted);
  assert.deepEqual(lines(leaving), ["Progressing=True Succeeded, Serving=False Unavailable, nothing"]);
  assert.deepEqual(lines(pass(statusOf(leaving), deleted)), [`{"metadata":{"finalizers":["${foreign}"]}}`]);
  assert.deepEqual(pass(served, { finalizers: [foreign], deleted: true }), []);
  const off = pass(served, { off: true, finalizers });
  assert.deepEqual(lines(off), ["Progressing=True Succeeded, Serving=False UserSpecifiedUnavailable, nothing"]);
  assert.deepEqual(lines(pass(statusOf(off), { off: true, finalizers })), ['{"metadata":{"finalizers":[]}}']);
  assert.deepEqual(pass(statusOf(off), { off: true }), []);
});

test("an unavailable ClusterCatalog requests no content", () => {
  const off = catalog();
  assert.equal(catalogRequest({ ...off, spec: { ...off.spec, availabilityMode: "Unavailable" } }), undefined);
});

test("content that cannot be read is a Warning event, content that is served now a Normal one, and content that is being read none", () => {
  const eventOf = (content: ContentState | undefined, status?: ClusterCatalogStatus, mode = "Available"): string => {
    const held = catalog(status);
    const given = { ...held, spec: { ...held.spec, availabilityMode: mode as "Available" } };
    const { actions } = planClusterCatalog({ catalog: given, content, origin: "https://here" }, now);
    const events = actions.flatMap((action) => (action.kind === "status" ? (action.announce ?? []) : []));
    return events
      .map(({ type, reason, message }) => `${type} ${reason}: ${message.replace(a, "a").replace(b, "b")}`)
      .join();
  };
  assert.equal(eventOf(pending), "");
  assert.match(eventOf(problem("failing")), /^Warning Retrying: /);
  assert.match(eventOf(problem("refused")), /^Warning Blocked: /);
  assert.equal(eventOf(ready()), "Normal Available: Serving example.com/cat@a");
  assert.equal(eventOf(ready(), served), "");
  assert.equal(eventOf(ready(b), served), "Normal Available: Serving example.com/cat@b");
  assert.match(eventOf(problem("failing", a), served), /^Warning Retrying: /);
  const off = "Normal UserSpecifiedUnavailable: Catalog availability mode is set to Unavailable";
  assert.equal(eventOf(undefined, served, "Unavailable"), off);
});

test("a failed pull shows the next try: one write for each try, and one event", () => {
  const failing = (retryAt: number): ContentState => {
    const why = { code: "CatalogUnavailable", cause: "host answered 503", remedy: "Wait." } as const;
    return { kind: "failing", ...why, since: now, retryAt };
  };
  const plan = (status: ClusterCatalogStatus | undefined, content: ContentState) =>
    planClusterCatalog({ catalog: catalog(status), content, origin: undefined }, now).actions[0];
  const first = plan(undefined, failing(now + 2000));
  assert.ok(first?.kind === "status");
  const text = "CatalogUnavailable: source catalog content: host answered 503. Wait; next try at 2026-01-01T00:00:02Z";
  assert.deepEqual(first.announce, { type: "Warning", reason: "Retrying", message: text });
  assert.equal(plan(first.status, failing(now + 2000)), undefined);
  const second = plan(first.status, failing(now + 6000));
  assert.ok(second?.kind === "status");
  assert.equal(second.announce, undefined);
  assert.equal(second.status.conditions?.[0]?.message, text.replace("00:02Z", "00:06Z"));
});

test("a failed pull shows a cause and what to do, with plain texts OLM's text alone", () => {
  const why = { code: "CatalogUnavailable", cause: "host answered 404", remedy: "Correct the reference." } as const;
  const noImage: ClusterCatalog = { ...catalog(), spec: { source: { type: "Image" } } };
  const textsOf = (one: ClusterCatalog, content: ContentState | undefined): readonly (string | undefined)[] =>
    [{}, { hasPlainTexts: true as const }].map((plain) => {
      const world = { catalog: one, content, origin: undefined, ...plain };
      const [action] = planClusterCatalog(world, now).actions;
      return action?.kind === "status" ? action.status.conditions?.[0]?.message : undefined;
    });
  assert.deepEqual(textsOf(catalog(), { kind: "failing", ...why, since: now, retryAt: now + 2000 }), [
    "CatalogUnavailable: source catalog content: host answered 404. Correct the reference; next try at 2026-01-01T00:00:02Z",
    "source catalog content: host answered 404",
  ]);
  assert.deepEqual(textsOf(catalog(), { kind: "refused", ...why }), [
    "CatalogUnavailable: source catalog content: host answered 404. Correct the reference.",
    "source catalog content: terminal error: host answered 404",
  ]);
  assert.deepEqual(textsOf(noImage, undefined), [
    'error parsing ClusterCatalog "cat", image source is nil',
    'terminal error: error parsing ClusterCatalog "cat", image source is nil',
  ]);
});

test("the signer and the policy stand in SignatureVerified", () => {
  const by = { policy: "/etc/policy.json", scope: "purser: catalog/cat", signer: "jane@example.com (https://issuer)" };
  const { conditions = [] } = after(served, { kind: "ready", digest: a, accepted: by });
  const { status, reason, message } = conditions.find(({ type }) => type === "SignatureVerified") ?? {};
  const decided = "accepted by signature policy /etc/policy.json (purser: catalog/cat)";
  assert.deepEqual(
    [status, reason, message],
    ["True", "Verified", `image ${ref} is signed by jane@example.com (https://issuer), ${decided}`],
  );
});

test("faulty packages are a condition and one Warning event, kept while nothing can be read and removed with the faults", () => {
  const plan = (status: ClusterCatalogStatus, faults: PackageFault[] | undefined, content = ready()) => {
    const world = {
      catalog: catalog(status),
      content,
      origin: "https://here",
      ...(faults === undefined ? {} : { faults }),
    };
    const [action] = planClusterCatalog(world, now).actions;
    return action?.kind === "status" ? action : undefined;
  };
  const lineOf = ({ conditions = [] }: ClusterCatalogStatus): string | undefined => {
    const found = conditions.find(({ type }) => type === "FaultyPackages");
    return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
  };
  const faulty = plan(served, [{ packageName: "p", cause: "p.yaml:1: broken" }]);
  assert.ok(faulty);
  const text = "1 package cannot be used: p: p.yaml:1: broken";
  assert.equal(lineOf(faulty.status), `True CatalogInvalid: ${text}`);
  assert.deepEqual(faulty.announce, { type: "Warning", reason: "CatalogInvalid", message: text });
  assert.equal(plan(faulty.status, undefined, pending), undefined);
  const more = plan(faulty.status, [
    { packageName: "p", cause: "x" },
    { packageName: "q", cause: "y" },
  ]);
  assert.equal(lineOf(more?.status ?? {}), "True CatalogInvalid: 2 packages cannot be used: p: x; q: y");
  const moving = plan(faulty.status, [{ packageName: "p", cause: "p.yaml:1: broken" }], ready(b));
  assert.deepEqual(
    [moving?.status.resolvedSource?.image.ref, moving?.announce?.type],
    [`example.com/cat@${b}`, "Normal"],
  );
  const repaired = plan(faulty.status, []);
  assert.deepEqual([lineOf(repaired?.status ?? {}), repaired?.announce], [undefined, undefined]);
});

test("the time of unpacking is that of the content, and is kept while the content is the same", () => {
  const later = (status: ClusterCatalogStatus, content: ContentState, hours: number): string | undefined => {
    const world = { catalog: catalog(status), content, origin: "https://here" };
    const { actions } = planClusterCatalog(world, now + hours * 3_600_000);
    for (const action of actions) if (action.kind === "status") return action.status.lastUnpacked;
    return status.lastUnpacked;
  };
  assert.equal(served.lastUnpacked, "2026-01-01T00:00:00Z");
  assert.equal(later(served, ready(), 1), "2026-01-01T00:00:00Z");
  assert.equal(later({ ...served, urls: { base: "https://former" } }, ready(), 1), "2026-01-01T00:00:00Z");
  assert.equal(later(served, ready(b), 1), "2026-01-01T01:00:00Z");
  const { lastUnpacked: _none, ...without } = served;
  assert.equal(later(without, ready(), 2), "2026-01-01T02:00:00Z");
});
