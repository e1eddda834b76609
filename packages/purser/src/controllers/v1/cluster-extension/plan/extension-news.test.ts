import assert from "node:assert/strict";
import { test } from "node:test";
import type { Condition } from "@purser/kubernetes/apis/condition";
import type { ClusterExtensionStatus } from "../../../../apis/v1/cluster-extension.ts";
import { extensionNews } from "./extension-news.ts";

/** A status with the conditions `TYPE=STATUS REASON: MESSAGE`, and the bundle `op.vVERSION` where one is installed. */
function statusOf(version: string, ...shown: readonly string[]): ClusterExtensionStatus {
  const conditions = shown.map((text): Condition => {
    const [, type = "", status, reason = "", message = ""] = /^(\w+)=(\w+) (\w+)(?:: (.*))?$/s.exec(text) ?? [];
    return { type, status: status as Condition["status"], reason, message, lastTransitionTime: "" };
  });
  return version === "" ? { conditions } : { conditions, install: { bundle: { name: `op.v${version}`, version } } };
}

const retrying = "Progressing=True Retrying: no bundles found";
const succeeded = "Progressing=True Succeeded: Desired state reached";
const rolling = "Progressing=True RollingOut: Revision 1.0.0 is rolling out.";
const own = (text: string) => statusOf("", text).conditions?.[0];

const rows: readonly (readonly [
  what: string,
  before: ClusterExtensionStatus | undefined,
  after: ClusterExtensionStatus,
  ownProgress: Condition | undefined,
  events: readonly string[],
])[] = [
  ["a first roll-out", undefined, statusOf("", rolling), undefined, []],
  [
    "an installation",
    statusOf("", rolling),
    statusOf("1.0.0", succeeded),
    undefined,
    ["Normal Installed: Installed op.v1.0.0"],
  ],
  [
    "an upgrade",
    statusOf("1.9.0", succeeded),
    statusOf("1.10.0", succeeded),
    undefined,
    ["Normal Upgraded: Upgraded from op.v1.9.0 to op.v1.10.0"],
  ],
  [
    "a downgrade",
    statusOf("1.10.0", succeeded),
    statusOf("1.9.0", succeeded),
    undefined,
    ["Normal Downgraded: Downgraded from op.v1.10.0 to op.v1.9.0"],
  ],
  ["the same again", statusOf("1.0.0", succeeded), statusOf("1.0.0", succeeded), undefined, []],
  [
    "a fault",
    statusOf("1.0.0", succeeded),
    statusOf("1.0.0", retrying),
    own(retrying),
    ["Warning Retrying: no bundles found"],
  ],
  ["a fault that stays", statusOf("1.0.0", retrying), statusOf("1.0.0", retrying), own(retrying), []],
  [
    "a fault that is tried again later",
    statusOf("", "Progressing=True Retrying: no answer; next try at 2026-01-01T00:00:02Z"),
    statusOf("", "Progressing=True Retrying: no answer; next try at 2026-01-01T00:00:06Z"),
    own("Progressing=True Retrying: no answer; next try at 2026-01-01T00:00:06Z"),
    [],
  ],
  ["a fault of its revision, which reports it itself", statusOf("", rolling), statusOf("", retrying), undefined, []],
  [
    "a fault that is over",
    statusOf("1.0.0", retrying),
    statusOf("1.0.0", succeeded),
    undefined,
    ["Normal Succeeded: Desired state reached"],
  ],
  [
    "an upgrade that ends a fault",
    statusOf("1.0.0", retrying),
    statusOf("1.1.0", succeeded),
    undefined,
    ["Normal Upgraded: Upgraded from op.v1.0.0 to op.v1.1.0"],
  ],
  [
    "a bundle that is known again",
    statusOf("", "Installed=Unknown Failed: unreadable", retrying),
    statusOf("1.0.0", succeeded),
    undefined,
    ["Normal Succeeded: Desired state reached"],
  ],
  [
    "other content beside a fault",
    statusOf("1.0.0", succeeded),
    statusOf("1.0.0", retrying, "BundleChanged=True DigestChanged: other content"),
    own(retrying),
    ["Warning Retrying: no bundles found", "Warning DigestChanged: other content"],
  ],
  [
    "a pause",
    statusOf("1.0.0", succeeded, "Ready=True Succeeded"),
    statusOf("1.0.0", succeeded, "Ready=False Paused: Paused by the annotation"),
    undefined,
    ["Normal Paused: Paused by the annotation"],
  ],
  [
    "its end",
    statusOf("1.0.0", succeeded, "Ready=False Paused: Paused by the annotation"),
    statusOf("1.0.0", succeeded, "Ready=True Succeeded"),
    undefined,
    ["Normal Resumed: It is reconciled again"],
  ],
];
for (const [what, before, after, ownProgress, events] of rows)
  test(`${what} of an extension is ${events.length === 0 ? "no event" : "an event"}`, () =>
    assert.deepEqual(
      extensionNews(before, after, ownProgress).map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
      events,
    ));
