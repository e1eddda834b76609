import { allSteps } from "@purser/kubernetes/steps";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { formatFieldError, type FieldError } from "@purser/kubernetes/object/field-error";
import { validateConditions } from "./condition-validation.ts";
import { decodeAs } from "./decoding/decode.ts";
import { validateEndpoints, validateEndpointSlice } from "./services/endpoints-validation.ts";
import { validateCoreEvent, validateNewerEvent } from "./event-validation.ts";
import { portNameProblems, validateNetworkPolicy } from "./network-policy-validation.ts";
import { validateLimitRange, validateQuota } from "./quotas/quota-validation.ts";
import { validateClaim, validateVolume } from "./storage/storage-validation.ts";

type Row = readonly [name: string, errors: () => readonly FieldError[], expected: readonly string[]];

const claim = (spec: JsonObject): JsonObject => ({
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});
const event = (rest: JsonObject): JsonObject => ({
  metadata: { namespace: "n" },
  involvedObject: { namespace: "n" },
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingComponent: "x.io/c",
  reportingInstance: "i",
  action: "a",
  reason: "r",
  type: "Normal",
  ...rest,
});
const limits = (...items: readonly JsonObject[]): JsonObject => ({ spec: { limits: [...items] } });

const rows: readonly Row[] = [
  [
    "refuses a subset without addresses",
    () => validateEndpoints({ subsets: [{}] }, undefined),
    ["subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"],
  ],
  [
    "refuses a loopback address in Endpoints",
    () => validateEndpoints({ subsets: [{ addresses: [{ ip: "127.0.0.1" }] }] }, undefined),
    ['subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  ],
  [
    "refuses an unnamed port beside others",
    () =>
      validateEndpoints(
        {
          subsets: [
            {
              addresses: [{ ip: "10.1.2.3" }],
              ports: [
                { port: 80, protocol: "TCP" },
                { name: "b", port: 81, protocol: "TCP" },
              ],
            },
          ],
        },
        undefined,
      ),
    ["subsets[0].ports[0].name: Required value"],
  ],
  ["does not validate unchanged subsets", () => validateEndpoints({ subsets: [{}] }, { subsets: [{}] }), []],
  [
    "refuses an IPv6 address in an IPv4 slice",
    () => validateEndpointSlice({ addressType: "IPv4", endpoints: [{ addresses: ["fd00::1"] }] }, undefined),
    ['endpoints[0].addresses: Invalid value: "fd00::1": must be an IPv4 address'],
  ],
  [
    "refuses a change of a slice's addressType",
    () => validateEndpointSlice({ addressType: "IPv6" }, { addressType: "IPv4" }),
    ['addressType: Invalid value: "IPv6": field is immutable'],
  ],
  [
    "refuses unknown resources and fractions of counted ones in a quota",
    () => allSteps(validateQuota({ spec: { hard: { pods: "100m", nonsense: "1" } } }, undefined)),
    [
      'spec.hard[pods]: Invalid value: "100m": must be an integer',
      'spec.hard[nonsense]: Invalid value: "nonsense": must be a standard resource type or fully qualified',
      'spec.hard[nonsense]: Invalid value: "nonsense": must be a standard resource for quota',
    ],
  ],
  [
    "refuses resources other than pods in a BestEffort quota, and a change of scopes",
    () => allSteps(validateQuota({ spec: { hard: { cpu: "1" }, scopes: ["BestEffort"] } }, { spec: {} })),
    [
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort"]: field is immutable',
    ],
  ],
  [
    "refuses limits whose min, default and max are out of order",
    () => allSteps(validateLimitRange(limits({ type: "Container", min: { cpu: "2" }, max: { cpu: "1" } }))),
    ['spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
  ],
  [
    "refuses defaults in pod limits, and a repeated limit type",
    () => allSteps(validateLimitRange(limits({ type: "Pod", default: { cpu: "1" } }, { type: "Pod" }))),
    [
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      'spec.limits[1].type: Duplicate value: "Pod"',
    ],
  ],
  [
    "requires a storage bound in claim limits",
    () => allSteps(validateLimitRange(limits({ type: "PersistentVolumeClaim" }))),
    [
      "spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided",
    ],
  ],
  [
    "refuses zero storage, and ReadWriteOncePod beside other access modes",
    () =>
      validateClaim(
        claim({
          accessModes: ["ReadWriteOncePod", "ReadOnlyMany"],
          resources: { requests: { storage: "0" } },
        }),
        undefined,
      ),
    [
      "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ],
  ],
  ["allows volumeName of an unbound claim to be set", () => validateClaim(claim({ volumeName: "v" }), claim({})), []],
  [
    "allows a bound claim to grow",
    () =>
      validateClaim(claim({ resources: { requests: { storage: "2Gi" } } }), {
        ...claim({}),
        status: { phase: "Bound", capacity: { storage: "1Gi" } },
      }),
    [],
  ],
  [
    "refuses a volume without capacity, source or access mode",
    () => validateVolume({ spec: {} }, undefined),
    [
      "spec.accessModes: Required value",
      "spec.capacity: Required value",
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      "spec: Required value: must specify a volume type",
    ],
  ],
  [
    "refuses an inverted port range and an empty peer",
    () => validateNetworkPolicy({ ingress: [{ ports: [{ port: 80, endPort: 70 }], from: [{}] }] }),
    [
      "spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`",
      "spec.ingress[0].from[0]: Required value: must specify a peer",
    ],
  ],
  [
    "accepts a core/v1 Event without eventTime and action",
    () => validateCoreEvent({ ...event({}), eventTime: null }),
    [],
  ],
  [
    "refuses an event series with a count below 2",
    () =>
      validateNewerEvent(event({ series: { count: 1, lastObservedTime: "2026-01-01T00:00:00.000000Z" } }), undefined),
    ['series.count: Invalid value: "": should be at least 2'],
  ],
  [
    "refuses a change of an event's regarding object, quoted as the internal struct",
    () => validateNewerEvent(event({ involvedObject: { namespace: "n", kind: "Pod" } }), event({})),
    [
      'involvedObject: Invalid value: {"Kind":"Pod","Namespace":"n","Name":"","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
    ],
  ],
  [
    "refuses a condition with an unknown status, without reason and lastTransitionTime",
    () => validateConditions({ conditions: [{ type: "Ready", status: "Maybe" }] }, "status.conditions"),
    [
      'status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
      "status.conditions[0].lastTransitionTime: Required value",
      "status.conditions[0].reason: Required value",
    ],
  ],
];

describe("rules of built-in kinds", () => {
  for (const [name, errors, expected] of rows)
    test(name, () => assert.deepEqual(errors().map(formatFieldError).toSorted(), [...expected].toSorted()));
});

describe("names of ports", () => {
  for (const [name, isName] of [
    ["http", true],
    ["p-80", true],
    ["80", false],
    ["-a", false],
    ["a--b", false],
    ["UP", false],
    ["sixteen-letters-x", false],
  ] as const)
    test(`"${name}" is ${isName ? "accepted" : "refused"}`, () =>
      assert.equal(portNameProblems(name).length === 0, isName));
});

describe("the typed reader", () => {
  const problemOf = (struct: string, value: JsonObject): string | undefined => decodeAs(struct, value).problem;

  test("names the embedded structs on the way to a field", () => {
    assert.equal(
      problemOf("ValidatingWebhookConfiguration", { webhooks: [{ rules: [{ apiGroups: 5 }] }] }),
      "json: cannot unmarshal number into Go struct field RuleWithOperations.webhooks.rules.Rule.apiGroups of type []string",
    );
    assert.match(
      problemOf("Pod", { spec: { volumes: [{ emptyDir: 5 }] } }) ?? "",
      /Volume\.spec\.volumes\.VolumeSource\.emptyDir /u,
    );
    assert.match(problemOf("Pod", { spec: { volumes: [{ name: 5 }] } }) ?? "", /Volume\.spec\.volumes\.name /u);
  });

  test("keeps an empty list where it is always written, until it comes from storage", () => {
    assert.deepEqual(decodeAs("Role", { rules: [] }).value["rules"], []);
    assert.equal(decodeAs("Role", { rules: [] }, "storage").value["rules"], null);
    assert.equal(Object.hasOwn(decodeAs("ServiceAccount", { secrets: [] }).value, "secrets"), false);
  });

  test("reads a list of numbers as bytes", () => {
    assert.deepEqual(decodeAs("Secret", { data: { a: [0, 255] } }).value["data"], { a: "AP8=" });
    assert.match(problemOf("Secret", { data: { a: [{}] } }) ?? "", /cannot unmarshal object .* of type uint8$/u);
  });
});
