import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { done, failed, type Result } from "@purser/kubernetes/result";

export interface CertificateDirectories {
  /** Directories with `HOST[:PORT]/{*.crt, *.cert, *.key}`; of those that have the host, the first counts, as in containers/image. */
  readonly hostRoots: readonly string[];
  /** PEM files that are authorities for every host, and directories of such files. */
  readonly authorities: readonly string[];
}

/** TLS material that the directories hold for one host. */
export interface HostCertificates {
  /** Equal as long as names, sizes and times of the files are. */
  readonly fingerprint: string;
  /** PEM texts of further authorities. */
  readonly authorities: readonly string[];
  /** PEM texts, and the file of the certificate. */
  readonly client?: { readonly path: string; readonly certificate: string; readonly key: string };
}

/** Looks for certificates of a host anew; `known` is returned when no file has changed since. */
export function hostCertificates(
  hostAndPort: string,
  directories: CertificateDirectories,
  known: HostCertificates | undefined,
): Result<HostCertificates, string> {
  try {
    const own = directories.hostRoots.map((root) => join(root, hostAndPort)).find(isDirectory);
    const ownFiles = own === undefined ? [] : filesOf(own);
    const shared = directories.authorities.map((directory) => ({ directory, files: filesOf(directory) }));
    const all = [...ownFiles, ...shared.flatMap(({ files }) => files)];
    const fingerprint = all.map(({ path, state }) => `${path} ${state}`).join("\n");
    if (known?.fingerprint === fingerprint) return done(known);
    const authorities: string[] = [];
    for (const { directory, files } of shared) {
      const texts = files.map(({ path }) => readFileSync(path, "utf8")).filter(isCertificate);
      if (texts.length === 0) return failed(`no certificates found in ${directory}`);
      authorities.push(...texts);
    }
    for (const { path } of ownFiles.filter((file) => file.path.endsWith(".crt"))) {
      const text = readFileSync(path, "utf8");
      if (!isCertificate(text)) return failed(`${path} holds no certificate`);
      authorities.push(text);
    }
    const client = clientOf(ownFiles.map(({ path }) => path));
    if (!client.ok) return client;
    return done({ fingerprint, authorities, ...(client.value !== undefined && { client: client.value }) });
  } catch (error) {
    return failed(`certificates cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function clientOf(paths: readonly string[]): Result<HostCertificates["client"], string> {
  let client: HostCertificates["client"];
  for (const path of paths) {
    const partner = path.endsWith(".cert") ? path.replace(/cert$/, "key") : path.replace(/key$/, "cert");
    if (!/\.(cert|key)$/.test(path)) continue;
    if (!paths.includes(partner)) return failed(`${path} has no ${partner.split("/").at(-1)} beside it`);
    if (client === undefined && path.endsWith(".cert"))
      client = { path, certificate: readFileSync(path, "utf8"), key: readFileSync(partner, "utf8") };
  }
  return done(client);
}

const isCertificate = (text: string): boolean => text.includes("-----BEGIN CERTIFICATE-----");

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function filesOf(place: string): readonly { readonly path: string; readonly state: string }[] {
  const paths = statSync(place).isFile()
    ? [place]
    : readdirSync(place)
        .sort()
        .map((name) => join(place, name));
  return paths.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    // A mounted Secret holds links to a directory that is replaced as a whole: the inode changes.
    return found?.isFile() === true ? [{ path, state: `${found.ino} ${found.size} ${found.mtimeMs}` }] : [];
  });
}
