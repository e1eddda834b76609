import type { Check, CheckHistory } from "./check.ts";
import { distinct, exceptInUserNamespace, named, quoted } from "./check.ts";
import { containersOf } from "./secured-pod.ts";

const first = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
const since27 = [...first, "net.ipv4.ip_local_reserved_ports"];
const since29 = [
  ...since27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
const since32 = [...since29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

function sysctls(safe: readonly string[]): Check {
  const allowed = new Set(safe);
  return ({ spec }) => {
    const set = (spec.securityContext?.sysctls ?? []).map(({ name = "" }) => name);
    const forbidden = set.filter((name) => !allowed.has(name));
    return forbidden.length === 0 ? undefined : { reason: "forbidden sysctls", detail: forbidden.join(", ") };
  };
}

const procMount: Check = (pod) => {
  const typeOf = ({ securityContext }: ReturnType<typeof containersOf>[number]): string =>
    securityContext?.procMount ?? "Default";
  const bad = containersOf(pod).filter((container) => typeOf(container) !== "Default");
  return bad.length === 0
    ? undefined
    : {
        reason: "procMount",
        detail: `${named(bad)} must not set securityContext.procMount to ${quoted(distinct(bad.map(typeOf)))}`,
      };
};

/** Checks of sysctls and the /proc mount type. */
export const kernelSettingChecks: readonly CheckHistory[] = [
  {
    id: "procMount",
    level: "baseline",
    versions: [
      { since: 0, check: procMount },
      { since: 35, check: exceptInUserNamespace(procMount) },
    ],
  },
  {
    id: "procMount_restricted",
    level: "restricted",
    overrides: "procMount",
    versions: [{ since: 35, check: procMount }],
  },
  {
    id: "sysctls",
    level: "baseline",
    versions: [
      { since: 0, check: sysctls(first) },
      { since: 27, check: sysctls(since27) },
      { since: 29, check: sysctls(since29) },
      { since: 32, check: sysctls(since32) },
    ],
  },
];
