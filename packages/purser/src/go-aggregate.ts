/**
 * Several messages as Kubernetes' `errors.Aggregate` prints them: each text once, in brackets when more than one is
 * left. "" for none.
 */
export function aggregate(messages: readonly string[]): string {
  const unique = [...new Set(messages)];
  return unique.length > 1 ? `[${unique.join(", ")}]` : (unique[0] ?? "");
}
