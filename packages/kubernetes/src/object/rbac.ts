/** One rule of a Role or ClusterRole, as in `rbac.authorization.k8s.io/v1`. */
export interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** What somebody asks to do; a resource request or a path. */
export type RuleRequest =
  | {
      readonly kind: "resource";
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource?: string;
      /** Absent or empty for requests without one (list, create, ...). */
      readonly name?: string;
    }
  | { readonly kind: "path"; readonly verb: string; readonly path: string };

/** Whether one rule allows the request. `pods` does not cover `pods/log`; `*` and the wildcard with that subresource do. */
export function ruleAllows(rule: PolicyRule, request: RuleRequest): boolean {
  if (!holds(rule.verbs, request.verb)) return false;
  if (request.kind === "path") return (rule.nonResourceURLs ?? []).some((held) => pathCovers(held, request.path));
  const names = rule.resourceNames ?? [];
  return (
    holds(rule.apiGroups, request.group) &&
    (rule.resources ?? []).some((held) => resourceMatches(held, request.resource, request.subresource)) &&
    (names.length === 0 || names.includes(request.name ?? ""))
  );
}

export function rulesAllow(rules: readonly PolicyRule[], request: RuleRequest): boolean {
  return rules.some((rule) => ruleAllows(rule, request));
}

function holds(held: readonly string[] | undefined, wanted: string): boolean {
  return held !== undefined && (held.includes("*") || held.includes(wanted));
}

function resourceMatches(held: string, resource: string, subresource: string | undefined): boolean {
  const sub = subresource === "" ? undefined : subresource;
  if (held === "*") return true;
  if (held === (sub === undefined ? resource : `${resource}/${sub}`)) return true;
  return sub !== undefined && held === `*/${sub}`;
}

function pathCovers(held: string, path: string): boolean {
  return held === "*" || held === path || (held.endsWith("*") && path.startsWith(held.replace(/\*+$/, "")));
}

/**
 * The parts of `wanted` that `held` does not cover: broken down to one group, one resource and at most one name (or
 * one path) with the verbs together, sorted and without repetition, as the escalation message of the API server lists them.
 */
export function uncoveredRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const pieces = wanted.flatMap(breakdown).filter((piece) => !held.some((rule) => covers(rule, piece)));
  return compact(pieces);
}

/** Whether every right in `wanted` is held. */
export function rulesCover(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): boolean {
  return uncoveredRules(held, wanted).length === 0;
}

/** One verb on one resource (and name), or one verb on one path. */
type RightPiece =
  | {
      readonly kind: "resource";
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly name?: string;
    }
  | { readonly kind: "path"; readonly verb: string; readonly path: string };

function breakdown(rule: PolicyRule): readonly RightPiece[] {
  const pieces: RightPiece[] = [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs ?? []) {
        const names = rule.resourceNames ?? [];
        if (names.length === 0) pieces.push({ kind: "resource", verb, group, resource });
        else for (const name of names) pieces.push({ kind: "resource", verb, group, resource, name });
      }
    }
  }
  for (const path of rule.nonResourceURLs ?? []) {
    for (const verb of rule.verbs ?? []) pieces.push({ kind: "path", verb, path });
  }
  return pieces;
}

function covers(held: PolicyRule, piece: RightPiece): boolean {
  if (!holds(held.verbs, piece.verb)) return false;
  if (piece.kind === "path") return (held.nonResourceURLs ?? []).some((owned) => urlCovers(owned, piece.path));
  const slash = piece.resource.indexOf("/");
  const twin = slash < 0 ? undefined : `*/${piece.resource.slice(slash + 1)}`;
  const resources = held.resources ?? [];
  const names = held.resourceNames ?? [];
  return (
    holds(held.apiGroups, piece.group) &&
    (resources.includes("*") ||
      resources.includes(piece.resource) ||
      (twin !== undefined && resources.includes(twin))) &&
    (names.length === 0 || (piece.name !== undefined && names.includes(piece.name)))
  );
}

/** `/a*` covers `/a`, `/ab` and `/ab*`, as held patterns cover wanted ones. */
function urlCovers(owned: string, wanted: string): boolean {
  return owned === wanted || owned === "*" || (owned.endsWith("*") && wanted.startsWith(owned.replace(/\*+$/, "")));
}

function compact(pieces: readonly RightPiece[]): readonly PolicyRule[] {
  const verbs = new Map<string, { readonly piece: RightPiece; readonly verbs: string[] }>();
  for (const piece of pieces) {
    const key =
      // Verbs on one path are not told together.
      piece.kind === "path"
        ? JSON.stringify([piece.path, piece.verb])
        : JSON.stringify([piece.group, piece.resource, piece.name ?? null]);
    const known = verbs.get(key);
    if (known === undefined) verbs.set(key, { piece, verbs: [piece.verb] });
    else if (!known.verbs.includes(piece.verb)) known.verbs.push(piece.verb);
  }
  return [...verbs.values()]
    .map(({ piece, verbs: held }) => ruleOf(piece, held))
    .toSorted((a, b) => (formatRule(a) < formatRule(b) ? -1 : 1));
}

function ruleOf(piece: RightPiece, verbs: readonly string[]): PolicyRule {
  if (piece.kind === "path") return { nonResourceURLs: [piece.path], verbs };
  const rule = { apiGroups: [piece.group], resources: [piece.resource], verbs };
  return piece.name === undefined ? rule : { ...rule, resourceNames: [piece.name] };
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}`: the rule as the escalation message prints it. */
export function formatRule(rule: PolicyRule): string {
  const parts: string[] = [];
  const add = (title: string, values: readonly string[] | undefined): void => {
    if (values !== undefined && values.length > 0)
      parts.push(`${title}:[${values.map((v) => JSON.stringify(v)).join(" ")}]`);
  };
  add("APIGroups", rule.apiGroups);
  add("Resources", rule.resources);
  add("NonResourceURLs", rule.nonResourceURLs);
  add("ResourceNames", rule.resourceNames);
  add("Verbs", rule.verbs);
  return `{${parts.join(", ")}}`;
}
