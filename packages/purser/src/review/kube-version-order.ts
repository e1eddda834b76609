/** Ascending order of API versions: `v1alpha1` < `v1beta1` < `v1` < `v2`; other names come first, by text. */
export function compareKubeVersions(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  if (left === undefined && right === undefined) return a < b ? 1 : a > b ? -1 : 0;
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  for (const [i, value] of left.entries()) {
    const other = right[i] ?? 0;
    if (value !== other) return value - other;
  }
  return 0;
}

/** Stability, major, minor. */
function rank(name: string): readonly [number, number, number] | undefined {
  const parts = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(name);
  if (parts === null) return undefined;
  const [, major = "0", stability, minor = "0"] = parts;
  return [stability === "alpha" ? 0 : stability === "beta" ? 1 : 2, Number(major), Number(minor)];
}
