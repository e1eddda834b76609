import type { JsonObject } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/go-json";
import { numberIn, objectsIn, textIn } from "../decoding/json-parts.ts";

interface Port {
  readonly field: string;
  readonly hostIP: string;
  readonly hostPort: number;
}

/** Warnings about duplicate ports over all containers of a pod; `path` is the path of its spec. */
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
        if (own.hostIP !== "" && own.hostPort === 0)
          warnings.push(`${field}: hostIP set without hostPort: ${portText(port)}`);
        const name = textIn(port, "name");
        const first = names.get(name);
        if (name === "") continue;
        if (first === undefined) names.set(name, field);
        else
          clashes.push(
            `${field}: duplicate port name ${goJson(name)} with ${first}, services and probes that select ports by name will use ${first}`,
          );
      }
  return [...warnings, ...clashes];
}

/** The port as Go prints it. */
function portText(port: JsonObject): string {
  const [host, own] = [numberIn(port, "hostPort") ?? 0, numberIn(port, "containerPort") ?? 0];
  return `{Name:${textIn(port, "name")} HostPort:${host} ContainerPort:${own} Protocol:${textIn(port, "protocol")} HostIP:${textIn(port, "hostIP")}}`;
}

function clash(port: Port, other: Port): readonly string[] {
  if (port.hostIP === other.hostIP && port.hostPort === other.hostPort)
    return [`${port.field}: duplicate port definition with ${other.field}`];
  if (port.hostPort === 0 || other.hostPort === 0)
    return [`${port.field}: overlapping port definition with ${other.field}`];
  const isAmbiguous = port.hostPort === other.hostPort && (port.hostIP === "") !== (other.hostIP === "");
  return isAmbiguous ? [`${port.field}: dangerously ambiguous port definition with ${other.field}`] : [];
}
