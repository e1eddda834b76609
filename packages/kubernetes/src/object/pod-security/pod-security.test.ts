import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { checks, detailsIn, reasonsIn, violationsOf } from "./evaluate.ts";
import { policyOf } from "./policy-labels.ts";
import type { LevelVersion } from "./policy-labels.ts";
import type { SecuredContainer, SecuredPod, SecuredSpec } from "./secured-pod.ts";

/** Complies with restricted in every version. */
const fine: SecuredContainer = {
  name: "c",
  securityContext: {
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  },
};

function container(name: string, context: SecuredContainer["securityContext"], more: object = {}): SecuredContainer {
  return { ...fine, ...more, name, securityContext: { ...fine.securityContext, ...context } };
}

function podWith(
  context: SecuredContainer["securityContext"],
  spec: SecuredSpec = {},
  annotations: Readonly<Record<string, string>> = {},
): SecuredPod {
  return { annotations, spec: { containers: [container("c", context)], ...spec } };
}

/** Level and minor version; `latest` is greater than all numbers. */
function at(text: string): LevelVersion {
  const [level, version = ""] = text.split(":");
  assert.ok(level === "baseline" || level === "restricted" || level === "privileged");
  return { level, version: version === "latest" ? "latest" : Number(version) };
}

interface Vector {
  readonly name: string;
  readonly pod: SecuredPod;
  /** The levels that refuse it, and the violations. */
  readonly refused: Readonly<Record<string, string>>;
  readonly allowed: readonly string[];
}

const windows: SecuredSpec = { os: { name: "windows" } };
const bare: SecuredPod = { annotations: {}, spec: { containers: [{ name: "c" }] } };

const escalation =
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)';
const undropped = 'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"])';
const rooted = 'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)';
const unprofiled =
  'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

const vectors: readonly Vector[] = [
  {
    name: "a minimal pod",
    pod: bare,
    refused: {
      "restricted:0": rooted,
      "restricted:7": rooted,
      "restricted:8": `${escalation}, ${rooted}`,
      "restricted:19": `${escalation}, ${rooted}, ${unprofiled}`,
      "restricted:22": `${escalation}, ${undropped}, ${rooted}, ${unprofiled}`,
      "restricted:latest": `${escalation}, ${undropped}, ${rooted}, ${unprofiled}`,
      "restricted:999": `${escalation}, ${undropped}, ${rooted}, ${unprofiled}`,
    },
    allowed: ["baseline:0", "baseline:latest", "privileged:latest"],
  },
  {
    name: "a minimal Windows pod",
    pod: { ...bare, spec: { ...bare.spec, ...windows } },
    refused: {
      "restricted:24": `${escalation}, ${undropped}, ${rooted}, ${unprofiled}`,
      "restricted:25": rooted,
    },
    allowed: ["baseline:latest"],
  },
  {
    name: "a pod that complies with restricted",
    pod: podWith({}),
    refused: {},
    allowed: ["restricted:0", "restricted:8", "restricted:25", "restricted:35", "restricted:latest"],
  },
  {
    name: "privileged containers",
    pod: {
      annotations: {},
      spec: {
        initContainers: [container("i", { privileged: true })],
        containers: [container("c", { privileged: true })],
      },
    },
    refused: { "baseline:0": 'privileged (containers "i", "c" must not set securityContext.privileged=true)' },
    allowed: ["privileged:0"],
  },
  {
    name: "a Windows HostProcess container",
    pod: podWith(
      { windowsOptions: { hostProcess: true } },
      { securityContext: { windowsOptions: { hostProcess: true } } },
    ),
    refused: {
      "baseline:latest":
        'hostProcess (pod and container "c" must not set securityContext.windowsOptions.hostProcess=true)',
    },
    allowed: [],
  },
  {
    name: "added capabilities",
    pod: podWith({ capabilities: { drop: ["ALL"], add: ["SYS_ADMIN", "CHOWN", "NET_RAW"] } }),
    refused: {
      "baseline:latest":
        'non-default capabilities (container "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
      "restricted:21":
        'non-default capabilities (container "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
      "restricted:22":
        'unrestricted capabilities (container "c" must not include "CHOWN", "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
    },
    allowed: [],
  },
  {
    name: "the capability NET_BIND_SERVICE",
    pod: podWith({ capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } }),
    refused: {},
    allowed: ["baseline:latest", "restricted:latest"],
  },
  {
    name: "every capability that a container runtime gives by default",
    pod: podWith({
      capabilities: {
        drop: ["ALL"],
        add: [
          "AUDIT_WRITE",
          "CHOWN",
          "DAC_OVERRIDE",
          "FOWNER",
          "FSETID",
          "KILL",
          "MKNOD",
          "NET_BIND_SERVICE",
          "SETFCAP",
          "SETGID",
          "SETPCAP",
          "SETUID",
          "SYS_CHROOT",
        ],
      },
    }),
    refused: {},
    allowed: ["baseline:latest"],
  },
  {
    name: "capabilities without drop ALL",
    pod: podWith({ capabilities: { drop: ["KILL"], add: ["CHOWN"] } }),
    refused: {
      "restricted:22":
        'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]; container "c" must not include "CHOWN" in securityContext.capabilities.add)',
    },
    allowed: ["restricted:21", "baseline:latest"],
  },
  {
    name: "host namespaces",
    pod: podWith({}, { hostNetwork: true, hostPID: true, hostIPC: true }),
    refused: { "baseline:latest": "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)" },
    allowed: [],
  },
  {
    name: "hostPath volumes",
    pod: podWith(
      {},
      {
        volumes: [
          { name: "a", hostPath: {} },
          { name: "b", hostPath: {} },
          { name: "e", emptyDir: {} },
        ],
      },
    ),
    refused: {
      "baseline:latest": 'hostPath volumes (volumes "a", "b")',
      "restricted:latest": 'restricted volume types (volumes "a", "b" use restricted volume type "hostPath")',
    },
    allowed: [],
  },
  {
    name: "restricted volume types",
    pod: podWith({}, { volumes: [{ name: "a", nfs: {} }, { name: "b", gitRepo: {} }, { name: "x" }] }),
    refused: {
      "restricted:latest":
        'restricted volume types (volumes "a", "b", "x" use restricted volume types "gitRepo", "nfs", "unknown")',
    },
    allowed: ["baseline:latest"],
  },
  {
    name: "host ports, sorted as text",
    pod: {
      annotations: {},
      spec: {
        containers: [container("c", {}, { ports: [{ hostPort: 80 }, { hostPort: 443 }, { hostPort: 80 }, {}] })],
      },
    },
    refused: { "baseline:0": 'hostPort (container "c" uses hostPorts 443, 80)' },
    allowed: [],
  },
  {
    name: "hosts of probes and lifecycle hooks",
    pod: {
      annotations: {},
      spec: {
        containers: [
          container("z", {}, { livenessProbe: { httpGet: { host: "h" } } }),
          container("a", {}, { lifecycle: { preStop: { tcpSocket: { host: "g" } } }, startupProbe: { tcpSocket: {} } }),
        ],
      },
    },
    refused: { "baseline:34": 'probe or lifecycle host (containers "a", "z" use probe or lifecycle hosts "g", "h")' },
    allowed: ["baseline:33"],
  },
  {
    name: "runAsUser 0",
    pod: podWith({ runAsNonRoot: false, runAsUser: 0 }, { securityContext: { runAsNonRoot: false, runAsUser: 0 } }),
    refused: {
      "restricted:22": 'runAsNonRoot != true (pod and container "c" must not set securityContext.runAsNonRoot=false)',
      "restricted:23":
        'runAsNonRoot != true (pod and container "c" must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod and container "c" must not set runAsUser=0)',
    },
    allowed: ["baseline:latest"],
  },
  {
    name: "root in a user namespace",
    pod: podWith({ runAsNonRoot: false, runAsUser: 0, procMount: "Unmasked" }, { hostUsers: false }),
    refused: {
      "baseline:34": 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
      "restricted:34":
        'procMount (container "c" must not set securityContext.procMount to "Unmasked"), runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false), runAsUser=0 (container "c" must not set runAsUser=0)',
      "restricted:35": 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    },
    allowed: ["baseline:35"],
  },
  {
    name: "AppArmor profiles",
    pod: podWith(
      { appArmorProfile: { type: "Unconfined" } },
      { securityContext: { appArmorProfile: { type: "Unconfined" } } },
      { "container.apparmor.security.beta.kubernetes.io/c": "unconfined", other: "unconfined" },
    ),
    refused: {
      "baseline:0":
        'forbidden AppArmor profiles (pod and container "c" and annotation must not set AppArmor profile type to "Unconfined", "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
    },
    allowed: [],
  },
  {
    name: "SELinux options",
    pod: podWith(
      { seLinuxOptions: { type: "container_engine_t" } },
      { securityContext: { seLinuxOptions: { user: "u", role: "r", type: "spc_t" } } },
    ),
    refused: {
      "baseline:30":
        'seLinuxOptions (pod and container "c" set forbidden securityContext.seLinuxOptions: types "container_engine_t", "spc_t"; user may not be set; role may not be set)',
      "baseline:31":
        'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set; role may not be set)',
    },
    allowed: [],
  },
  ...["container_t", "container_init_t", "container_kvm_t", ""].map((type) => ({
    name: `SELinux type "${type}"`,
    pod: podWith({ seLinuxOptions: { type } }, { securityContext: { seLinuxOptions: { type } } }),
    refused: {},
    allowed: ["baseline:0", "baseline:30", "baseline:latest"],
  })),
  {
    name: "seccomp annotations",
    pod: podWith(
      {},
      {},
      {
        "seccomp.security.alpha.kubernetes.io/pod": "unconfined",
        "container.seccomp.security.alpha.kubernetes.io/c": "localhost/x",
      },
    ),
    refused: {
      "baseline:18": 'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
      "restricted:18": 'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    },
    allowed: ["baseline:19", "restricted:19"],
  },
  {
    name: "seccomp profiles",
    pod: podWith(
      { seccompProfile: { type: "Unconfined" } },
      { securityContext: { seccompProfile: { type: "Unconfined" } } },
    ),
    refused: {
      "baseline:19":
        'seccompProfile (pod and container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
      "restricted:latest":
        'seccompProfile (pod and container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
    },
    allowed: ["baseline:18"],
  },
  {
    name: "sysctls",
    pod: podWith(
      {},
      {
        securityContext: {
          sysctls: [
            "kernel.msgmax",
            "net.ipv4.ip_local_reserved_ports",
            "net.ipv4.tcp_fin_timeout",
            "net.ipv4.tcp_rmem",
          ].map((name) => ({ name })),
        },
      },
    ),
    refused: {
      "baseline:26":
        "forbidden sysctls (kernel.msgmax, net.ipv4.ip_local_reserved_ports, net.ipv4.tcp_fin_timeout, net.ipv4.tcp_rmem)",
      "baseline:27": "forbidden sysctls (kernel.msgmax, net.ipv4.tcp_fin_timeout, net.ipv4.tcp_rmem)",
      "baseline:29": "forbidden sysctls (kernel.msgmax, net.ipv4.tcp_rmem)",
      "baseline:32": "forbidden sysctls (kernel.msgmax)",
    },
    allowed: [],
  },
  {
    name: "ephemeral containers",
    pod: { annotations: {}, spec: { containers: [fine], ephemeralContainers: [container("e", { privileged: true })] } },
    refused: { "baseline:latest": 'privileged (container "e" must not set securityContext.privileged=true)' },
    allowed: [],
  },
];

suite("Pod Security", () => {
  for (const { name, pod, refused, allowed } of vectors)
    test(`${name}: ${[...Object.keys(refused).map((level) => `refused by ${level}`), ...allowed.map((level) => `allowed by ${level}`)].join(", ")}`, () => {
      for (const [level, detail] of Object.entries(refused))
        assert.equal(detailsIn(violationsOf(at(level), pod)), detail, level);
      for (const level of allowed) assert.equal(detailsIn(violationsOf(at(level), pod)), "", level);
    });

  test("reasons without details name no containers", () => {
    assert.equal(
      reasonsIn(violationsOf(at("restricted:latest"), bare)),
      "allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile",
    );
  });

  test("versions of every check ascend, and only restricted checks override others", () => {
    for (const { id, level, versions, overrides } of checks) {
      const since = versions.map((form) => form.since);
      assert.deepEqual(
        since,
        [...new Set(since)].toSorted((a, b) => a - b),
        id,
      );
      if (overrides === undefined) continue;
      assert.equal(level, "restricted");
      assert.equal(checks.find((other) => other.id === overrides)?.level, "baseline", id);
    }
  });
});

suite("labels of Pod Security", () => {
  const prefix = "pod-security.kubernetes.io/";
  const read = (labels: Readonly<Record<string, string>>): ReturnType<typeof policyOf> =>
    policyOf(Object.fromEntries(Object.entries(labels).map(([key, value]) => [prefix + key, value])));
  const none = { level: "privileged", version: "latest" } as const;

  test("without labels everything is allowed", () => {
    assert.deepEqual(policyOf(undefined), { enforce: none, warn: none, errors: [] });
  });

  test("warnings default to the enforced level and version", () => {
    const enforce = { level: "baseline", version: 25 } as const;
    assert.deepEqual(read({ enforce: "baseline", "enforce-version": "v1.25" }), { enforce, warn: enforce, errors: [] });
  });

  test("an explicit warn level is kept, even when it is weaker", () => {
    const { warn } = read({ enforce: "restricted", warn: "privileged" });
    assert.deepEqual(warn, none);
  });

  test("an explicit warn version applies to the enforced level", () => {
    const { warn } = read({ enforce: "restricted", "enforce-version": "v1.20", "warn-version": "v1.30" });
    assert.deepEqual(warn, { level: "restricted", version: 30 });
  });

  test("an unknown level is refused, and treated as the strictest one", () => {
    const { enforce, warn, errors } = read({
      enforce: "strict",
      "enforce-version": "1.25",
      warn: "x",
      "audit-version": "v2.0",
    });
    assert.deepEqual(enforce, { level: "restricted", version: "latest" });
    assert.deepEqual(warn, none);
    assert.deepEqual(
      errors.map(({ field, detail }) => `${field}: ${detail}`),
      [
        `metadata.labels[${prefix}enforce]: must be one of privileged, baseline, restricted`,
        `metadata.labels[${prefix}enforce-version]: must be "latest" or "v1.x"`,
        `metadata.labels[${prefix}audit-version]: must be "latest" or "v1.x"`,
        `metadata.labels[${prefix}warn]: must be one of privileged, baseline, restricted`,
      ],
    );
  });

  for (const version of ["v1.01", "v1.", "v1.9223372036854775808", "V1.2", ""])
    test(`${JSON.stringify(version)} is not a version`, () =>
      assert.equal(read({ "enforce-version": version }).errors.length, 1));
});
