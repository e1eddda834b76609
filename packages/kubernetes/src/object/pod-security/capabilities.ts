import type { Check, CheckHistory } from "./check.ts";
import { distinct, exceptOnWindows, named, quoted } from "./check.ts";
import type { SecuredContainer } from "./secured-pod.ts";
import { containersOf } from "./secured-pod.ts";

const usual: ReadonlySet<string> = new Set([
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
]);

const harmless: ReadonlySet<string> = new Set(["NET_BIND_SERVICE"]);

/** Added capabilities that are not allowed. */
function excess({ securityContext }: SecuredContainer, allowed: ReadonlySet<string>): readonly string[] {
  return (securityContext?.capabilities?.add ?? []).filter((capability) => !allowed.has(capability));
}

/** The violation by containers with forbidden added capabilities; undefined when there is none. */
function adding(containers: readonly SecuredContainer[], allowed: ReadonlySet<string>): string | undefined {
  const bad = containers.filter((container) => excess(container, allowed).length > 0);
  const capabilities = distinct(bad.flatMap((container) => excess(container, allowed)));
  return bad.length === 0
    ? undefined
    : `${named(bad)} must not include ${quoted(capabilities)} in securityContext.capabilities.add`;
}

const baseline: Check = (pod) => {
  const detail = adding(containersOf(pod), usual);
  return detail === undefined ? undefined : { reason: "non-default capabilities", detail };
};

const restricted: Check = (pod) => {
  const containers = containersOf(pod);
  const keeping = containers.filter(
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes("ALL") !== true,
  );
  const added = adding(containers, harmless);
  const details = [
    ...(keeping.length === 0 ? [] : [`${named(keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(added === undefined ? [] : [added]),
  ];
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
};

/** Checks of added and dropped Linux capabilities. */
export const capabilityChecks: readonly CheckHistory[] = [
  { id: "capabilities_baseline", level: "baseline", versions: [{ since: 0, check: baseline }] },
  {
    id: "capabilities_restricted",
    level: "restricted",
    overrides: "capabilities_baseline",
    versions: [
      { since: 22, check: restricted },
      { since: 25, check: exceptOnWindows(restricted) },
    ],
  },
];
