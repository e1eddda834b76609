/** The ConfigMaps of the cluster, as sources of catalogs need them. */
export interface ConfigMaps {
  /** The data of a ConfigMap; undefined when there is none. Rejects when the API server refuses or does not answer. */
  get(namespace: string, name: string, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined>;
  /** ConfigMaps that may have changed, from now on until the signal aborts. Not every change need be among them. */
  changes(signal: AbortSignal): AsyncIterable<ChangedConfigMap>;
}

export interface ChangedConfigMap {
  readonly namespace: string;
  readonly name: string;
}
