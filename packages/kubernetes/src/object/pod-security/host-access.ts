import type { Check, CheckHistory } from "./check.ts";
import { distinct, named, plural, quoted } from "./check.ts";
import type { HostHandler, SecuredContainer } from "./secured-pod.ts";
import { containersOf } from "./secured-pod.ts";

const namespaces: Check = ({ spec }) => {
  const shared = (["hostNetwork", "hostPID", "hostIPC"] as const).filter((name) => spec[name] === true);
  return shared.length === 0
    ? undefined
    : { reason: "host namespaces", detail: shared.map((name) => `${name}=true`).join(", ") };
};

const hostPaths: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined);
  return bad.length === 0
    ? undefined
    : {
        reason: "hostPath volumes",
        detail: `${plural("volume", bad.length)} ${quoted(bad.map(({ name }) => name))}`,
      };
};

function hostPortsOf({ ports = [] }: SecuredContainer): readonly string[] {
  return ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [String(hostPort)]));
}

const ports: Check = (pod) => {
  const bad = containersOf(pod).filter((container) => hostPortsOf(container).length > 0);
  const used = distinct(bad.flatMap(hostPortsOf));
  const verb = bad.length === 1 ? "uses" : "use";
  return bad.length === 0
    ? undefined
    : { reason: "hostPort", detail: `${named(bad)} ${verb} ${plural("hostPort", used.length)} ${used.join(", ")}` };
};

function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: SecuredContainer): readonly string[] {
  const handlers: readonly (HostHandler | undefined)[] = [
    livenessProbe,
    readinessProbe,
    startupProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return handlers
    .flatMap((handler) => [handler?.httpGet?.host ?? "", handler?.tcpSocket?.host ?? ""])
    .filter((host) => host !== "");
}

const probedHosts: Check = (pod) => {
  const bad = containersOf(pod).filter((container) => hostsOf(container).length > 0);
  const hosts = distinct(bad.flatMap(hostsOf));
  const names = distinct(bad.map(({ name }) => name));
  const verb = names.length === 1 ? "uses" : "use";
  return bad.length === 0
    ? undefined
    : {
        reason: "probe or lifecycle host",
        detail: `${plural("container", names.length)} ${quoted(names)} ${verb} ${plural("probe or lifecycle host", hosts.length)} ${quoted(hosts)}`,
      };
};

const harmless = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

const known = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "nfs",
  "iscsi",
  "glusterfs",
  "rbd",
  "flexVolume",
  "cinder",
  "cephfs",
  "flocker",
  "fc",
  "azureFile",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "portworxVolume",
  "scaleIO",
  "storageos",
];

const restrictedVolumes: Check = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => !harmless.some((source) => Object.hasOwn(volume, source)));
  const types = distinct(bad.map((volume) => known.find((source) => Object.hasOwn(volume, source)) ?? "unknown"));
  const verb = bad.length === 1 ? "uses" : "use";
  const names = quoted(bad.map(({ name }) => name));
  return bad.length === 0
    ? undefined
    : {
        reason: "restricted volume types",
        detail: `${plural("volume", bad.length)} ${names} ${verb} ${plural("restricted volume type", types.length)} ${quoted(types)}`,
      };
};

/** Checks of access to the node, its network and its disks. */
export const hostAccessChecks: readonly CheckHistory[] = [
  { id: "hostNamespaces", level: "baseline", versions: [{ since: 0, check: namespaces }] },
  { id: "hostPathVolumes", level: "baseline", versions: [{ since: 0, check: hostPaths }] },
  { id: "hostPorts", level: "baseline", versions: [{ since: 0, check: ports }] },
  { id: "hostProbesAndHostLifecycle", level: "baseline", versions: [{ since: 34, check: probedHosts }] },
  {
    id: "restrictedVolumes",
    level: "restricted",
    overrides: "hostPathVolumes",
    versions: [{ since: 0, check: restrictedVolumes }],
  },
];
