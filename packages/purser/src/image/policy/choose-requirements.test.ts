import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseRequirements } from "./choose-requirements.ts";
import { imageIdentity } from "./image-identity.ts";
import { parsePolicy } from "./parse-policy.ts";
import { identityMismatch } from "./signed-identity.ts";
import type { SignedIdentity } from "./policy.ts";
import { parseImageReference } from "../../image-reference.ts";

const digest = `sha256:${"0".repeat(64)}`;
const identityOf = (reference: string) => {
  const identity = imageIdentity(reference, (path) => `/real/${path}`);
  assert.ok(identity.ok);
  return identity.value;
};

const scopes: readonly (readonly [reference: string, transport: string, scopes: readonly string[]])[] = [
  [
    "registry.eu.example.com:5000/team/app/catalog:v1",
    "docker",
    [
      "registry.eu.example.com:5000/team/app/catalog:v1",
      "registry.eu.example.com:5000/team/app/catalog",
      "registry.eu.example.com:5000/team/app",
      "registry.eu.example.com:5000/team",
      "registry.eu.example.com:5000",
      "*.eu.example.com:5000",
      "*.example.com:5000",
      "*.com:5000",
    ],
  ],
  [
    `docker://localhost/a:v1@${digest}`,
    "docker",
    [`localhost/a@${digest}`, "localhost/a:v1", "localhost/a", "localhost"],
  ],
  [
    "docker.io/busybox:1",
    "docker",
    ["docker.io/library/busybox:1", "docker.io/library/busybox", "docker.io/library", "docker.io", "*.io"],
  ],
  ["oci:a/b:v1", "oci", ["/real/a/b:v1", "/real/a/b", "/real/a", "/real"]],
  ["oci-archive:a.tar:v1", "oci-archive", ["/real/a.tar", "/real"]],
  ["docker-archive:a.tar", "docker-archive", []],
];
for (const [reference, transport, expected] of scopes)
  test(`scopes of ${reference}, the most specific first`, () => {
    const identity = identityOf(reference);
    assert.equal(identity.transport, transport);
    assert.deepEqual(identity.scopes, expected);
  });

const image = "quay.eu.example.com/team/app:v1";
/** Each with what stands before it already: the one before must win. */
const ranked: readonly (readonly [transport: string, scope: string, shown: string])[] = [
  ["purser", "catalog/foo", "purser: catalog/foo"],
  ["purser", "package/foo", "purser: package/foo"],
  ["docker", "quay.eu.example.com/team/app:v1", "docker: quay.eu.example.com/team/app:v1"],
  ["docker", "quay.eu.example.com/team/app", "docker: quay.eu.example.com/team/app"],
  ["docker", "quay.eu.example.com/team", "docker: quay.eu.example.com/team"],
  ["docker", "quay.eu.example.com", "docker: quay.eu.example.com"],
  ["docker", "*.eu.example.com", "docker: *.eu.example.com"],
  ["docker", "*.example.com", "docker: *.example.com"],
  ["docker", "", "docker"],
];
const never = [
  ["purser", "catalog/bar"],
  ["docker", "quay.eu.example.com/tea"],
  ["docker", "quay.eu.example.com/team/app:v2"],
  ["docker", "example.com"],
  ["docker", "*.quay.eu.example.com"],
  ["oci", ""],
] as const;
for (const [index, [transport, scope, shown]] of ranked.entries())
  test(`${shown} applies when nothing more specific is there`, () => {
    const transports: Record<string, Record<string, object>> = {};
    for (const [name, other] of [...ranked.slice(index), ...never])
      (transports[name] ??= {})[other] = [{ type: "reject" }];
    const own = transports[transport] ?? {};
    own[scope] = [{ type: "insecureAcceptAnything" }];
    const policy = parsePolicy(JSON.stringify({ default: [{ type: "reject" }], transports }));
    assert.ok(policy.ok);
    const chosen = chooseRequirements(policy.value, ["catalog/foo", "package/foo"], identityOf(image));
    assert.deepEqual(chosen, { scope: shown, requirements: [{ kind: "accept" }] });
  });

test("the default of the policy applies when nothing else does", () => {
  const transports = Object.fromEntries(never.map(([name, scope]) => [name, { [scope]: [{ type: "reject" }] }]));
  const policy = parsePolicy(JSON.stringify({ default: [{ type: "insecureAcceptAnything" }], transports }));
  assert.ok(policy.ok);
  assert.equal(chooseRequirements(policy.value, ["catalog/foo"], identityOf(image)).scope, "default");
});

const exact = { kind: "matchRepoDigestOrExact" } as const;
const remap = { kind: "remapIdentity", prefix: "mirror.example.com/m", signedPrefix: "quay.io/acme" } as const;
const byDigest = `quay.io/acme/app@${digest}`;
const identities: readonly (readonly [SignedIdentity, image: string, signed: string, accepted: boolean])[] = [
  [exact, "quay.io/acme/app:v1", "quay.io/acme/app:v1", true],
  [exact, "quay.io/acme/app:v1", "quay.io/acme/app:v2", false],
  [exact, "quay.io/acme/app:v1", "quay.io/acme/app", false],
  [exact, "quay.io/acme/app:v1", "quay.io/acme/other:v1", false],
  [exact, "quay.io/acme/app:v1", "docker.io/acme/app:v1", false],
  [exact, byDigest, "quay.io/acme/app:v2", true],
  [exact, byDigest, "quay.io/acme/app", false],
  [exact, byDigest, "quay.io/acme/other:v2", false],
  [exact, `quay.io/acme/app:v1@${digest}`, "quay.io/acme/app:v1", true],
  [exact, `quay.io/acme/app:v1@${digest}`, "quay.io/acme/app:v2", false],
  [exact, "quay.io/acme/app:v1", "not a name", false],
  [{ kind: "matchExact" }, "quay.io/acme/app:v1", "quay.io/acme/app:v1", true],
  [{ kind: "matchExact" }, byDigest, "quay.io/acme/app:v1", false],
  [{ kind: "matchDigest" }, "quay.io/acme/app:v1", "quay.io/acme/other:v2", true],
  [{ kind: "matchRepository" }, "quay.io/acme/app:v1", "quay.io/acme/app", true],
  [{ kind: "matchRepository" }, "quay.io/acme/app:v1", "quay.io/acme/app:v9", true],
  [{ kind: "matchRepository" }, "quay.io/acme/app:v1", "quay.io/acme/apps", false],
  [{ kind: "exactReference", reference: "quay.io/x/y:v1" }, "quay.io/acme/app:v1", "quay.io/x/y:v1", true],
  [{ kind: "exactReference", reference: "quay.io/x/y:v1" }, "quay.io/acme/app:v1", "quay.io/acme/app:v1", false],
  [{ kind: "exactReference", reference: "quay.io/x/y" }, "quay.io/acme/app:v1", "quay.io/x/y", false],
  [{ kind: "exactReference", reference: "quay.io/x/y:v1" }, "oci:a", "quay.io/x/y:v1", true],
  [{ kind: "exactRepository", reference: "quay.io/x/y" }, "quay.io/acme/app:v1", "quay.io/x/y:v1", true],
  [{ kind: "exactRepository", reference: "quay.io/x/y" }, "quay.io/acme/app:v1", "quay.io/x/z:v1", false],
  [exact, "oci:a", "quay.io/acme/app:v1", false],
  [{ kind: "matchRepository" }, "oci:a", "quay.io/acme/app:v1", false],
  [remap, "mirror.example.com/m/app:v1", "quay.io/acme/app:v1", true],
  [remap, "mirror.example.com/m/app:v1", "mirror.example.com/m/app:v1", false],
  [remap, "mirror.example.com/my/app:v1", "quay.io/acmey/app:v1", false],
  [remap, "mirror.example.com/my/app:v1", "mirror.example.com/my/app:v1", true],
  [{ ...remap, prefix: "mirror.example.com" }, "mirror.example.com:5000/m/app:v1", "quay.io/acme:5000/m/app:v1", false],
  [{ ...remap, prefix: "mirror.example.com/m/app" }, `mirror.example.com/m/app@${digest}`, "quay.io/acme:v3", true],
];
for (const [rule, name, signed, accepted] of identities)
  test(`${rule.kind} ${accepted ? "accepts" : "refuses"} a signature for ${signed} on ${name}`, () => {
    const parsed = name.startsWith("oci:") ? undefined : parseImageReference(name);
    const mismatch = identityMismatch(rule, parsed?.ok === true ? parsed.value : undefined, signed);
    assert.equal(mismatch === undefined, accepted, mismatch);
  });
