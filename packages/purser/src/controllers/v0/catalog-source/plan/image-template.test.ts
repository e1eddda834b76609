import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveTemplate, withTemplate } from "./image-template.ts";

const unresolved = (partial: string, causes: string) =>
  ({
    kind: "unresolved",
    partial,
    message: `cannot construct catalog image reference, because ${causes}`,
  }) as const;
const syntax = "one or more template(s) has improper syntax";

const cases: readonly (readonly [template: string | undefined, version: string | undefined, outcome: object])[] = [
  [undefined, "v1.36.3", { kind: "none" }],
  ["", "v1.36.3", { kind: "none" }],
  [
    "example.com/cat:v{kube_major_version}.{kube_minor_version}",
    "v1.36.3",
    { kind: "resolved", image: "example.com/cat:v1.36" },
  ],
  [
    "example.com/cat:{kube_patch_version}-{kube_patch_version}",
    "v1.36.3+k3s1",
    { kind: "resolved", image: "example.com/cat:3-3" },
  ],
  ["example.com/cat:v1", undefined, { kind: "resolved", image: "example.com/cat:v1" }],
  [
    "example.com/cat:v{kube_major_version}.{kube_minor_version}",
    undefined,
    unresolved(
      "example.com/cat:vmissing.missing",
      'variable(s) "{kube_major_version}", "{kube_minor_version}" could not be resolved',
    ),
  ],
  ["example.com/cat:{group}", "v1.36.3", unresolved("example.com/cat:{group}", syntax)],
  [
    "example.com/cat:{kube_major_version}{group}",
    "not a version",
    unresolved(
      "example.com/cat:missing{group}",
      `variable(s) "{kube_major_version}" could not be resolved and ${syntax}`,
    ),
  ],
];

for (const [template, version, outcome] of cases)
  test(`template ${template ?? "(none)"} on ${version ?? "an unknown version"} is ${JSON.stringify(outcome)}`, () =>
    assert.deepEqual(resolveTemplate(template, version), outcome));

const time = "2026-01-01T00:00:00Z";
const ready = { type: "Ready", status: "True", reason: "Serving", message: "", lastTransitionTime: time } as const;

test("a resolved template shows its image in both conditions, an unresolved one what is wrong with it", () => {
  const shown = (outcome: Parameters<typeof withTemplate>[1]) =>
    withTemplate([ready], outcome, time)
      ?.slice(1)
      .map(({ type, status, reason, message }) => [type, status, reason, message]);
  assert.deepEqual(shown({ kind: "resolved", image: "example.com/cat:v1" }), [
    ["TemplatesHaveResolved", "True", "AllTemplatesResolved", "catalog image reference was successfully resolved"],
    ["ResolvedImage", "True", "AllTemplatesResolved", "example.com/cat:v1"],
  ]);
  assert.deepEqual(shown(unresolved("example.com/{x}", syntax)), [
    [
      "TemplatesHaveResolved",
      "False",
      "UnableToResolve",
      `cannot construct catalog image reference, because ${syntax}`,
    ],
    ["ResolvedImage", "False", "UnableToResolve", "example.com/{x}"],
  ]);
});

test("without a template both conditions go and all others stay", () => {
  const held = withTemplate([ready], { kind: "resolved", image: "example.com/cat:v1" }, time);
  assert.deepEqual(withTemplate(held, { kind: "none" }, time), [ready]);
  assert.equal(withTemplate(undefined, { kind: "none" }, time), undefined);
});
