import type { JsonObject } from "@purser/kubernetes/json";
import type { Steps } from "@purser/kubernetes/steps";
import {
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooMany,
  type FieldError,
} from "@purser/kubernetes/object/field-error";
import { hasMember, numberIn, objectIn, objectsIn, textIn } from "../decoding/json-parts.ts";
import { labelProblems } from "../names.ts";
import { portNameProblems } from "../network-policy-validation.ts";
import { validateEnvironment } from "./pod-environment-validation.ts";
import { validateHostPorts } from "./pod-network-validation.ts";
import { forbidProbesAndHooks, validateProbesAndHooks } from "./pod-probe-validation.ts";
import { validateResizing, validateResources } from "./pod-resource-validation.ts";
import { each, eachInSteps, needTexts, oneOf, portNumber, texts } from "../field-rules.ts";
import { validateSecurity } from "./pod-security-validation.ts";
import { validateDevices, validateMounts } from "./pod-volume-validation.ts";

/** Parts of the pod that container validation needs. */
export interface PodParts {
  readonly spec: JsonObject;
  readonly volumes: ReadonlyMap<string, JsonObject>;
  /** Names of the pod's resource claims. */
  readonly claims: readonly string[];
}

/** Validates containers, init containers and ephemeral containers, with pauses. */
export function* validateContainers(parts: PodParts, path: string): Steps<readonly FieldError[]> {
  const { spec } = parts;
  const containers = objectsIn(spec, "containers");
  const names = new Set<string>();
  if (containers.length === 0)
    return [
      required(`${path}.containers`),
      ...(yield* validateInitContainers(parts, path)),
      ...(yield* validateEphemeral(parts, path)),
    ];
  const own = yield* eachInSteps(spec, "containers", path, (container, at) => [
    ...validateContainer(container, at, parts),
    ...uniqueName(container, at, names),
    ...validateProbesAndHooks(container, at, spec),
    ...validateRestarts(container, at),
  ]);
  yield;
  return [
    ...own,
    ...validateHostPorts(containers, `${path}.containers`),
    ...(yield* validateInitContainers(parts, path)),
    ...(yield* validateEphemeral(parts, path)),
  ];
}

function uniqueName(container: JsonObject, path: string, names: Set<string>): readonly FieldError[] {
  const name = textIn(container, "name");
  if (names.has(name)) return [duplicate(`${path}.name`, name)];
  names.add(name);
  return [];
}

function validateContainer(container: JsonObject, path: string, parts: PodParts): readonly FieldError[] {
  const name = textIn(container, "name");
  return [
    ...(name === "" ? [required(`${path}.name`)] : texts(name, `${path}.name`, labelProblems)),
    ...needTexts(container, path, "image"),
    ...oneOf(container, "terminationMessagePolicy", ["File", "FallbackToLogsOnError"], path),
    ...validatePorts(container, path),
    ...validateEnvironment(container, path),
    ...validateMounts(container, path, parts.volumes),
    ...validateDevices(container, path, parts.volumes),
    ...oneOf(container, "imagePullPolicy", ["Always", "IfNotPresent", "Never"], path),
    ...validateResources(objectIn(container, "resources"), `${path}.resources`, parts.claims),
    ...validateResizing(container, path, textIn(parts.spec, "restartPolicy")),
    ...validateSecurity(container, path, parts.spec["hostUsers"] === false),
  ];
}

function validatePorts(container: JsonObject, path: string): readonly FieldError[] {
  const names = new Set<string>();
  return each(container, "ports", path, (port, at) => {
    const name = textIn(port, "name");
    const problems = name === "" ? [] : texts(name, `${at}.name`, portNameProblems);
    const repeated = problems.length === 0 && names.has(name) ? [duplicate(`${at}.name`, name)] : [];
    if (name !== "" && problems.length === 0) names.add(name);
    const [own, host] = [numberIn(port, "containerPort") ?? 0, numberIn(port, "hostPort") ?? 0];
    return [
      ...problems,
      ...repeated,
      ...(own === 0 ? [required(`${at}.containerPort`)] : portNumber(own, `${at}.containerPort`)),
      ...(host === 0 ? [] : portNumber(host, `${at}.hostPort`)),
      ...oneOf(port, "protocol", ["SCTP", "TCP", "UDP"], at),
    ];
  });
}

const restartPolicies = ["Always", "Never", "OnFailure"];
const actions = ["Restart", "RestartAllContainers"];
const mostRules = 20;
const mostCodes = 255;

/** Validates restartPolicyRules. */
function validateRestarts(container: JsonObject, path: string): readonly FieldError[] {
  const rules = objectsIn(container, "restartPolicyRules");
  const policy = textIn(container, "restartPolicy");
  const field = `${path}.restartPolicy`;
  if (!hasMember(container, "restartPolicy") && rules.length === 0) return [];
  return [
    ...(!hasMember(container, "restartPolicy")
      ? [required(field, "must specify restartPolicy when restart rules are used")]
      : restartPolicies.includes(policy)
        ? []
        : [notSupported(field, policy, restartPolicies)]),
    ...(rules.length > mostRules ? [tooMany(`${path}.restartPolicyRules`, rules.length, mostRules)] : []),
    ...each(container, "restartPolicyRules", path, (rule, at) => {
      const action = textIn(rule, "action");
      const codes = objectIn(rule, "exitCodes");
      const operator = textIn(codes, "operator");
      const count = Array.isArray(codes["values"]) ? codes["values"].length : 0;
      return [
        ...(actions.includes(action) ? [] : [notSupported(`${at}.action`, action, actions)]),
        ...(hasMember(rule, "exitCodes")
          ? [
              ...(["In", "NotIn"].includes(operator)
                ? []
                : [notSupported(`${at}.exitCodes.operator`, operator, ["In", "NotIn"])]),
              ...(count > mostCodes ? [tooMany(`${at}.exitCodes.values`, count, mostCodes)] : []),
            ]
          : [required(`${at}.exitCodes`, "must be specified")]),
      ];
    }),
  ];
}

function* validateInitContainers(parts: PodParts, path: string): Steps<readonly FieldError[]> {
  const { spec } = parts;
  const names = new Set(objectsIn(spec, "containers").map((container) => textIn(container, "name")));
  return yield* eachInSteps(spec, "initContainers", path, (container, at) => {
    const name = textIn(container, "name");
    const isTaken = names.has(name);
    if (name !== "") names.add(name);
    const isRestartable = textIn(container, "restartPolicy") === "Always";
    return [
      ...validateContainer(container, at, parts),
      ...validateRestarts(container, at),
      ...(isTaken ? [duplicate(`${at}.name`, name)] : []),
      // kube-apiserver reports each of them with index 0.
      ...validateHostPorts([container], `${path}.initContainers`),
      ...(isRestartable ? validateProbesAndHooks(container, at, spec) : forbidProbesAndHooks(container, at)),
      ...(isRestartable
        ? []
        : each(container, "resizePolicy", at, (policy, field) =>
            textIn(policy, "restartPolicy") === "RestartContainer"
              ? [
                  invalid(
                    `${field}.restartPolicy`,
                    "RestartContainer",
                    "must not be set to 'RestartContainer' for non-sidecar initContainers",
                  ),
                ]
              : [],
          )),
    ];
  });
}

const notEphemeral = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
];

function* validateEphemeral(parts: PodParts, path: string): Steps<readonly FieldError[]> {
  const { spec } = parts;
  const others = new Set(
    [...objectsIn(spec, "containers"), ...objectsIn(spec, "initContainers")].map((held) => textIn(held, "name")),
  );
  const names = new Set(others);
  const text = "cannot be set for an Ephemeral Container";
  return yield* eachInSteps(spec, "ephemeralContainers", path, (container, at) => {
    const target = textIn(container, "targetContainerName");
    return [
      ...validateContainer(container, at, parts),
      ...validateImageText(container, at),
      ...uniqueName(container, at, names),
      ...(target === "" || others.has(target) ? [] : [notFound(`${at}.targetContainerName`, target)]),
      ...notEphemeral.filter((key) => isSet(container, key)).map((key) => forbidden(`${at}.${key}`, text)),
      ...each(container, "volumeMounts", at, (mount, field) =>
        ["subPath", "subPathExpr"]
          .filter((key) => textIn(mount, key) !== "")
          .map((key) => forbidden(`${field}.${key}`, text)),
      ),
    ];
  });
}

function isSet(held: JsonObject, key: string): boolean {
  return hasMember(held, key) && (key !== "resources" || Object.keys(objectIn(held, key)).length > 0);
}

/** Image whitespace is checked in pods only; in templates it is not. */
export function validateImageText(container: JsonObject, path: string): readonly FieldError[] {
  const image = textIn(container, "image");
  return image === image.trim()
    ? []
    : [invalid(`${path}.image`, image, "must not have leading or trailing whitespace")];
}
