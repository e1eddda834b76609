import type { Lease } from "@purser/kubernetes/apis/coordination";

/** On the Lease: `HOLDER VERSION` of who wrote it last; a version without this annotation keeps that of another. */
const leaderAnnotation = "purser.dev/leader";

/** Annotations of the Lease that a process of this version holds. */
export const leaderAnnotations = (identity: string, version: string): Readonly<Record<string, string>> => ({
  [leaderAnnotation]: `${identity} ${version}`,
});

/** The version of the process that holds the Lease; undefined when it did not record it. */
export function leaderVersion({ metadata, spec }: Lease): string | undefined {
  const [holder, version, ...rest] = metadata.annotations?.[leaderAnnotation]?.split(" ") ?? [];
  return holder === spec?.holderIdentity && rest.length === 0 ? version : undefined;
}
