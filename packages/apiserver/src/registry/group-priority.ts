/** `groupPriorityMinimum` and `versionPriority` of the built-in APIServices; custom resources get 1000/100. */
const groups: ReadonlyMap<string, number> = new Map([
  ["", 18_000],
  ["apps", 17_800],
  ["events.k8s.io", 17_750],
  ["authentication.k8s.io", 17_700],
  ["authorization.k8s.io", 17_600],
  ["autoscaling", 17_500],
  ["batch", 17_400],
  ["certificates.k8s.io", 17_300],
  ["networking.k8s.io", 17_200],
  ["policy", 17_100],
  ["rbac.authorization.k8s.io", 17_000],
  ["storage.k8s.io", 16_800],
  ["apiextensions.k8s.io", 16_700],
  ["admissionregistration.k8s.io", 16_700],
  ["scheduling.k8s.io", 16_600],
  ["coordination.k8s.io", 16_500],
  ["node.k8s.io", 16_300],
  ["discovery.k8s.io", 16_200],
  ["apiregistration.k8s.io", 20_000],
]);

export interface Priority {
  readonly group: number;
  readonly version: number;
}

export function priorityOf(group: string): Priority {
  const known = groups.get(group);
  if (known === undefined) return { group: 1000, version: 100 };
  return { group: known, version: group === "" ? 1 : 15 };
}

/** GA before beta before alpha, newer first; other version names follow alphabetically. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) {
    if (left === right) return a < b ? -1 : a > b ? 1 : 0;
    return left === undefined ? 1 : -1;
  }
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

function parse(version: string): { stage: number; major: number; minor: number } | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major = "0", stage, minor = "0"] = match;
  return { stage: stage === undefined ? 2 : stage === "beta" ? 1 : 0, major: Number(major), minor: Number(minor) };
}
