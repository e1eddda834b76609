import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../row.ts";

const container = (more: JsonObject): JsonObject => ({ containers: [{ name: "c", image: "i:v1", ...more }] });

/** Errors of a pod's spec, which are the same in a template with another path. `{at}` is the path of the spec. */
const refusals: readonly (readonly [what: string, spec: JsonObject, fault: string])[] = [
  [
    "needs the name of a ConfigMap",
    { volumes: [{ name: "v", configMap: {} }] },
    "{at}.volumes[0].configMap.name: Required value",
  ],
  [
    "needs the path of a hostPath volume",
    { volumes: [{ name: "v", hostPath: { path: "" } }] },
    "{at}.volumes[0].hostPath.path: Required value",
  ],
  [
    "cannot have a volume with several sources",
    { volumes: [{ name: "v", emptyDir: {}, secret: { secretName: "s" } }] },
    "{at}.volumes[0].secret: Forbidden: may not specify more than 1 volume type",
  ],
  [
    "cannot have a variable with an equals sign",
    container({ env: [{ name: "a=b" }] }),
    "{at}.containers[0].env[0].name: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='",
  ],
  [
    "cannot refer to an unknown field",
    container({ env: [{ name: "a", valueFrom: { fieldRef: { fieldPath: "bogus" } } }] }),
    '{at}.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "bogus": error converting fieldPath: field label not supported: bogus',
  ],
  [
    "cannot request more than its limit",
    container({ resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }),
    '{at}.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
  ],
  [
    "cannot have a probe with two handlers",
    container({ livenessProbe: { exec: { command: ["a"] }, httpGet: { port: 80 } } }),
    "{at}.containers[0].livenessProbe.httpGet: Forbidden: may not specify more than 1 handler type",
  ],
  [
    "cannot have a liveness successThreshold above 1",
    container({ livenessProbe: { exec: { command: ["a"] }, successThreshold: 2 } }),
    "{at}.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1",
  ],
  [
    "needs a handler in a preStop hook",
    container({ lifecycle: { preStop: {} } }),
    "{at}.containers[0].lifecycle.preStop: Required value: must specify a handler type",
  ],
  [
    "cannot use a host port twice",
    container({
      ports: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 81, hostPort: 80 },
      ],
    }),
    '{at}.containers[0].ports[1].hostPort: Duplicate value: "TCP//80"',
  ],
  [
    "cannot set tolerationSeconds without NoExecute",
    { tolerations: [{ key: "a", effect: "NoSchedule", tolerationSeconds: 5 }] },
    "{at}.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
  ],
  [
    "needs terms in a required node affinity",
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
    "{at}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term",
  ],
  [
    "needs a topologyKey in a spread constraint",
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "", whenUnsatisfiable: "DoNotSchedule" }] },
    "{at}.topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
  ],
  [
    "cannot set both hostPID and shareProcessNamespace",
    { shareProcessNamespace: true, hostPID: true },
    "{at}.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
  ],
  [
    "cannot have probes of non-restartable init containers",
    { initContainers: [{ name: "i", image: "i:v1", livenessProbe: { tcpSocket: { port: 1 } } }] },
    "{at}.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
  ],
  [
    "needs valid nameserver addresses",
    { dnsConfig: { nameservers: ["x"] } },
    '{at}.dnsConfig.nameservers[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
];

function deployment(pod: JsonObject): JsonObject {
  const template = { metadata: { labels: { a: "b" } }, spec: { ...container({}), ...pod } };
  return { metadata: { name: "d" }, spec: { replicas: 0, selector: { matchLabels: { a: "b" } }, template } };
}

/** Common errors of pods, and of pod templates of workloads. */
export const podRuleRows: readonly Row[] = [
  ...refusals.flatMap(([what, spec, fault]): readonly Row[] => [
    {
      row: 94,
      name: `a Pod ${what}`,
      ask: {
        method: "POST",
        path: "/api/v1/namespaces/{ns}/pods",
        body: { metadata: { name: "p" }, spec: { ...container({}), ...spec } },
      },
      code: 422,
      message: `Pod "p" is invalid: ${fault.replace("{at}", "spec")}`,
    },
    {
      row: 94,
      name: `a Deployment's pod template ${what}`,
      ask: { method: "POST", path: "/apis/apps/v1/namespaces/{ns}/deployments", body: deployment(spec) },
      code: 422,
      message: `Deployment.apps "d" is invalid: ${fault.replace("{at}", "spec.template.spec")}`,
    },
  ]),
  {
    row: 94,
    name: "a Deployment with duplicate variables gets a warning",
    ask: {
      method: "POST",
      path: "/apis/apps/v1/namespaces/{ns}/deployments",
      body: deployment(container({ env: [{ name: "a" }, { name: "a" }] })),
    },
    code: 201,
    warnings: [
      'spec.template.spec.containers[0].env[1]: hides previous definition of "a", which may be dropped when using apply',
    ],
  },
  {
    row: 94,
    name: "an unreadable selector is reported in addition to its fault",
    ask: {
      method: "POST",
      path: "/apis/apps/v1/namespaces/{ns}/deployments",
      body: {
        ...deployment({}),
        spec: {
          selector: { matchExpressions: [{ key: "a", operator: "X" }] },
          template: { metadata: { labels: { a: "b" } }, spec: container({}) },
        },
      },
    },
    code: 422,
    message:
      'Deployment.apps "d" is invalid: [spec.selector.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator, spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"X"}]}: invalid label selector]',
  },
];
