import type { JsonObject } from "@purser/kubernetes/json";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { goJson } from "@purser/kubernetes/text/go-json";
import { numberIn, objectsIn, textIn } from "../decoding/json-parts.ts";

interface Port {
  /** Position among all ports of the pod. */
  readonly order: number;
  readonly field: string;
  readonly hostIP: string;
  readonly hostPort: number;
}

/**
 * More warnings than that are not written: all of one request are cut to some thousand characters. Ports that are all the
 * same clash each with each.
 */
const mostClashes = 1000;

/** Ports of one number and protocol, by what another one clashes with. */
class SamePorts {
  readonly #all: Port[] = [];
  readonly #byHost = new Map<string, Port[]>();

  add(port: Port): void {
    this.#all.push(port);
    for (const key of [`${port.hostPort}`, `${port.hostPort}/${port.hostIP}`]) {
      const held = this.#byHost.get(key);
      if (held === undefined) this.#byHost.set(key, [port]);
      else held.push(port);
    }
  }

  /** Those that may clash with the port, in order: on the same host port or on any; not those on other addresses. */
  candidates(port: Port, most: number): readonly Port[] {
    const { hostPort, hostIP } = port;
    if (hostPort === 0) return this.#all.slice(0, most);
    const same = hostIP === "" ? [`${hostPort}`] : [`${hostPort}/`, `${hostPort}/${hostIP}`];
    return ["0", ...same]
      .flatMap((key) => (this.#byHost.get(key) ?? []).slice(0, most))
      .toSorted((a, b) => a.order - b.order)
      .slice(0, most);
  }
}

/** What one port costs, in {@link Strides}. */
const workOfPort = 16;

/** Warnings about duplicate ports over all containers of a pod, with pauses; `path` is the path of its spec. */
export function* portWarnings(spec: JsonObject, path: string): Steps<readonly string[]> {
  const warnings: string[] = [];
  const seen = new Map<string, SamePorts>();
  const strides = new Strides();
  let order = 0;
  let room = mostClashes;
  const names = new Map<string, string>();
  const clashes: string[] = [];
  for (const list of ["initContainers", "containers"])
    for (const [at, container] of objectsIn(spec, list).entries())
      for (const [index, port] of objectsIn(container, "ports").entries()) {
        if (strides.isDue(workOfPort)) yield;
        const field = `${path}.${list}[${at}].ports[${index}]`;
        const key = `${numberIn(port, "containerPort") ?? 0}/${textIn(port, "protocol")}`;
        const own = {
          order: order++,
          field,
          hostIP: textIn(port, "hostIP"),
          hostPort: numberIn(port, "hostPort") ?? 0,
        };
        const others = seen.get(key) ?? new SamePorts();
        seen.set(key, others);
        for (const other of room === 0 ? [] : others.candidates(own, room)) {
          warnings.push(...clash(own, other));
          room--;
        }
        others.add(own);
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
