import { validateLabels } from "../../object/metadata-rules.ts";
import type { JsonObject } from "../../json.ts";
import {
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  type FieldError,
} from "../../object/field-error.ts";
import { hasMember, numberIn, objectIn, objectsIn, textIn, without } from "./json-parts.ts";
import { labelProblems } from "./names.ts";

const restartPolicies = ["Always", "OnFailure", "Never"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];
const protocols = ["SCTP", "TCP", "UDP"];

/** The rules of a pod's spec that clients notice; `path` is where it lies. */
export function validatePodSpec(spec: JsonObject, path: string): readonly FieldError[] {
  const volumes = new Set<string>();
  const names = new Set<string>();
  const containers = objectsIn(spec, "containers");
  return [
    ...objectsIn(spec, "volumes").flatMap((volume, index) =>
      validateVolume(volume, `${path}.volumes[${index}]`, volumes),
    ),
    ...validateLabels(spec["nodeSelector"], `${path}.nodeSelector`),
    ...(containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...containers.flatMap((item, index) => validateContainer(item, `${path}.containers[${index}]`, names, volumes)),
    ...objectsIn(spec, "initContainers").flatMap((item, index) =>
      validateContainer(item, `${path}.initContainers[${index}]`, names, volumes),
    ),
    ...oneOf(spec, "restartPolicy", restartPolicies, path),
    ...oneOf(spec, "dnsPolicy", ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"], path),
    ...(textIn(spec, "dnsPolicy") === "None" && !hasMember(spec, "dnsConfig")
      ? [required(`${path}.dnsConfig`, "must provide `dnsConfig` when `dnsPolicy` is None")]
      : []),
    ...validateDeadline(spec, path),
    ...validateIdentities(objectIn(spec, "securityContext"), `${path}.securityContext`),
    ...notNegative(spec, "terminationGracePeriodSeconds", path),
  ];
}

function oneOf(object: JsonObject, key: string, supported: readonly string[], path: string): readonly FieldError[] {
  const value = textIn(object, key);
  if (value === "") return [required(`${path}.${key}`)];
  return supported.includes(value) ? [] : [notSupported(`${path}.${key}`, value, supported)];
}

/** Users and groups that processes run as. */
function validateIdentities(context: JsonObject, path: string): readonly FieldError[] {
  const most = 2 ** 31 - 1;
  return ["runAsUser", "runAsGroup", "fsGroup"].flatMap((key) => {
    const id = numberIn(context, key);
    return id === undefined || (id >= 0 && id <= most)
      ? []
      : [invalid(`${path}.${key}`, id, `must be between 0 and ${most}, inclusive`)];
  });
}

function validateDeadline(spec: JsonObject, path: string): readonly FieldError[] {
  const seconds = numberIn(spec, "activeDeadlineSeconds");
  const most = 2 ** 31 - 1;
  return seconds === undefined || (seconds >= 1 && seconds <= most)
    ? []
    : [invalid(`${path}.activeDeadlineSeconds`, seconds, `must be between 1 and ${most}, inclusive`)];
}

/** Numbers that may be zero but not less. */
export function notNegative(object: JsonObject, key: string, path: string): readonly FieldError[] {
  const value = numberIn(object, key);
  return value !== undefined && value < 0
    ? [invalid(`${path}.${key}`, value, "must be greater than or equal to 0")]
    : [];
}

function validateVolume(volume: JsonObject, path: string, seen: Set<string>): readonly FieldError[] {
  const errors: FieldError[] = [];
  const name = textIn(volume, "name");
  if (name === "") errors.push(required(`${path}.name`));
  else {
    for (const problem of labelProblems(name)) errors.push(invalid(`${path}.name`, name, problem));
    if (seen.has(name)) errors.push(duplicate(`${path}.name`, name));
  }
  seen.add(name);
  const sources = Object.keys(without(volume, "name"));
  for (const source of sources.slice(1))
    errors.push(forbidden(`${path}.${source}`, "may not specify more than 1 volume type"));
  return errors;
}

function validateContainer(
  container: JsonObject,
  path: string,
  seen: Set<string>,
  volumes: ReadonlySet<string>,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const name = textIn(container, "name");
  if (name === "") errors.push(required(`${path}.name`));
  else {
    for (const problem of labelProblems(name)) errors.push(invalid(`${path}.name`, name, problem));
    if (seen.has(name)) errors.push(duplicate(`${path}.name`, name));
    seen.add(name);
  }
  const image = textIn(container, "image");
  if (image === "") errors.push(required(`${path}.image`));
  else if (image !== image.trim()) {
    errors.push(invalid(`${path}.image`, image, "must not have leading or trailing whitespace"));
  }
  errors.push(...validatePorts(container, path), ...validateEnv(container, path));
  errors.push(...validateMounts(container, path, volumes));
  for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"])
    if (hasMember(container, probe)) errors.push(...validateProbe(objectIn(container, probe), `${path}.${probe}`));
  errors.push(...oneOf(container, "terminationMessagePolicy", ["File", "FallbackToLogsOnError"], path));
  errors.push(...oneOf(container, "imagePullPolicy", pullPolicies, path));
  return errors;
}

function validateProbe(probe: JsonObject, path: string): readonly FieldError[] {
  const handler = ["exec", "httpGet", "tcpSocket", "grpc"].find((kind) => hasMember(probe, kind));
  if (handler === undefined) return [required(path, "must specify a handler type")];
  const port = objectIn(probe, handler)["port"];
  return typeof port === "number" && (port < 1 || port > 65535)
    ? [invalid(`${path}.${handler}.port`, port, "must be between 1 and 65535, inclusive")]
    : [];
}

function validatePorts(container: JsonObject, path: string): readonly FieldError[] {
  const names = new Set<string>();
  return objectsIn(container, "ports").flatMap((port, index) => {
    const at = `${path}.ports[${index}]`;
    const errors: FieldError[] = [];
    const name = textIn(port, "name");
    if (name !== "" && names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    const number = numberIn(port, "containerPort") ?? 0;
    if (number === 0) errors.push(required(`${at}.containerPort`));
    else if (number < 1 || number > 65535) {
      errors.push(invalid(`${at}.containerPort`, number, "must be between 1 and 65535, inclusive"));
    }
    return [...errors, ...oneOf(port, "protocol", protocols, at)];
  });
}

function validateEnv(container: JsonObject, path: string): readonly FieldError[] {
  return objectsIn(container, "env").flatMap((variable, index) => {
    const at = `${path}.env[${index}]`;
    if (textIn(variable, "name") === "") return [required(`${at}.name`)];
    if (!hasMember(variable, "valueFrom")) return [];
    const sources = Object.keys(objectIn(variable, "valueFrom"));
    const given = textIn(variable, "value");
    if (given !== "" && sources.length > 0) {
      return [invalid(`${at}.valueFrom`, "", "may not be specified when `value` is not empty")];
    }
    if (sources.length === 0) {
      return [
        invalid(
          `${at}.valueFrom`,
          "",
          "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`",
        ),
      ];
    }
    return sources.length > 1
      ? [invalid(`${at}.valueFrom`, "", "may not have more than one field specified at a time")]
      : [];
  });
}

function validateMounts(container: JsonObject, path: string, volumes: ReadonlySet<string>): readonly FieldError[] {
  const paths = new Set<string>();
  return objectsIn(container, "volumeMounts").flatMap((mount, index) => {
    const at = `${path}.volumeMounts[${index}]`;
    const errors: FieldError[] = [];
    const name = textIn(mount, "name");
    const mountPath = textIn(mount, "mountPath");
    if (name === "") errors.push(required(`${at}.name`));
    else if (!volumes.has(name)) errors.push(notFound(`${at}.name`, name));
    if (mountPath === "") errors.push(required(`${at}.mountPath`));
    else if (paths.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, "must be unique"));
    paths.add(mountPath);
    return errors;
  });
}
