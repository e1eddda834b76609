import type { JsonObject } from "@purser/kubernetes/json";
import { forbidden, invalid, notSupported, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { hasMember, numberIn, objectIn, objectsIn, textIn, textsIn } from "../decoding/json-parts.ts";
import { inside, needTexts, notNegative, portOf, type Rule } from "../field-rules.ts";

const handlers: Readonly<Record<string, Rule>> = {
  exec: (exec, path) => (textsIn(exec, "command").length === 0 ? [required(`${path}.command`)] : []),
  httpGet: (get, path) => [
    ...needTexts(get, path, "path"),
    ...portOf(get["port"], `${path}.port`),
    ...(["HTTP", "HTTPS"].includes(textIn(get, "scheme"))
      ? []
      : [notSupported(`${path}.scheme`, textIn(get, "scheme"), ["HTTP", "HTTPS"])]),
    ...objectsIn(get, "httpHeaders")
      .map((header) => textIn(header, "name"))
      .filter((name) => !/^[-A-Za-z0-9]+$/u.test(name))
      .map((name) => invalid(`${path}.httpHeaders`, name, headerText)),
  ],
  tcpSocket: (socket, path) => portOf(socket["port"], `${path}.port`),
  grpc: (grpc, path) => portOf(grpc["port"], `${path}.port`),
};
const headerText =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";

/** Requires exactly one of the allowed kinds of action. */
function validateAction(action: JsonObject, path: string, kinds: readonly (readonly [string, Rule])[]): FieldError[] {
  const given = kinds.filter(([kind]) => hasMember(action, kind));
  if (given.length === 0) return [required(path, "must specify a handler type")];
  return given.flatMap(([kind, rule], index) =>
    index === 0
      ? rule(objectIn(action, kind), `${path}.${kind}`)
      : [forbidden(`${path}.${kind}`, "may not specify more than 1 handler type")],
  );
}

const counters = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];

function validateProbe(probe: JsonObject, path: string): readonly FieldError[] {
  const grace = numberIn(probe, "terminationGracePeriodSeconds");
  return [
    ...validateAction(probe, path, Object.entries(handlers)),
    ...counters.flatMap((key) => notNegative(probe, key, path)),
    ...(grace !== undefined && grace <= 0
      ? [invalid(`${path}.terminationGracePeriodSeconds`, grace, "must be greater than 0")]
      : []),
  ];
}

const atOnce: Rule = (probe, path) => [
  ...validateProbe(probe, path),
  ...(numberIn(probe, "successThreshold") === 1
    ? []
    : [invalid(`${path}.successThreshold`, numberIn(probe, "successThreshold") ?? 0, "must be 1")]),
];
const readiness: Rule = (probe, path) => [
  ...validateProbe(probe, path),
  ...(hasMember(probe, "terminationGracePeriodSeconds")
    ? [
        invalid(
          `${path}.terminationGracePeriodSeconds`,
          probe["terminationGracePeriodSeconds"],
          "must not be set for readinessProbes",
        ),
      ]
    : []),
];

/** Validates probes and lifecycle hooks of a container; `spec` is its pod's. */
export function validateProbesAndHooks(container: JsonObject, path: string, spec: JsonObject): readonly FieldError[] {
  const grace = numberIn(spec, "terminationGracePeriodSeconds") ?? 0;
  const sleep: Rule = (held, at) => {
    const seconds = numberIn(held, "seconds") ?? 0;
    const detail = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
    return seconds < 0 || seconds > grace ? [invalid(at, seconds, detail)] : [];
  };
  const { exec, httpGet, tcpSocket } = handlers;
  const kinds = Object.entries({ exec, httpGet, tcpSocket, sleep }).flatMap(([kind, rule]) =>
    rule === undefined ? [] : [[kind, rule] as const],
  );
  const action: Rule = (held, at) => validateAction(held, at, kinds);
  return [
    ...inside(container, "lifecycle", path, (lifecycle, at) => [
      ...inside(lifecycle, "postStart", at, action),
      ...inside(lifecycle, "preStop", at, action),
    ]),
    ...inside(container, "livenessProbe", path, atOnce),
    ...inside(container, "readinessProbe", path, readiness),
    ...inside(container, "startupProbe", path, atOnce),
  ];
}

/** Non-restartable init containers may not have probes or lifecycle hooks. */
export function forbidProbesAndHooks(container: JsonObject, path: string): readonly FieldError[] {
  return ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]
    .filter((key) => hasMember(container, key))
    .map((key) => forbidden(`${path}.${key}`, "may not be set for init containers without restartPolicy=Always"));
}
