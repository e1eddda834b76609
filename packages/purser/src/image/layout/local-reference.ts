/** An image on this machine, as `skopeo` and `podman` name it. */
export interface LocalReference {
  readonly transport: "oci" | "oci-archive" | "docker-archive";
  /** A directory for `oci`, else a file. */
  readonly path: string;
  /** Which image of several: the name in the annotation or a tag of the archive, or `@N` for the Nth, counted from 0. */
  readonly name?: string;
}

/** Reads `oci:DIR[:NAME]`, `oci-archive:FILE[:NAME]`, `docker-archive:FILE[:REFERENCE]`; undefined for all other references. */
export function parseLocalReference(text: string): LocalReference | undefined {
  const match = /^(oci|oci-archive|docker-archive):([^:]+)(?::(.+))?$/s.exec(text);
  if (match === null) return undefined;
  const [, transport, path = "", name] = match;
  return { transport: transport as LocalReference["transport"], path, ...(name === undefined ? {} : { name }) };
}

/** True when the text names one of the transports, also when the rest of it is broken. */
export function isLocalReference(text: string): boolean {
  return /^(oci|oci-archive|docker-archive):(?!\/\/)/.test(text);
}
