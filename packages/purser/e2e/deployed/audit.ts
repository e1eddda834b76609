import type { Right } from "../../src/deploy/rights/right.ts";
import { rights } from "../../src/deploy/rights/rights.ts";
import { holds } from "../../src/deploy/conditions.ts";
import type { InstallValues } from "../../src/deploy/values.ts";
import type { UsedRight } from "./used-right.ts";

/** The rights of an installation beside what it asked for. */
export interface Audit {
  /** Used and not granted, as `verb group/resource`. */
  readonly missing: readonly string[];
  /** Granted for requests, and no request used them. */
  readonly unused: readonly string[];
}

const nameOf = (verb: string, group: string, resource: string): string =>
  `${verb} ${group === "" ? "core" : group}/${resource}`;

/** Every user may review itself and read what APIs there are. */
const everyones = new Set([
  "create authentication.k8s.io/selfsubjectreviews",
  "create authorization.k8s.io/selfsubjectrulesreviews",
]);

/** Compares the requests of whole flows with the list of rights. */
export function auditOf(requests: readonly UsedRight[], values: InstallValues): Audit {
  const granted = rights.filter(({ condition }) => condition === undefined || holds(condition, values));
  const used = new Map<string, UsedRight>();
  for (const request of requests)
    if (request.group !== undefined) used.set(nameOf(request.verb, request.group, request.resource), request);
  const covers = (
    { group, resources, verbs, scope }: Right,
    { verb, resource, namespace, ...asked }: UsedRight,
  ): boolean =>
    (group === "*" || group === asked.group) &&
    (resources.includes("*") || resources.includes(resource)) &&
    verbs.includes(verb) &&
    (scope === "cluster" || namespace === values.namespace);
  const missing = [...used].filter(
    ([name, request]) => !everyones.has(name) && !granted.some((right) => covers(right, request)),
  );
  const unused = granted
    .filter(({ asked }) => asked === "request")
    .flatMap(({ group, resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => nameOf(verb, group, resource))),
    )
    .filter((name) => !used.has(name));
  return { missing: missing.map(([name]) => name).toSorted(), unused: [...new Set(unused)].toSorted() };
}
