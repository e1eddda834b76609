import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { formatFieldError } from "@purser/kubernetes/object/field-error";
import { defaultPod, pullPolicyOf } from "./pod-defaults.ts";
import { validatePodUpdate } from "./pod-update.ts";
import { allSteps } from "@purser/kubernetes/steps";
import { validatePodSpec } from "./pod-validation.ts";
import { podWarnings } from "./pod-warnings.ts";
import { objectIn } from "../decoding/json-parts.ts";

const filled = (pod: JsonObject): JsonObject => defaultPod({ metadata: { name: "x" }, ...pod });
const container = (more: JsonObject): JsonObject => ({ containers: [{ name: "c", image: "i", ...more }] });
const errorTexts = (spec: JsonObject): readonly string[] =>
  allSteps(validatePodSpec(objectIn(filled({ spec: { ...container({}), ...spec } }), "spec"), "spec", true)).map(
    formatFieldError,
  );

const rows: readonly (readonly [name: string, spec: JsonObject, expected: readonly string[]])[] = [
  ["accepts a minimal pod", {}, []],
  [
    "refuses a probe with two handlers",
    container({ livenessProbe: { exec: { command: ["a"] }, httpGet: { port: 80 } } }),
    ["spec.containers[0].livenessProbe.httpGet: Forbidden: may not specify more than 1 handler type"],
  ],
  [
    "refuses a liveness probe with a successThreshold above 1",
    container({ livenessProbe: { exec: { command: ["a"] }, successThreshold: 2 } }),
    ["spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"],
  ],
  [
    "refuses a preStop sleep longer than terminationGracePeriodSeconds",
    container({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
    [
      "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than terminationGracePeriodSeconds (30)",
    ],
  ],
  [
    "refuses a variable name with an equals sign or outside ASCII",
    container({ env: [{ name: "a=b" }] }),
    [
      "spec.containers[0].env[0].name: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='",
    ],
  ],
  [
    "accepts a label by key in fieldRef, refuses a key for other fields",
    container({
      env: [
        { name: "a", valueFrom: { fieldRef: { fieldPath: "metadata.labels['b']" } } },
        { name: "c", valueFrom: { fieldRef: { fieldPath: "spec.nodeName['b']" } } },
      ],
    }),
    [
      "spec.containers[0].env[1].valueFrom.fieldRef.fieldPath: Invalid value: \"spec.nodeName['b']\": error converting fieldPath: field label does not support subscript: spec.nodeName['b']",
    ],
  ],
  [
    "refuses a request above its limit",
    container({ resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }),
    ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
  ],
  [
    "refuses different request and limit of a resource that cannot be overcommitted",
    container({ resources: { limits: { "ex.com/a": "2" }, requests: { "ex.com/a": "1" } } }),
    ['spec.containers[0].resources.requests: Invalid value: "1": must be equal to ex.com/a limit of 2'],
  ],
  [
    "refuses a volume with several sources and validates the first",
    { volumes: [{ name: "v", secret: { secretName: "" }, configMap: { name: "" } }] },
    [
      "spec.volumes[0].secret.secretName: Required value",
      "spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type",
    ],
  ],
  [
    "refuses a mount of an invalid volume",
    {
      volumes: [{ name: "v", hostPath: { path: "" } }],
      ...container({ volumeMounts: [{ name: "v", mountPath: "/x" }] }),
    },
    ["spec.volumes[0].hostPath.path: Required value", 'spec.containers[0].volumeMounts[0].name: Not found: "v"'],
  ],
  [
    "refuses equal paths in a projected volume",
    {
      volumes: [
        {
          name: "v",
          projected: {
            sources: [
              { secret: { name: "a", items: [{ key: "k", path: "p" }] } },
              { configMap: { name: "b", items: [{ key: "k", path: "p" }] } },
            ],
          },
        },
      ],
    },
    ['spec.volumes[0].projected: Invalid value: "b": conflicting duplicate paths'],
  ],
  [
    "refuses a privileged container with allowPrivilegeEscalation false",
    container({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
    [
      'spec.containers[0].securityContext: Invalid value: {"Capabilities":null,"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
    ],
  ],
  [
    "refuses tolerationSeconds without effect NoExecute",
    { tolerations: [{ key: "a", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 5 }] },
    [
      "spec.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
    ],
  ],
  [
    "refuses a node affinity without terms",
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
    [
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term",
    ],
  ],
  [
    "refuses a topology spread constraint with maxSkew 0 or an unknown whenUnsatisfiable",
    { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "a", whenUnsatisfiable: "X" }] },
    [
      "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero",
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "X": supported values: "DoNotSchedule", "ScheduleAnyway"',
    ],
  ],
  [
    "refuses a hostPort that differs from containerPort under hostNetwork",
    { hostNetwork: true, ...container({ ports: [{ containerPort: 80, hostPort: 81 }] }) },
    ["spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` when `hostNetwork` is true"],
  ],
  [
    "refuses probes of a non-restartable init container",
    { initContainers: [{ name: "i", image: "i", livenessProbe: { tcpSocket: { port: 1 } } }] },
    [
      "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
    ],
  ],
  [
    "validates probes of a restartable init container",
    { initContainers: [{ name: "i", image: "i", restartPolicy: "Always", livenessProbe: { tcpSocket: { port: 1 } } }] },
    [],
  ],
  [
    "refuses a nameserver address with leading zeros",
    { dnsConfig: { nameservers: ["x", "01.1.1.1"] } },
    [
      'spec.dnsConfig.nameservers[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'spec.dnsConfig.nameservers[1]: Invalid value: "01.1.1.1": must not have leading 0s',
    ],
  ],
];

describe("rules of pods", () => {
  for (const [name, spec, expected] of rows) test(name, () => assert.deepEqual(errorTexts(spec), expected));
});

describe("warnings of pods", () => {
  for (const [what, spec, expected] of [
    ["a plain pod has none", {}, []],
    [
      "warn about a variable that overrides an earlier one",
      container({ env: [{ name: "A" }, { name: "A", value: "$(A)b" }, { name: "A" }] }),
      ['spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when using apply'],
    ],
    [
      "warn about fractional bytes",
      container({ resources: { requests: { memory: "1500m" } } }),
      ['spec.containers[0].resources.requests[memory]: fractional byte value "1500m" is invalid, must be an integer'],
    ],
    [
      "warn about nested paths in a projected volume",
      {
        volumes: [
          {
            name: "v",
            configMap: {
              name: "c",
              items: [
                { key: "k", path: "a" },
                { key: "l", path: "a/b" },
              ],
            },
          },
        ],
      },
      ['volume "v" (ConfigMap "c"): overlapping paths: "a/b" with "a"'],
    ],
  ] as const)
    test(what, () =>
      assert.deepEqual(allSteps(podWarnings(filled({ spec: { ...container({}), ...spec } }), "")), expected),
    );
});

describe("updates of pods", () => {
  const spec = (more: JsonObject): JsonObject => objectIn(filled({ spec: { ...container({}), ...more } }), "spec");
  const errors = (next: JsonObject, old: JsonObject): readonly string[] =>
    validatePodUpdate(spec(next), spec(old)).map(formatFieldError);

  test("may change images", () => assert.deepEqual(errors(container({ image: "other" }), {}), []));
  test("cannot add scheduling gates", () =>
    assert.deepEqual(errors({ schedulingGates: [{ name: "b" }] }, { schedulingGates: [{ name: "a" }] }), [
      "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'b'",
    ]));
  test("may narrow the node selection of a gated pod, not widen it", () => {
    const gated = { schedulingGates: [{ name: "a" }], nodeSelector: { a: "b" } };
    assert.deepEqual(errors({ ...gated, nodeSelector: { a: "b", c: "d" } }, gated), []);
    assert.match(errors({ ...gated, nodeSelector: {} }, gated).join("\n"), /only additions to spec\.nodeSelector/u);
  });
});

describe("images", () => {
  for (const [image, policy] of [
    ["a", "Always"],
    ["a:latest", "Always"],
    ["a:v1", "IfNotPresent"],
    ["localhost:5000/a", "Always"],
    [`a@sha256:${"0".repeat(64)}`, "IfNotPresent"],
    [`a:latest@sha256:${"0".repeat(64)}`, "Always"],
    ["A", "IfNotPresent"],
    ["a//b", "IfNotPresent"],
  ] as const)
    test(`${image} is pulled ${policy}`, () => assert.equal(pullPolicyOf(image), policy));
});
