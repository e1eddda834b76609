import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import { compareVersions } from "../registry/group-priority.ts";
import type { ServedKind } from "../registry/served-kind.ts";

/** The warning on every response for a deprecated version; undefined for other versions. */
export function deprecationOf({ type, custom }: ServedKind): string | undefined {
  if (custom?.version.deprecated !== true) return undefined;
  if (custom.version.deprecationWarning !== undefined) return custom.version.deprecationWarning;
  const { group, kind } = type;
  const [better] = custom.definition.spec.versions
    .filter(({ served, deprecated, name }) => served && deprecated !== true && compareVersions(name, type.version) < 0)
    .map(({ name }) => name)
    .toSorted(compareVersions);
  const advice = better === undefined ? "" : `; use ${apiVersionOf({ group, version: better })} ${kind}`;
  return `${apiVersionOf(type)} ${kind} is deprecated${advice}`;
}
