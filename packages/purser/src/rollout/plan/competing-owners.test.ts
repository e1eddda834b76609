import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import { competingOwners } from "./competing-owners.ts";

const csvOf = (name: string, ...crds: readonly string[]): ClusterServiceVersion =>
  ({
    metadata: { name },
    spec: crds.length === 0 ? {} : { customresourcedefinitions: { owned: crds.map((crd) => ({ name: crd })) } },
  }) as unknown as ClusterServiceVersion;

const taken = "pre-existing CRD owners found for owned CRD(s) of dependent CSV a.v1";
const several = (crd: string): string =>
  `error checking crd owners for: a.v1: Existing CSVs [b.v1 c.v1] in namespace ns all claim to own CRD ${crd}`;
const own = csvOf("a.v1", "as.g.io", "bs.g.io");
for (const [what, csv, others, expected] of [
  ["nothing", own, [], undefined],
  ["a CSV without CRDs", own, [csvOf("b.v1")], undefined],
  ["a CSV with other CRDs", own, [csvOf("b.v1", "cs.g.io")], undefined],
  ["itself", own, [own], undefined],
  ["another owner of one of its CRDs", own, [csvOf("b.v1", "cs.g.io", "bs.g.io")], taken],
  ["several owners of a CRD", own, [csvOf("b.v1", "bs.g.io"), csvOf("c.v1", "bs.g.io")], several("bs.g.io")],
  [
    "the first CRD with another owner first",
    own,
    [csvOf("b.v1", "as.g.io", "bs.g.io"), csvOf("c.v1", "bs.g.io")],
    taken,
  ],
  ["nothing for a CSV without CRDs", csvOf("a.v1"), [csvOf("b.v1", "as.g.io")], undefined],
] as const)
  test(`owners of the CRDs of a CSV beside ${what}`, () => assert.equal(competingOwners(csv, others, "ns"), expected));
