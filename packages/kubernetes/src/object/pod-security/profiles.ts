import { goQuote } from "../../go-quote.ts";
import type { Check, CheckHistory } from "./check.ts";
import { distinct, exceptOnWindows, named, plural, quoted, setters } from "./check.ts";
import { containersOf } from "./secured-pod.ts";

const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
const seccompPod = "seccomp.security.alpha.kubernetes.io/pod";
const seccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";

/** An absent profile is allowed here. A profile without a type counts as one of an unknown type. */
function isForbidden(profile: { readonly type?: string } | undefined): profile is { readonly type?: string } {
  return profile !== undefined && profile.type !== "RuntimeDefault" && profile.type !== "Localhost";
}

const appArmor: Check = (pod) => {
  const wholePod = pod.spec.securityContext?.appArmorProfile;
  const bad = containersOf(pod).filter(({ securityContext }) => isForbidden(securityContext?.appArmorProfile));
  const annotations = Object.entries(pod.annotations)
    .filter(
      ([key, value]) =>
        key.startsWith(appArmorPrefix) &&
        value !== "" &&
        value !== "runtime/default" &&
        !value.startsWith("localhost/"),
    )
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .toSorted();
  const types = [
    ...(isForbidden(wholePod) ? [wholePod.type ?? ""] : []),
    ...bad.map(({ securityContext }) => securityContext?.appArmorProfile?.type ?? ""),
  ];
  const values = [...distinct(types), ...annotations];
  const who = [
    setters(isForbidden(wholePod), bad),
    annotations.length === 0 ? "" : plural("annotation", annotations.length),
  ].filter((setter) => setter !== "");
  return who.length === 0
    ? undefined
    : {
        reason: plural("forbidden AppArmor profile", values.length),
        detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(values)}`,
      };
};

function seLinux(allowedTypes: readonly string[]): Check {
  const allowed = new Set(["", "container_t", "container_init_t", "container_kvm_t", ...allowedTypes]);
  return (pod) => {
    const wholePod = pod.spec.securityContext?.seLinuxOptions;
    const isBad = ({ type = "", user = "", role = "" }: NonNullable<typeof wholePod>): boolean =>
      !allowed.has(type) || user !== "" || role !== "";
    const bad = containersOf(pod).filter(({ securityContext: { seLinuxOptions } = {} }) => isBad(seLinuxOptions ?? {}));
    const badPod = isBad(wholePod ?? {});
    if (!badPod && bad.length === 0) return undefined;
    const options = [wholePod, ...bad.map(({ securityContext }) => securityContext?.seLinuxOptions)];
    const types = distinct(options.map((held) => held?.type ?? "").filter((type) => !allowed.has(type)));
    const what = [
      ...(types.length === 0 ? [] : [`${plural("type", types.length)} ${quoted(types)}`]),
      ...(options.some((held) => (held?.user ?? "") !== "") ? ["user may not be set"] : []),
      ...(options.some((held) => (held?.role ?? "") !== "") ? ["role may not be set"] : []),
    ];
    const detail = `${setters(badPod, bad)} set forbidden securityContext.seLinuxOptions: ${what.join("; ")}`;
    return { reason: "seLinuxOptions", detail };
  };
}

const seccompAnnotations: Check = (pod) => {
  const keys = [seccompPod, ...containersOf(pod).map(({ name }) => `${seccompPrefix}${name}`)];
  const forbidden = keys.flatMap((key) => {
    const value = Object.hasOwn(pod.annotations, key) ? pod.annotations[key] : undefined;
    const isFine =
      value === undefined ||
      value === "runtime/default" ||
      value === "docker/default" ||
      value.startsWith("localhost/");
    return isFine ? [] : [`${key}=${goQuote(value)}`];
  });
  const list = distinct(forbidden);
  return list.length === 0
    ? undefined
    : { reason: "seccompProfile", detail: `forbidden ${plural("annotation", list.length)} ${list.join(", ")}` };
};

const seccompFields: Check = (pod) => {
  const wholePod = pod.spec.securityContext?.seccompProfile;
  const bad = containersOf(pod).filter(({ securityContext }) => isForbidden(securityContext?.seccompProfile));
  const who = setters(isForbidden(wholePod), bad);
  const types = distinct([
    ...(isForbidden(wholePod) ? [wholePod.type ?? ""] : []),
    ...bad.map(({ securityContext }) => securityContext?.seccompProfile?.type ?? ""),
  ]);
  return who === ""
    ? undefined
    : {
        reason: "seccompProfile",
        detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(types)}`,
      };
};

const seccompNeeded: Check = (pod) => {
  const forbidden = seccompFields(pod);
  if (forbidden !== undefined || pod.spec.securityContext?.seccompProfile !== undefined) return forbidden;
  const silent = containersOf(pod).filter(({ securityContext }) => securityContext?.seccompProfile === undefined);
  return silent.length === 0
    ? undefined
    : {
        reason: "seccompProfile",
        detail: `pod or ${named(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
      };
};

/** Checks of seccomp, AppArmor and SELinux settings. */
export const profileChecks: readonly CheckHistory[] = [
  { id: "appArmorProfile", level: "baseline", versions: [{ since: 0, check: appArmor }] },
  {
    id: "seLinuxOptions",
    level: "baseline",
    versions: [
      { since: 0, check: seLinux([]) },
      { since: 31, check: seLinux(["container_engine_t"]) },
    ],
  },
  {
    id: "seccompProfile_baseline",
    level: "baseline",
    versions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccompFields },
    ],
  },
  {
    id: "seccompProfile_restricted",
    level: "restricted",
    overrides: "seccompProfile_baseline",
    versions: [
      { since: 19, check: seccompNeeded },
      { since: 25, check: exceptOnWindows(seccompNeeded) },
    ],
  },
];
