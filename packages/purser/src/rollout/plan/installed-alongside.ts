import { installedAlongsideAnnotationPrefix } from "../../apis/v0/labels.ts";
import { fnv1a64 } from "@purser/kubernetes/digest";

type Annotations = Readonly<Record<string, string>>;

export interface CsvKey {
  readonly namespace: string;
  readonly name: string;
}

/** The CSVs that a CRD was installed with, by annotation; values that are not `namespace/name` are ignored. */
export function installedAlongside(annotations: Annotations | undefined): ReadonlyMap<string, CsvKey> {
  const entries = Object.entries(annotations ?? {}).flatMap(([key, value]): [string, CsvKey][] => {
    const parts = value.split("/");
    const [namespace = "", name = ""] = parts;
    const isEntry = key.startsWith(installedAlongsideAnnotationPrefix) && parts.length === 2;
    return isEntry && namespace !== "" && name !== "" ? [[key, { namespace, name }]] : [];
  });
  return new Map(entries);
}

/** The annotations of a CRD that is written for `csv`, with those of other CSVs that still exist. */
export function withInstalledAlongside(
  annotations: Annotations | undefined,
  others: Iterable<CsvKey>,
  csv: CsvKey,
): Annotations {
  const kept = Object.entries(annotations ?? {}).filter(([key]) => !key.startsWith(installedAlongsideAnnotationPrefix));
  const current = csv.name !== "" && csv.namespace !== "" ? [csv] : [];
  const marks = [...others, ...current].map(({ namespace, name }) => {
    const value = `${namespace}/${name}`;
    return [`${installedAlongsideAnnotationPrefix}${fnv1a64(value)}`, value] as const;
  });
  return Object.fromEntries([...kept, ...marks]);
}
