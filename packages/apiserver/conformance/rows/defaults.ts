import type { JsonObject } from "@purser/kubernetes/json";
import type { Row } from "../row.ts";
import { eventually } from "../eventually.ts";
import { assertContains, placed } from "../row.ts";

const container = { name: "c", image: "i:v1" };
const fullContainer = {
  ...container,
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  imagePullPolicy: "IfNotPresent",
};
const labelled = { metadata: { labels: { a: "b" } } };
const fullPodSpec = {
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  securityContext: {},
  schedulerName: "default-scheduler",
};
const webhook = {
  name: "h.example.com",
  clientConfig: { url: "https://127.0.0.1:1/x" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [{ operations: ["CREATE"], apiGroups: ["none.example.com"], apiVersions: ["v1"], resources: ["nones"] }],
};
const fullWebhook = {
  ...webhook,
  rules: [{ ...webhook.rules[0], scope: "*" }],
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

interface Defaulted {
  readonly name: string;
  /** `{ns}` is replaced with the case's namespace. */
  readonly collection: string;
  readonly object: JsonObject;
  readonly filled: JsonObject;
}

const table: readonly Defaulted[] = [
  {
    name: "a Deployment",
    collection: "/apis/apps/v1/namespaces/{ns}/deployments",
    object: {
      spec: { selector: { matchLabels: { a: "b" } }, template: { ...labelled, spec: { containers: [container] } } },
    },
    filled: {
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        template: { ...labelled, spec: { ...fullPodSpec, containers: [fullContainer] } },
      },
      status: {},
    },
  },
  {
    name: "a Pod",
    collection: "/api/v1/namespaces/{ns}/pods",
    object: {
      spec: {
        automountServiceAccountToken: false,
        containers: [{ ...container, ports: [{ containerPort: 80 }], readinessProbe: { httpGet: { port: 80 } } }],
        volumes: [{ name: "v" }, { name: "s", secret: { secretName: "s", optional: true } }],
      },
    },
    filled: {
      spec: {
        ...fullPodSpec,
        enableServiceLinks: true,
        serviceAccountName: "default",
        serviceAccount: "default",
        priority: 0,
        preemptionPolicy: "PreemptLowerPriority",
        tolerations: ["not-ready", "unreachable"].map((taint) => ({
          key: `node.kubernetes.io/${taint}`,
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: 300,
        })),
        containers: [
          {
            ...fullContainer,
            ports: [{ containerPort: 80, protocol: "TCP" }],
            readinessProbe: {
              httpGet: { path: "/", port: 80, scheme: "HTTP" },
              timeoutSeconds: 1,
              periodSeconds: 10,
              successThreshold: 1,
              failureThreshold: 3,
            },
          },
        ],
        volumes: [
          { name: "v", emptyDir: {} },
          { name: "s", secret: { secretName: "s", defaultMode: 420, optional: true } },
        ],
      },
      status: { phase: "Pending", qosClass: "BestEffort" },
    },
  },
  {
    name: "a Service",
    collection: "/api/v1/namespaces/{ns}/services",
    object: { spec: { ports: [{ port: 80 }] } },
    filled: {
      spec: {
        ports: [{ protocol: "TCP", port: 80, targetPort: 80 }],
        type: "ClusterIP",
        sessionAffinity: "None",
        internalTrafficPolicy: "Cluster",
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
      },
      status: { loadBalancer: {} },
    },
  },
  {
    name: "a headless Service",
    collection: "/api/v1/namespaces/{ns}/services",
    object: { spec: { clusterIP: "None", selector: { a: "b" }, sessionAffinity: "ClientIP", ports: [{ port: 80 }] } },
    filled: {
      spec: {
        clusterIP: "None",
        clusterIPs: ["None"],
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
        ipFamilyPolicy: "SingleStack",
      },
    },
  },
  {
    name: "a Job",
    collection: "/apis/batch/v1/namespaces/{ns}/jobs",
    object: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
    filled: {
      spec: {
        parallelism: 1,
        completions: 1,
        backoffLimit: 6,
        completionMode: "NonIndexed",
        suspend: false,
        manualSelector: false,
        podReplacementPolicy: "TerminatingOrFailed",
        template: { metadata: { labels: { "job-name": "x", "batch.kubernetes.io/job-name": "x" } } },
      },
      status: {},
    },
  },
  {
    name: "a CronJob",
    collection: "/apis/batch/v1/namespaces/{ns}/cronjobs",
    object: {
      spec: {
        schedule: "0 0 1 1 *",
        suspend: true,
        jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
      },
    },
    filled: {
      spec: {
        concurrencyPolicy: "Allow",
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        jobTemplate: { spec: { template: { spec: { dnsPolicy: "ClusterFirst", containers: [fullContainer] } } } },
      },
    },
  },
  {
    name: "a validating webhook",
    collection: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    object: { webhooks: [webhook] },
    filled: { webhooks: [fullWebhook] },
  },
  {
    name: "a mutating webhook",
    collection: "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
    object: { webhooks: [webhook] },
    filled: { webhooks: [{ ...fullWebhook, reinvocationPolicy: "Never" }] },
  },
  {
    name: "a RoleBinding",
    collection: "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings",
    object: {
      roleRef: { kind: "ClusterRole", name: "view" },
      subjects: [
        { kind: "User", name: "u" },
        { kind: "ServiceAccount", name: "s" },
      ],
    },
    filled: {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [
        { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u" },
        { kind: "ServiceAccount", name: "s" },
      ],
    },
  },
  {
    name: "a NetworkPolicy",
    collection: "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies",
    object: { spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] } },
    filled: { spec: { policyTypes: ["Ingress", "Egress"], egress: [{ ports: [{ protocol: "TCP", port: 53 }] }] } },
  },
];

export const defaultRows: readonly Row[] = table.map(({ name, collection, object, filled }) => ({
  row: 90,
  name: `defaults of ${name}`,
  run: async (scene) => {
    await eventually(async () => {
      await scene.ok({ path: `/api/v1/namespaces/${scene.ns}/serviceaccounts/default` });
    });
    const path = placed(collection, scene);
    const own = collection.includes("{ns}") ? "x" : scene.ns;
    const body = { metadata: { name: own }, ...object };
    const made = collection.includes("{ns}")
      ? await scene.ok({ method: "POST", path, body })
      : await scene.keep(path, body);
    assertContains(made, filled);
  },
}));
