import {
  blockYaml,
  configMap,
  custom,
  definition,
  deployment,
  members,
  numbered,
  pod,
  protobufMap,
  review,
  ruled,
  variables,
  versioned,
  wideDefinition,
} from "./hostile-objects.ts";
import type { RawClient } from "./raw-client.ts";

/** A request whose size a tenant decides. */
export interface HostileInput {
  readonly name: string;
  /** It needs what the inputs before it left, so it runs on their server; each other one has a server of its own. */
  readonly follows?: true;
  /** What it needs; not measured. */
  readonly prepare?: (client: RawClient) => Promise<unknown>;
  /** @returns the status code, or undefined when there is more than one request */
  readonly send: (client: RawClient) => Promise<number | void>;
}

export const maps = "/api/v1/namespaces/hostile/configmaps";
const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
const pods = "/api/v1/namespaces/hostile/pods";
const deployments = "/apis/apps/v1/namespaces/hostile/deployments";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const customs = "/apis/example.com/v1/namespaces/hostile/wides";

const mergePatch = "application/merge-patch+json";
const strategicPatch = "application/strategic-merge-patch+json";
const jsonPatch = "application/json-patch+json";
const applyPatch = "application/apply-patch+yaml";

const post = (path: string, object: object): HostileInput["send"] => {
  return (client) => client.status("POST", path, object);
};

const patch = (path: string, type: string, body: object): HostileInput["send"] => {
  return (client) => client.status("PATCH", path, body, type);
};

const applied = (keys: number, manager: string, force = true): HostileInput["send"] =>
  patch(
    `${maps}/applied?fieldManager=${manager}${force ? "&force=true" : ""}`,
    applyPatch,
    configMap("applied", {}, members(keys, manager)),
  );

const watched = async (client: RawClient): Promise<void> => {
  let size = 0;
  const stream = await client.stream(`${maps}?watch=1&resourceVersion=0`, (bytes) => (size += bytes.length));
  for (let last = -1; last !== size;) {
    last = size;
    await new Promise((over) => setTimeout(over, 1500));
  }
  stream.close();
};

const rule = { rule: "self != ''" };

const defined = async (client: RawClient): Promise<void> => {
  await client.send("POST", definitions, wideDefinition);
  for (let i = 0; i < 50 && (await client.status("GET", customs)) !== 200; i++)
    await new Promise((over) => setTimeout(over, 100));
};

export const hostileInputs: readonly HostileInput[] = [
  {
    name: "a ConfigMap with 100,000 labels",
    send: post(maps, configMap("labels", { labels: members(100_000, "x") })),
  },
  {
    name: "a PUT of 100,000 other labels",
    follows: true,
    send: (client) => client.status("PUT", `${maps}/labels`, configMap("labels", { labels: members(100_000, "y") })),
  },
  {
    name: "a body with 300,000 members of one name",
    send: (client) => {
      const data = numbered(300_000, () => '"a":"b"').join(",");
      const text = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{${data}}}`;
      return client.status("POST", maps, text);
    },
  },
  { name: "an apply of 150,000 keys", send: applied(150_000, "one") },
  { name: "an apply of 60,000 keys", send: applied(60_000, "one") },
  { name: "the same by another manager, with conflicts", follows: true, send: applied(60_000, "two", false) },
  { name: "the same by another manager, forced", follows: true, send: applied(60_000, "two") },
  { name: "an apply of 30,000 of the 60,000 keys", follows: true, send: applied(30_000, "two") },
  {
    name: "10,000 operations of a JSON patch",
    follows: true,
    send: patch(
      `${maps}/applied`,
      jsonPatch,
      numbered(10_000, (i) => ({ op: "replace", path: `/data/k${i}`, value: "z" })),
    ),
  },
  {
    name: "a merge patch of 45,000 labels",
    prepare: post(maps, configMap("patched", { labels: members(45_000, "a") })),
    send: patch(`${maps}/patched`, mergePatch, { metadata: { labels: members(45_000, "b") } }),
  },
  {
    name: "a strategic merge patch of 45,000 labels",
    follows: true,
    send: patch(`${maps}/patched`, strategicPatch, { metadata: { labels: members(45_000, "c") } }),
  },
  { name: "a body of 900,000 open brackets", send: (client) => client.status("POST", maps, "[".repeat(900_000)) },
  {
    name: "a ConfigMap with 10,000 entries of managed fields",
    send: post(
      maps,
      configMap("managed", {
        managedFields: numbered(10_000, (i) => ({
          manager: `m${i}`,
          operation: "Update",
          apiVersion: "v1",
          time: "2026-01-01T00:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": { [`f:k${i}`]: {} } },
        })),
      }),
    ),
  },
  {
    name: "20,000 owners with one uid",
    send: post(
      maps,
      configMap("owners", {
        ownerReferences: numbered(20_000, (i) => ({ apiVersion: "v1", kind: "Pod", name: `p${i}`, uid: "u" })),
      }),
    ),
  },
  {
    name: "a ConfigMap with 200,000 keys that are no keys",
    send: post(maps, configMap("bad", {}, members(200_000, "x", "!"))),
  },
  {
    name: "a ConfigMap of 100,000 keys in protobuf",
    send: (client) =>
      client.status("POST", maps, protobufMap("protobuf", 100_000), "application/vnd.kubernetes.protobuf"),
  },
  {
    name: "a ConfigMap of 2.9 MB in YAML",
    send: (client) => client.status("POST", maps, blockYaml("yaml", 2_900_000), "application/yaml"),
  },
  {
    name: "an apply of 2.9 MB in YAML",
    send: (client) =>
      client.status("PATCH", `${maps}/yaml-apply?fieldManager=a`, blockYaml("yaml-apply", 2_900_000), applyPatch),
  },
  {
    name: "an object of 1.4 MB as YAML",
    prepare: post(maps, configMap("shown", {}, members(70_000, "x"))),
    send: (client) => client.status("GET", `${maps}/shown`, undefined, undefined, "application/yaml"),
  },
  {
    name: "the same as JSON in lines",
    follows: true,
    send: (client) => client.status("GET", `${maps}/shown?pretty=true`),
  },
  {
    name: "the same as a Table",
    follows: true,
    send: (client) =>
      client.status(
        "GET",
        `${maps}/shown?includeObject=Object`,
        undefined,
        undefined,
        "application/json;as=Table;v=v1;g=meta.k8s.io",
      ),
  },
  {
    name: "a list of 20 MB as YAML",
    prepare: async (client) => {
      for (let i = 0; i < 20; i++)
        await client.status("POST", maps, configMap(`listed-${i}`, {}, members(20_000, "x".repeat(30))));
    },
    send: (client) => client.status("GET", maps, undefined, undefined, "application/yaml"),
  },
  {
    name: "the same as a Table with objects",
    follows: true,
    send: (client) =>
      client.status(
        "GET",
        `${maps}?includeObject=Object`,
        undefined,
        undefined,
        "application/json;as=Table;v=v1;g=meta.k8s.io",
      ),
  },
  { name: "the same as JSON", follows: true, send: (client) => client.status("GET", maps) },
  { name: "a watch that begins with them", follows: true, send: watched },
  {
    name: "a Deployment with 20,000 variables and 3 replicas",
    send: post(deployments, deployment("variables", 3, variables("x"))),
  },
  {
    name: "a strategic merge patch of its variables",
    follows: true,
    send: patch(`${deployments}/variables`, strategicPatch, {
      spec: { template: { spec: { containers: [{ name: "c", env: variables("y") }] } } },
    }),
  },
  {
    name: "an apply of 20,000 variables",
    send: patch(`${deployments}/applied?fieldManager=a`, applyPatch, deployment("applied", 0, variables("x"))),
  },
  {
    name: "a pod with 20,000 volumes",
    send: post(
      pods,
      pod("volumes", {
        containers: [{ name: "c", image: "i" }],
        volumes: numbered(20_000, (i) => ({ name: `v${i}`, configMap: { name: `m${i}` } })),
      }),
    ),
  },
  {
    name: "a pod with 15,000 containers",
    send: post(pods, pod("containers", { containers: numbered(15_000, (i) => ({ name: `c${i}`, image: "i" })) })),
  },
  {
    name: "a ResourceQuota with 20,000 entries",
    send: post("/api/v1/namespaces/hostile/resourcequotas", {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "quota" },
      spec: { hard: Object.fromEntries(numbered(20_000, (i) => [`count/k${i}.example.com`, "1"])) },
    }),
  },
  {
    name: "a CronJob whose schedule lists 400,000 numbers",
    send: post("/apis/batch/v1/namespaces/hostile/cronjobs", {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name: "cron" },
      spec: {
        schedule: `${numbered(400_000, (i) => i % 60).join(",")} * * * *`,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
        },
      },
    }),
  },
  {
    name: "a definition with 1,500 rules",
    send: post(
      definitions,
      definition(
        "ruleds",
        "Ruled",
        Object.fromEntries(
          numbered(1500, (i) => [`f${i}`, { type: "string", maxLength: 10, "x-kubernetes-validations": [rule] }]),
        ),
      ),
    ),
  },
  {
    name: "a definition with 1,000 versions",
    send: post(definitions, versioned(1000)),
  },
  {
    name: "a webhook with 100,000 versions of reviews",
    send: post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "reviewed" },
      webhooks: [
        {
          name: "w.example.com",
          clientConfig: { url: "https://127.0.0.1:9/" },
          sideEffects: "None",
          admissionReviewVersions: numbered(100_000, (i) => `v${i}`),
          rules: [{ apiGroups: ["none"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["x"] }],
        },
      ],
    }),
  },
  {
    name: "a LimitRange of 2,000 limits that are wrong",
    send: post("/api/v1/namespaces/hostile/limitranges", {
      apiVersion: "v1",
      kind: "LimitRange",
      metadata: { name: "limits" },
      spec: { limits: numbered(2000, () => ({ type: "Container", default: { cpu: "1" }, max: members(20, "1") })) },
    }),
  },
  ...["StatefulSet", "DaemonSet"].map((kind) => ({
    name: `a ${kind} with 15,000 containers`,
    send: post(`/apis/apps/v1/namespaces/hostile/${kind.toLowerCase()}s`, {
      apiVersion: "apps/v1",
      kind,
      metadata: { name: "containers" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: {
          metadata: { labels: { a: "b" } },
          spec: { containers: numbered(15_000, (i) => ({ name: `c${i}`, image: "i" })) },
        },
      },
    }),
  })),
  {
    name: "a custom resource with a set of 250,000 entries",
    prepare: defined,
    send: post(customs, custom("set", { set: numbered(250_000, (i) => `e${i}`) })),
  },
  {
    name: "a custom resource with 150,000 unknown members",
    prepare: defined,
    send: post(customs, custom("unknown", members(150_000, "x", "u"))),
  },
  {
    name: "a custom resource with 250,000 items that break a pattern",
    prepare: defined,
    send: post(customs, custom("patterned", { patterned: numbered(250_000, (i) => `E${i}`) })),
  },
  {
    name: "a custom resource with defaults for 150,000 items",
    prepare: defined,
    send: post(customs, custom("defaulted", { defaulted: numbered(150_000, () => ({})) })),
  },
  {
    name: "a custom resource with 90,000 items for a rule",
    prepare: defined,
    send: post(customs, custom("ruled", { ruled: numbered(90_000, (i) => i) })),
  },
  {
    name: "a SubjectAccessReview with 150,000 groups",
    send: post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review(numbered(150_000, (i) => `g${i}`))),
  },
  {
    name: "a list with a selector of 5,000 requirements",
    send: (client) => client.status("GET", `${maps}?labelSelector=${numbered(5000, (i) => `!k${i}`).join(",")}`),
  },
  {
    name: "a role that aggregates 2,000 others",
    prepare: async (client) => {
      for (let i = 0; i < 2000; i++)
        await client.send("POST", roles, {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "ClusterRole",
          metadata: { name: `part-${i}`, labels: { [`part-${i}`]: "true" } },
          rules: [{ apiGroups: [`group-${i}.example.org`], resources: ["*"], verbs: ["get"] }],
        });
    },
    send: post(roles, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "whole" },
      aggregationRule: { clusterRoleSelectors: numbered(2000, (i) => ({ matchLabels: { [`part-${i}`]: "true" } })) },
    }),
  },
  {
    name: "a tenant who binds a role of 12,000 rules",
    prepare: post(roles, ruled("large", 12_000)),
    send: (client) => client.status("POST", roles, ruled("large-2", 12_000)),
  },
];
