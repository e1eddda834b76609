/** One condition of a process that can serve. */
export interface ReadyCheck {
  readonly name: string;
  /** Why it does not hold; undefined when it holds. */
  readonly problem?: string;
}

/**
 * The text of `/readyz` in the form of Kubernetes' components: `ok`, or with `verbose` or a failed check a line for each.
 * `excluded` checks do not count.
 */
export function readiness(
  checks: readonly ReadyCheck[],
  excluded: ReadonlySet<string>,
  verbose: boolean,
): { readonly status: 200 | 503; readonly text: string } {
  const counted = checks.filter(({ name }) => !excluded.has(name));
  const failed = counted.some(({ problem }) => problem !== undefined);
  if (!failed && !verbose) return { status: 200, text: "ok" };
  const lines = checks.map(({ name, problem }) => {
    if (excluded.has(name)) return `[+]${name} excluded: ok`;
    return problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`;
  });
  return {
    status: failed ? 503 : 200,
    text: [...lines, failed ? "readyz check failed" : "readyz check passed", ""].join("\n"),
  };
}
