import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { rolledBackAnnotation, rolledBackText } from "../../../apis/policy/rolled-back.ts";
import { goingBack, leftFor } from "./left-versions.ts";

const record = {
  bundle: "op.v2",
  to: "op.v1",
  at: "2026-01-01T00:00:00Z",
  plan: "sha256:1",
  because: "late",
  uid: "2",
};

const csv = (version: number, metadata: object = {}): ClusterServiceVersion =>
  ({
    metadata: { name: `op.v${version}`, uid: `${version}`, ...metadata },
    spec: { replaces: `op.v${version - 1}` },
  }) as unknown as ClusterServiceVersion;

const subscription = (given: object | undefined): Subscription =>
  ({
    metadata: given === undefined ? {} : { annotations: { [rolledBackAnnotation]: JSON.stringify(given) } },
  }) as unknown as Subscription;

const marked = (version: number, given: object = record): ClusterServiceVersion =>
  csv(version, { annotations: { [rolledBackAnnotation]: rolledBackText({ ...record, ...given }) } });

const leavingTable: readonly (readonly [string, object | undefined, readonly ClusterServiceVersion[], string])[] = [
  ["without a record", undefined, [csv(1), csv(2)], "nothing"],
  ["of a record whose version is gone", record, [csv(1)], "nothing"],
  ["of a later attempt of the same version", { ...record, uid: "older" }, [csv(1), csv(2)], "nothing"],
  ["without the former version", record, [csv(2)], "nothing"],
  [
    "whose former version is being deleted",
    record,
    [csv(1, { deletionTimestamp: "2026-01-01T00:00:00Z" }), csv(2)],
    "nothing",
  ],
  ["of one hop", record, [csv(1), csv(2)], "op.v2 for op.v1"],
  ["with hops after it, the newest first", record, [csv(3), csv(1), csv(2), csv(4)], "op.v4, op.v3, op.v2 for op.v1"],
  [
    "in a circle",
    record,
    [{ ...csv(1), spec: { replaces: "op.v2" } } as ClusterServiceVersion, csv(2)],
    "op.v2 for op.v1",
  ],
];
for (const [what, given, csvs, expected] of leavingTable)
  test(`a rollback ${what} leaves ${expected}`, () => {
    const going = goingBack(subscription(given), csvs);
    const names = going?.left.map(({ metadata }) => metadata.name).join(", ");
    assert.equal(going === undefined ? "nothing" : `${names} for ${going.to.metadata.name}`, expected);
  });

const markTable: readonly (readonly [string, ClusterServiceVersion, string | undefined])[] = [
  ["without a mark", csv(2), undefined],
  ["with a mark", marked(2), "op.v1"],
  ["with the mark of another object of its name", marked(2, { uid: "older" }), undefined],
  ["after the version of the mark", marked(3), "op.v1"],
  ["with a mark without uid", csv(2, { annotations: { [rolledBackAnnotation]: '{"bundle":"op.v2"}' } }), undefined],
  ["whose mark names itself", marked(1), undefined],
  ["whose former version does not exist", marked(2, { to: "op.v0" }), undefined],
];
for (const [what, one, expected] of markTable)
  test(`a CSV ${what} is ${expected === undefined ? "not left" : `left for ${expected}`}`, () =>
    assert.equal(leftFor(one, [csv(1), one])?.metadata.name, expected));
