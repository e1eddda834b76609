import type { Check, CheckHistory } from "./check.ts";
import { exceptInUserNamespace, named, setters } from "./check.ts";
import { containersOf } from "./secured-pod.ts";

const nonRoot: Check = (pod) => {
  const reason = "runAsNonRoot != true";
  const wholePod = pod.spec.securityContext?.runAsNonRoot;
  const containers = containersOf(pod);
  const refusing = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
  const who = setters(wholePod === false, refusing);
  if (who !== "") return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  const silent = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  return wholePod === true || silent.length === 0
    ? undefined
    : { reason, detail: `pod or ${named(silent)} must set securityContext.runAsNonRoot=true` };
};

const notUserZero: Check = (pod) => {
  const root = containersOf(pod).filter(({ securityContext }) => securityContext?.runAsUser === 0);
  const who = setters(pod.spec.securityContext?.runAsUser === 0, root);
  return who === "" ? undefined : { reason: "runAsUser=0", detail: `${who} must not set runAsUser=0` };
};

/** Checks of the user that containers run as. */
export const identityChecks: readonly CheckHistory[] = [
  {
    id: "runAsNonRoot",
    level: "restricted",
    versions: [
      { since: 0, check: nonRoot },
      { since: 35, check: exceptInUserNamespace(nonRoot) },
    ],
  },
  {
    id: "runAsUser",
    level: "restricted",
    versions: [
      { since: 23, check: notUserZero },
      { since: 35, check: exceptInUserNamespace(notUserZero) },
    ],
  },
];
