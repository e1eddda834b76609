import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SeededEntropy } from "@purser/kubernetes/entropy";
import type { JsonObject } from "@purser/kubernetes/json";
import { formatFieldError } from "@purser/kubernetes/object/field-error";
import type { BuiltInKind, WriteContext } from "./built-in-kind.ts";
import { builtInKinds } from "./catalogue.ts";
import { objectAt, objectIn, objectsIn, textIn } from "./decoding/json-parts.ts";
import { pullPolicyOf, qosClassOf } from "./pods/pod-defaults.ts";
import { canonicalQuantity } from "./quantity-text.ts";

const context: WriteContext = {
  now: "2026-01-01T00:00:00Z",
  entropy: new SeededEntropy(1),
  view: { get: () => undefined, list: () => [], unread: () => [] },
  dryRun: false,
  rootAuthority: "PEM",
};

function kindNamed(name: string, group?: string): BuiltInKind {
  const found = builtInKinds.find(({ type }) => type.kind === name && (group === undefined || type.group === group));
  assert.ok(found, name);
  return found;
}

function made(name: string, body: JsonObject): JsonObject {
  const kind = kindNamed(name);
  return kind.prepareCreate(kind.defaults(kind.decode(body).value), context);
}

function errors(name: string, body: JsonObject, old?: JsonObject): readonly string[] {
  const kind = kindNamed(name);
  const value = made(name, body);
  return kind.validate(value, context, old, "main").map(formatFieldError);
}

const container = { name: "c", image: "x:1" };

test("unknown members are reported with their path and dropped, at any depth", () => {
  const { value, unknown } = kindNamed("Pod").decode({
    metadata: { name: "p", bogus: 1 },
    spec: { containers: [{ ...container, zork: true, env: [{ name: "A", __proto__x: 1 }] }] },
    Data: {},
  });
  assert.deepEqual(
    [...unknown].toSorted((a, b) => (a < b ? -1 : 1)),
    ["Data", "metadata.bogus", "spec.containers[0].env[0].__proto__x", "spec.containers[0].zork"],
  );
  assert.deepEqual(objectIn(value, "spec"), {
    containers: [{ name: "c", image: "x:1", env: [{ name: "A" }], resources: {} }],
  });
});

test("a value of the wrong type is refused with the error text of Go's decoder", () => {
  const { problem } = kindNamed("Deployment").decode({ spec: { replicas: "two" } });
  assert.equal(
    problem,
    "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
  );
  assert.equal(kindNamed("Secret").decode({ data: { a: "!" } }).problem, "illegal base64 data at input byte 0");
});

test("decoding is idempotent for any body", () => {
  fc.assert(
    fc.property(fc.constantFrom(...builtInKinds), fc.object({ maxDepth: 3 }), (kind, body) => {
      const once = kind.decode(JSON.parse(JSON.stringify(body)) as JsonObject);
      if (once.problem === undefined) assert.deepEqual(kind.decode(once.value).value, once.value);
    }),
    { numRuns: 300 },
  );
});

test("members with the names of Object.prototype members are treated as data", () => {
  const body = JSON.parse('{"metadata":{"name":"a"},"data":{"__proto__":"x","constructor":"y"}}') as JsonObject;
  const data = objectIn(kindNamed("ConfigMap").decode(body).value, "data");
  assert.deepEqual(Object.entries(data), [
    ["__proto__", "x"],
    ["constructor", "y"],
  ]);
});

test("quantities are written in canonical form", () => {
  const table = {
    "0.5": "500m",
    "1024Mi": "1Gi",
    "1000m": "1",
    "1Gi": "1Gi",
    "100": "100",
    "1500": "1500",
    "2000": "2k",
    "0": "0",
  };
  for (const [given, wanted] of Object.entries(table)) assert.equal(canonicalQuantity(given), wanted, given);
});

test("images without a tag or with latest are always pulled", () => {
  const table = {
    x: "Always",
    "x:latest": "Always",
    "x:v1": "IfNotPresent",
    "h:5000/x": "Always",
    "x@sha256:00": "IfNotPresent",
  };
  for (const [image, policy] of Object.entries(table)) assert.equal(pullPolicyOf(image), policy, image);
});

test("the quality class follows from requests and limits", () => {
  const pod = (resources: JsonObject): JsonObject => ({ containers: [{ resources }] });
  assert.equal(qosClassOf(pod({})), "BestEffort");
  assert.equal(qosClassOf(pod({ requests: { cpu: "1" } })), "Burstable");
  const all = { cpu: "1", memory: "1Gi" };
  assert.equal(qosClassOf(pod({ requests: all, limits: all })), "Guaranteed");
});

test("a Deployment gets the defaults of kube-apiserver", () => {
  const spec = objectIn(
    made("Deployment", {
      metadata: { name: "d" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
      },
    }),
    "spec",
  );
  assert.deepEqual(objectIn(spec, "strategy"), {
    type: "RollingUpdate",
    rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" },
  });
  assert.deepEqual([spec["replicas"], spec["revisionHistoryLimit"], spec["progressDeadlineSeconds"]], [1, 10, 600]);
  const { containers, ...pod } = objectAt(spec, "template", "spec");
  assert.deepEqual(pod, {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  });
  assert.deepEqual(containers, [
    {
      ...container,
      resources: {},
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      imagePullPolicy: "IfNotPresent",
    },
  ]);
});

test("other kinds get their defaults", () => {
  const service = made("Service", { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } });
  const { clusterIP, clusterIPs, ...rest } = objectIn(service, "spec");
  assert.match(textIn({ clusterIP }, "clusterIP"), /^10\.96\.\d+\.\d+$/);
  assert.deepEqual(clusterIPs, [clusterIP]);
  assert.deepEqual(rest, {
    ports: [{ protocol: "TCP", port: 80, targetPort: 80 }],
    type: "ClusterIP",
    sessionAffinity: "None",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    internalTrafficPolicy: "Cluster",
  });
  const secret = made("Secret", { metadata: { name: "s" }, stringData: { a: "b" } });
  assert.deepEqual([secret["type"], secret["data"], secret["stringData"]], ["Opaque", { a: "Yg==" }, undefined]);
  const namespace = made("Namespace", { metadata: { name: "n" } });
  assert.deepEqual(objectIn(namespace, "spec"), { finalizers: ["kubernetes"] });
  assert.deepEqual(objectAt(namespace, "metadata", "labels"), { "kubernetes.io/metadata.name": "n" });
  assert.equal(made("ClusterRole", { metadata: { name: "r" } })["rules"], null);
  const policy = made("NetworkPolicy", {
    metadata: { name: "p" },
    spec: { podSelector: {}, egress: [{ ports: [{ port: 1 }] }] },
  });
  assert.deepEqual(objectIn(policy, "spec")["policyTypes"], ["Ingress", "Egress"]);
  const hook = made("ValidatingWebhookConfiguration", {
    metadata: { name: "h" },
    webhooks: [{ name: "a.b.c", rules: [{}] }],
  });
  const [first = {}] = objectsIn(hook, "webhooks");
  assert.deepEqual([first["failurePolicy"], first["matchPolicy"], first["timeoutSeconds"]], ["Fail", "Equivalent", 10]);
});

test("invalid fields are reported with the error texts of kube-apiserver", () => {
  const table: readonly (readonly [string, JsonObject, readonly string[]])[] = [
    [
      "ConfigMap",
      { data: { a: "1" }, binaryData: { a: "MQ==" } },
      ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
    ],
    ["ConfigMap", { data: { a: "x".repeat(1_048_577) } }, ["[]: Too long: may not be more than 1048576 bytes"]],
    ["Secret", { type: "kubernetes.io/tls" }, ["data[tls.crt]: Required value", "data[tls.key]: Required value"]],
    ["Service", { spec: {} }, ["spec.ports: Required value"]],
    ["Pod", { spec: {} }, ["spec.containers: Required value"]],
    ["Pod", { spec: { containers: [container, container] } }, ['spec.containers[1].name: Duplicate value: "c"']],
    [
      "Pod",
      { spec: { containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/v" }] }] } },
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      "Deployment",
      { spec: { selector: {}, template: { spec: { containers: [container] } } } },
      ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"],
    ],
    [
      "Deployment",
      {
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "c" } }, spec: { containers: [container] } },
        },
      },
      ['spec.template.metadata.labels: Invalid value: {"a":"c"}: `selector` does not match template `labels`'],
    ],
    [
      "Role",
      { rules: [{ apiGroups: [""], resources: ["pods"] }] },
      ["rules[0].verbs: Required value: verbs must contain at least one value"],
    ],
    [
      "ClusterRoleBinding",
      { roleRef: { kind: "ClusterRole", name: "r" }, subjects: [{ kind: "Foo", name: "f" }] },
      ['subjects[0].kind: Unsupported value: "Foo": supported values: "ServiceAccount", "User", "Group"'],
    ],
    [
      "Lease",
      { spec: { leaseDurationSeconds: 0 } },
      ["spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"],
    ],
    [
      "APIService",
      { metadata: { name: "x" }, spec: { group: "ex.io", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 } },
      ['metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.ex.io"'],
    ],
  ];
  for (const [kind, body, wanted] of table) assert.deepEqual(errors(kind, body), wanted, kind);
});

test("changes of immutable fields are refused", () => {
  const old = { immutable: true, data: { a: "1" } };
  assert.deepEqual(errors("ConfigMap", { immutable: true, data: { a: "2" } }, old), [
    "data: Forbidden: field is immutable when `immutable` is set",
  ]);
  assert.deepEqual(errors("Secret", { type: "x" }, { type: "Opaque" }), [
    'type: Invalid value: "x": field is immutable',
  ]);
});

test("only changes of spec and annotations increment a Deployment's generation", () => {
  const kind = kindNamed("Deployment");
  const old = made("Deployment", { metadata: { name: "d" }, spec: { replicas: 1 } });
  const generation = (metadata: JsonObject, spec: JsonObject): unknown => {
    const next = {
      ...old,
      metadata: { ...objectIn(old, "metadata"), ...metadata },
      spec: { ...objectIn(old, "spec"), ...spec },
    };
    return objectIn(kind.prepareUpdate(next, old, "main", context), "metadata")["generation"];
  };
  assert.equal(generation({ labels: { a: "b" } }, {}), 1);
  assert.equal(generation({ annotations: { a: "b" } }, {}), 2);
  assert.equal(generation({}, { replicas: 2 }), 2);
});

test("a status write changes neither the spec nor a Deployment's labels", () => {
  const kind = kindNamed("Deployment");
  const old = made("Deployment", { metadata: { name: "d", labels: { a: "1" } }, spec: { replicas: 1 } });
  const next = {
    ...old,
    metadata: { name: "d", labels: { a: "2" }, annotations: { b: "3" } },
    spec: { replicas: 9 },
    status: { replicas: 1 },
  };
  const written = kind.prepareUpdate(next, old, "status", context);
  assert.equal(objectIn(written, "spec")["replicas"], 1);
  assert.deepEqual(objectAt(written, "metadata", "labels"), { a: "1" });
  assert.deepEqual(objectAt(written, "metadata", "annotations"), { b: "3" });
  assert.deepEqual(objectIn(written, "status"), { replicas: 1 });
});

test("core and events.k8s.io Events are two versions of one object", () => {
  const newer = kindNamed("Event", "events.k8s.io");
  const stored = newer.toStored(newer.decode({ metadata: { name: "e" }, regarding: { kind: "Pod" }, note: "n" }).value);
  assert.deepEqual([stored["message"], objectIn(stored, "involvedObject")["kind"]], ["n", "Pod"]);
  const shown = newer.fromStored(stored);
  assert.deepEqual(
    [shown["note"], objectIn(shown, "regarding")["kind"], shown["apiVersion"]],
    ["n", "Pod", "events.k8s.io/v1"],
  );
});
