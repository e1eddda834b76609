/** An API that a bundle provides or needs. */
export interface ApiKey {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

/** `example.com/v1/Widget (widgets)`. */
export function formatApiKey({ group, version, kind, plural }: ApiKey): string {
  return `${group}/${version}/${kind} (${plural})`;
}

/** Once each, in the order in which Go prints the keys of a map. */
export function distinctApis(keys: readonly ApiKey[]): readonly ApiKey[] {
  const found = new Map(keys.map((key) => [JSON.stringify([key.group, key.version, key.kind, key.plural]), key]));
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
}

/** `widgets.example.com` as plural and group; undefined without a dot. */
export function pluralAndGroup(crdName: string): readonly [plural: string, group: string] | undefined {
  const dot = crdName.indexOf(".");
  return dot === -1 ? undefined : [crdName.slice(0, dot), crdName.slice(dot + 1)];
}
