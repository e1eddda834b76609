import type { JsonObject } from "../../json.ts";
import { goJson } from "../../text/go-json.ts";
import { numberIn, objectIn, objectsIn, textIn } from "./json-parts.ts";

interface Port {
  readonly field: string;
  readonly hostIP: string;
  readonly hostPort: number;
}

/** What the server finds odd about the ports of a pod, all containers together; `path` leads to its spec. */
export function portWarnings(spec: JsonObject, path: string): readonly string[] {
  const warnings: string[] = [];
  const seen = new Map<string, readonly Port[]>();
  const names = new Map<string, string>();
  const clashes: string[] = [];
  for (const list of ["initContainers", "containers"])
    for (const [at, container] of objectsIn(spec, list).entries())
      for (const [index, port] of objectsIn(container, "ports").entries()) {
        const field = `${path}.${list}[${at}].ports[${index}]`;
        const key = `${numberIn(port, "containerPort") ?? 0}/${textIn(port, "protocol")}`;
        const own = { field, hostIP: textIn(port, "hostIP"), hostPort: numberIn(port, "hostPort") ?? 0 };
        const others = seen.get(key) ?? [];
        warnings.push(...others.flatMap((other) => clash(own, other)));
        seen.set(key, [...others, own]);
        const name = textIn(port, "name");
        const first = names.get(name);
        if (name === "" || list === "initContainers") continue;
        if (first === undefined) names.set(name, field);
        else
          clashes.push(
            `${field}: duplicate port name ${goJson(name)} with ${first}, services and probes that select ports by name will use ${first}`,
          );
      }
  return [...warnings, ...clashes];
}

function clash(port: Port, other: Port): readonly string[] {
  if (port.hostIP === other.hostIP && port.hostPort === other.hostPort)
    return [`${port.field}: duplicate port definition with ${other.field}`];
  if (port.hostPort === 0 || other.hostPort === 0)
    return [`${port.field}: overlapping port definition with ${other.field}`];
  const isAmbiguous = port.hostPort === other.hostPort && (port.hostIP === "") !== (other.hostIP === "");
  return isAmbiguous ? [`${port.field}: dangerously ambiguous port definition with ${other.field}`] : [];
}

/** Of a pod template at `path`, when the object is new or its generation has changed. */
export function templateWarnings(
  object: JsonObject,
  old: JsonObject | undefined,
  path: readonly string[],
): readonly string[] {
  const generationOf = (held: JsonObject): number | undefined => numberIn(objectIn(held, "metadata"), "generation");
  if (old !== undefined && generationOf(old) === generationOf(object)) return [];
  const template = path.reduce(objectIn, object);
  return portWarnings(objectIn(template, "spec"), [...path, "spec"].join("."));
}
