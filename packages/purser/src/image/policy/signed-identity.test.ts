import assert from "node:assert/strict";
import { test } from "node:test";
import { parseImageReference } from "../../image-reference.ts";
import type { SignedIdentity } from "./policy.ts";
import { identityMismatch } from "./signed-identity.ts";

const digest = `sha256:${"a".repeat(64)}`;
const remap = (prefix: string, signedPrefix: string): SignedIdentity => ({
  kind: "remapIdentity",
  prefix,
  signedPrefix,
});
const exact = (kind: "exactReference" | "exactRepository", reference: string): SignedIdentity => ({ kind, reference });
const noTag = (signed: string): string =>
  `it is for ${signed} without a tag, as cosign signs; accept that with signedIdentity {"type": "matchRepository"}`;

const rows: readonly (readonly [
  rule: SignedIdentity,
  image: string | undefined,
  signed: string | undefined,
  mismatch: string | undefined,
])[] = [
  [{ kind: "matchDigest" }, "r.io/a:1", undefined, undefined],
  [{ kind: "matchDigest" }, undefined, "any name", undefined],
  [
    { kind: "matchExact" },
    "r.io/a:1",
    undefined,
    `it names no image, only the digest, as cosign 3 signs; accept that with signedIdentity {"type": "matchDigest"}`,
  ],
  [{ kind: "matchExact" }, "r.io/a:1", "Not A Name", 'it is for "Not A Name", which is no image name'],
  [{ kind: "matchExact" }, "r.io/a:1", "r.io/a:1", undefined],
  [{ kind: "matchExact" }, "r.io/a:1", "r.io/a:2", "it is for r.io/a:2"],
  [{ kind: "matchExact" }, `r.io/a@${digest}`, `r.io/a@${digest}`, undefined],
  [{ kind: "matchExact" }, `r.io/a@${digest}`, "r.io/a:1", "it is for r.io/a:1"],
  [{ kind: "matchExact" }, "r.io/a:1", "r.io/a", noTag("r.io/a")],
  [
    { kind: "matchExact" },
    undefined,
    "r.io/a:1",
    "identity matchExact needs an image of a registry; use exactReference or exactRepository",
  ],
  [{ kind: "matchRepository" }, "r.io/a:1", "r.io/a", undefined],
  [{ kind: "matchRepository" }, "r.io/a:1", "r.io/b", "it is for r.io/b"],
  [{ kind: "matchRepository" }, "r.io/a:1", "q.io/a", "it is for q.io/a"],
  [{ kind: "matchRepoDigestOrExact" }, "r.io/a:1", "r.io/a:1", undefined],
  [{ kind: "matchRepoDigestOrExact" }, "r.io/a:1", "r.io/a:2", "it is for r.io/a:2, not for r.io/a:1"],
  [{ kind: "matchRepoDigestOrExact" }, "r.io/a:1", "r.io/b:1", "it is for r.io/b:1, not for r.io/a:1"],
  [{ kind: "matchRepoDigestOrExact" }, `r.io/a@${digest}`, "r.io/a:9", undefined],
  [{ kind: "matchRepoDigestOrExact" }, `r.io/a@${digest}`, "r.io/b:9", `it is for r.io/b:9, not for r.io/a@${digest}`],
  [exact("exactReference", "r.io/a:1"), undefined, "r.io/a:1", undefined],
  [exact("exactReference", "r.io/a:1"), "q.io/x:1", "r.io/a:2", "it is for r.io/a:2, not for r.io/a:1"],
  [exact("exactReference", "r.io/a"), undefined, "r.io/a", "it is for r.io/a, not for r.io/a"],
  [exact("exactReference", "No Name"), undefined, "r.io/a", `the policy's "No Name" is no image name`],
  [exact("exactRepository", "r.io/a"), undefined, "r.io/a:2", undefined],
  [exact("exactRepository", "r.io/a"), undefined, "r.io/b:2", "it is for r.io/b:2, not for r.io/a"],
  [remap("r.io", "s.io/x"), "r.io/a:1", "s.io/x/a:1", undefined],
  [remap("r.io/a", "s.io/b"), "r.io/a:1", "s.io/b:1", undefined],
  [remap("r.io/a", "s.io/b"), "r.io/ab:1", "r.io/ab:1", undefined],
  [remap("r.io", "s.io"), "r.io:5000/a:1", "r.io:5000/a:1", undefined],
  [remap("q.io", "s.io"), "r.io/a:1", "r.io/a:1", undefined],
  [remap("r.io", "s.io"), "r.io/a:1", "r.io/a:1", "it is for r.io/a:1, not for s.io/a:1"],
  [remap("r.io", "No Name"), "r.io/a:1", "r.io/a:1", "the policy remaps r.io/a:1 to a name that is none"],
];
for (const [rule, image, signed, mismatch] of rows)
  test(`${JSON.stringify(rule)}: a signature of ${signed ?? "no name"} for ${image ?? "an archive"} ${mismatch === undefined ? "counts" : "does not count"}`, () => {
    const parsed = image === undefined ? undefined : parseImageReference(image);
    assert.ok(parsed?.ok !== false);
    assert.equal(identityMismatch(rule, parsed?.value, signed), mismatch);
  });
