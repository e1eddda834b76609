import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import {
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import { goJson } from "@purser/kubernetes/text/go-json";
import { duplicate } from "@purser/kubernetes/object/field-error";
import { hasMember, objectIn, objectsIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { between, descendingPath, inside, oneOfGiven, type Rule } from "../field-rules.ts";
import { validateWindowsOptions } from "./pod-windows-validation.ts";

const identities: readonly [number, number] = [0, 2 ** 31 - 1];

/** Validates user and group ids. */
function validateIdentities(context: JsonObject, path: string, keys: readonly string[]): readonly FieldError[] {
  return keys.flatMap((key) => between(context, key, identities, path));
}

const profiles = ["Localhost", "RuntimeDefault", "Unconfined"];

const seccomp: Rule = (profile, path) => {
  const type = textIn(profile, "type");
  const field = `${path}.localhostProfile`;
  const file = textIn(profile, "localhostProfile");
  const wrongPlace = invalid(field, null, "can only be set when seccomp type is Localhost");
  return [
    ...(type === ""
      ? [required(`${path}.type`, "type is required when seccompProfile is set")]
      : profiles.includes(type)
        ? []
        : [notSupported(`${path}.type`, type, profiles)]),
    ...(type === "Localhost"
      ? hasMember(profile, "localhostProfile")
        ? descendingPath(file, field)
        : [required(field, "must be set when seccomp type is Localhost")]
      : hasMember(profile, "localhostProfile")
        ? [{ ...wrongPlace, badText: structText(profile, profileFields) }]
        : []),
  ];
};

const longestProfile = 4095;

const appArmor: Rule = (profile, path) => {
  const [type, file, field] = [
    textIn(profile, "type"),
    textIn(profile, "localhostProfile"),
    `${path}.localhostProfile`,
  ];
  const missing = required(field, "must be set when AppArmor type is Localhost");
  switch (type) {
    case "Localhost":
      if (!hasMember(profile, "localhostProfile")) return [missing];
      return [
        ...(file.trim() !== file
          ? [invalid(field, file, "must not be padded with whitespace")]
          : file === ""
            ? [missing]
            : []),
        ...(file.length > longestProfile ? [tooLong(field, longestProfile)] : []),
      ];
    case "RuntimeDefault":
    case "Unconfined":
      return hasMember(profile, "localhostProfile")
        ? [invalid(field, file, "can only be set when AppArmor type is Localhost")]
        : [];
    case "":
      return [required(`${path}.type`, "type is required when appArmorProfile is set")];
    default:
      return [notSupported(`${path}.type`, type, profiles)];
  }
};

const sysctlSegment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlName = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`;
const sysctlPattern = new RegExp(sysctlName, "u");
const longestSysctl = 253;

const ipcSysctl = /^(kernel\.(sem$|shm|msg)|fs\.mqueue\.)/u;

/** Sysctls of a namespace that the pod shares with its node may not be set. */
function validateShared(name: string, spec: JsonObject, field: string): readonly FieldError[] {
  const plain = name.replaceAll("/", ".");
  if (spec["hostNetwork"] === true && plain.startsWith("net."))
    return [invalid(field, name, "may not be specified when 'hostNetwork' is true")];
  return spec["hostIPC"] === true && ipcSysctl.test(plain)
    ? [invalid(field, name, "may not be specified when 'hostIPC' is true")]
    : [];
}

function validateSysctls(context: JsonObject, path: string, spec: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsIn(context, "sysctls").flatMap((sysctl, index) => {
    const [name, field] = [textIn(sysctl, "name"), `${path}.sysctls[${index}].name`];
    const isSound = name.length <= longestSysctl && sysctlPattern.test(name);
    const detail = `must have at most ${longestSysctl} characters and match regex ${sysctlName}`;
    const isTaken = seen.has(name);
    seen.add(name);
    const shared = validateShared(name, spec, field);
    if (name === "") return [required(field), ...shared];
    if (!isSound) return [invalid(field, name, detail), ...shared];
    return [...(isTaken ? [duplicate(field, name)] : []), ...shared];
  });
}

/** Validates the pod's security context. */
export function validatePodSecurity(spec: JsonObject, path: string): readonly FieldError[] {
  return inside(spec, "securityContext", path, (context, at) => [
    ...validateIdentities(context, at, ["fsGroup", "runAsUser", "runAsGroup"]),
    ...numbersIn(context, "supplementalGroups").flatMap((group, index) =>
      between({ [`supplementalGroups[${index}]`]: group }, `supplementalGroups[${index}]`, identities, at),
    ),
    ...(spec["shareProcessNamespace"] === true && spec["hostPID"] === true
      ? [invalid(`${at}.shareProcessNamespace`, true, "ShareProcessNamespace and HostPID cannot both be enabled")]
      : []),
    ...validateSysctls(context, at, spec),
    ...oneOfGiven(context, "fsGroupChangePolicy", ["Always", "OnRootMismatch"], at),
    ...inside(context, "seccompProfile", at, seccomp),
    ...inside(context, "windowsOptions", at, validateWindowsOptions),
    ...inside(context, "appArmorProfile", at, appArmor),
    ...oneOfGiven(context, "supplementalGroupsPolicy", ["Merge", "Strict"], at),
    ...oneOfGiven(context, "seLinuxChangePolicy", ["Recursive"], at),
  ]);
}

function numbersIn(held: JsonObject, key: string): readonly number[] {
  const list = held[key];
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter((item) => typeof item === "number") : [];
}

/** Validates a container's security context; `ownUsers`: the pod has its own user namespace. */
export function validateSecurity(container: JsonObject, path: string, ownUsers: boolean): readonly FieldError[] {
  return inside(container, "securityContext", path, (context, at) => {
    const whole = (detail: string): FieldError => ({
      ...invalid(at, null, detail),
      badText: structText(context, contextFields),
    });
    const mount = textIn(context, "procMount");
    const isHeld = context["allowPrivilegeEscalation"] === false;
    return [
      ...validateIdentities(context, at, ["runAsUser", "runAsGroup"]),
      ...oneOfGiven(context, "procMount", ["Default", "Unmasked"], at),
      ...(mount === "Unmasked" && !ownUsers
        ? [invalid(`${at}.procMount`, mount, "`hostUsers` must be false to use `Unmasked`")]
        : []),
      ...inside(context, "seccompProfile", at, seccomp),
      ...(isHeld && context["privileged"] === true
        ? [whole("cannot set `allowPrivilegeEscalation` to false and `privileged` to true")]
        : []),
      ...(isHeld
        ? textsIn(objectIn(context, "capabilities"), "add")
            .filter((name) => name === "CAP_SYS_ADMIN")
            .map(() => whole("cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"))
        : []),
      ...inside(context, "windowsOptions", at, validateWindowsOptions),
      ...inside(context, "appArmorProfile", at, appArmor),
    ];
  });
}

/** Fields of an internal struct in declaration order: Go name, API name, and the fields of a nested struct. */
type StructFields = readonly (readonly [string, string, StructFields?])[];

const profileFields: StructFields = [
  ["Type", "type"],
  ["LocalhostProfile", "localhostProfile"],
];
const contextFields: StructFields = [
  [
    "Capabilities",
    "capabilities",
    [
      ["Add", "add"],
      ["Drop", "drop"],
    ],
  ],
  ["Privileged", "privileged"],
  [
    "SELinuxOptions",
    "seLinuxOptions",
    [
      ["User", "user"],
      ["Role", "role"],
      ["Type", "type"],
      ["Level", "level"],
    ],
  ],
  [
    "WindowsOptions",
    "windowsOptions",
    [
      ["GMSACredentialSpecName", "gmsaCredentialSpecName"],
      ["GMSACredentialSpec", "gmsaCredentialSpec"],
      ["RunAsUserName", "runAsUserName"],
      ["HostProcess", "hostProcess"],
    ],
  ],
  ["RunAsUser", "runAsUser"],
  ["RunAsGroup", "runAsGroup"],
  ["RunAsNonRoot", "runAsNonRoot"],
  ["ReadOnlyRootFilesystem", "readOnlyRootFilesystem"],
  ["AllowPrivilegeEscalation", "allowPrivilegeEscalation"],
  ["ProcMount", "procMount"],
  ["SeccompProfile", "seccompProfile", profileFields],
  ["AppArmorProfile", "appArmorProfile", profileFields],
];
const plainTexts = new Set(["user", "role", "type", "level"]);

/** Error messages quote the internal struct. */
function structText(held: JsonObject, fields: StructFields): string {
  const parts = fields.map(([there, here, inner]) => {
    const value = hasMember(held, here)
      ? inner === undefined
        ? goJson(held[here] ?? null)
        : structText(objectIn(held, here), inner)
      : plainTexts.has(here)
        ? '""'
        : "null";
    return `${goJson(there)}:${value}`;
  });
  return `{${parts.join(",")}}`;
}

const noWindowsOptions = "windows options cannot be set for a linux pod";
const notForWindows = "cannot be set for a windows pod";
const refusedOnWindows = {
  spec: ["hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"],
  pod: [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "fsGroup",
    "fsGroupChangePolicy",
    "sysctls",
    "runAsUser",
    "runAsGroup",
    "supplementalGroups",
    "supplementalGroupsPolicy",
    "seLinuxChangePolicy",
  ],
  container: [
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
  ],
} as const;

/** Fields that the pod's `os` does not support must not be set. */
export function validateSystem(spec: JsonObject, path: string): readonly FieldError[] {
  if (!hasMember(spec, "os")) return [];
  const name = textIn(objectIn(spec, "os"), "name");
  if (name === "") return [required(`${path}.os.name`)];
  if (name !== "linux" && name !== "windows") return [notSupported(`${path}.os`, name, ["linux", "windows"])];
  const forbid = (held: JsonObject, keys: readonly string[], at: string, detail: string): readonly FieldError[] =>
    keys
      .filter((key) => hasMember(held, key) && !(held[key] === false && ["hostPID", "hostIPC"].includes(key)))
      .map((key) => forbidden(`${at}.${key}`, detail));
  const [pod, container, whole, detail] =
    name === "linux"
      ? [["windowsOptions"], ["windowsOptions"], [], noWindowsOptions]
      : [refusedOnWindows.pod, refusedOnWindows.container, refusedOnWindows.spec, notForWindows];
  return [
    ...forbid(objectIn(spec, "securityContext"), pod, `${path}.securityContext`, detail),
    ...forbid(spec, whole, path, detail),
    ...["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
      objectsIn(spec, list).flatMap((held, index) =>
        forbid(objectIn(held, "securityContext"), container, `${path}.${list}[${index}].securityContext`, detail),
      ),
    ),
  ];
}

/** A pod with its own user namespace must not share another namespace with its node. */
export function validateOwnUsers(spec: JsonObject, path: string): readonly FieldError[] {
  if (spec["hostUsers"] !== false) return [];
  const shared = [
    ["hostNetwork", "hostNetwork"],
    ["hostPID", "HostPID"],
    ["hostIPC", "HostIPC"],
  ] as const;
  return [
    ...shared
      .filter(([key]) => spec[key] === true)
      .map(([, field]) => forbidden(`${path}.${field}`, "when `hostUsers` is false")),
    ...["initContainers", "containers"].flatMap((list) =>
      objectsIn(spec, list).flatMap((held, index) =>
        objectsIn(held, "volumeDevices").length > 0
          ? [forbidden(`${path}.${list}[${index}].volumeDevices`, "when `hostUsers` is false")]
          : [],
      ),
    ),
  ];
}
