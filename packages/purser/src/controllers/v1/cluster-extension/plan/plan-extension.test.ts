import assert from "node:assert/strict";
import { test } from "node:test";
import { done, failed } from "@purser/kubernetes/result";
import { planExtension } from "./plan-extension.ts";
import {
  after,
  bundleOf,
  extensionOf,
  now,
  revisionOf,
  linesOf,
  wanting,
  worldOf,
  rendering,
} from "./testing/extension-world.ts";
import type { ExtensionDecision, ExtensionWorld } from "./world.ts";

const nothing = "Installed=False Failed: No bundle installed (3)";
const rendered = rendering({ kind: "ConfigMap" });
const broken = (reason: "Retrying" | "Blocked" | "InvalidConfiguration") =>
  wanting("1.0.0", failed({ message: "upstream's text", reason, violations: ["one", "two"] }));
const unreadable: ExtensionDecision = {
  kind: "want",
  wanted: {
    bundle: bundleOf("1.0.0"),
    content: { kind: "failing", since: 0, cause: "no such directory", remedy: "give it with --bundles" },
  },
};

const about = 'error for resolved bundle "op.v1.0.0" with version "1.0.0": ';
const failingPull = (retryAt: number, code: "BundleUnavailable" | "SignatureRejected"): ExtensionDecision => {
  const why = { cause: "host answered 503", remedy: "wait", code, retryAt } as const;
  return { kind: "want", wanted: { bundle: bundleOf("1.0.0"), content: { kind: "failing", since: 0, ...why } } };
};

const installed = revisionOf(1, "1.0.0", "Succeeded=True Succeeded: done");
/** The catalog gives its bundle another version since it was installed. */
const renumbered = {
  ...installed,
  metadata: {
    ...installed.metadata,
    annotations: { ...installed.metadata.annotations, "olm.operatorframework.io/bundle-version": "0.9.0" },
  },
};

test("a paused extension keeps what it shows, says so in its readiness alone, and writes that once", () => {
  const shown = after(extensionOf(), planExtension(worldOf(broken("Retrying")), now));
  const paused = planExtension(worldOf({ kind: "paused" }, { extension: shown }), now + 60_000);
  const isReadiness = ({ type }: { readonly type: string }): boolean =>
    ["Ready", "Reconciling", "Stalled"].includes(type);
  const extension = after(shown, paused);
  const { conditions = [], ...others } = extension.status ?? {};
  const { conditions: before = [], ...othersBefore } = shown.status ?? {};
  assert.deepEqual(others, othersBefore);
  assert.deepEqual(
    conditions.filter((one) => !isReadiness(one)),
    before.filter((one) => !isReadiness(one)),
  );
  assert.deepEqual(
    conditions
      .filter(isReadiness)
      .map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`),
    [
      "Ready=False Paused: Paused by the annotation purser.dev/paused; to continue: purser resume ext/ext",
      "Reconciling=False Paused: ",
      "Stalled=False Paused: ",
    ],
  );
  assert.deepEqual(planExtension(worldOf({ kind: "paused" }, { extension }), now + 120_000).actions, []);
});

test("an extension has its finalizers before anything else, and loses them, not those of others, when it is deleted", () => {
  const own = [
    "olm.operatorframework.io/cleanup-unpack-cache",
    "olm.operatorframework.io/cleanup-contentmanager-cache",
  ];
  const patchOf = (finalizers: readonly string[], more: { readonly deletionTimestamp?: string } = {}): unknown => {
    const extension = { ...extensionOf(), metadata: { name: "ext", finalizers, ...more } };
    return planExtension(worldOf({ kind: "wait" }, { extension }), now).actions.map((action) =>
      action.kind === "finalizers" && action.write.verb === "patch" ? action.write.patch : action.kind,
    );
  };
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  assert.deepEqual(patchOf(["x.io/y"]), [{ metadata: { finalizers: ["x.io/y", ...own] } }]);
  assert.deepEqual(patchOf(own), []);
  assert.deepEqual(patchOf(["x.io/y", ...own], { deletionTimestamp }), [{ metadata: { finalizers: ["x.io/y"] } }]);
  assert.deepEqual(patchOf(["x.io/y"], { deletionTimestamp }), []);
});

const table: readonly (readonly [string, ExtensionWorld | undefined, readonly string[]])[] = [
  ["an extension that does not exist any more", undefined, []],
  [
    "an extension that is being deleted",
    worldOf(wanting("1.0.0", rendered), {
      extension: { ...extensionOf(), metadata: { name: "ext", deletionTimestamp: "2026-01-01T00:00:00Z" } },
    }),
    [],
  ],
  ["an extension whose catalog is being read", worldOf({ kind: "wait" }), ["again after 5 s"]],
  [
    "an extension that is refused",
    worldOf({
      kind: "refused",
      upstream: 'no bundles found for package "op"',
      explanation: {
        code: "PackageNotFound",
        summary: "There is no such package",
        facts: {},
        derivation: [],
        remedies: [{ summary: "Name another" }],
      },
    }),
    [
      nothing,
      'Progressing=True Retrying: PackageNotFound: There is no such package. Name another\nno bundles found for package "op" (3)',
      "event Warning Retrying",
    ],
  ],
  ["an extension whose bundle is there", worldOf(wanting("1.0.0", rendered)), ["apply op.v1.0.0, 1 objects"]],
  [
    "an extension whose newest revision was made from the same",
    worldOf(wanting("1.0.0", done({ kind: "verified", revision: "ext-1" }))),
    ["keep ext-1"],
  ],
  [
    "an extension that switched the check of CRDs off",
    worldOf(wanting("1.0.0", rendered), {
      extension: extensionOf({ install: { preflight: { crdUpgradeSafety: { enforcement: "None" } } } }),
    }),
    ["apply op.v1.0.0, 1 objects, unchecked"],
  ],
  [
    "an extension whose bundle is being read",
    worldOf(wanting("1.0.0")),
    [
      nothing,
      'Progressing=True RollingOut: error for resolved bundle "op.v1.0.0" with version "1.0.0": the bundle\'s content is being read (3)',
      "again after 60 s",
    ],
  ],
  [
    "an extension whose bundle cannot be had",
    worldOf(unreadable),
    [
      nothing,
      'Progressing=True Retrying: BundleUnavailable: op.v1.0.0: no such directory. Give it with --bundles\nerror for resolved bundle "op.v1.0.0" with version "1.0.0": no such directory (3)',
      "event Warning Retrying",
      "again after 60 s",
    ],
  ],
  [
    "an extension whose bundle is pulled again later",
    worldOf(failingPull(now + 2000, "BundleUnavailable")),
    [
      nothing,
      `Progressing=True Retrying: BundleUnavailable: op.v1.0.0: host answered 503. Wait; next try at 2026-01-01T00:00:02Z\n${about}host answered 503 (3)`,
      "event Warning Retrying",
      "again after 60 s",
    ],
  ],
  [
    "an extension whose bundle's signature is rejected",
    worldOf(failingPull(now + 2000, "SignatureRejected")),
    [
      nothing,
      `Progressing=True Retrying: SignatureRejected: op.v1.0.0: host answered 503. Wait; next try at 2026-01-01T00:00:02Z\n${about}host answered 503 (3)`,
      "SignatureVerified=False SignatureRejected: host answered 503. Wait (3)",
      "event Warning Retrying",
      "again after 60 s",
    ],
  ],
  [
    "an extension whose bundle is signed",
    worldOf({
      kind: "want",
      wanted: {
        bundle: bundleOf("1.0.0"),
        content: {
          kind: "ready",
          digest: `sha256:${"a".repeat(64)}`,
          accepted: { policy: "/policy.json", scope: "purser: package/op", signer: "key sha256:1" },
        },
      },
    }),
    [
      nothing,
      `Progressing=True RollingOut: ${about}the bundle's content is being read (3)`,
      "SignatureVerified=True Verified: bundle op.v1.0.0 (example.com/op:1.0.0) is signed by key sha256:1, accepted by signature policy /policy.json (purser: package/op) (3)",
      "again after 60 s",
    ],
  ],
  [
    "an extension whose installed bundle cannot be had any more",
    worldOf(unreadable, { revisions: [installed] }),
    [
      "Installed=True Succeeded: Installed bundle example.com/op:1.0.0 successfully (3)",
      "installed op.v1.0.0 1.0.0",
      "active ext-1",
      "event Normal Installed",
    ],
  ],
  [
    "an extension whose installed bundle has another version now, which cannot be had",
    worldOf(unreadable, { revisions: [renumbered] }),
    [
      "Installed=True Succeeded: Installed bundle example.com/op:1.0.0 successfully (3)",
      `Progressing=True Retrying: BundleUnavailable: op.v1.0.0: no such directory. Give it with --bundles\n${about}no such directory (3)`,
      "installed op.v1.0.0 0.9.0",
      "active ext-1",
      "event Normal Installed",
      "event Warning Retrying",
      "again after 60 s",
    ],
  ],
  [
    "an extension whose revisions cannot be read",
    { ...worldOf(wanting("1.0.0")), unreadable: "ClusterObjectSets cannot be listed" },
    [
      "Installed=Unknown Failed: ClusterObjectSets cannot be listed (3)",
      "Progressing=True Retrying: ClusterObjectSets cannot be listed\nretrying to get installed bundle (3)",
      "event Warning Retrying",
    ],
  ],
  [
    "an extension whose bundle breaks rules",
    worldOf(broken("Retrying")),
    [
      nothing,
      'Progressing=True Retrying: BundleInvalid: op.v1.0.0: one; two\nerror for resolved bundle "op.v1.0.0" with version "1.0.0": upstream\'s text (3)',
      "event Warning Retrying",
    ],
  ],
  [
    "an extension whose bundle claims APIs of the lifecycle manager",
    worldOf(broken("Blocked")),
    [
      'Progressing=False Blocked: BundleInvalid: op.v1.0.0: one; two\nerror for resolved bundle "op.v1.0.0" with version "1.0.0": upstream\'s text (3)',
      "event Warning Blocked",
    ],
  ],
  [
    "an extension whose configuration does not fit",
    worldOf(broken("InvalidConfiguration")),
    [
      'Progressing=False InvalidConfiguration: ConfigurationInvalid: ext: spec.config.inline does not fit the bundle\nerror for resolved bundle "op.v1.0.0" with version "1.0.0": upstream\'s text (3)',
      "event Warning InvalidConfiguration",
    ],
  ],
  [
    "an extension whose error OLM marks as terminal",
    worldOf(
      wanting(
        "1.0.0",
        failed({
          message: "terminal error: invalid configuration: x",
          reason: "InvalidConfiguration",
          violations: ["terminal error: invalid configuration: x"],
        }),
      ),
      { revisions: [revisionOf(1, "0.9.0", "Succeeded=True Succeeded: done")] },
    ),
    [
      'Progressing=False InvalidConfiguration: ConfigurationInvalid: ext: spec.config.inline does not fit the bundle\nerror for resolved bundle "op.v1.0.0" with version "1.0.0": invalid configuration: x (3)',
      "installed op.v0.9.0 0.9.0",
      "active ext-1",
      "event Normal Installed",
      "event Warning InvalidConfiguration",
    ],
  ],
];

for (const [what, world, expected] of table)
  test(`${what} gets its plan`, () => assert.deepEqual(linesOf(planExtension(world, now)), expected));

test("the next try of the same pull is written once, without another event", () => {
  const { extension } = worldOf(failingPull(now, "BundleUnavailable"));
  const first = after(extension, planExtension(worldOf(failingPull(now + 2000, "BundleUnavailable")), now));
  const again = (retryAt: number) =>
    linesOf(planExtension(worldOf(failingPull(retryAt, "BundleUnavailable"), { extension: first }), now));
  assert.deepEqual(again(now + 2000), ["again after 60 s"]);
  assert.equal(again(now + 6000).filter((line) => line.startsWith("event")).length, 0);
  assert.equal(again(now + 6000).filter((line) => line.includes("next try at 2026-01-01T00:00:06Z")).length, 1);
});
