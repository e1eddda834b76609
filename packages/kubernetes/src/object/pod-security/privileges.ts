import type { Check, CheckHistory } from "./check.ts";
import { exceptOnWindows, named, setters } from "./check.ts";
import { containersOf } from "./secured-pod.ts";

const privileged: Check = (pod) => {
  const bad = containersOf(pod).filter(({ securityContext }) => securityContext?.privileged === true);
  return bad.length === 0
    ? undefined
    : { reason: "privileged", detail: `${named(bad)} must not set securityContext.privileged=true` };
};

const allowPrivilegeEscalation: Check = (pod) => {
  const bad = containersOf(pod).filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  return bad.length === 0
    ? undefined
    : {
        reason: "allowPrivilegeEscalation != false",
        detail: `${named(bad)} must set securityContext.allowPrivilegeEscalation=false`,
      };
};

const windowsHostProcess: Check = (pod) => {
  const bad = containersOf(pod).filter(({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  const who = setters(pod.spec.securityContext?.windowsOptions?.hostProcess === true, bad);
  return who === ""
    ? undefined
    : { reason: "hostProcess", detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
};

/** Checks of privileged containers and privilege escalation. */
export const privilegeChecks: readonly CheckHistory[] = [
  { id: "privileged", level: "baseline", versions: [{ since: 0, check: privileged }] },
  { id: "windowsHostProcess", level: "baseline", versions: [{ since: 0, check: windowsHostProcess }] },
  {
    id: "allowPrivilegeEscalation",
    level: "restricted",
    versions: [
      { since: 8, check: allowPrivilegeEscalation },
      { since: 25, check: exceptOnWindows(allowPrivilegeEscalation) },
    ],
  },
];
