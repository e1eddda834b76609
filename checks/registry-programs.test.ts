import assert from "node:assert/strict";
import { test } from "node:test";
import { planPreparation, type Preparation } from "./registry-programs.ts";

const all = ["docker-registry", "htpasswd", "skopeo"];
const rest = "not on the PATH, and";
const skipped = "the tests that run them are skipped";
const cases: readonly (readonly [who: "root" | "user", path: readonly string[], expected: Preparation])[] = [
  ["root", all, { kind: "complete" }],
  ["user", all, { kind: "complete" }],
  ["root", ["apt-get"], { kind: "install", packages: ["docker-registry", "apache2-utils", "skopeo"] }],
  ["root", ["apt-get", "docker-registry", "skopeo"], { kind: "install", packages: ["apache2-utils"] }],
  [
    "user",
    ["apt-get", "skopeo"],
    {
      kind: "impossible",
      reason: `docker-registry, htpasswd ${rest} only root can install them (apt-get install docker-registry apache2-utils); ${skipped}`,
    },
  ],
  [
    "root",
    ["docker-registry", "htpasswd"],
    { kind: "impossible", reason: `skopeo ${rest} there is no apt-get to install them with; ${skipped}` },
  ],
];

for (const [who, path, expected] of cases)
  test(`${who} with ${path.join(", ")} on the PATH: ${expected.kind}`, () => {
    const plan = planPreparation({ isRoot: who === "root", isOnPath: (program) => path.includes(program) });
    assert.deepEqual(plan, expected);
  });
