import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@purser/kubernetes/json";
import type { Cluster, Answer } from "./cluster.ts";
import { clusterOf, embeddedCluster } from "./cluster.ts";
import { Draw } from "./differential/draw.ts";

/** Labels of the namespaces for random pods: every version in which a check changed, and combinations. */
const policies: readonly Readonly<Record<string, string>>[] = [
  ...[0, 7, 8, 18, 19, 21, 22, 23, 25, 26, 27, 29, 30, 31, 32, 33, 34, 35, 36, 99].flatMap((minor) => [
    { enforce: "restricted", "enforce-version": `v1.${minor}` },
    { enforce: "baseline", "enforce-version": `v1.${minor}` },
  ]),
  { enforce: "restricted" },
  { enforce: "baseline" },
  { enforce: "baseline", warn: "restricted" },
  { enforce: "restricted", warn: "privileged" },
  { enforce: "baseline", "enforce-version": "v1.20", "warn-version": "v1.10", warn: "restricted" },
  { warn: "restricted" },
  { warn: "baseline", audit: "restricted" },
  { audit: "restricted" },
];

const sysctls = [
  "kernel.shm_rmid_forced",
  "kernel.msgmax",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_rmem",
];
const capabilities = ["ALL", "NET_BIND_SERVICE", "CHOWN", "SYS_ADMIN", "NET_RAW"];

function maybe(draw: Draw, probability: number, make: () => JsonObject): JsonObject {
  return draw.chance(probability) ? make() : {};
}

/** Security settings that pods and containers have in common. */
function shared(draw: Draw): JsonObject {
  const profile = (): JsonObject =>
    draw.one([{ type: "RuntimeDefault" }, { type: "Unconfined" }, { type: "Localhost", localhostProfile: "p" }]);
  return {
    ...maybe(draw, 0.4, () => ({ runAsNonRoot: draw.chance(0.8) })),
    ...maybe(draw, 0.3, () => ({ runAsUser: draw.one([0, 1, 1000]) })),
    ...maybe(draw, 0.4, () => ({ seccompProfile: profile() })),
    ...maybe(draw, 0.1, () => ({ appArmorProfile: profile() })),
    ...maybe(draw, 0.1, () => ({
      seLinuxOptions: {
        ...maybe(draw, 0.7, () => ({ type: draw.one(["container_t", "container_engine_t", "spc_t"]) })),
        ...maybe(draw, 0.2, () => ({ user: "u" })),
        ...maybe(draw, 0.2, () => ({ role: "r" })),
      },
    })),
  };
}

function handler(draw: Draw): JsonObject {
  const host = draw.chance(0.4) ? { host: draw.one(["10.0.0.1", "example.com"]) } : {};
  return draw.one([{ httpGet: { port: 80, ...host } }, { tcpSocket: { port: 80, ...host } }]);
}

function container(draw: Draw, name: string, isInit: boolean, hostNetwork: boolean): JsonObject {
  const escalation = draw.chance(0.7) ? { allowPrivilegeEscalation: draw.chance(0.2) } : {};
  const isPrivileged = draw.chance(0.08) && escalation.allowPrivilegeEscalation !== false;
  const ports = draw.some([80, 443, 8080], 0, 3).map((port) => ({
    containerPort: port,
    ...(hostNetwork ? { hostPort: port } : maybe(draw, 0.1, () => ({ hostPort: port + (isInit ? 1 : 0) }))),
  }));
  return {
    name,
    image: "x",
    ports,
    ...(isInit
      ? {}
      : {
          ...maybe(draw, 0.1, () => ({ livenessProbe: handler(draw) })),
          ...maybe(draw, 0.1, () => ({ readinessProbe: handler(draw) })),
          ...maybe(draw, 0.1, () => ({ lifecycle: { preStop: handler(draw) } })),
        }),
    ...maybe(draw, 0.9, () => ({
      securityContext: {
        ...shared(draw),
        ...escalation,
        ...(isPrivileged ? { privileged: true } : maybe(draw, 0.1, () => ({ privileged: false }))),
        ...maybe(draw, 0.7, () => ({
          capabilities: {
            drop: draw.chance(0.7) ? ["ALL"] : draw.some(capabilities, 0, 2),
            ...maybe(draw, 0.3, () => ({ add: draw.some(capabilities, 0, 2) })),
          },
        })),
        ...maybe(draw, 0.08, () => ({ procMount: draw.one(["Default", "Unmasked"]) })),
      },
    })),
  };
}

function volume(draw: Draw, name: string): JsonObject {
  return draw.one<JsonObject>([
    { name, emptyDir: {} },
    { name, configMap: { name: "c" } },
    { name, secret: { secretName: "s" } },
    { name, downwardAPI: {} },
    { name, projected: { sources: [] } },
    { name, csi: { driver: "d.example.com" } },
    { name, persistentVolumeClaim: { claimName: "c" } },
    { name, hostPath: { path: "/x" } },
    { name, nfs: { server: "s", path: "/x" } },
    { name, gitRepo: { repository: "r" } },
    { name, iscsi: { targetPortal: "10.0.0.1", iqn: "iqn.2001-04.com.example:x", lun: 0 } },
    { name, cephfs: { monitors: ["m"] } },
    { name, fc: { targetWWNs: ["w"], lun: 1 } },
    { name, image: { reference: "r" } },
  ]);
}

function template(draw: Draw): JsonObject {
  const isWindows = draw.chance(0.1);
  if (isWindows) {
    const hostProcess = draw.chance(0.5);
    return {
      metadata: { labels: { a: "b" } },
      spec: {
        os: { name: "windows" },
        ...(hostProcess ? { hostNetwork: true } : {}),
        securityContext: {
          ...maybe(draw, 0.5, () => ({ runAsNonRoot: true })),
          ...(hostProcess ? { windowsOptions: { hostProcess } } : {}),
        },
        containers: [{ name: "c", image: "x" }],
      },
    };
  }
  const hostNetwork = draw.chance(0.08);
  const count = 1 + draw.below(2);
  const annotations = {
    ...maybe(draw, 0.04, () => ({
      "container.apparmor.security.beta.kubernetes.io/c0": draw.one(["unconfined", "localhost/p"]),
    })),
    ...maybe(draw, 0.04, () => ({
      "seccomp.security.alpha.kubernetes.io/pod": draw.one(["unconfined", "docker/default"]),
    })),
  };
  return {
    metadata: { labels: { a: "b" }, annotations },
    spec: {
      hostNetwork,
      hostPID: draw.chance(0.05),
      hostIPC: draw.chance(0.05),
      ...maybe(draw, 0.15, () => ({ hostUsers: draw.chance(0.3) })),
      ...maybe(draw, 0.8, () => ({
        securityContext: {
          ...shared(draw),
          ...maybe(draw, 0.08, () => ({
            sysctls: draw.some(sysctls, 1, 3).map((name) => ({ name, value: "1" })),
          })),
        },
      })),
      initContainers: draw.chance(0.2) ? [container(draw, "init", true, hostNetwork)] : [],
      containers: Array.from({ length: count }, (_, index) =>
        container(draw, `c${index}`, false, hostNetwork && count === 1),
      ),
      volumes: Array.from({ length: draw.below(3) }, (_, index) => volume(draw, `v${index}`)),
    },
  };
}

interface Subject {
  readonly path: string;
  readonly body: JsonObject;
}

/** A random pod, or a workload with the same template. */
function subject(draw: Draw, ns: string): Subject {
  const made = template(draw);
  const metadata = { name: "x" };
  const selector = { matchLabels: { a: "b" } };
  const core = `/api/v1/namespaces/${ns}`;
  const apps = `/apis/apps/v1/namespaces/${ns}`;
  const batch = `/apis/batch/v1/namespaces/${ns}`;
  const spec = made["spec"] as JsonObject;
  const once = { ...made, spec: { ...spec, restartPolicy: "Never" } };
  const pod: Subject = {
    path: `${core}/pods`,
    body: { metadata: { ...(made["metadata"] as JsonObject), name: "x" }, spec },
  };
  return (
    draw.weighted<Subject>([
      [12, pod],
      [1, { path: `${apps}/deployments`, body: { metadata, spec: { selector, template: made } } }],
      [1, { path: `${apps}/statefulsets`, body: { metadata, spec: { selector, template: made, serviceName: "s" } } }],
      [1, { path: `${apps}/daemonsets`, body: { metadata, spec: { selector, template: made } } }],
      [1, { path: `${apps}/replicasets`, body: { metadata, spec: { selector, template: made } } }],
      [1, { path: `${batch}/jobs`, body: { metadata, spec: { template: once } } }],
      [
        1,
        {
          path: `${batch}/cronjobs`,
          body: { metadata, spec: { schedule: "* * * * *", jobTemplate: { spec: { template: once } } } },
        },
      ],
    ]) ?? pod
  );
}

/** The part of a response about Pod Security; other warnings are compared by the differential test. */
function verdict({ code, message, warnings }: Answer): string {
  const violations = warnings.filter((warning) => warning.includes("PodSecurity"));
  return [String(code), message, ...violations].join("\n    ");
}

export interface PodSecurityOptions {
  /** Kubeconfig of the real control plane. */
  readonly kubeconfig: string | undefined;
  readonly seed: number;
  readonly operations: number;
}

/**
 * Sends the same random pods and workloads, as dry runs, to namespaces with many Pod Security levels and versions of
 * the embedded server and of a real kube-apiserver, and compares the verdicts. Resolves to the exit code.
 */
export async function runPodSecurity({ kubeconfig, seed, operations }: PodSecurityOptions): Promise<number> {
  if (kubeconfig === undefined) {
    console.log("SKIP: pods are compared with a real control plane: --kubeconfig FILE");
    return 0;
  }
  const sides = [clusterOf(kubeconfig), await embeddedCluster()] as const;
  const prefix = `pss-${Date.now().toString(36)}`;
  const namespaces = policies.map((_, index) => `${prefix}-${index}`);
  try {
    for (const cluster of sides) await prepare(cluster, namespaces);
    return await compare(sides, namespaces, seed, operations);
  } finally {
    for (const cluster of sides) {
      for (const name of namespaces) await cluster.ask({ method: "DELETE", path: `/api/v1/namespaces/${name}` });
      await cluster.close();
    }
  }
}

async function prepare(cluster: Cluster, namespaces: readonly string[]): Promise<void> {
  for (const [index, name] of namespaces.entries()) {
    const labels = Object.fromEntries(
      Object.entries(policies[index] ?? {}).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]),
    );
    const body = { metadata: { name, labels } };
    const answer = await cluster.ask({ method: "POST", path: "/api/v1/namespaces", body });
    if (answer.code !== 201) throw new Error(answer.text);
  }
  for (const name of namespaces)
    while ((await cluster.ask({ path: `/api/v1/namespaces/${name}/serviceaccounts/default` })).code !== 200)
      await sleep(50);
}

async function compare(
  [real, ours]: readonly [Cluster, Cluster],
  namespaces: readonly string[],
  seed: number,
  operations: number,
): Promise<number> {
  const draw = new Draw(seed);
  let [different, refused, warned, broken] = [0, 0, 0, 0];
  for (let index = 0; index < operations; index++) {
    const { path, body } = subject(draw, namespaces[draw.below(namespaces.length)] ?? "");
    const ask = { method: "POST", path: `${path}?dryRun=All`, body } as const;
    const [wanted, got] = await Promise.all([real.ask(ask), ours.ask(ask)]);
    // The response for an otherwise invalid pod has no verdict.
    if (wanted.code === 422 || got.code === 422) {
      broken++;
      continue;
    }
    if (wanted.code === 403) refused++;
    if (wanted.warnings.some((warning) => warning.includes("PodSecurity"))) warned++;
    if (verdict(wanted) === verdict(got)) continue;
    different++;
    console.log(`DIFF ${index} ${path} ${JSON.stringify(body)}`);
    console.log(`  real: ${verdict(wanted)}`);
    console.log(`  ours: ${verdict(got)}`);
  }
  console.log(
    `seed ${seed}: ${operations} pods and workloads, ${refused} refused, ${warned} warned of, ${broken} broken otherwise, ${different} differences`,
  );
  return different > 0 ? 1 : 0;
}
