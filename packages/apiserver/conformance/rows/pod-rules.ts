import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../row.ts";

const container = (more: JsonObject): JsonObject => ({ containers: [{ name: "c", image: "i:v1", ...more }] });

/** What is wrong with a pod's spec: the same in a template, only further down. `{at}` is where the spec lies. */
const refusals: readonly (readonly [what: string, spec: JsonObject, told: string])[] = [
  [
    "needs the name of a ConfigMap",
    { volumes: [{ name: "v", configMap: {} }] },
    "{at}.volumes[0].configMap.name: Required value",
  ],
  [
    "needs the path of a host's directory",
    { volumes: [{ name: "v", hostPath: { path: "" } }] },
    "{at}.volumes[0].hostPath.path: Required value",
  ],
  [
    "has one source for a volume",
    { volumes: [{ name: "v", emptyDir: {}, secret: { secretName: "s" } }] },
    "{at}.volumes[0].secret: Forbidden: may not specify more than 1 volume type",
  ],
  [
    "names its variables without an equals sign",
    container({ env: [{ name: "a=b" }] }),
    "{at}.containers[0].env[0].name: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='",
  ],
  [
    "reads fields that there are",
    container({ env: [{ name: "a", valueFrom: { fieldRef: { fieldPath: "bogus" } } }] }),
    '{at}.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "bogus": error converting fieldPath: field label not supported: bogus',
  ],
  [
    "requests no more than its limit",
    container({ resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }),
    '{at}.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
  ],
  [
    "probes in one way",
    container({ livenessProbe: { exec: { command: ["a"] }, httpGet: { port: 80 } } }),
    "{at}.containers[0].livenessProbe.httpGet: Forbidden: may not specify more than 1 handler type",
  ],
  [
    "lives after one success",
    container({ livenessProbe: { exec: { command: ["a"] }, successThreshold: 2 } }),
    "{at}.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1",
  ],
  [
    "acts when it stops, if it says so",
    container({ lifecycle: { preStop: {} } }),
    "{at}.containers[0].lifecycle.preStop: Required value: must specify a handler type",
  ],
  [
    "binds a port of its node once",
    container({
      ports: [
        { containerPort: 80, hostPort: 80 },
        { containerPort: 81, hostPort: 80 },
      ],
    }),
    '{at}.containers[0].ports[1].hostPort: Duplicate value: "TCP//80"',
  ],
  [
    "bears for a time only what evicts",
    { tolerations: [{ key: "a", effect: "NoSchedule", tolerationSeconds: 5 }] },
    "{at}.tolerations[0].effect: Invalid value: \"NoSchedule\": effect must be 'NoExecute' when `tolerationSeconds` is set",
  ],
  [
    "names the nodes of its affinity",
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } },
    "{at}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value: must have at least one node selector term",
  ],
  [
    "is spread by a key",
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "", whenUnsatisfiable: "DoNotSchedule" }] },
    "{at}.topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
  ],
  [
    "shares its processes with its node or its containers, not with both",
    { shareProcessNamespace: true, hostPID: true },
    "{at}.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
  ],
  [
    "does not probe what ends",
    { initContainers: [{ name: "i", image: "i:v1", livenessProbe: { tcpSocket: { port: 1 } } }] },
    "{at}.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
  ],
  [
    "asks servers of names at their addresses",
    { dnsConfig: { nameservers: ["x"] } },
    '{at}.dnsConfig.nameservers[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
];

function deployment(pod: JsonObject): JsonObject {
  const template = { metadata: { labels: { a: "b" } }, spec: { ...container({}), ...pod } };
  return { metadata: { name: "d" }, spec: { replicas: 0, selector: { matchLabels: { a: "b" } }, template } };
}

/** The commonest refusals of pods, and of the templates of what runs them. */
export const podRuleRows: readonly Row[] = [
  ...refusals.flatMap(([what, spec, told]): readonly Row[] => [
    {
      row: 94,
      name: `a Pod ${what}`,
      ask: {
        method: "POST",
        path: "/api/v1/namespaces/{ns}/pods",
        body: { metadata: { name: "p" }, spec: { ...container({}), ...spec } },
      },
      code: 422,
      message: `Pod "p" is invalid: ${told.replace("{at}", "spec")}`,
    },
    {
      row: 94,
      name: `a Deployment's pod ${what}`,
      ask: { method: "POST", path: "/apis/apps/v1/namespaces/{ns}/deployments", body: deployment(spec) },
      code: 422,
      message: `Deployment.apps "d" is invalid: ${told.replace("{at}", "spec.template.spec")}`,
    },
  ]),
  {
    row: 94,
    name: "a Deployment whose variables hide one another is warned of",
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
    name: "a selector that cannot be read is told beside its fault",
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
