import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFieldError } from "../field-error.ts";
import { compareLevels, formatLevel, policyOf } from "./policy-labels.ts";

/** Labels without their prefix, what is enforced and what is warned of, and the errors. */
const policies: readonly (readonly [
  labels: Readonly<Record<string, string>>,
  policy: string,
  errors: readonly string[],
])[] = [
  [{}, "privileged:latest privileged:latest", []],
  [{ enforce: "baseline" }, "baseline:latest baseline:latest", []],
  [{ enforce: "restricted", "enforce-version": "v1.25" }, "restricted:v1.25 restricted:v1.25", []],
  [
    { enforce: "bad" },
    "restricted:latest privileged:latest",
    [
      'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "bad": must be one of privileged, baseline, restricted',
    ],
  ],
  [
    { enforce: "baseline", "enforce-version": "v1.x" },
    "baseline:latest baseline:latest",
    ['metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: "v1.x": must be "latest" or "v1.x"'],
  ],
  [
    { enforce: "baseline", "enforce-version": "v1.01" },
    "baseline:latest baseline:latest",
    ['metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: "v1.01": must be "latest" or "v1.x"'],
  ],
  [
    { enforce: "baseline", "enforce-version": "v2.1" },
    "baseline:latest baseline:latest",
    ['metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: "v2.1": must be "latest" or "v1.x"'],
  ],
  [{ enforce: "baseline", "enforce-version": "latest" }, "baseline:latest baseline:latest", []],
  [{ enforce: "baseline", "enforce-version": "v1.0" }, "baseline:v1.0 baseline:v1.0", []],
  [
    { enforce: "baseline", "enforce-version": "v1.9223372036854775808" },
    "baseline:latest baseline:latest",
    [
      'metadata.labels[pod-security.kubernetes.io/enforce-version]: Invalid value: "v1.9223372036854775808": must be "latest" or "v1.x"',
    ],
  ],
  [{ warn: "restricted" }, "privileged:latest restricted:latest", []],
  [{ warn: "restricted", "warn-version": "v1.20" }, "privileged:latest restricted:v1.20", []],
  [
    { warn: "bad" },
    "privileged:latest privileged:latest",
    [
      'metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "bad": must be one of privileged, baseline, restricted',
    ],
  ],
  [
    { enforce: "restricted", warn: "bad" },
    "restricted:latest privileged:latest",
    [
      'metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "bad": must be one of privileged, baseline, restricted',
    ],
  ],
  [{ enforce: "restricted", warn: "privileged" }, "restricted:latest privileged:latest", []],
  [
    { enforce: "restricted", "enforce-version": "v1.22", "warn-version": "v1.23" },
    "restricted:v1.22 restricted:v1.23",
    [],
  ],
  [
    { enforce: "restricted", "warn-version": "bad" },
    "restricted:latest restricted:latest",
    ['metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "bad": must be "latest" or "v1.x"'],
  ],
  [{ enforce: "privileged", "warn-version": "v1.23" }, "privileged:latest privileged:v1.23", []],
  [{ enforce: "privileged" }, "privileged:latest privileged:latest", []],
  [
    { audit: "bad" },
    "privileged:latest privileged:latest",
    [
      'metadata.labels[pod-security.kubernetes.io/audit]: Invalid value: "bad": must be one of privileged, baseline, restricted',
    ],
  ],
  [
    { audit: "baseline", "audit-version": "bad" },
    "privileged:latest privileged:latest",
    ['metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: "bad": must be "latest" or "v1.x"'],
  ],
  [{ "enforce-version": "v1.25" }, "privileged:v1.25 privileged:latest", []],
];

for (const [labels, policy, errors] of policies)
  test(`a namespace labelled ${JSON.stringify(labels)} has the policy ${policy}`, () => {
    const prefixed = Object.entries(labels).map(([name, value]) => [`pod-security.kubernetes.io/${name}`, value]);
    const found = policyOf(Object.fromEntries(prefixed) as Readonly<Record<string, string>>);
    assert.equal(`${formatLevel(found.enforce)} ${formatLevel(found.warn)}`, policy);
    assert.deepEqual(found.errors.map(formatFieldError), errors);
  });

test("without labels everything is allowed, and levels are ordered by strictness", () => {
  assert.deepEqual(policyOf(undefined), policyOf({}));
  assert.ok(compareLevels("restricted", "baseline") > 0);
  assert.ok(compareLevels("privileged", "baseline") < 0);
  assert.equal(compareLevels("baseline", "baseline"), 0);
});
